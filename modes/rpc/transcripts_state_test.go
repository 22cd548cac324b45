package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const oneAnswer = "-- turn --\ntimes: always\n-- text --\nHello.\n"

func data[T any](t testing.TB, f frame) (v T) {
	t.Helper()
	if !f.Success {
		t.Fatalf("failed: %s", f.line)
	}
	if err := json.Unmarshal(f.Data, &v); err != nil {
		t.Fatalf("%v: %s", err, f.line)
	}
	return v
}

// stateNow asks for the state, each time with another id.
func (h *host) stateNow() state {
	h.t.Helper()
	id := fmt.Sprint("state_", h.next)
	return data[state](h.t, h.ask(id, `{"id":%q,"type":"get_state"}`, id))
}

// TestStateFields: the fields of the protocol's example, with its names and its
// values.
func TestStateFields(t *testing.T) {
	h := connect(t, oneAnswer, setup{})
	h.ask("n", `{"id":"n","type":"set_session_name","name":"N"}`)
	h.ask("t", `{"id":"t","type":"set_todos","phases":[{"id":"phase-1","name":"Todos","tasks":[{"id":"task-1","content":"Map the tool surface","status":"in_progress"}]}]}`)
	got := data[map[string]json.RawMessage](t, h.ask("g", `{"id":"g","type":"get_state"}`))
	for name, want := range map[string]string{
		"thinkingLevel": `"medium"`, "isStreaming": "false", "isCompacting": "false",
		"steeringMode": `"one-at-a-time"`, "followUpMode": `"one-at-a-time"`, "interruptMode": `"wait"`,
		"sessionName": `"N"`, "autoCompactionEnabled": "true", "messageCount": "0", "queuedMessageCount": "0",
		"todoPhases": `[{"id":"phase-1","name":"Todos","tasks":[{"id":"task-1","content":"Map the tool surface","status":"in_progress"}]}]`,
	} {
		if string(got[name]) != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
	for _, name := range []string{"model", "sessionFile", "sessionId"} {
		if len(got[name]) < 3 {
			t.Errorf("%s is %s", name, got[name])
		}
	}
	if err := h.finish(); err != nil {
		t.Error(err)
	}
}

// TestHostToolsAreOffered: tools of the host's are with the session's own, and
// hidden ones are not shown to the model.
func TestHostToolsAreOffered(t *testing.T) {
	h := connect(t, oneAnswer, setup{})
	names := func() []string {
		var all []string
		for _, row := range h.stateNow().DumpTools {
			all = append(all, row.Name)
		}
		return all
	}
	before := names()
	h.ask("s", `{"id":"s","type":"set_host_tools","tools":[{"name":"look","description":"Looks","parameters":{"type":"object","properties":{"at":{"type":"string"}}}},{"name":"secret","description":"Hides","parameters":{"type":"object"},"hidden":true},{"name":"loud","description":"Shouts","parameters":{"type":"object"},"hidden":"yes"}]}`)
	if got, want := names(), append(slices.Clone(before), "look", "loud"); !slices.Equal(got, want) {
		t.Errorf("offers %v, want %v", got, want)
	}
	h.ask("c", `{"id":"c","type":"set_host_tools","tools":[]}`)
	if got := names(); !slices.Equal(got, before) {
		t.Errorf("offers %v after they were taken away, want %v", got, before)
	}
	if err := h.finish(); err != nil {
		t.Error(err)
	}
}

// TestCommandList: hosts are told of the commands that prompts may hold, and
// not of those that need a terminal (C-4).
func TestCommandList(t *testing.T) {
	h := connect(t, oneAnswer, setup{})
	list := data[struct{ Commands []commandRow }](t, h.ask("c", `{"id":"c","type":"get_commands"}`)).Commands
	var names []string
	for _, c := range list {
		if c.Description == "" || c.Source == "" {
			t.Errorf("%q lacks a description or a source", c.Name)
		}
		names = append(names, c.Name)
	}
	for _, want := range []string{"help", "model", "compact", "new"} {
		if !slices.Contains(names, want) {
			t.Errorf("no /%s in %v", want, names)
		}
	}
	if slices.Contains(names, "quit") || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("lists %v", names)
	}
	if err := h.finish(); err != nil {
		t.Error(err)
	}
}

// TestReadyAndIdle: the first frame comes without a word of the host's, and the
// server stays while stdin is open and silent (gsd-2#81).
func TestReadyAndIdle(t *testing.T) {
	h := connect(t, oneAnswer, setup{})
	if f, ok := h.take(); !ok || f.line != `{"type":"ready","version":"0.0.0-test"}` {
		t.Fatalf("first came %s", f.line)
	}
	if f := h.ask("g", `{"id":"g","type":"get_last_assistant_text"}`); !f.Success {
		t.Error(f.line)
	}
	select {
	case err := <-h.ended:
		t.Fatal("it has ended", err)
	default:
	}
	if err := h.finish(); err != nil {
		t.Error(err)
	}
}

// header is the first line of a session file.
type header struct {
	ID            string
	ParentSession string
}

func readSession(t *testing.T, path string) (h header, entries []string, whole []byte) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimRight(string(whole), "\n"), "\n") {
		var e struct{ ID string }
		if i == 0 {
			err = json.Unmarshal([]byte(line), &h)
		} else if err = json.Unmarshal([]byte(line), &e); err == nil {
			entries = append(entries, e.ID)
		}
		if err != nil {
			t.Fatalf("%s:%d: %v", path, i+1, err)
		}
	}
	return h, entries, whole
}

// TestBranchedFiles: a branch is a file of its own with the path up to the
// chosen message, which names the old one as its parent; the old one is left as
// it was.
func TestBranchedFiles(t *testing.T) {
	h := connect(t, oneAnswer, setup{})
	for _, text := range []string{"one", "two"} {
		h.send(`{"type":"prompt","message":%q}`, text)
		h.untilType("agent_settled")
	}
	old := h.stateNow().SessionFile
	was, ids, before := readSession(t, old)
	rows := data[struct{ Messages []branchMessage }](t, h.ask("b", `{"id":"b","type":"get_branch_messages"}`)).Messages
	if len(rows) != 2 || rows[1].Text != "two" {
		t.Fatalf("offers %v", rows)
	}
	keep := slices.Index(ids, rows[1].EntryID)

	for _, c := range []struct {
		name, line string
		entries    []string
	}{
		{"branch", `{"id":"x","type":"branch","entryId":"` + rows[1].EntryID + `"}`, ids[:keep]},
		{"branch before the first", `{"id":"y","type":"branch","entryId":"` + rows[0].EntryID + `"}`, nil},
		{"clone", `{"id":"z","type":"clone"}`, ids},
		{"new session with a parent", `{"id":"n","type":"new_session","parentSession":"` + old + `"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.send("%s", c.line)
			if f := h.untilType("response"); !f.Success {
				t.Fatal(f.line)
			}
			// What a session says of itself is on disk with its first message.
			h.send(`{"type":"prompt","message":"three"}`)
			h.untilType("agent_settled")
			now, entries, _ := readSession(t, h.stateNow().SessionFile)
			if now.ID == was.ID || now.ParentSession != old {
				t.Errorf("the header has id %s and parent %s, want another id than %s and the parent %s", now.ID, now.ParentSession, was.ID, old)
			}
			if n := len(c.entries); len(entries) < n || !slices.Equal(entries[:n], c.entries) {
				t.Errorf("has the entries %v, want %v first", entries, c.entries)
			}
			if _, _, after := readSession(t, old); !bytes.Equal(before, after) {
				t.Error("the old file has changed")
			}
			h.send(`{"type":"switch_session","sessionPath":%q}`, old)
			if f := h.untilType("response"); !f.Success {
				t.Error(f.line)
			}
		})
	}
	if err := h.finish(); err != nil {
		t.Error(err)
	}
}
