package markdown

import (
	"net/url"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// web reports whether a link may be clicked: it leads to the web. Other
// schemes could start a program.
func web(target string) bool {
	u, err := url.Parse(target)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && sanitize.Line(target) == target
}

// link returns the OSC 8 sequence if it ends a link or leads to the web.
func link(seq string) string {
	params, target := linkParts(seq)
	if target == "" {
		return ansi.ResetHyperlink()
	}
	if !web(target) {
		return ""
	}
	if strings.ContainsFunc(params, func(r rune) bool { return r < '!' || r > '~' }) {
		params = ""
	}
	return ansi.SetHyperlink(target, params)
}

// linkParts cuts an OSC 8 sequence; without a target it ends a link.
func linkParts(seq string) (params, target string) {
	body := strings.TrimPrefix(seq, "\x1b]8;")
	body = strings.TrimSuffix(strings.TrimSuffix(body, "\a"), "\x1b\\")
	params, target, _ = strings.Cut(body, ";")
	return params, target
}

// shortLinks takes out the address that Glamour writes behind the words of a
// link. It stays where the words can't be clicked, as it was written in the
// text, and where the words look like another address: nobody shall be sent
// elsewhere than they read.
func shortLinks(out string) string {
	var b, words strings.Builder
	target := "" // of the link that is open or has just ended
	for out != "" {
		n := strings.IndexByte(out, '\x1b')
		if n < 0 {
			n = len(out)
		}
		if n > 0 {
			words.WriteString(out[:n])
			b.WriteString(out[:n])
			out = out[n:]
			continue
		}
		n = escapeLen(out)
		seq := out[:n]
		b.WriteString(seq)
		out = out[n:]
		if !strings.HasPrefix(seq, "\x1b]8;") {
			continue
		}
		if _, to := linkParts(seq); to != "" {
			if to != target {
				words.Reset()
			}
			target = to
			continue
		}
		before, length := address(out, target)
		if length == 0 {
			continue
		}
		b.WriteString(before)
		said := words.String()
		switch {
		case !web(target):
			b.WriteString(" (" + sanitize.Line(target) + ")")
		case said != target && (strings.Contains(said, "://") || strings.Contains(said, "www.")):
			b.WriteString(out[len(before):length])
		}
		out = out[length:]
		target = ""
		words.Reset()
	}
	return b.String()
}

// address measures the written address of a link at the start of s, which
// follows its words; before is what still belongs to the words.
func address(s, target string) (before string, length int) {
	at := colors(s)
	before = s[:at]
	if target == "" || !strings.HasPrefix(s[at:], " ") {
		return "", 0
	}
	at++
	at += colors(s[at:])
	if !strings.HasPrefix(s[at:], "\x1b]8;") {
		return "", 0
	}
	n := escapeLen(s[at:])
	if _, to := linkParts(s[at : at+n]); to != target {
		return "", 0
	}
	at += n
	end := strings.Index(s[at:], "\x1b]8;")
	if end < 0 {
		return "", 0
	}
	at += end
	at += escapeLen(s[at:])
	return before, at + colors(s[at:])
}

// colors measures the colour sequences at the start of s.
func colors(s string) int {
	n := 0
	for strings.HasPrefix(s[n:], "\x1b[") {
		n += escapeLen(s[n:])
	}
	return n
}

// withoutLinks takes the OSC 8 sequences out of a line.
func withoutLinks(line string) string {
	if !strings.Contains(line, "\x1b]8;") {
		return line
	}
	var b strings.Builder
	for line != "" {
		n := strings.Index(line, "\x1b]8;")
		if n < 0 {
			n = len(line)
		}
		b.WriteString(line[:n])
		if line = line[n:]; line != "" {
			line = line[escapeLen(line):]
		}
	}
	return b.String()
}
