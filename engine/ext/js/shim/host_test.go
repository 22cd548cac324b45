package shim

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
)

func TestFetch(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"method":%q,"type":%q,"a":%q}`, r.Method, r.Header.Get("Content-Type"), r.Header.Get("A"))
		case "/away":
			http.Redirect(w, r, "/json", http.StatusFound)
		case "/hang":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "/big":
			chunk := []byte(strings.Repeat("x", 1<<20))
			for range maxBody>>20 + 1 {
				_, _ = w.Write(chunk)
			}
		default:
			http.Error(w, "nothing here", http.StatusNotFound)
		}
	}))
	defer server.Close()
	s := open(t, all...)
	at := `const at = "` + server.URL + `"; `
	s.rows([]row{
		{src: at + `const r = await fetch(at + "/json", { method: "POST", body: "x", headers: { A: "b" } }); return [r.ok, r.status, r.headers.get("content-type"), await r.json()]`, want: `[true,200,"application/json",{"method":"POST","type":"text/plain;charset=UTF-8","a":"b"}]`},
		{src: at + `const r = await fetch(new URL("/none", at)); return [r.ok, r.status, r.statusText, await r.text()]`, want: `[false,404,"Not Found","nothing here\n"]`},
		{src: at + `const r = await fetch(at + "/away"); return [r.redirected, r.url.endsWith("/json")]`, want: `[true,true]`},
		{src: at + `return (await fetch(at + "/away", { redirect: "manual" })).status`, want: "302"},
		{src: at + `try { await fetch(at + "/hang", { signal: AbortSignal.timeout(10) }) } catch (e) { return e.name }`, want: "TimeoutError"},
		{src: at + `const c = new AbortController(); setTimeout(() => c.abort(), 5); try { await fetch(at + "/hang", { signal: c.signal }) } catch (e) { return e.name }`, want: "AbortError"},
		{src: at + `await fetch(at + "/big")`, failure: "the answer is larger than 32 MB"},
		{src: `await fetch("http://127.0.0.1:1/")`, failure: "TypeError: fetch failed"},
		{src: `await fetch("file:///etc/hosts")`, failure: `unknown scheme "file"`},
		{src: `await fetch("nonsense")`, failure: "Invalid URL"},
		{src: at + `const r = await fetch(at + "/json"), reader = r.body.getReader(), { value, done } = await reader.read(); return [value.length > 0, done, (await reader.read()).done]`, want: `[true,false,true]`},
	})
}

func TestConsole(t *testing.T) {
	s := open(t)
	s.rows([]row{{src: `console.log("a %s", "b", { c: 1 }); console.error(new TypeError("bad").message); console.warn("x\ny"); console.debug([1]); process.stdout.write("half "); process.stdout.write("line\n"); console.group("g"); console.info("in"); console.groupEnd(); console.table([]); queueMicrotask(() => { throw new Error("micro") })`, want: "undefined"}})
	s.rows([]row{{src: `return 1`, want: "1"}})
	s.mu.Lock()
	defer s.mu.Unlock()
	got := strings.Join(s.logs, "\n")
	want := "info: a b { c: 1 }\nerror: bad\nwarn: x\nwarn: y\ndebug: [ 1 ]\ninfo: half line\ninfo: g\ninfo:   in\ninfo: []\nrejected: micro (sample.js:1:"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestProcess(t *testing.T) {
	s := open(t, all...)
	s.rows([]row{
		{src: `return [process.env.USER, process.env.NONE, "EMPTY" in process.env, Object.keys(process.env).length, { ...process.env }.HOME]`, want: `["someone",null,true,3,"/home/someone"]`},
		{src: `process.env.NEW = 5; const v = process.env.NEW; delete process.env.NEW; return [v, process.env.NEW]`, want: `["5",null]`},
		{src: `process.exit(1)`, failure: "process.exit isn't available to extensions"},
		{src: `process.on("SIGINT", () => {}).once("exit", () => {}); return process.argv`, want: `[]`},
		{src: `const os = require("os"); return [os.homedir(), os.userInfo().username, os.platform() === process.platform]`, want: `["/home/someone","someone",true]`},
		{src: `return require("@mariozechner/pi-coding-agent").getAgentDir()`, want: "/home/someone/.config/hoopoe"},
	})
}

func TestTypeBox(t *testing.T) {
	s := open(t)
	const head = `const { Type } = require("@sinclair/typebox"), { Value } = require("@sinclair/typebox/value"), { StringEnum } = require("@mariozechner/pi-ai"); `
	s.rows([]row{
		{src: head + `return Type.Object({ a: Type.String({ description: "d" }), b: Type.Optional(Type.Number()) }, { additionalProperties: false })`, want: `{"type":"object","properties":{"a":{"type":"string","description":"d"},"b":{"type":"number"}},"required":["a"],"additionalProperties":false}`},
		{src: head + `return Type.Object({})`, want: `{"type":"object","properties":{}}`},
		{src: head + `return Type.Union([Type.Literal("a"), Type.Literal(1)])`, want: `{"anyOf":[{"const":"a","type":"string"},{"const":1,"type":"number"}]}`},
		{src: head + `return Type.Record(Type.String(), Type.Any())`, want: `{"type":"object","patternProperties":{"^(.*)$":{}}}`},
		{src: head + `const t = Type.Object({ a: Type.String(), b: Type.Optional(Type.String()) }); return [Type.Partial(t).required, Type.Required(t).required, Type.Pick(t, ["b"]).properties, Type.Omit(t, ["b"]).required, Type.KeyOf(t).anyOf.length, Type.Composite([t, Type.Object({ c: Type.Null() })]).required]`, want: `[null,["a","b"],{"b":{"type":"string"}},["a"],2,["a","c"]]`},
		{src: head + `return [Type.Tuple([Type.Integer()]), Type.Enum({ A: "x", B: "y" }), Type.Array(Type.Boolean(), { minItems: 1 })]`, want: `[{"type":"array","items":[{"type":"integer"}],"additionalItems":false,"minItems":1,"maxItems":1},{"anyOf":[{"const":"x","type":"string"},{"const":"y","type":"string"}]},{"type":"array","items":{"type":"boolean"},"minItems":1}]`},
		{src: head + `return StringEnum(["a", "b"], { description: "d", default: "a" })`, want: `{"type":"string","enum":["a","b"],"description":"d","default":"a"}`},
		{src: head + `const t = Type.Object({ n: Type.Integer({ minimum: 1 }), o: Type.Optional(Type.Array(Type.String())) }); return [{ n: 1 }, { n: 0 }, { n: 1.5 }, {}, { n: 1, o: [1] }, { n: 2, o: ["x"] }, null].map((v) => Value.Check(t, v))`, want: `[true,false,false,false,false,true,false]`},
		{src: head + `return [...Value.Errors(Type.Object({ a: Type.Object({ b: Type.String() }) }), { a: { b: 1 } })].map((e) => e.path + ": " + e.message)`, want: `["/a/b: Expected string"]`},
	})
}

func TestFamilyValues(t *testing.T) {
	s := open(t)
	const head = `const pi = require("@mariozechner/pi-coding-agent"), tui = require("@mariozechner/pi-tui"); `
	s.rows([]row{
		{src: head + `return [pi.DEFAULT_MAX_BYTES, pi.DEFAULT_MAX_LINES, pi.formatSize(5), pi.formatSize(51200), pi.formatSize(3 << 20), pi.isToolCallEventType("bash", { toolName: "bash" })]`, want: `[51200,2000,"5B","50.0KB","3.0MB",true]`},
		{src: head + `const r = pi.truncateHead("a\nb\nc", { maxLines: 2 }); return [r.content, r.truncated, r.truncatedBy, r.totalLines, r.outputLines]`, want: `["a\nb",true,"lines",3,2]`},
		{src: head + `const r = pi.truncateTail("a\nbb\nc", { maxBytes: 4 }); return [r.content, r.truncatedBy]`, want: `["bb\nc","bytes"]`},
		{src: head + `return [pi.truncateTail("äää", { maxBytes: 3 }).content, pi.truncateHead("long", { maxBytes: 2 }).firstLineExceedsLimit, pi.truncateHead("x").truncated]`, want: `["ä",true,false]`},
		{src: head + `return [tui.visibleWidth("a\x1b[31mb\x1b[0m中"), tui.truncateToWidth("hello world", 8), tui.truncateToWidth("中文字", 4, "…"), tui.wrapTextWithAnsi("one two three", 7)]`, want: `[4,"hello...","中…",["one two","three"]]`},
		{src: head + `const c = new tui.Container(); c.addChild(new tui.Text("hi", 1, 0)); c.addChild(new tui.Spacer(1)); return c.render(6)`, want: `[" hi   ",""]`},
		{src: head + `const b = new tui.Box(1, 0); b.addChild(new tui.Text("a b", 0, 0)); return b.render(3)`, want: `[" a "," b "]`},
		{src: head + `return [tui.matchesKey("\x03", tui.Key.ctrl("c")), tui.matchesKey("\x1b", "escape"), tui.matchesKey("\x1b[1;5A", "ctrl+up"), tui.matchesKey("a", "b")]`, want: `[true,true,true,false]`},
	})
}

// Everything is the extension's own: what one changes, another doesn't see.
func TestRuntimesAreApart(t *testing.T) {
	a, b := open(t), open(t)
	a.rows([]row{{src: `require("path").join = () => "changed"; Array.prototype.evil = 1; globalThis.fetch = 5; return [require("path").join(), fetch]`, want: `["changed",5]`}})
	b.rows([]row{{src: `return [require("path").join("a"), typeof [].evil, typeof fetch]`, want: `["a","undefined","function"]`}})
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"http://a/b?c#d", "x:y", "//a", "file:///a", "http://[::1]", "http://1.2", "..", "http://ä@b:1/%2e"} {
		f.Add(seed, "http://h/p/q")
	}
	f.Fuzz(func(t *testing.T, input, base string) {
		a := parseAddress(input, parseAddress(base, nil))
		if a == nil {
			return
		}
		for _, name := range []string{"", "protocol", "host", "port", "pathname", "search", "hash", "username"} {
			a.change(name, input)
			written := a.String()
			again := parseAddress(written, nil)
			if again == nil {
				t.Fatalf("%q: its written form %q is no URL", input, written)
			}
			if again.String() != written {
				t.Fatalf("%q: %q is written %q the second time", input, written, again.String())
			}
		}
	})
}

func BenchmarkInstall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		l := loop.New(loop.Options{})
		if err := l.Do(b.Context(), func(rt *sobek.Runtime) error {
			_, err := Install(l, rt, Options{})
			return err
		}); err != nil {
			b.Fatal(err)
		}
		l.Close()
	}
}

// A runtime that uses what extensions usually do, and what it weighs.
func BenchmarkUsual(b *testing.B) {
	var loops []*loop.Loop
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		l := loop.New(loop.Options{})
		loops = append(loops, l)
		if err := l.Do(b.Context(), func(rt *sobek.Runtime) error {
			require, err := Install(l, rt, Options{Granted: all})
			if err != nil {
				return err
			}
			_ = rt.Set("require", require)
			_, err = rt.RunString(`require("fs"); require("path"); require("@sinclair/typebox"); console.log("x"); setTimeout(() => {}, 1e6)`)
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(loops))/1024, "KB/loop")
	for _, l := range loops {
		l.Close()
	}
}
