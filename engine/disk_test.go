package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// A full disk is told once and loses nothing while the session lives. E-1
func TestTheDiskIsFull(t *testing.T) {
	w := newWorld(t, hello)
	c := w.open(OpenOptions{})
	c.run("one")
	file := c.s.doc.File()
	folder := filepath.Dir(file)
	if err := os.Rename(folder, folder+".gone"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil { // a file where the folder was
		t.Fatal(err)
	}
	c.log = nil
	c.run("two")
	notices := 0
	for _, it := range c.log {
		if _, ok := it.Event.(event.Notice); ok {
			notices++
		}
	}
	if notices != 1 {
		t.Errorf("%d notices, want 1\n%s", notices, c.story())
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder+".gone", folder); err != nil {
		t.Fatal(err)
	}
	c.run("three")
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	again := w.open(OpenOptions{Path: file})
	if n := len(again.view.Messages); n != 6 {
		t.Errorf("%d messages, want 6", n)
	}
}

// A session that couldn't be saved to the last says so at its end. E-1
func TestClosingWithAFullDisk(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	c.run("one")
	file := c.s.doc.File()
	if err := os.Rename(filepath.Dir(file), filepath.Dir(file)+".gone"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(file), nil, 0o600); err != nil { // a file where the folder was
		t.Fatal(err)
	}
	c.log = nil
	c.run("two")
	told := 0
	for _, it := range c.log {
		if n, ok := it.Event.(event.Notice); ok && n.Level == "error" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times\n%s", told, c.story())
	}
	err := c.s.Close(c.ctx())
	if save, ok := errors.AsType[*session.SaveError](err); !ok || save.Path != file || save.Pending == 0 {
		t.Errorf("error %v", err)
	}
	if err := c.s.Close(c.ctx()); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
