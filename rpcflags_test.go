package main

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// hostSettings reads a command line as --mode rpc does.
func hostSettings(t *testing.T, args ...string) (s settings, err error) {
	t.Helper()
	flags := slices.Concat(chatFlags(), hostFlags())
	line, err := normalise(append([]string{"--mode", "rpc"}, args...), tableOf(flags), withValue)
	if err != nil {
		t.Fatal(err)
	}
	app := &cli.App{Flags: flags, HideHelpCommand: true, HideVersion: true, ExitErrHandler: func(*cli.Context, error) {},
		Action: func(c *cli.Context) error { s, err = readSettings(c); return nil }}
	if err := app.Run(line.argv("hoopoe")); err != nil {
		t.Fatal(err)
	}
	return s, err
}

// Requirement R-1: flags as the hosts of the protocol's family mean them.
func TestHostSettings(t *testing.T) {
	for _, c := range []struct {
		args string // separated by blanks
		want string // of these settings
	}{
		{"--provider p --model m", "model=p/m"},
		{"--provider p --model p/m", "model=p/m"},
		{"--provider p --model q/m:high", "model=p/q/m:high"},
		{"--provider p", "model=p"},
		{"--model q/m --api-key k", "model=q/m key=q:k"},
		{"--provider p --api-key k", "model=p key=p:k"},
		{"--provider p --model q/m --api-key k", "model=p/q/m key=p:k"},
		{"--session 01ab", "resume=01ab"},
		{"--session ./01ab", "file=./01ab"},
		{"--session a.jsonl", "file=a.jsonl"},
		{"--resume dir/a.jsonl", "file=dir/a.jsonl"},
		{"-r 01ab", "resume=01ab"},
		{"-r", "resume="},
		{"--tools Read,grep", "tools=Read,grep"},
		{"--tools read,teleport", "tools=read warnings=1"},
		{"--tools teleport", "no tools warnings=1"},
		{"--tools ,", "no tools"},
		{"--no-tools", "no tools"},
		{"--no-tools --tools read", "tools=read"},
		{"--thinking lots", "warnings=1"},
		{"--thinking HIGH", "thinking=high"},
		{"-n x", "name=x"},
	} {
		t.Run(c.args, func(t *testing.T) {
			s, err := hostSettings(t, strings.Fields(c.args)...)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(s); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	if _, err := hostSettings(t, "--api-key", "k"); err == nil {
		t.Error("a key for nobody is accepted")
	}
}

// describe lists what was set.
func describe(s settings) string {
	var set []string
	add := func(given bool, text string) {
		if given {
			set = append(set, text)
		}
	}
	add(s.model != "", "model="+s.model)
	for provider, key := range maps.All(s.keys()) {
		add(true, "key="+provider+":"+key)
	}
	add(s.thinking != "", "thinking="+s.thinking)
	add(s.sessionFile != "", "file="+s.sessionFile)
	add(s.resume, "resume="+s.resumeQuery)
	add(len(s.tools) > 0, "tools="+strings.Join(s.tools, ","))
	add(s.noTools, "no tools")
	add(s.name != "", "name="+s.name)
	add(len(s.warnings) > 0, "warnings="+strings.Repeat("1", len(s.warnings)))
	return strings.Join(set, " ")
}

// Decided for this mode: the flag, else the environment, else the name that
// the program was called by.
func TestDialect(t *testing.T) {
	for _, c := range []struct{ flag, environ, name, want string }{
		{"", "", "hoopoe", ""},
		{"", "", "/usr/local/bin/pi", "pi"},
		{"", "", "pi.exe", "pi"},
		{"", "", "/home/pi/hoopoe", ""},
		{"", "pi", "hoopoe", "pi"},
		{"", "default", "pi", ""},
		{"pi", "default", "hoopoe", "pi"},
		{"default", "pi", "pi", ""},
	} {
		p := &program{name: c.name, environ: []string{"HOOPOE_RPC_DIALECT=" + c.environ}}
		if got := p.dialect(c.flag); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestIsTrue(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "true": true, "Yes": true, "ON": true, "": false, "0": false, "false": false, "2": false} {
		if isTrue(value) != want {
			t.Errorf("%q: %t", value, !want)
		}
	}
}

// Hosts shorten the names of models.
func TestWhole(t *testing.T) {
	offer := func(ref string, err error) engine.Offer {
		provider, id, _ := strings.Cut(ref, "/")
		return engine.Offer{Model: llm.Model{Provider: provider, ID: id}, Err: err}
	}
	keyless := errors.New("no key")
	list := []engine.Offer{
		offer("alpha/poem-5", nil), offer("alpha/poem-4-20250101", nil), offer("alpha/gamma", nil),
		offer("beta/poem-4", keyless), offer("beta/alpha/poem-5", keyless), offer("gamma/verse:7b", keyless), offer("gamma/verse", keyless),
	}
	offers := func(search string) (found []engine.Offer) {
		for _, o := range list {
			if strings.Contains(o.Ref(), search) {
				found = append(found, o)
			}
		}
		return found
	}
	for _, c := range []struct{ name, want string }{
		{"", ""},
		{"poem", "alpha/poem-5"},
		{"poem:high", "alpha/poem-5:high"},
		{"alpha/poem", "alpha/poem-5"},
		{"alpha/poem-4:low", "alpha/poem-4-20250101:low"},
		{"poem-4", "alpha/poem-4-20250101"}, // the exact one has no key
		{"beta/poem-4", "beta/poem-4"},
		{"beta/poem", "beta/poem-4"},
		{"beta/alpha/poem-5", "beta/alpha/poem-5"},
		{"alpha/poem-5:high", "alpha/poem-5:high"},
		{"verse:7b", "verse:7b"},
		{"beta", "beta"},   // a provider
		{"gamma", "gamma"}, // although a model that can be used is called so
		{"prose", "prose"},
		{"delta/poem", "delta/poem"},
		{"script/poem", "script/poem"},
		{"alpha/", "alpha/"},
	} {
		if got := whole(c.name, offers); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}
