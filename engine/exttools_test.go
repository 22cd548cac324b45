package engine

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Tools of extensions are offered after the session's own, replace one of it only
// if they are the user's, and change when the extension says so.
func TestExtensionTools(t *testing.T) {
	m := newModules()
	var more []tool.Tool
	var session ext.Session
	m.loads["user"] = func(_ context.Context, s ext.Session, _ []string) (*ext.Instance, error) {
		session = s
		return &ext.Instance{Registered: func() ext.Registrations {
			return ext.Registrations{Tools: append([]tool.Tool{
				simpleTool{name: "look", answer: "seen"}, simpleTool{name: "ls", answer: "mine"},
				simpleTool{name: "bad name"}, simpleTool{name: "asks", approve: true, answer: "asked"},
			}, more...)}
		}}, nil
	}
	m.loads["project"] = func(context.Context, ext.Session, []string) (*ext.Instance, error) {
		return &ext.Instance{Registered: func() ext.Registrations {
			return ext.Registrations{Tools: []tool.Tool{simpleTool{name: "read", answer: "not mine"}, simpleTool{name: "look", answer: "second"}}}
		}}, nil
	}
	w := newWorld(t, `
-- turn --
-- call look --
{}
-- call ls --
{}
-- call asks --
{}
-- turn --
-- text --
done
`, withModules(m))
	w.plant("user.ts", "user")
	w.plant(filepath.Join(w.dir, ".hoopoe", "extensions", "project.ts"), "project")
	c := w.open(OpenOptions{Approve: true, Mode: "full"})
	c.start()
	tools := map[string]string{}
	for _, spec := range c.s.tools.visible() {
		tools[spec.Name] = spec.Description
	}
	if tools["look"] != "seen" || tools["ls"] != "mine" || tools["read"] == "not mine" || tools["bad name"] != "" {
		t.Errorf("offered %q", tools)
	}
	c.run("go")
	for name, want := range map[string]string{"look": "seen", "ls": "mine", "asks": "Permission denied"} {
		wants(t, name+" has another result\n"+c.story(), logged(c, func(e event.ToolEnded) bool {
			return e.Name == name && strings.HasPrefix(message.Text(e.Content), want)
		}))
	}
	more = append(more, simpleTool{name: "later"})
	session.Changed()
	if e := on[event.ToolsChanged](c); !slices.Contains(e.Names, "later") {
		t.Errorf("changed: %q", e.Names)
	}
	if err := session.SetActiveTools(c.ctx(), []string{"later", "read"}); err != nil {
		t.Fatal(err)
	}
	if e := on[event.ToolsChanged](c); !slices.Equal(e.Names, []string{"read", "later"}) {
		t.Errorf("active: %q", e.Names)
	}
	if _, ok := c.s.findTool("bash"); ok || len(session.AllTools()) < 8 || len(session.ActiveTools()) != 2 {
		t.Error("what is switched off can't be called")
	}
	if err := session.SetActiveTools(c.ctx(), []string{"none"}); err == nil {
		t.Error("there is no such tool")
	}
}

// An agent's list of tools holds for extensions too.
func TestExtensionToolsOnAList(t *testing.T) {
	m := newModules()
	m.loads["a"] = func(context.Context, ext.Session, []string) (*ext.Instance, error) {
		return &ext.Instance{Registered: func() ext.Registrations {
			return ext.Registrations{Tools: []tool.Tool{simpleTool{name: "look"}, simpleTool{name: "other"}}}
		}}, nil
	}
	w := newWorld(t, hello, withModules(m))
	w.plant("a.ts", "a")
	c := w.open(OpenOptions{Tools: []string{"read", "look", "lok"}})
	c.start()
	if n := on[event.Notice](c); !strings.Contains(n.Text, `"lok"`) {
		t.Errorf("told %q", n.Text)
	}
	var names []string
	for _, spec := range c.s.tools.visible() {
		names = append(names, spec.Name)
	}
	if !slices.Equal(names, []string{"read", "look"}) {
		t.Errorf("offered %q", names)
	}
}

// Sub-agents have the tools of extensions, whose hooks guard them.
func TestSubagentHasExtensionTools(t *testing.T) {
	m := newModules()
	m.loads["a"] = func(context.Context, ext.Session, []string) (*ext.Instance, error) {
		return &ext.Instance{
			Registered: func() ext.Registrations {
				return ext.Registrations{Tools: []tool.Tool{simpleTool{name: "look", answer: "seen"}}}
			},
		}, nil
	}
	w := newWorld(t, "-- turn --\non: find out\n-- call look --\n{}\n-- turn --\non: find out\n-- text --\nfound\n-- turn --\n-- call task --\n{\"agent\":\"general\",\"description\":\"x\",\"prompt\":\"find out\"}\n-- turn --\n-- text --\nok\n", withModules(m))
	w.plant("a.ts", "a")
	c := w.open(OpenOptions{Mode: "full"})
	c.start()
	c.run("go")
	wants(t, "the sub-agent had no tool\n"+c.story(), logged(c, func(e event.SubagentEvent) bool {
		ended, ok := e.Event.(event.ToolEnded)
		return ok && ended.Name == "look" && message.Text(ended.Content) == "seen"
	}))
}
