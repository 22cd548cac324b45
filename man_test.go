package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

var update = flag.Bool("update", false, "write the golden files anew")

// apps are the chat and all commands.
func apps(p *program) map[string]*cli.App {
	all := map[string]*cli.App{"": p.chatApp()}
	for _, s := range subcommands() {
		all[s.name] = s.app(p)
	}
	return all
}

// The page follows the tables of the command line, and roff takes it.
func TestManual(t *testing.T) {
	page := (&program{}).manual("1.2.3")
	const golden = "testdata/golden/hoopoe.1"
	if *update {
		if err := os.WriteFile(golden, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if page != string(want) {
		t.Errorf("%s is behind: run go test . -run TestManual -update", golden)
	}
	for i, line := range strings.Split(page, "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r > '~' || r < ' ' }) {
			t.Errorf("line %d isn't plain text: %q", i+1, line)
		}
	}
	for name, app := range apps(&program{}) {
		for _, f := range app.VisibleFlags() {
			if flag := escape("--" + f.Names()[0]); !strings.Contains(page, flag) {
				t.Errorf("%s: no %s", name, flag)
			}
		}
	}
	t.Run("groff", func(t *testing.T) {
		if _, err := exec.LookPath("groff"); err != nil {
			t.Skip("there is no groff here")
		}
		c := exec.CommandContext(t.Context(), "groff", "-man", "-Tascii", "-ww", "-z")
		c.Stdin = strings.NewReader(page)
		var complaints bytes.Buffer
		c.Stderr = &complaints
		if err := c.Run(); err != nil || complaints.Len() > 0 {
			t.Errorf("%v: %s", err, complaints.String())
		}
	})
}
