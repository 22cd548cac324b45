package engine

import (
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// Saved sessions are listed, named and deleted, but for those that are open.
func TestSavedSessions(t *testing.T) {
	w := newWorld(t, always)
	c := w.open(OpenOptions{})
	c.run("first")
	file := c.s.doc.File()
	if w.engine.DeleteSession(t.Context(), file) == nil || w.engine.RenameSession(t.Context(), file, "x") == nil {
		t.Error("an open session is anybody's")
	}
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if err := w.engine.RenameSession(t.Context(), file, " the\nname "); err != nil {
		t.Fatal(err)
	}
	if w.engine.RenameSession(t.Context(), file, "\n") == nil {
		t.Error("an empty name is taken")
	}
	list, err := w.engine.Sessions(w.dir, "", false)
	if err != nil || len(list) != 1 || list[0].Name != "the name" {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := w.engine.DeleteSession(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if list, err = w.engine.Sessions(w.dir, "", false); err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// A rule that an answer has made can be taken back.
func TestRemoveRule(t *testing.T) {
	w := newWorld(t, always)
	c := w.open(OpenOptions{})
	rules := func(source permission.Source) []permission.Rule {
		r, err := permission.ParseRule("bash(ls)", permission.Allow, source)
		if err != nil {
			t.Fatal(err)
		}
		return []permission.Rule{r}
	}
	c.s.allow(event.Session, rules(permission.FromSession))
	c.s.allow(event.Always, rules(permission.FromSaved))
	c.s.saveRules(c.ctx(), "allow", rules(permission.FromSaved))
	for _, r := range c.s.Rules() {
		if removed, err := c.s.RemoveRule(c.ctx(), r); !removed || err != nil {
			t.Errorf("%v: %v, %v", r, removed, err)
		}
		if removed, err := c.s.RemoveRule(c.ctx(), r); removed || err != nil {
			t.Errorf("%v again: %v, %v", r, removed, err)
		}
	}
	if saved, err := w.engine.paths.Rules(w.dir); err != nil || len(saved.Allow) > 0 || len(c.s.Rules()) > 0 {
		t.Errorf("left %v, %v, %v", saved, c.s.Rules(), err)
	}
}

// Each setting of the session is told.
func TestSettingsAreTold(t *testing.T) {
	c := newWorld(t, always).open(OpenOptions{})
	for name, set := range map[string]func() error{
		"steering":   func() error { return c.s.SetSteeringMode(c.ctx(), "all") },
		"compaction": func() error { return c.s.SetAutoCompaction(c.ctx(), false) },
		"retry":      func() error { return c.s.SetAutoRetry(c.ctx(), false) },
	} {
		if err := set(); err != nil {
			t.Error(name, err)
		}
		on[event.SettingsChanged](c)
	}
	v, _ := c.s.View(c.ctx())
	if v.SteeringMode != "all" || v.AutoCompaction || v.AutoRetry {
		t.Errorf("view %+v", v)
	}
}
