//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// Requirement C-5: the commands of the manual do what they say, in an empty home,
// with the offline guide. Left out are the chat and servers, other people's
// programs, and models that need the network.
func TestDocsRun(t *testing.T) {
	wholeProcesses(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, p := range manual(t) {
		var lines []commandText
		for _, c := range commandTexts(p) {
			if c.block && runs(c.text) {
				lines = append(lines, c)
			}
		}
		ran += len(lines)
		t.Run(p.path, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			furnish(t, h)
			for _, c := range lines {
				text := c.text
				if strings.Contains(text, " ID") {
					text = strings.ReplaceAll(text, " ID", " "+h.session())
				}
				run := exec.CommandContext(t.Context(), sh, "-c", text)
				run.Dir, run.Env = h.project, h.environ
				if strings.Contains(text, "hoopoe login") {
					run.Stdin = strings.NewReader("a-key\n")
				}
				if out, err := run.CombinedOutput(); err != nil {
					t.Errorf("%s: %s: %v\n%s", c.at, text, err, out)
				}
			}
		})
	}
	if ran < 40 {
		t.Errorf("only %d commands were run", ran)
	}
}
