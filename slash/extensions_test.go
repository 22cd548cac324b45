package slash_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// Commands of extensions are listed, completed and run; one that is called while
// its extension is still being loaded is waited for.
func TestExtensionCommands(t *testing.T) {
	r := slash.Builtins(slash.Options{More: slash.Added})
	s := newFake()
	var ran []string
	s.loading = []engine.ExtensionCommand{{Command: ext.Command{
		Name: "deploy", Description: "Deploy\x1b[2J it",
		Complete: func(_ context.Context, prefix string) []ext.Completion {
			return []ext.Completion{{Value: prefix + "staging"}, {Value: "production"}}
		},
		Run: func(_ context.Context, args string) error { ran = append(ran, args); return nil },
	}}}
	result, err := r.Dispatch(t.Context(), s, 0, "/deploy the lot")
	if err != nil || !result.Handled || strings.Join(ran, ";") != "the lot" {
		t.Fatalf("%+v, %v, ran %q", result, err, ran)
	}
	if got := strings.Join(r.Complete(t.Context(), s, 0, "/deploy x"), " "); got != "/deploy xstaging /deploy production" {
		t.Errorf("completed %q", got)
	}
	for _, c := range r.For(t.Context(), s).Catalog(0) {
		if c.Name == "deploy" && (c.Source != "extension" || strings.Contains(c.Summary, "\x1b")) {
			t.Errorf("listed as %+v", c)
		}
	}
	s.plugged = []engine.Extension{{Name: "Gate", Description: "asks", Path: "/x/gate.ts", Tools: []string{"look"}}}
	for text, want := range map[string]string{"/extensions": "Gate", "/extensions gate": "look"} {
		if result, err = r.Dispatch(t.Context(), s, 0, text); err != nil || !strings.Contains(result.Reply, want) {
			t.Errorf("%s: %+v, %v", text, result, err)
		}
	}
	if _, err = r.Dispatch(t.Context(), s, 0, "/extensions none"); err == nil {
		t.Error("there is no such extension")
	}
}
