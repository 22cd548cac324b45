package shim

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
)

// sample is a runtime with everything installed.
type sample struct {
	*loop.Loop
	t    *testing.T
	dir  string
	mu   sync.Mutex
	logs []string
}

var all = []string{"fs", "net", "exec", "env"}

func open(t testing.TB, granted ...string) *sample {
	t.Helper()
	s := &sample{dir: t.TempDir()}
	s.t, _ = t.(*testing.T)
	log := func(level, line string) {
		s.mu.Lock()
		s.logs = append(s.logs, level+": "+line)
		s.mu.Unlock()
	}
	s.Loop = loop.New(loop.Options{Name: "sample", Rejected: func(err error) { log("rejected", err.Error()) }})
	t.Cleanup(func() { s.Close(); <-s.Done() })
	err := s.Do(t.Context(), func(rt *sobek.Runtime) error {
		require, err := Install(s.Loop, rt, Options{
			Granted: granted, Environ: []string{"HOME=/home/someone", "USER=someone", "EMPTY="}, Home: "/home/someone",
			Cwd: func() string { return s.dir }, HTTP: http.DefaultClient, Exec: run, Log: log,
		})
		if err != nil {
			return err
		}
		return rt.Set("require", require)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a program as a session would.
func run(ctx context.Context, e ext.Exec) (ext.ExecResult, error) {
	if e.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, e.Timeout)
		defer cancel()
	}
	var stdout, stderr strings.Builder
	c := exec.CommandContext(ctx, e.Name, e.Args...)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = e.Dir, append(os.Environ(), e.Env...), e.Stdin, &stdout, &stderr
	c.WaitDelay = 50 * time.Millisecond
	err := c.Run()
	r := ext.ExecResult{Stdout: stdout.String(), Stderr: stderr.String(), Killed: ctx.Err() != nil}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.Code = exit.ExitCode()
		err = nil
	}
	return r, err
}

func (s *sample) eval(src string) (string, error) {
	return loop.Await(s.t.Context(), s.Loop, func(rt *sobek.Runtime) (sobek.Value, error) {
		return rt.RunScript("sample.js", "(async () => {"+src+"\n})()")
	}, func(rt *sobek.Runtime, v sobek.Value) (string, error) {
		if _, ok := v.(*sobek.Object); !ok {
			return v.String(), nil
		}
		stringify, _ := sobek.AssertFunction(rt.Get("JSON").ToObject(rt).Get("stringify"))
		text, err := stringify(nil, v)
		if err != nil {
			return "", err
		}
		return text.String(), nil
	})
}

// row is a script, its value (JSON unless it is a primitive) and a part of its
// error.
type row struct{ src, want, failure string }

func (s *sample) rows(rows []row) {
	s.t.Helper()
	for _, r := range rows {
		got, err := s.eval(r.src)
		switch {
		case r.failure == "" && err != nil:
			s.t.Errorf("%s\n\t%v", r.src, err)
		case r.failure != "" && (err == nil || !strings.Contains(err.Error(), r.failure)):
			s.t.Errorf("%s\n\terror %v\n\twant %s", r.src, err, r.failure)
		case got != r.want:
			s.t.Errorf("%s\n\tgot  %s\n\twant %s", r.src, got, r.want)
		}
	}
}

// Every module evaluates, and is the same under its names.
func TestModules(t *testing.T) {
	s := open(t)
	for name := range modules {
		s.rows([]row{{src: `return typeof require("` + name + `") !== "undefined"`, want: "true"}})
		if bare, ok := strings.CutPrefix(name, "node:"); ok {
			s.rows([]row{{src: `return require("` + name + `") === require("` + bare + `")`, want: "true"}})
		}
	}
	for _, scope := range familyScopes {
		for name := range family {
			if !Known(scope + name) {
				t.Errorf("%s%s isn't known", scope, name)
			}
			s.rows([]row{{src: `return typeof require("` + scope + name + `")`, want: "object"}})
		}
	}
	if Known("express") || Known("node:http") || Needs("fs/promises") != "fs" || Needs("path") != "" {
		t.Error("Known or Needs is wrong")
	}
	s.rows([]row{{src: `require("express")`, failure: `can't load the module "express"`}})
	s.rows([]row{{src: `return [setTimeout, setInterval, setImmediate, clearTimeout, queueMicrotask, URL, URLSearchParams, TextEncoder, TextDecoder, Event, EventTarget, AbortController, AbortSignal, DOMException, structuredClone, Buffer, atob, btoa, fetch, Headers, Request, Response].every((f) => typeof f === "function") && typeof console + typeof process + typeof crypto + typeof performance`, want: "objectobjectobjectobject"}})
}

// E-3: what isn't granted throws and says what to do; the rest works.
func TestCapabilities(t *testing.T) {
	s := open(t)
	denied := func(src, what, capability string) row {
		return row{src: src, failure: `extension sample isn't allowed to use ` + what + `: it needs the capability "` + capability + `"`}
	}
	s.rows([]row{
		denied(`require("fs").readFileSync("/etc/hosts")`, "the file system (open)", "fs"),
		denied(`require("fs").existsSync("/etc/hosts")`, "fs.existsSync", "fs"),
		denied(`await require("fs/promises").writeFile("/tmp/x", "y")`, "the file system (write)", "fs"),
		denied(`await fetch("http://127.0.0.1:1")`, "fetch", "net"),
		denied(`require("child_process").execSync("ls")`, "programs", "exec"),
		denied(`require("child_process").spawnSync("ls")`, "programs", "exec"),
		denied(`await require("util").promisify(require("child_process").exec)("ls")`, "programs", "exec"),
		denied(`process.env.HOME`, "process.env", "env"),
		denied(`require("os").homedir()`, "os.homedir", "env"),
		{src: `return require("path").join("a", "../b")`, want: "b"},
		{src: `return process.platform.length > 0`, want: "true"},
		{src: `try { process.env.HOME } catch (e) { return e.code + e.capability }`, want: "ERR_ACCESS_DENIEDenv"},
	})
}

func TestFiles(t *testing.T) {
	s := open(t, all...)
	s.rows([]row{
		{src: `const fs = require("fs"); fs.writeFileSync("a.txt", "héllo"); return fs.readFileSync("a.txt", "utf8") + fs.readFileSync("a.txt").length`, want: "héllo6"},
		{src: `const fs = require("fs"); fs.appendFileSync("a.txt", "!"); return fs.readFileSync("a.txt", { encoding: "utf-8" })`, want: "héllo!"},
		{src: `const fs = require("fs"); fs.mkdirSync("d/e/f", { recursive: true }); fs.writeFileSync("d/g", ""); return [fs.readdirSync("d"), fs.readdirSync("d", { withFileTypes: true }).map((e) => e.name + e.isDirectory()), fs.readdirSync("d", { recursive: true })]`, want: `[["e","g"],["etrue","gfalse"],["e","e/f","g"]]`},
		{src: `const fs = require("fs"), st = fs.statSync("a.txt"); return [st.size, st.isFile(), st.isDirectory(), st.mtime instanceof Date, fs.statSync("no", { throwIfNoEntry: false }) === undefined, fs.existsSync("a.txt"), fs.existsSync("no")]`, want: `[7,true,false,true,true,true,false]`},
		{src: `try { require("fs").readFileSync("no") } catch (e) { return [e.code, e.syscall, e.message.replace(e.path, "PATH"), e instanceof Error] }`, want: `["ENOENT","open","ENOENT: no such file or directory, open 'PATH'",true]`},
		{src: `try { await require("fs/promises").readdir("no") } catch (e) { return [e.code, e.syscall] }`, want: `["ENOENT","scandir"]`},
		{src: `try { require("fs").readFileSync("d") } catch (e) { return e.code }`, want: "EISDIR"},
		{src: `try { require("fs").mkdirSync("d") } catch (e) { return e.code }`, want: "EEXIST"},
		{src: `try { require("fs").rmdirSync("d") } catch (e) { return e.code }`, want: "ENOTEMPTY"},
		{src: `try { require("fs").rmSync("d") } catch (e) { return e.code }`, want: "EISDIR"},
		{src: `try { require("fs").unlinkSync("a.txt/x") } catch (e) { return e.code }`, want: "ENOTDIR"},
		{src: `try { require("fs").writeFileSync("a.txt", "", { flag: "wx" }) } catch (e) { return e.code }`, want: "EEXIST"},
		{src: `require("fs").readFileSync(5)`, failure: `The "path" argument must be of type string`},
		{src: `const fs = require("node:fs/promises"); await fs.copyFile("a.txt", "b.txt"); await fs.rename("b.txt", "c.txt"); await fs.unlink("a.txt"); await fs.rm("d", { recursive: true }); await fs.rm("no", { force: true }); return fs.readdir(".")`, want: `["c.txt"]`},
		{src: `const fs = require("fs"); const d = await fs.promises.mkdtemp(require("path").join(process.cwd(), "t-")); return fs.existsSync(d) && d !== "t-"`, want: "true"},
		{src: `return new Promise((ok) => require("fs").readFile("c.txt", "utf8", (err, v) => ok([err, v])))`, want: `[null,"héllo!"]`},
		{src: `return new Promise((ok) => require("fs").readFile("no", (err) => ok(err.code)))`, want: "ENOENT"},
		{src: `const fs = require("fs"); await fs.promises.access("c.txt"); fs.symlinkSync("c.txt", "l"); return [fs.readlinkSync("l"), fs.lstatSync("l").isSymbolicLink(), require("path").basename(fs.realpathSync("l"))]`, want: `["c.txt",true,"c.txt"]`},
		{src: `const fs = require("fs"); fs.writeFileSync("bin", new Uint8Array([0, 255, 128])); return fs.readFileSync("bin").toString("hex")`, want: "00ff80"},
	})
	big := filepath.Join(s.dir, "big")
	if err := os.WriteFile(big, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxFile+1); err != nil {
		t.Fatal(err)
	}
	s.rows([]row{{src: `require("fs").readFileSync("big")`, failure: "larger than 64 MB"}})
}
