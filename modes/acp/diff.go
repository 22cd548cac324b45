package acp

import (
	"slices"
	"strconv"
	"strings"
)

// maxWhole bounds the texts of a diff, in bytes: of a longer file only what
// changes is told.
const maxWhole = 1 << 20

// hunk is one piece of a unified diff: old lines, from one that counts from 0,
// and the new ones in their place.
type hunk struct {
	from, to int // where it begins in the old and in the new text
	old, new []string
}

// hunks reads a unified diff of one file; nil if it is none.
func hunks(diff string) []hunk {
	var found []hunk
	last := byte(0)
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "@@ ") {
			h, ok := header(line)
			if !ok {
				return nil
			}
			found = append(found, h)
			continue
		}
		if len(found) == 0 {
			continue // the names of the files
		}
		h := &found[len(found)-1]
		kind := line[0]
		if kind == '\\' { // the line before has no line break
			kind = last
			trim(h.old, kind != '+')
			trim(h.new, kind != '-')
			continue
		}
		if kind != '+' {
			h.old = append(h.old, line[1:])
		}
		if kind != '-' {
			h.new = append(h.new, line[1:])
		}
		last = kind
	}
	return found
}

func trim(lines []string, it bool) {
	if n := len(lines); it && n > 0 {
		lines[n-1] = strings.TrimSuffix(lines[n-1], "\n")
	}
}

// header reads "@@ -1,2 +3,4 @@".
func header(line string) (hunk, bool) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return hunk{}, false
	}
	start := func(field, sign string) (int, bool) {
		text, ok := strings.CutPrefix(field, sign)
		at, count, counted := strings.Cut(text, ",")
		n, err := strconv.Atoi(at)
		if !counted || count != "0" {
			n-- // of no lines, those before are counted
		}
		return n, ok && err == nil && n >= 0
	}
	from, ok1 := start(fields[1], "-")
	to, ok2 := start(fields[2], "+")
	return hunk{from: from, to: to}, ok1 && ok2
}

// whole returns the texts of a file before and after a change, given the change
// and the text that the file has: before it, or already after it.
func whole(diff, text string) (before, after string, ok bool) {
	found := hunks(diff)
	if len(found) == 0 || len(text) > maxWhole {
		return "", "", false
	}
	lines := slices.Collect(strings.Lines(text))
	if changed, ok := replace(lines, found); ok {
		return text, changed, true
	}
	for i, h := range found {
		found[i] = hunk{from: h.to, old: h.new, new: h.old}
	}
	if changed, ok := replace(lines, found); ok {
		return changed, text, true
	}
	return "", "", false
}

// replace carries out hunks on lines that they fit.
func replace(lines []string, found []hunk) (string, bool) {
	var b strings.Builder
	at := 0
	for _, h := range found {
		end := h.from + len(h.old)
		if h.from < at || end > len(lines) || !slices.Equal(lines[h.from:end], h.old) {
			return "", false
		}
		for _, part := range [][]string{lines[at:h.from], h.new} {
			for _, line := range part {
				b.WriteString(line)
			}
		}
		at = end
	}
	for _, line := range lines[at:] {
		b.WriteString(line)
	}
	return b.String(), true
}

// diffs are the contents that show a change of the file at path: the whole texts
// where they can be told, else each piece on its own.
func diffs(path, diff string, read func(path string) (text string, there bool)) []toolContent {
	found := hunks(diff)
	if len(found) == 0 || path == "" {
		return nil
	}
	text, there := read(path)
	if before, after, ok := whole(diff, text); ok {
		return []toolContent{diffContent(path, before, after, there && text == before || before != "")}
	}
	var contents []toolContent
	for _, h := range found {
		contents = append(contents, diffContent(path, strings.Join(h.old, ""), strings.Join(h.new, ""), true))
	}
	return contents
}

// diffContent shows texts of a file that was there before, or wasn't.
func diffContent(path, before, after string, was bool) toolContent {
	d := &fileDiff{Path: path, NewText: after}
	if was {
		d.OldText = &before
	}
	return toolContent{Type: "diff", fileDiff: d}
}
