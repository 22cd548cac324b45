package offline

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

type language int

const (
	english language = iota
	arabic
	chinese
)

// pick returns the text of this language.
func (l language) pick(en, ar, zh string) string {
	switch l {
	case arabic:
		return ar
	case chinese:
		return zh
	}
	return en
}

// scriptOf is the language that most letters of s belong to.
func scriptOf(s string) language {
	var count [3]int
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Arabic, r):
			count[arabic]++
		case unicode.Is(unicode.Han, r):
			count[chinese] += 2 // a character says as much as several letters
		case unicode.IsLetter(r):
			count[english]++
		}
	}
	best := english
	for l, n := range count {
		if n > count[best] {
			best = language(l)
		}
	}
	return best
}

type kind string

const (
	unknown   kind = ""
	greet     kind = "greet"
	thanks    kind = "thanks"
	help      kind = "help"
	connect   kind = "connect"
	summarize kind = "summarize"
	readFile  kind = "read"
	search    kind = "search"
	where     kind = "where"
	findFiles kind = "findFiles"
	list      kind = "list"
	replace   kind = "replace"
	replaceIn kind = "replaceIn" // without a file
	create    kind = "create"
	run       kind = "run"
	runTests  kind = "runTests"
	runBuild  kind = "runBuild"
	plan      kind = "plan"
	askUser   kind = "ask"
)

// intent is what a prompt asks for.
type intent struct {
	kind        kind
	path        string
	first, last int    // lines, 0 where none are named
	what        string // searched, replaced, run or asked
	with        string // replacement or content
	items       []string
}

// rule is one way to word a request. Its named groups path, what, with, items,
// a and b fill the intent.
type rule struct {
	kind kind
	expr func() *regexp.Regexp // compiled when it is first tried
}

// grammars are made at the first prompt, not when the program starts.
var grammars = sync.OnceValue(func() [3][]rule {
	return [3][]rule{english: compile(englishRules()), arabic: compile(arabicRules()), chinese: compile(chineseRules())}
})

// wording is a rule before its macros are filled in.
type wording struct {
	kind    kind
	pattern string
}

func compile(macros map[string]string, wordings []wording) []rule {
	var pairs []string
	for name, text := range macros {
		pairs = append(pairs, "{"+name+"}", text)
	}
	replacer := strings.NewReplacer(pairs...)
	rules := make([]rule, len(wordings))
	for i, w := range wordings {
		pattern := "(?is)^" + replacer.Replace("{p}"+w.pattern)
		rules[i] = rule{w.kind, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
	}
	return rules
}

// Bounds of what is matched, in bytes: a request to the guide is a sentence, or
// a sentence with a file's content or a list.
const (
	maxSentence = 2 << 10
	maxPrompt   = 64 << 10
)

// understand finds the intent of a prompt and the language it was worded in.
// A prompt of several lines that means nothing as a whole is judged by its
// first line, but only for what changes nothing: the rest may be anything.
func understand(prompt string) (intent, language) {
	prompt = strings.TrimSpace(strings.ToValidUTF8(prompt, "\ufffd"))
	script := scriptOf(prompt)
	if len(prompt) <= maxPrompt {
		if in, lang, ok := parse(prompt, script); ok {
			return in, lang
		}
	}
	if head, _, more := strings.Cut(prompt, "\n"); more && len(head) <= maxSentence {
		if in, lang, ok := parse(strings.TrimSpace(head), scriptOf(head)); ok && in.kind.harmless() {
			return in, lang
		}
	}
	return intent{}, script
}

// parse tries the grammar of the prompt's own script first: a request in one
// language may hold text of another.
func parse(text string, script language) (intent, language, bool) {
	f := fold(text)
	for _, l := range []language{script, english, arabic, chinese} {
		for _, r := range grammars()[l] {
			if len(text) > maxSentence && r.kind != create && r.kind != plan {
				continue
			}
			if in, ok := r.match(f); ok {
				return in, l, true
			}
		}
	}
	return intent{}, script, false
}

func (k kind) harmless() bool {
	switch k {
	case summarize, readFile, search, where, findFiles, list, help, greet:
		return true
	}
	return false
}

func (r rule) match(f folded) (intent, bool) {
	expr := r.expr()
	m := expr.FindStringSubmatchIndex(f.text)
	if m == nil {
		return intent{}, false
	}
	in := intent{kind: r.kind}
	for i, name := range expr.SubexpNames() {
		if name == "" || m[2*i] < 0 {
			continue
		}
		plain := f.text[m[2*i]:m[2*i+1]]
		switch text := unquote(f.source(m[2*i], m[2*i+1])); name {
		case "path":
			in.path = text
		case "what":
			in.what = text
		case "with":
			in.with = text
		case "items":
			in.items = items(text)
		case "a":
			in.first = number(plain)
		case "b":
			in.last = number(plain)
		}
	}
	return in.check(strings.HasSuffix(f.text, "?"))
}

// check refuses what a wording caught by accident and settles what two of them
// share.
func (in intent) check(isQuestion bool) (intent, bool) {
	switch in.kind {
	case readFile, create, replace:
		if !pathLike(in.path) {
			return in, false
		}
	case list:
		if hasExtension(in.path) {
			in.kind = readFile
		}
	case plan:
		if len(in.items) == 0 {
			return in, false
		}
	case search:
		in.what = searchTerm(in.what)
		if in.what == "" || in.what[0] == '-' || isQuestion && strings.ContainsRune(in.what, ' ') {
			return in, false
		}
	case where:
		in.what = strings.TrimSuffix(in.what, "()")
	case askUser:
		if in.what == "" {
			return in, false
		}
	case run:
		if !commandLike(in.what) {
			return in, false
		}
	}
	if in.last != 0 && in.last < in.first {
		in.first, in.last = in.last, in.first
	}
	return in, true
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n > 1<<30 {
		return 0
	}
	return n
}

// unquote takes one pair of quotes off.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{`""`, "''", "``", "“”", "‘’", "«»", "「」", "『』", "《》", "„“"} {
		open, closing := q[:len(q)/2], q[len(q)/2:]
		if rest, ok := strings.CutPrefix(s, open); ok {
			if inner, ok := strings.CutSuffix(rest, closing); ok {
				return inner
			}
		}
	}
	return s
}

// items splits a list by semicolons or lines, else by numbers, else by commas.
func items(s string) []string {
	s = numbering().ReplaceAllString(s, "\n")
	for _, separators := range []string{";；؛\n", ",，،、"} {
		var out []string
		for _, item := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			if item = unquote(strings.TrimRight(strings.TrimLeft(item, " \t\r-*•"), " \t\r.。")); item != "" {
				out = append(out, item)
			}
		}
		if len(out) != 1 || separators[0] == ',' {
			return out
		}
	}
	return nil
}

// numbering are the numbers of "1. read 2. write".
var numbering = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s;；,，])\d{1,2}[.)、]\s*`) })

// searchTerm takes "TODO" from "TODOs" and "TODO comments".
func searchTerm(s string) string {
	for _, suffix := range []string{" comments", " comment", "注释", " notes"} {
		s = strings.TrimSpace(strings.TrimSuffix(s, suffix))
	}
	if word, ok := strings.CutSuffix(s, "s"); ok && len(word) > 1 && strings.ToUpper(word) == word {
		return word
	}
	return s
}

// pathLike reports whether a word that stands where a path can is one.
func pathLike(s string) bool {
	if s == "" || strings.ContainsAny(s, "\n\x00") {
		return false
	}
	switch strings.ToLower(s) {
	case "makefile", "dockerfile", "readme", "license", "licence", "notice", "changelog", "gemfile", "rakefile", "justfile", "procfile":
		return true
	}
	return strings.ContainsAny(s, `./\`) && strings.Trim(s, ".") != ""
}

// commandLike tells a command line from prose: "run go vet" from "run the app".
func commandLike(s string) bool {
	first, _, _ := strings.Cut(s, " ")
	switch strings.ToLower(first) {
	case "", "the", "a", "an", "this", "that", "these", "those", "it", "my", "our", "your", "all", "some", "any", "every", "me", "away", "tests", "on", "in", "with", "from":
		return false
	}
	return first[0] < utf8.RuneSelf
}

// hasExtension tells a file from a folder by its name.
func hasExtension(p string) bool {
	base := path.Base(p)
	ext := path.Ext(base)
	return len(ext) > 1 && ext != base && !strings.HasSuffix(p, "/")
}
