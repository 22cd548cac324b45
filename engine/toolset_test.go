package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

func lent(name string) tool.Tool {
	type none struct{}
	return tool.New(tool.Spec{Name: name, Description: "Looks at the " + name, Summary: "look at the " + name, Kind: tool.Think},
		func(context.Context, tool.Call, none) (tool.Result, error) {
			return tool.TextResult(name + " was seen"), nil
		})
}

func toolNames(s *Session) []string {
	var names []string
	for _, spec := range s.Tools() {
		names = append(names, spec.Name)
	}
	return names
}

// A host's tools are offered, listed in the system prompt and found; each set
// replaces the one before, and a refused one changes nothing.
func TestHostTools(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	own := toolNames(c.s)
	set := func(names ...string) error {
		var tools []tool.Tool
		for _, n := range names {
			tools = append(tools, lent(n))
		}
		return c.s.SetHostTools(c.ctx(), tools)
	}
	check := func(names ...string) {
		t.Helper()
		want := append(slices.Clone(own), names...)
		if got := toolNames(c.s); !slices.Equal(got, want) {
			t.Errorf("tools %q, want %q", got, want)
		}
		for _, n := range []string{"weather", "stars", "moon"} {
			if got := strings.Contains(c.s.SystemPrompt(), "look at the "+n); got != slices.Contains(names, n) {
				t.Errorf("%s in the system prompt: %v", n, got)
			}
		}
	}
	check()
	if err := set("weather", "stars"); err != nil {
		t.Fatal(err)
	}
	if ev := on[event.ToolsChanged](c); !slices.Equal(ev.Names, append(slices.Clone(own), "weather", "stars")) {
		t.Errorf("names %q", ev.Names)
	}
	check("weather", "stars")
	if err := set("moon", "weather"); err != nil {
		t.Fatal(err)
	}
	check("moon", "weather")
	for _, taken := range []string{"bash", "todo_write"} { // a name, an alias
		err := set("stars", taken)
		if conflict, ok := errors.AsType[*ToolConflictError](err); !ok || conflict.Name != taken {
			t.Errorf("%s: error %v", taken, err)
		}
	}
	for _, names := range [][]string{{"two words"}, {"stars", "stars"}, {""}} {
		if err := set(names...); err == nil {
			t.Errorf("%q was taken", names)
		}
	}
	check("moon", "weather")
	if _, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{}); err != nil {
		t.Fatal(err)
	}
	check("moon", "weather")
	if err := set(); err != nil {
		t.Fatal(err)
	}
	check()
}

// Restrictions on the session's own tools aren't the host's, and leave their
// names to it.
func TestHostToolsBesideRestrictions(t *testing.T) {
	for name, o := range map[string]OpenOptions{"none": {NoTools: true}, "a list": {Tools: []string{"read"}}} {
		t.Run(name, func(t *testing.T) {
			c := newWorld(t, hello).open(o)
			own := toolNames(c.s)
			if err := c.s.SetHostTools(c.ctx(), []tool.Tool{lent("weather"), lent("bash")}); err != nil {
				t.Fatal(err)
			}
			if got := toolNames(c.s); !slices.Equal(got, append(own, "weather", "bash")) {
				t.Errorf("tools %q", got)
			}
		})
	}
}

// Tools that are set while a turn runs are there at its next model call; those
// that were taken away are not, and a call that runs comes to its end.
func TestHostToolsInsideATurn(t *testing.T) {
	w := newWorld(t, `
-- turn --
-- call first --
{}
-- turn --
-- call second --
{}
-- call first --
{}
-- turn --
-- text --
done
`)
	c := w.open(OpenOptions{Mode: "full"})
	type none struct{}
	first := tool.New(tool.Spec{Name: "first", Description: "d", Kind: tool.Think}, func(ctx context.Context, _ tool.Call, _ none) (tool.Result, error) {
		return tool.TextResult("swapped"), c.s.SetHostTools(ctx, []tool.Tool{lent("second")})
	})
	if err := c.s.SetHostTools(c.ctx(), []tool.Tool{first}); err != nil {
		t.Fatal(err)
	}
	c.run("go")
	var ends []string
	for _, it := range c.log {
		if e, ok := it.Event.(event.ToolEnded); ok {
			text := ""
			if len(e.Content) > 0 {
				text, _, _ = strings.Cut(e.Content[0].Text, ";")
			}
			ends = append(ends, text)
		}
	}
	slices.Sort(ends)
	if want := []string{"Tool first not found", "second was seen", "swapped"}; !slices.Equal(ends, want) {
		t.Errorf("ended %q, want %q", ends, want)
	}
}

// What a tool sends its host comes behind the call's announcement.
func TestPlaceBehindTheCall(t *testing.T) {
	c := newWorld(t, "-- turn --\n-- call look --\n{}\n-- turn --\n-- text --\ndone\n").open(OpenOptions{})
	type none struct{}
	look := tool.New(tool.Spec{Name: "look", Description: "d", Kind: tool.Think}, func(_ context.Context, call tool.Call, _ none) (tool.Result, error) {
		c.s.Place(&Ack{c.sub, "frame of " + call.Name})
		return tool.TextResult("seen"), nil
	})
	if err := c.s.SetHostTools(c.ctx(), []tool.Tool{look}); err != nil {
		t.Fatal(err)
	}
	c.run("go")
	c.wants(`
		tools_changed
		run_started
		turn_started
		user "go"
		assistant "" toolUse
		tool_started look
		tool_running look
		ack frame of look
		tool_ended look "seen" error=false
		toolResult "seen"
		turn_ended
		turn_started
		assistant "done" stop
		turn_ended
		run_ended stop will= messages=4
		run_settled stop`)
}
