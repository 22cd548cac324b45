package foreign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// context is what the model would see of a session that these lines make: roles,
// texts, and the calls and results by their ids.
func context(t *testing.T, lines ...string) (said string, r Report) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, r, err := Read(path, session.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	var all []string
	for _, m := range message.ForModel(doc.Context().Messages) {
		one := string(m.Role)
		for _, b := range m.Content {
			one += " " + strings.Trim(b.Text+b.ID, " ")
		}
		all = append(all, one+m.ToolCallID)
	}
	return strings.Join(all, " | "), r
}

// order are lines of a file, what becomes of them and what is left out.
type order struct {
	lines []string
	want  string
	left  string
}

func checkOrder(t *testing.T, cases map[string]order) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, r := context(t, c.lines...)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if left := strings.Join(r.Lines(), ", "); left != c.left {
				t.Errorf("left %q, want %q", left, c.left)
			}
		})
	}
}

// line is one of Claude Code's; of an answer when role is its id.
func line(uuid, parent, role, content string) string {
	kind, id := "user", ""
	if role != "user" {
		kind, id = "assistant", fmt.Sprintf(`"id":%q,`, role)
	}
	if !strings.HasPrefix(content, "[") {
		content = fmt.Sprintf("%q", content)
	}
	return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%q,"sessionId":"s","message":{%s"role":%q,"content":%s}}`, kind, uuid, parent, id, kind, content)
}

func calls(id string) string {
	return fmt.Sprintf(`[{"type":"tool_use","id":%q,"name":"Read","input":{}}]`, id)
}

func returns(id, text string) string {
	return fmt.Sprintf(`[{"type":"tool_result","tool_use_id":%q,"content":%q}]`, id, text)
}

// C-5: what follows what in files of Claude Code, whose lines don't tell it as
// plainly as one would wish.
func TestClaudeOrder(t *testing.T) {
	start := line("u", "", "user", "go")
	checkOrder(t, map[string]order{
		"calls at once": {lines: []string{
			start, line("a1", "u", "m", calls("1")), line("a2", "a1", "m", calls("2")),
			line("r1", "a1", "user", returns("1", "one")), line("r2", "a2", "user", returns("2", "two")), line("a3", "r2", "n", "done"),
		}, want: "user go | assistant 1 2 | toolResult one1 | toolResult two2 | assistant done"},
		"results between the calls": {lines: []string{
			start, line("a1", "u", "m", calls("1")), line("r1", "a1", "user", returns("1", "one")),
			line("a2", "a1", "m", calls("2")), line("r2", "a2", "user", returns("2", "two")), line("a3", "r1", "n", "done"),
		}, want: "user go | assistant 1 2 | toolResult one1 | toolResult two2 | assistant done"},
		"one call after the other under one id": {lines: []string{
			start, line("a1", "u", "m", calls("1")), line("r1", "a1", "user", returns("1", "one")),
			line("a2", "r1", "m", calls("2")), line("r2", "a2", "user", returns("2", "two")),
		}, want: "user go | assistant 1 | toolResult one1 | assistant 2 | toolResult two2"},
		"answers without an id": {lines: []string{
			start, line("a1", "u", "", calls("1")), line("r1", "a1", "user", returns("1", "one")), line("a2", "r1", "", "done"),
		}, want: "user go | assistant 1 | toolResult one1 | assistant done"},
		"lines twice": {lines: []string{start, line("a", "u", "m", "hi"), start, line("a", "u", "m", "hi"), line("v", "a", "user", "more")},
			want: "user go | assistant hi | user more", left: "2 × lines that are there twice"},
		"a second result": {lines: []string{start, line("a", "u", "m", calls("1")), line("r", "a", "user", returns("1", "one")), line("q", "r", "user", returns("1", "again")), line("v", "q", "user", "more")},
			want: "user go | assistant 1 | toolResult one1 | user more", left: "1 × second results of a call"},
		"a circle": {lines: []string{start, `{"type":"progress","uuid":"p","parentUuid":"q","sessionId":"s"}`, `{"type":"progress","uuid":"q","parentUuid":"p","sessionId":"s"}`, line("v", "p", "user", "more")},
			want: "user go | user more", left: "2 × lines of the type progress"},
		"its own parent":   {lines: []string{start, line("a", "a", "m", "hi")}, want: "user go | assistant hi"},
		"a missing parent": {lines: []string{start, line("a", "nowhere", "m", "hi")}, want: "user go | assistant hi"},
		"a child before its parent": {lines: []string{start, `{"type":"attachment","uuid":"p","parentUuid":"a","sessionId":"s"}`, line("a", "u", "m", "hi"), line("v", "p", "user", "more")},
			want: "user go | assistant hi | user more", left: "1 × lines of the type attachment"},
		"a way back": {lines: []string{start, line("a", "u", "m", "hi"), line("v", "a", "user", "more"), line("w", "a", "user", "other")},
			want: "user go | assistant hi | user other"},
		"what the program says itself": {lines: []string{start, `{"type":"assistant","uuid":"a","parentUuid":"u","sessionId":"s","message":{"id":"x","model":"<synthetic>","content":"API Error"}}`, line("v", "a", "user", "more")},
			want: "user go | user more", left: "1 × messages of the program itself"},
		"a summary without a text": {lines: []string{start, `{"type":"user","uuid":"c","parentUuid":"u","sessionId":"s","isCompactSummary":true,"message":{"content":[]}}`, line("v", "c", "user", "more")},
			want: "user go | user more", left: "1 × summaries without a text"},
		"a time that is none": {lines: []string{start, `{"type":"user","uuid":"v","parentUuid":"u","sessionId":"s","timestamp":"yesterday","message":{"content":"more"}}`}, want: "user go | user more"},
		"no uuids":            {lines: []string{line("", "", "user", "go"), line("", "", "m", "hi"), line("", "", "user", "more")}, want: "user go | assistant hi | user more"},
	})
}

// A title of the user's own is the session's name, whatever comes after it.
func TestClaudeTitle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := line("u", "", "user", "go") + "\n" + `{"type":"ai-title","aiTitle":"made up","sessionId":"s"}` + "\n" +
		`{"type":"custom-title","customTitle":"mine","sessionId":"s"}` + "\n" + `{"type":"ai-title","aiTitle":"made up again","sessionId":"s"}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, _, err := Read(path, session.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	if doc.Name() != "mine" {
		t.Errorf("called %q", doc.Name())
	}
}

// C-5: steps back, pieces of results and summaries in rollouts of Codex.
func TestCodexOrder(t *testing.T) {
	meta := `{"type":"session_meta","payload":{"id":"x","cwd":"/p"}}`
	item := func(payload string) string { return `{"type":"response_item","payload":` + payload + `}` }
	said := func(role, text string) string {
		return item(fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":"input_text","text":%q}]}`, role, text))
	}
	back := func(n int) string {
		return fmt.Sprintf(`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":%d}}`, n)
	}
	checkOrder(t, map[string]order{
		"a step back":  {lines: []string{meta, said("user", "one"), said("assistant", "1"), said("user", "two"), said("assistant", "2"), back(1), said("user", "three")}, want: "user one | assistant 1 | user three"},
		"all the way":  {lines: []string{meta, said("user", "one"), said("assistant", "1"), back(1 << 30), said("user", "three"), said("assistant", "3")}, want: "user three | assistant 3"},
		"less than no": {lines: []string{meta, said("user", "one"), back(-1), said("assistant", "1")}, want: "user one | assistant 1"},
		"pieces": {lines: []string{meta, said("user", "one"), item(`{"type":"function_call","call_id":"c","name":"view","arguments":"{}"}`),
			item(`{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"seen"},{"type":"odd"}]}`)},
			want: "user one | assistant c | toolResult seenc", left: "1 × pieces of a message of the type odd"},
		"a summary elsewhere": {lines: []string{meta, said("user", "one"), `{"type":"compacted","payload":{"message":"","replacement_history":[]}}`, said("assistant", "1")},
			want: "user one | assistant 1", left: "1 × summaries without a text"},
	})
}
