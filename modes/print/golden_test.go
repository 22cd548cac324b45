package print

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
)

var update = flag.Bool("update", false, "write the golden files")

// The canonical JSON of a whole prompt: what other programs are built on.
func TestGoldenEvents(t *testing.T) {
	for _, name := range []string{"tools", "denied", "failed"} {
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(filepath.Join("testdata", name+".script"))
			if err != nil {
				t.Fatal(err)
			}
			s := open(t, string(script), engine.OpenOptions{})
			v, err := s.View(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(v.Cwd, "notes.txt"), []byte("a note\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			o := options(s, "go")
			o.JSON, o.Stdout = true, &out
			_ = Run(t.Context(), o) // the verdicts are tested elsewhere
			compare(t, filepath.Join("testdata", name+".jsonl"), steady(t, out.String(), v.Cwd))
		})
	}
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d:\n got %s\nwant %s", file, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", file, len(g), len(w))
}

// steady takes out of the lines what differs from run to run: times, ids,
// folders, and how the deltas of a block were merged.
func steady(t *testing.T, lines, dir string) string {
	t.Helper()
	ids := map[string]string{}
	lines = strings.ReplaceAll(lines, dir, "$DIR")
	lines = regexp.MustCompile(`,"(duration|ttft)":\d+`).ReplaceAllString(lines, "") // absent when it took no time
	lines = regexp.MustCompile(`"(at|timestamp|duration|durationMs|ttft|seq)":("[^"]*"|\d+)`).ReplaceAllString(lines, `"$1":0`)
	lines = regexp.MustCompile(`"[^"]*/\.local/[^"]*"`).ReplaceAllString(lines, `"$$FILE"`)
	id := regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f-]{27})?\b`)
	var kept []string
	for line := range strings.Lines(lines) {
		var e struct{ Type, Delta string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if e.Type == "tool_progress" {
			continue
		}
		line = id.ReplaceAllStringFunc(line, func(s string) string {
			if ids[s] == "" {
				ids[s] = fmt.Sprintf("id%d", len(ids)+1)
			}
			return ids[s]
		})
		if n := len(kept); e.Type == "message_delta" && n > 0 && strings.Contains(kept[n-1], `"type":"message_delta"`) && blockOf(kept[n-1]) == blockOf(line) {
			head, tail, _ := strings.Cut(kept[n-1], `"delta":"`)
			before := tail[:strings.LastIndexByte(tail, '"')]
			before = strings.TrimSuffix(before, `","done`)
			_, after, _ := strings.Cut(line, `"delta":"`)
			kept[n-1] = head + `"delta":"` + before + after
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

// blockOf names the block that a delta belongs to.
func blockOf(line string) string {
	var e struct {
		ID    string
		Index int
	}
	_ = json.Unmarshal([]byte(line), &e)
	return fmt.Sprint(e.ID, e.Index)
}

// PROTOCOL.md names every event that there is.
func TestProtocolNamesEveryEvent(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "engine", "event", "json.go"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`Kind\(\) Kind +\{ return "([a-z_]+)" \}`).FindAllSubmatch(source, -1)
	if len(kinds) < 30 {
		t.Fatalf("found %d events in the source", len(kinds))
	}
	for _, k := range kinds {
		if !bytes.Contains(page, []byte("`"+string(k[1])+"`")) {
			t.Errorf("PROTOCOL.md doesn't name %s", k[1])
		}
	}
}
