package js

import (
	"slices"
	"testing"
)

// E-1: the default export is called with the API, and its handlers answer.
func TestHandlersOfAnEventRunInOrder(t *testing.T) {
	l := load(t, `
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default async function (pi: ExtensionAPI) {
  await Promise.resolve();
  pi.on("session_start", async (event, ctx) => { ctx.ui.notify(event.type + " " + event.reason); });
  pi.on("session_start", (_event, ctx) => { ctx.ui.notify("second", "warning"); });
}`)
	l.host.SessionStart(t.Context())
	want := []string{`notify info "session_start startup"`, `notify warning "second"`}
	if got := l.lines(); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}
