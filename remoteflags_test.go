package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// W-1: the command lines of the protocol's document mean what it says.
func TestRemoteDocument(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("modes", "remote", "PROTOCOL.md"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for text := range strings.Lines(string(doc)) {
		text, ok := strings.CutPrefix(text, "    hoopoe ")
		if !ok {
			continue
		}
		text, _, _ = strings.Cut(text, "  ") // what it is for
		line, err := normalise(strings.Fields(text), tableOf(chatFlags()), refused)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		app := &cli.App{Flags: chatFlags(), HideHelpCommand: true, HideVersion: true, Action: func(c *cli.Context) error {
			s, err := readSettings(c)
			r := s.remote
			words := []string{r.address.String()}
			for _, file := range []string{r.tokenFile, r.cert, r.key} {
				if file != "" {
					words = append(words, file)
				}
			}
			got = append(got, strings.Join(words, " "))
			return err
		}}
		if err := app.Run(line.argv("hoopoe")); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	want := "127.0.0.1:8080\n127.0.0.1:9000 ~/.hoopoe-token\n0.0.0.0:8080 ~/.hoopoe-token cert.pem key.pem\nunix:/run/user/1000/hoopoe.sock"
	if strings.Join(got, "\n") != want {
		t.Errorf("the command lines are\n%s", strings.Join(got, "\n"))
	}
	// Every flag that the document names is one.
	table := tableOf(chatFlags())
	for _, word := range strings.FieldsFunc(string(doc), func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') }) {
		if name, ok := strings.CutPrefix(word, "--"); ok && strings.Trim(name, "-") != "" {
			if _, known := table.lookup("--" + name); !known {
				t.Errorf("the document names --%s", name)
			}
		}
	}
}
