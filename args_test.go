package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// Requirement C-1: argv as people type it.
func TestNormalise(t *testing.T) {
	table := tableOf(chatFlags())
	for _, c := range []struct {
		name                   string
		args                   string // separated by "|"
		flags, words, literals string
	}{
		{name: "nothing"},
		{name: "text", args: "fix the bug", words: "fix the bug"},
		{name: "print with text", args: "-p|fix it", flags: "--print", words: "fix it"},
		{name: "flag after text", args: "fix it|--model|a/b|-p", flags: "--model=a/b --print", words: "fix it"},
		{name: "value with =", args: "--model=a=b", flags: "--model=a=b"},
		{name: "empty value", args: "--model=", flags: "--model="},
		{name: "short and alias", args: "-c|-v|-h", flags: "--continue --version --help"},
		{name: "cluster", args: "-cp|text", flags: "--continue --print", words: "text"},
		{name: "cluster with a value at the end", args: "-pr|abc", flags: "--print --resume=abc"},
		{name: "bare resume", args: "--resume", flags: "--resume="},
		{name: "bare resume before a flag", args: "-r|-p|text", flags: "--resume= --print", words: "text"},
		{name: "bare resume before a file", args: "-r|@a.txt", flags: "--resume=", words: "@a.txt"},
		{name: "bare resume before the end", args: "-r|--|text", flags: "--resume=", literals: "text"},
		{name: "resume with words", args: "-r|the fix", flags: "--resume=the fix"},
		{name: "bare remote", args: "--remote|-p", flags: "--remote= --print"},
		{name: "end of flags", args: "-p|--|--model|-x|@a|--", flags: "--print", literals: "--model|-x|@a|--"},
		{name: "dash", args: "-p|-", flags: "--print", words: "-"},
		{name: "text with a dash", args: "-p|- a list", flags: "--print", words: "- a list"},
		{name: "value with a dash", args: "--system-prompt|- be brief", flags: "--system-prompt=- be brief"},
		{name: "negative number", args: "--max-turns|-1", flags: "--max-turns=-1"},
		{name: "value with lines", args: "--system-prompt=a\nb", flags: "--system-prompt=a\nb"},
		{name: "empty text", args: "-p|", flags: "--print", words: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var args []string
			if c.args != "" {
				args = strings.Split(c.args, "|")
			}
			line, err := normalise(args, table, refused)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []struct {
				what, sep string
				got       []string
				want      string
			}{{"flags", " ", line.flags, c.flags}, {"words", "|", line.words, c.words}, {"literals", "|", line.literals, c.literals}} {
				if got := strings.Join(part.got, part.sep); got != part.want {
					t.Errorf("%s %q, want %q", part.what, got, part.want)
				}
			}
		})
	}
}

// Requirement R-1: hosts give flags that only extensions know.
func TestNormaliseLenient(t *testing.T) {
	table := tableOf(slices.Concat(chatFlags(), hostFlags()))
	for _, c := range []struct {
		name         string
		args         string // separated by "|"
		flags, words string
	}{
		{"unknown alone", "--plan", "--extension-flag=--plan", ""},
		{"unknown with a value", "--style|loud|--mode|rpc", "--extension-flag=--style=loud --mode=rpc", ""},
		{"unknown with =", "--style=loud|text", "--extension-flag=--style=loud", "text"},
		{"unknown before a flag", "--plan|--mode|rpc", "--extension-flag=--plan --mode=rpc", ""},
		{"unknown before a letter", "--plan|-c", "--extension-flag=--plan --continue", ""},
		{"unknown before an unknown", "--plan|--style|loud|text", "--extension-flag=--plan --extension-flag=--style=loud", "text"},
		{"unknown before a file", "--plan|@a.txt", "--extension-flag=--plan", "@a.txt"},
		{"unknown before the end", "--plan|--|text", "--extension-flag=--plan", ""},
		{"unknown letter", "-x|3|text", "", "text"},
		{"unknown before an empty word", "--plan||text", "--extension-flag=--plan", "|text"},
		{"value of a flag of a host", "-e|@scope/ext|-n|A name", "--extension=@scope/ext --name=A name", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			line, err := normalise(strings.Split(c.args, "|"), table, withValue)
			if flags, words := strings.Join(line.flags, " "), strings.Join(line.words, "|"); err != nil || flags != c.flags || words != c.words {
				t.Errorf("flags %q, words %q, %v", flags, words, err)
			}
		})
	}
}

// Requirement E-2: the error names the flag and the fix.
func TestNormaliseRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--modell|x", "did you mean --model?"},
		{"-model|x", "unknown flag -model"},
		{"-x", "unknown flag -x"},
		{"--p", "unknown flag --p"},
		{"-py", "unknown flag -py"},
		{"--", ""},
		{"--model", "--model needs a value"},
		{"--model|-p", "--model needs a value"},
		{"--model|--print", "--model needs a value"},
		{"--model|--", "--model needs a value"},
		{"--print=yes", "--print takes no value"},
	} {
		t.Run(c.args, func(t *testing.T) {
			_, err := normalise(strings.Split(c.args, "|"), tableOf(chatFlags()), refused)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if _, ok := errors.AsType[usageError](err); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// Whatever argv holds: no panic, what follows "--" stays text, and cli/v2
// gets back exactly the words and literals.
func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"-p\x00text", "--model\x00a\x00--\x00--x", "-r\x00--\x00-p", "-\x00--=\x00-=", "-pcr\x00=", "--mode=\x00é"} {
		f.Add(s)
	}
	table := tableOf(chatFlags())
	f.Fuzz(func(t *testing.T, joined string) {
		args := strings.Split(joined, "\x00")
		if _, err := normalise(args, table, withValue); err != nil && strings.Contains(err.Error(), "unknown flag") {
			t.Fatalf("%q: a lenient reading gives %v", args, err)
		}
		line, err := normalise(args, table, refused)
		if err != nil {
			if _, ok := errors.AsType[usageError](err); !ok {
				t.Fatalf("%q: %v is no usage error", args, err)
			}
			return
		}
		if i := slices.Index(args, "--"); i >= 0 && line.literals != nil {
			if got := args[len(args)-len(line.literals):]; !slices.Equal(got, line.literals) {
				t.Fatalf("%q: literals %q", args, line.literals)
			}
		}
		app := &cli.App{Flags: chatFlags(), HideHelpCommand: true, HideVersion: true, HideHelp: true,
			Writer: t.Output(), ErrWriter: t.Output(), ExitErrHandler: func(*cli.Context, error) {},
			OnUsageError: func(_ *cli.Context, err error, _ bool) error { return err },
			Action: func(c *cli.Context) error {
				words, literals := arguments(c.Args().Slice())
				if !slices.Equal(words, line.words) || !slices.Equal(literals, line.literals) {
					t.Fatalf("%q: cli gives %q and %q, want %q and %q", args, words, literals, line.words, line.literals)
				}
				return nil
			}}
		if slices.Contains(line.flags, "--help") {
			return
		}
		if err := app.Run(line.argv("hoopoe")); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
	})
}
