package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// The list with a key in the environment, and no server of this machine asked.
func TestModelList(t *testing.T) {
	e := engine.New(engine.Options{
		Adapters: adapters(),
		Getenv:   func(name string) string { return map[string]string{"ANTHROPIC_API_KEY": "sk-secret-0123456789"}[name] },
		Models:   []llm.Model{{Provider: "mine", ID: "odd\x1b[2J", API: "openai-completions", ContextWindow: 512}},
	})
	for _, c := range []struct {
		name, search string
		has, hasNot  []string
	}{
		{name: "all", has: []string{
			`^Ready to use \(prices per million tokens\):\n  anthropic/claude-\S+ +\S+  \$[\d.]+ in, \$[\d.]+ out\n`,
			`\n  offline/guide +200k  no price\n\nNot now \("hoopoe login PROVIDER"`,
			`\n  openai +OpenAI +\d+ models  no key: OPENAI_API_KEY\n`,
			`\n  bedrock +AWS Bedrock US +\d+ models  no adapter for bedrock-converse-stream\n`,
		}, hasNot: []string{"openai/", "secret"}},
		{name: "search", search: "haiku-4-5", has: []string{
			`^Ready to use .*\n  anthropic/claude-haiku-4-5-\d+ +200k  \$1 in, \$5 out\n`, `\n\nNot now .*\n(  \S*haiku-4-5.*\n)+$`,
		}, hasNot: []string{"offline/guide", "sonnet"}},
		{name: "hostile", search: "mine/", has: []string{`^Ready .*\n  mine/odd +512  no price\n$`}, hasNot: []string{"\x1b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := modelList(e, e.Offers(c.search), c.search != "")
			for _, want := range c.has {
				if !regexp.MustCompile(want).MatchString(got) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
			for _, wrong := range c.hasNot {
				if strings.Contains(got, wrong) {
					t.Errorf("%q is in\n%s", wrong, got)
				}
			}
		})
	}
}

// Requirement C-1: a sub-command is the first word, wherever the flags stand;
// with --print, or behind "--", the word is text.
func TestCommandOf(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"models", "models"},
		{"--offline|models|gpt", "models"},
		{"login|openai|--offline", "login"},
		{"--model|x|logout", "logout"},
		{"--model|models|sessions", "sessions"},
		{"-p|models|are|nice", ""},
		{"models|-p", ""},
		{"--|models", ""},
		{"--mode|rpc|models", ""},
		{"models|--mode|rpc", ""},
		{"--mode|rpc|--mode|json|models", "models"},
		{"which models", "which models"},
		{"", ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			var args []string
			if c.args != "" {
				args = strings.Split(c.args, "|")
			}
			line, err := normalise(args, tableOf(append(chatFlags(), sessionsFlags()...)), refused)
			if got := line.command(); err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestCleanKey(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{" sk-1234 \n", "sk-1234"},
		{"$NAME", "$NAME"},
		{"!pass show key", "!pass show key"},
		{"", ""},
		{" \r\n", ""},
		{"two words", ""},
		{"a\nb", ""},
		{"!a\nb", ""},
		{"schlüssel", ""},
		{"a\x00b", ""},
		{strings.Repeat("k", maxKey+1), ""},
	} {
		key, err := cleanKey(c.text)
		if key != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%.20q: %.20q, %v", c.text, key, err)
		}
		if err != nil && len(c.text) > 1 && strings.TrimSpace(c.text) != "" && strings.Contains(err.Error(), strings.TrimSpace(c.text)) {
			t.Errorf("%q is in the error", c.text)
		}
	}
}
