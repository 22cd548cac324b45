package engine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// lending is a face's workspace that notes for which calls it is used.
type lending struct {
	*workspace.Local
	mu    sync.Mutex
	calls []workspace.Call
}

func (l *lending) ReadFile(ctx context.Context, path string, _ int64) ([]byte, error) {
	c, _ := workspace.CallOf(ctx)
	l.mu.Lock()
	l.calls = append(l.calls, c)
	l.mu.Unlock()
	return []byte("the face's text\n"), nil
}

// A face's workspace stands in for the disk, and is told which call it works
// for; further roots are inside.
func TestLentWorkspace(t *testing.T) {
	more := t.TempDir()
	if err := os.WriteFile(filepath.Join(more, "a.txt"), []byte("the disk's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var ws *lending
	w := newWorld(t, "-- turn --\n-- call read --\n{\"path\":"+quoted(filepath.Join(more, "a.txt"))+"}\n-- turn --\n-- text --\nok\n")
	c := w.open(OpenOptions{Roots: []string{more}, Workspace: func(l *workspace.Local) workspace.Workspace {
		ws = &lending{Local: l}
		return ws
	}})
	c.attach(Client{})
	c.prompt("go")
	end := on[event.ToolEnded](c)
	if end.IsError || end.Content[0].Text != "the face's text\n" && end.Content[0].Text != "the face's text" {
		t.Errorf("the read gave %+v", end)
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.calls) == 0 || slices.ContainsFunc(ws.calls, func(k workspace.Call) bool { return k.ID != end.CallID || k.Kind != "read" }) {
		t.Errorf("used for %+v, want %s", ws.calls, end.CallID)
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// A written session is on disk before anything is said, and keeps a face's
// notes.
func TestWritten(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{Written: true})
	v, err := c.s.View(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(v.File); err != nil {
		t.Error(err)
	}
	if err := c.s.Note(c.ctx(), "test.note", json.RawMessage(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	entries, _, err := c.s.Entries(c.ctx())
	if err != nil || !slices.ContainsFunc(entries, func(e session.Entry) bool { return e.Custom != nil && e.Custom.CustomType == "test.note" }) {
		t.Errorf("the entries %+v, %v", entries, err)
	}
}

// A stored call is described as it was when it ran; one that can't be says so.
func TestDescribe(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	r, err := c.s.Describe(c.ctx(), "write", json.RawMessage(`{"path":"a.txt","content":"x"}`))
	if err != nil || r.Title != "Write a.txt" || r.ToolKind != "edit" || len(r.Locations) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := c.s.Describe(c.ctx(), "fly", nil); !errors.Is(err, errNoTool) {
		t.Error(err)
	}
	if _, err := c.s.Describe(c.ctx(), "write", json.RawMessage(`{"path":7}`)); err == nil {
		t.Error("arguments that fit no call are described")
	}
}
