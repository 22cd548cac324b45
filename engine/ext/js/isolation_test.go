package js

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// bounded loads an extension that has little time and memory.
func bounded(t *testing.T, source string) *loaded {
	t.Helper()
	return loadInto(t, newRecorder(), New(Options{Slice: 200 * time.Millisecond, Memory: 32 << 20}), write(t, source))
}

// E-4: whatever a handler does, the session is told and goes on.
func TestBrokenHandlers(t *testing.T) {
	for name, tt := range map[string]struct{ handler, told string }{
		"throws":            {`() => { throw new TypeError("boom"); }`, "failed turn_start: TypeError: boom"},
		"throws a text":     {`() => { throw "boom"; }`, "failed turn_start: boom"},
		"throws nothing":    {`() => { throw undefined; }`, "failed turn_start: undefined"},
		"rejects":           {`async () => { await null; throw new Error("boom"); }`, "failed turn_start: boom"},
		"rejects silently":  {`() => { Promise.reject(new Error("unheard")); }`, "failed unhandled: unheard"},
		"loops":             {`() => { for (;;); }`, "hook failed turn_started: the extension"},
		"loops in a job":    {`() => { Promise.resolve().then(() => { for (;;); }); }`, "hook failed turn_started: the extension"},
		"recurses":          {`() => { const f = () => f() + 1; f(); }`, "hook failed turn_started: RangeError"},
		"throws in a timer": {`() => { setTimeout(() => { throw new Error("later"); }, 1); }`, "failed unhandled: later"},
	} {
		t.Run(name, func(t *testing.T) {
			l := bounded(t, `export default (pi) => {
				pi.on("turn_start", `+tt.handler+`);
				pi.on("input", (e) => ({ text: e.text + "!" }));
			}`)
			l.host.Event(t.Context(), l.part, event.TurnStarted{})
			got := l.await(t, tt.told[:strings.Index(tt.told, ":")])
			if !strings.HasPrefix(got, tt.told) {
				t.Errorf("told %q, want %q", got, tt.told)
			}
			if in, _ := l.host.Input(t.Context(), ext.Input{Text: "on"}); in.Text != "on!" {
				t.Errorf("it doesn't go on: %q, said %q", in.Text, l.lines())
			}
		})
	}
}

// E-4: a leak ends the extension, not the session.
func TestLeak(t *testing.T) {
	l := loadInto(t, newRecorder(), New(Options{Slice: time.Minute, Memory: 32 << 20}), write(t, `export default (pi) => {
		const kept = [];
		pi.on("turn_start", () => { for (let i = 0; i < 50000; i++) kept.push({ i, text: "x" + i }); });
	}`))
	ended := func() bool {
		return strings.Contains(strings.Join(l.lines(), "\n"), "failed ended: ")
	}
	for i := 0; !ended(); i++ {
		if i == 1000 {
			t.Fatalf("it still runs; said %q", l.lines())
		}
		l.host.Event(t.Context(), l.part, event.TurnStarted{})
	}
}

// E-5: a handler that answers after its deadline is given up, and its answer
// has no effect.
func TestLateAnswer(t *testing.T) {
	l := bounded(t, `export default (pi) => {
		let late;
		pi.on("tool_call", (event) => new Promise((done) => { late = done; }));
		pi.on("session_start", (_e, ctx) => { late({ block: false }); ctx.ui.notify("answered"); });
	}`)
	l.host.Timeout = 20 * time.Millisecond
	r := l.call(t, "bash", `{}`)
	if want := "Extension " + l.part.Name + " failed: took longer than 20ms"; !r.Block || r.Reason != want {
		t.Errorf("%+v, want %q", r, want)
	}
	l.host.Timeout = time.Minute
	l.host.SessionStart(t.Context())
	l.await(t, `notify info "answered"`)
}

// The end of a call reaches its AbortSignal.
func TestSignal(t *testing.T) {
	l := bounded(t, `export default (pi) => {
		pi.on("turn_start", (_e, ctx) => new Promise(() => ctx.signal.addEventListener("abort", () => ctx.ui.notify("stopped: " + ctx.signal.reason.message))));
	}`)
	l.host.Timeout = 20 * time.Millisecond
	l.host.Event(t.Context(), l.part, event.TurnStarted{})
	l.await(t, `notify info "stopped: took longer than 20ms"`)
}

// E-2: a handler that throws blocks the call, with its place.
func TestFailedGateBlocks(t *testing.T) {
	l := load(t, `export default (pi) => pi.on("tool_call", () => { throw new Error("boom"); })`)
	r := l.call(t, "bash", `{}`)
	if want := "Extension " + l.part.Name + " failed: boom ("; !r.Block || !strings.HasPrefix(r.Reason, want) || !strings.Contains(r.Reason, "extension.ts:1:") {
		t.Errorf("%+v, want %q", r, want)
	}
}

// E-5: every method of the session can be called from every hook, and returns.
func TestReentrantCalls(t *testing.T) {
	methods := []string{
		`pi.sendUserMessage("x")`, `pi.sendMessage({customType:"a",content:"x",display:true})`, `pi.appendEntry("a",1)`, `pi.setLabel("e","l")`,
		`await pi.exec("true")`, `await pi.setModel({provider:"p",id:"m"})`, `pi.setThinkingLevel("high")`, `pi.setSessionName("n")`, `pi.setActiveTools(["read"])`,
		`pi.getAllTools()`, `pi.getCommands()`, `pi.getActiveTools()`, `pi.getThinkingLevel()`, `pi.getFlag("f")`, `pi.events.emit("c", {a:1})`,
		`pi.on("agent_start", () => {})`, `pi.registerCommand("late", { handler() {} })`,
		`await ctx.ui.confirm("a","b")`, `ctx.ui.notify("x")`, `ctx.ui.setStatus("k","v")`, `ctx.ui.setWidget("k",["v"])`, `ctx.ui.setTitle("t")`, `ctx.ui.setEditorText("t")`,
		`ctx.sessionManager.getTree()`, `ctx.model`, `ctx.isIdle()`, `ctx.getContextUsage()`, `ctx.getSystemPrompt()`, `ctx.abort()`, `await ctx.compact()`, `ctx.shutdown()`,
	}
	quoted, _ := json.Marshal(methods)
	l := load(t, `export default (pi) => {
		const AsyncFunction = (async () => {}).constructor;
		const runs = `+string(quoted)+`.map((m) => [m, new AsyncFunction("pi", "ctx", m)]);
		for (const name of ["session_start","session_shutdown","input","before_agent_start","turn_start","context","before_provider_request","tool_call","tool_result",
			"session_before_compact","session.compacting","session_compact","session_before_switch","session_switch","session_before_branch","session_branch",
			"session_before_tree","session_tree","user_bash","resources_discover"])
			pi.on(name, async (_event, ctx) => {
				for (const [what, run] of runs) {
					try { await run(pi, ctx); } catch (e) { ctx.ui.notify(what + ": " + e.message, "error"); }
				}
				ctx.ui.notify("through " + name);
			});
	}`)
	ctx, h := t.Context(), l.host
	h.SessionStart(ctx)
	h.Input(ctx, ext.Input{Text: "a"})
	h.BeforeRun(ctx, ext.BeforeRun{})
	h.Event(ctx, l.part, event.TurnStarted{})
	h.Context(ctx, nil)
	h.Request(ctx, json.RawMessage(`{}`))
	h.ToolCall(ctx, ext.ToolCall{Arguments: json.RawMessage(`{}`)})
	h.ToolResult(ctx, ext.ToolResult{})
	h.BeforeCompact(ctx, ext.BeforeCompact{})
	h.Compacted(ctx, ext.Compacted{})
	h.BeforeReplace(ctx, ext.Replace{Reason: "new"})
	h.Replaced(ctx, ext.Replace{Reason: "new"})
	h.BeforeReplace(ctx, ext.Replace{Reason: "fork", EntryID: "e"})
	h.Replaced(ctx, ext.Replace{Reason: "fork", EntryID: "e"})
	h.BeforeMove(ctx, ext.Move{})
	h.Moved(ctx, ext.Moved{})
	h.UserBash(ctx, ext.UserBash{})
	h.Discover(ctx, l.part, "startup")
	h.SessionShutdown(ctx)
	through := 0
	for _, line := range l.lines() {
		switch {
		case strings.Contains(line, "failed") || strings.HasPrefix(line, "notify error"):
			t.Error(line)
		case strings.HasPrefix(line, `notify info "through `):
			through++
		case strings.HasPrefix(line, "abort") || strings.HasPrefix(line, "compact"):
			if !strings.HasSuffix(line, "inside=true") {
				t.Errorf("%s: not known as inside a hook", line)
			}
		}
	}
	if through != 20 {
		t.Errorf("%d handlers went through, want 20", through)
	}
}

// A command's ctx may replace the document; the session sees that it comes from
// outside of a hook.
func TestCommandContext(t *testing.T) {
	l := load(t, `export default (pi) => pi.registerCommand("go", { handler: async (args, ctx) => {
		await ctx.waitForIdle();
		const said = [await ctx.newSession({ parentSession: "p" }), await ctx.switchSession("f"), await ctx.fork("e1"), await ctx.branch("e2"),
			await ctx.navigateTree("e3", { summarize: true, customInstructions: "short", label: "here" })];
		if (said.some((s) => s.cancelled)) throw new Error("cancelled");
		ctx.compact({ customInstructions: "c", onComplete: (r) => ctx.ui.notify("compacted " + r.summary) });
		ctx.abort();
		await ctx.reload();
		try { ctx.newSession({ setup() {} }); } catch (e) { ctx.ui.notify(e.message); }
	} })`)
	l.entries = []json.RawMessage{json.RawMessage(`{"type":"compaction","id":"x","summary":"short","firstKeptEntryId":"y","tokensBefore":5}`)}
	if err := l.command(t, "go").Run(t.Context(), "args"); err != nil {
		t.Fatal(err)
	}
	l.await(t, `notify info "compacted short"`)
	got := strings.Join(l.lines(), "\n")
	for _, want := range []string{"settled inside=false", "new p inside=false", "switch f inside=false", "branch e1 inside=false", "branch e2 inside=false",
		"move e3 true short inside=false", `label e3 "here"`, "compact c inside=false", "abort inside=false", "reload inside=false", `notify info "newSession: setup isn't available`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q isn't in\n%s", want, got)
		}
	}
}

// E-4: a module that fails to load leaves nothing behind.
func TestFailedLoad(t *testing.T) {
	for name, tt := range map[string]struct{ source, want string }{
		"syntax":        {`export default function (`, "extension.ts:1:"},
		"no function":   {`export const a = 1;`, "default export must be a function"},
		"throws":        {"\n\nexport default () => { throw new Error('boom') }", "extension.ts:3:"},
		"rejects":       {`export default async () => { throw new Error('boom') }`, "boom"},
		"top level":     {`throw new Error("early"); export default () => {}`, "early"},
		"loops":         {`for (;;); export default () => {}`, "without a break"},
		"unknown":       {`import x from "express"; export default () => x`, `can't find the package "express"`},
		"bad tool":      {`export default (pi) => pi.registerTool({ name: "a b", execute() {} })`, "the name must be of letters"},
		"bad schema":    {`export default (pi) => pi.registerTool({ name: "a", parameters: { type: 5 }, execute() {} })`, "parameters: "},
		"no execute":    {`export default (pi) => pi.registerTool({ name: "a" })`, "registerTool(a): execute must be a function"},
		"no handler":    {`export default (pi) => pi.on("input")`, "on(input): the handler must be a function"},
		"provider":      {`export default (pi) => pi.registerProvider("x", {})`, "an extension can't add a provider"},
		"flag":          {`export default (pi) => pi.registerFlag("x", { type: "boolean", default: "yes" })`, "the default isn't a boolean"},
		"command":       {`export default (pi) => pi.registerCommand("/x y", { handler() {} })`, "the name must be one word"},
		"early session": {`export default async (pi) => { throw new Error(pi.getAllTools().length + " tools"); }`, "2 tools"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			m := New(Options{Slice: 200 * time.Millisecond})
			_, err := tryLoad(t, r, m, write(t, tt.source))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			m.buses.mu.Lock()
			defer m.buses.mu.Unlock()
			if len(m.buses.all) != 0 {
				t.Error("it is still on the bus")
			}
		})
	}
}

// E-3: what isn't granted can't be done, and says what to do.
func TestExecNeedsItsCapability(t *testing.T) {
	m := New(Options{})
	path := write(t, `export default (pi) => pi.registerTool({ name: "x", execute: async () => (await pi.exec("ls", ["-l"], { cwd: "/d", timeout: 5, input: "i", env: { A: "1" } })).stdout })`)
	module, err := m.Inspect(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		granted []string
		want    string
	}{{nil, `error: exec needs the capability "exec"`}, {[]string{"exec"}, "out"}} {
		i, err := m.Extension(module, tt.granted).Load(t.Context(), newRecorder())
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := run(t, i.Registered().Tools[0], `{}`); !strings.HasPrefix(text, tt.want) {
			t.Errorf("granted %v: %q, want %q", tt.granted, text, tt.want)
		}
		i.Close()
	}
}

// A handler that is added while the session runs counts, one that is taken back
// doesn't, and one under both families' names is called once.
func TestHandlersComeAndGo(t *testing.T) {
	l := load(t, `export default (pi) => {
		let off;
		pi.on("session_start", (_e, ctx) => { off = pi.on("turn_start", (e) => ctx.ui.notify("turn " + e.turnIndex)); });
		pi.on("session_shutdown", () => off());
		const both = (e, ctx) => ctx.ui.notify(e.type + " " + e.entryId);
		pi.on("session_before_branch", both);
		pi.on("session_before_fork", both);
		pi.on("session_before_fork", (e, ctx) => ctx.ui.notify(e.type));
	}`)
	turn := func() { l.host.Event(t.Context(), l.part, event.TurnStarted{}) }
	turn()
	l.host.SessionStart(t.Context())
	turn()
	l.host.SessionShutdown(t.Context())
	turn()
	l.host.BeforeReplace(t.Context(), ext.Replace{Reason: "fork", EntryID: "e"})
	l.said(t, `notify info "turn 0"`, `notify info "session_before_branch e"`, `notify info "session_before_fork"`)
}

// A tool answers in many ways.
func TestToolResults(t *testing.T) {
	for returns, want := range map[string][2]string{
		`"text"`:                       {"text", ""},
		`undefined`:                    {"", ""},
		`{a: 1}`:                       {`{"a":1}`, ""},
		`{content: "c", details: [1]}`: {"c", `{"value":[1]}`},
		`{content: [{type: "text", text: "c"}], details: {a: 1}}`:         {"c", `{"a":1}`},
		`{content: [{type: "text", text: "bad"}], isError: true}`:         {"error: bad", ""},
		`{content: [{type: "audio"}]}`:                                    {`error: content[0] must be a text or an image, not "audio"`, ""},
		`Promise.reject(new RangeError("no"))`:                            {"error: no", ""},
		`{content: [{type: "image", source: {data: "", mediaType: ""}}]}`: {"", ""},
	} {
		l := load(t, `export default (pi) => pi.registerTool({ name: "x", execute: () => (`+returns+`) })`)
		if text, details := run(t, l.tool(t, "x"), `{}`); text != want[0] || details != want[1] {
			t.Errorf("%s: %q, %s", returns, text, details)
		}
	}
	// Both orders of parameters.
	l := load(t, `export default (pi) => {
		pi.registerTool({ name: "newer", async execute(id, params, signal, onUpdate, ctx) { onUpdate({ content: "u" }); return [id, params.a, signal.aborted, ctx.cwd].join(); } });
		pi.registerTool({ name: "older", async execute(id, params, _onUpdate, ctx, signal) { _onUpdate({ content: "u" }); return [id, params.a, signal.aborted, ctx.cwd].join(); } });
	}`)
	for _, name := range []string{"newer", "older"} {
		updates := 0
		r, err := l.tool(t, name).Run(t.Context(), tool.Call{ID: "c", Arguments: json.RawMessage(`{"a":2}`), Progress: func(tool.Result) { updates++ }})
		if err != nil || len(r.Content) != 1 || r.Content[0].Text != "c,2,false,/work" || updates != 1 {
			t.Errorf("%s: %+v, %v, %d updates", name, r, err, updates)
		}
	}
}

// Arguments that a handler changes in place, or returns, are those of the call.
func TestChangedArguments(t *testing.T) {
	l := load(t, `export default (pi) => {
		pi.on("tool_call", (e) => { if (e.input.command === "a") e.input.command = "b"; });
		pi.on("tool_call", (e) => e.input.command === "c" ? { input: { command: "d" } } : undefined);
	}`)
	for in, want := range map[string]string{`{"command":"a"}`: `{"command":"b"}`, `{"command":"c"}`: `{"command":"d"}`, `{"command": "x"}`: `{"command": "x"}`} {
		out, reply := l.host.ToolCall(t.Context(), ext.ToolCall{Name: "bash", Arguments: json.RawMessage(in)})
		if string(out) != want || reply.Block {
			t.Errorf("%s: %s, %+v", in, out, reply)
		}
	}
}

// A dialog's signal takes it away, and its time is told.
func TestDialogOptions(t *testing.T) {
	r := newRecorder()
	asked := make(chan event.Question, 8)
	r.answer = func(ctx context.Context, q event.Question) (event.Answer, bool) {
		asked <- q
		if q.Timeout == 0 {
			<-ctx.Done()
		}
		return event.Answer{}, false
	}
	l := loadInto(t, r, New(Options{}), write(t, `export default (pi) => {
		pi.on("session_start", async (_e, ctx) => {
			const c = new AbortController();
			const open = ctx.ui.select("a", ["x"], { signal: c.signal });
			c.abort();
			ctx.ui.notify("select " + (await open));
			ctx.ui.notify("confirm " + (await ctx.ui.confirm("b", "c", { signal: c.signal })));
			ctx.ui.notify("input " + (await ctx.ui.input("d", "e", { timeout: 1500 })));
			ctx.ui.notify("custom " + (await ctx.ui.custom(() => {})) + JSON.stringify(ctx.ui.getEditorText()) + ctx.ui.setTheme("x").success);
		});
	}`))
	l.host.SessionStart(t.Context())
	if q := <-asked; q.Title == "d" && q.Timeout != 1500*time.Millisecond {
		t.Errorf("%+v", q)
	}
	got := l.lines()
	want := []string{`notify info "select undefined"`, `notify info "confirm false"`, `notify info "input undefined"`, `notify info "custom undefined\"\"false"`}
	for _, w := range want {
		if !strings.Contains(strings.Join(got, "\n"), w) {
			t.Errorf("%q isn't in %q", w, got)
		}
	}
}
