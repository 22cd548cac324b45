package client_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// The end of the agent fails what waits, what comes later, and the events.
func TestEnd(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		events := c.Subscribe()
		state := later(func() (client.State, error) { return c.State(t.Context()) })
		f.expect("get_state")
		turn := later(func() (client.Result, error) { return c.PromptAndWait(t.Context(), "x") })
		f.expect("prompt")
		f.say(`{"id":"req_2","type":"response","command":"prompt","success":true}`, `{"type":"agent_start"}`)
		f.out.CloseWithError(io.ErrUnexpectedEOF)
		ended := func(what string, err error) {
			t.Helper()
			if end, ok := errors.AsType[*client.EndedError](err); !ok || !errors.Is(err, io.ErrUnexpectedEOF) || end.Stderr != "" {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err := state()
		ended("call", err)
		_, err = turn()
		ended("turn", err)
		<-c.Done()
		ended("later call", c.Abort(t.Context()))
		var types []string
		for e, err := range events.All(t.Context()) {
			if err != nil {
				ended("events", err)
				break
			}
			types = append(types, e.Type)
		}
		if strings.Join(types, " ") != "ready agent_start" {
			t.Errorf("events %v", types)
		}
		late := c.Subscribe()
		_, err = late.Next(t.Context())
		ended("late subscription", err)
		late.Close()
	})
}

// Close fails what waits with ErrClosed.
func TestClose(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		events := c.Subscribe()
		state := later(func() (client.State, error) { return c.State(t.Context()) })
		f.expect("get_state")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := state(); !errors.Is(err, client.ErrClosed) {
			t.Errorf("call: %v", err)
		}
		if err := c.Abort(t.Context()); !errors.Is(err, client.ErrClosed) {
			t.Errorf("later call: %v", err)
		}
		if _, err := events.Next(t.Context()); err != nil {
			t.Errorf("ready: %v", err)
		}
		if _, err := events.Next(t.Context()); !errors.Is(err, client.ErrClosed) {
			t.Errorf("events: %v", err)
		}
	})
}

// An agent that neither reads nor leaves doesn't keep Close, and what is
// written right before Close still goes out.
func TestCloseUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		stuck, stdin := io.Pipe()
		go io.WriteString(out, `{"type":"ready"}`+"\n")
		c, err := client.New(t.Context(), in, stdin, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		abort := later(func() (any, error) { return nil, c.Abort(t.Context()) })
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := abort(); !errors.Is(err, client.ErrClosed) {
			t.Errorf("abort: %v", err)
		}
		stuck.Close()
	})
}

// A pipe that breaks in one direction ends the client.
func TestBrokenInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		gone, stdin := io.Pipe()
		go io.WriteString(out, `{"type":"ready"}`+"\n")
		c, err := client.New(t.Context(), in, stdin, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		gone.Close()
		if err := c.Abort(t.Context()); err == nil || !strings.Contains(err.Error(), "write to the agent") {
			t.Errorf("abort: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
