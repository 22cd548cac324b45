package bundle

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite golden files")

// tree writes a txtar archive's files into a new folder.
func tree(t testing.TB, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// serves is a runtime that has a few modules.
func serves(path string) bool {
	return slices.Contains([]string{"node:fs", "node:path", "@sinclair/typebox", "@mariozechner/pi-coding-agent"}, path)
}

// run loads a bundle into a fresh runtime and returns its exports.
func run(t testing.TB, b *Bundle) (*sobek.Runtime, *sobek.Object, error) {
	t.Helper()
	p, err := b.Program()
	if err != nil {
		return nil, nil, err
	}
	vm := sobek.New()
	wrapper, err := vm.RunProgram(p)
	if err != nil {
		return nil, nil, err
	}
	call, ok := sobek.AssertFunction(wrapper)
	if !ok {
		t.Fatalf("the script is no function: %v", wrapper)
	}
	module := vm.NewObject()
	exports := vm.NewObject()
	if err := module.Set("exports", exports); err != nil {
		t.Fatal(err)
	}
	require := func(name string) (map[string]any, error) {
		if serves(name) {
			return map[string]any{"served": name}, nil
		}
		return nil, fmt.Errorf("no module %s", name)
	}
	if _, err := call(sobek.Undefined(), exports, vm.ToValue(require), module, vm.ToValue("file"), vm.ToValue("dir")); err != nil {
		return vm, nil, err
	}
	return vm, module.Get("exports").ToObject(vm), nil
}

// outcome is what main, exported by default, returned or what its promise was
// fulfilled with.
func outcome(t testing.TB, b *Bundle) (string, error) {
	t.Helper()
	vm, exports, err := run(t, b)
	if err != nil {
		return "", err
	}
	f := exports.Get("default")
	if f == nil {
		f = exports
	}
	call, ok := sobek.AssertFunction(f)
	if !ok {
		t.Fatalf("nothing was exported to call: %v", exports.Keys())
	}
	v, err := call(sobek.Undefined())
	if err != nil {
		return "", err
	}
	if p, ok := v.Export().(*sobek.Promise); ok {
		if p.State() != sobek.PromiseStateFulfilled {
			return "", fmt.Errorf("promise: %v", p.Result())
		}
		v = p.Result()
	}
	return v.ToObject(vm).String(), nil
}

func bundleOf(t testing.TB, dir, entry string) (*Bundle, error) {
	t.Helper()
	return New(Options{External: serves}).Bundle(t.Context(), filepath.Join(dir, entry))
}

// E-1: the syntax that people write today runs, whatever the runtime lacks.
func TestSyntax(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"private members", "class A { #x=1; static #y=2; #m(){ return this.#x } v(o: any){ return this.#m() + A.#y + (#x in o ? 1 : 0) } } const a = new A(); return a.v(a)", "4"},
		{"static block", "class A { static x: number; static { this.x = 4 } } return A.x", "4"},
		{"class fields", "class B { m(){ return 1 } } class A extends B { a = 1; static b = 2; ['c'] = 3; d = () => super.m() } const a = new A(); return [a.a, A.b, (a as any).c, a.d()]", "1,2,3,1"},
		{"parameter properties", "class A { constructor(private x: number){} get(){ return this.x } } return new A(3).get()", "3"},
		{"enum and namespace", "return [E.B, E[1], F.X, N.y]", "2,A,0,1"},
		{"satisfies and casts", "const x = { a: 1 } satisfies object; return (x as any).a! + <number>1", "2"},
		{"optional chaining", "const o: any = {}; return String(o?.a?.b?.()) + (o.x ?? 1)", "undefined1"},
		{"logical assignment", "let a: any = null; a ??= 3; a &&= 5; let b = 0; b ||= 4; return [a, b]", "5,4"},
		{"numbers", "return [2 ** 3, 1_000, (10n ** 20n).toString()]", "8,1000,100000000000000000000"},
		{"destructuring", "const { a, ...r } = { a: 1, b: 2 }; const [x, , y = 5, ...z] = [1, 2] as any[]; return JSON.stringify([a, r, x, y, z])", `[1,{"b":2},1,5,[]]`},
		{"templates", "const f = (s: any, ...v: any[]) => s.raw.join('|') + v; return f`a${1}\\n`", `a|\n1`},
		{"generator", "function* g(){ yield 1; yield* [2, 3] } return [...g()]", "1,2,3"},
		{"await", "const f = async () => { await null; return 2 }; return f()", "2"},
		{"async generator", "async function* g(){ yield 1; yield 2 } return (async () => { let n = 0; for await (const x of g()) n += x; return n })()", "3"},
		{"for await over promises", "return (async () => { let n = 0; for await (const x of [Promise.resolve(1), 2]) n += x; return n })()", "3"},
		{"decorator", "const d = (v: any, c: any) => { v.tag = c.kind }; @d class A { static tag: string } return A.tag", "class"},
		{"catch without a name", "try { throw 1 } catch { return 'caught' }", "caught"},
		{"cause", "return new Error('a', { cause: 1 }).cause", "1"},
		{"regular expressions", `return [/a.b/s.test("a\nb"), /^.$/u.test("😀"), "a1b2".replace(/(?<=a)\d/g, "X"), /a/y.test("ba")]`, "true,true,aXb2,false"},
		{"import()", "return import('./own').then(m => m.own)", "own"},
		{"import() of a served module", "return import('node:fs').then((m: any) => m.served)", "node:fs"},
		{"json and text", "return [data.answer, text.trim(), raw.trim()]", "42,Some text.,a: 1"},
		{"this file", "return [import.meta.filename === __filename, import.meta.dirname === __dirname, import.meta.url.startsWith('file:///')]", "true,true,true"},
		{"own files and packages", "return [own, pkg(), scoped, legacy.answer]", "own,pkg,scoped,7"},
		{"served modules", "return [fs.served, typeof Type, path.default.served]", "node:fs,undefined,node:path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, `
-- index.ts --
import data from "./data.json" with { type: "json" };
import text from "./note.md";
import raw from "./x.yaml" with { type: "text" };
import * as fs from "fs";
import * as path from "node:path";
import { Type, type Static } from "@sinclair/typebox";
import type { Secret } from "not-installed";
import { OnlyAType } from "also-not-installed";
import { own } from "./own";
import pkg from "pkg";
import { scoped } from "@team/scoped/deep";
import legacy from "legacy";
type Used = Secret | OnlyAType | Static<any>;
enum E { A = 1, B }
const enum F { X }
namespace N { export const y = 1 }
export default function main() { `+c.body+` }
-- own.js --
export const own = "own";
-- data.json --
{"answer": 42}
-- note.md --
Some text.
-- x.yaml --
a: 1
-- node_modules/pkg/package.json --
{"name": "pkg", "exports": "./lib.mjs"}
-- node_modules/pkg/lib.mjs --
export default () => "pkg"
-- node_modules/@team/scoped/deep/index.js --
exports.scoped = "scoped"
-- node_modules/legacy/package.json --
{"main": "main.cjs"}
-- node_modules/legacy/main.cjs --
"use strict"; try { require("worker_threads") } catch (e) { module.exports = { answer: 7 } }
`)
			b, err := bundleOf(t, dir, "index.ts")
			if err != nil {
				t.Fatal(err)
			}
			got, err := outcome(t, b)
			if err != nil {
				t.Fatalf("%v\n%s", err, b.Code)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// What is wrong is told with its place and what to do.
func TestErrors(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/errors.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.Files {
		name, golden := strings.CutSuffix(f.Name, ".want")
		if golden {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := tree(t, `
-- node_modules/native/package.json --
{"main": "build/native.node"}
-- node_modules/native/build/native.node --
binary
-- exports.ts --
export const present = 1
-- style.css --
a {}
-- broken.json --
{"a": }
`)
			write(t, filepath.Join(filepath.Dir(dir), "outside.json"), "{}")
			write(t, filepath.Join(dir, name), string(f.Data))
			_, err := bundleOf(t, dir, name)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			got := strings.NewReplacer(dir, "DIR", filepath.Dir(dir), "UP").Replace(filepath.ToSlash(err.Error())) + "\n"
			if *update {
				archive.Files[i+1].Data = []byte(got)
				return
			}
			if want := string(archive.Files[i+1].Data); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
	if *update {
		if err := os.WriteFile("testdata/errors.txtar", txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// An error at run time names the original file, line and column.
func TestPositions(t *testing.T) {
	dir := tree(t, `
-- a b/é.ts --
import { fail } from "./fails";

interface Big { a: string }

export default function main() {
  fail();
}
-- a b/fails.ts --
type Gone = { a: 1 };
export function fail(): never {
  throw new Error("no");
}
`)
	b, err := bundleOf(t, dir, "a b/é.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, err = outcome(t, b)
	var thrown *sobek.Exception
	if !errors.As(err, &thrown) {
		t.Fatalf("got %v, want an exception", err)
	}
	stack := b.Readable(thrown.String())
	for _, want := range []string{filepath.Join(dir, "a b", "fails.ts") + ":3:", filepath.Join(dir, "a b", "é.ts") + ":6:"} {
		if !strings.Contains(stack, want) {
			t.Errorf("%q isn't in %s", want, stack)
		}
	}
}

// The limits hold, each with an error that names it.
func TestBounds(t *testing.T) {
	many := tree(t, "")
	var imports strings.Builder
	for i := range maxFiles + 1 {
		write(t, filepath.Join(many, fmt.Sprintf("f%d.js", i)), "")
		fmt.Fprintf(&imports, "import './f%d.js'\n", i)
	}
	write(t, filepath.Join(many, "index.js"), imports.String())
	large := tree(t, "")
	comment := "/*" + strings.Repeat("x", maxFile-100) + "*/"
	for _, f := range []string{"a", "b", "c", "d"} {
		write(t, filepath.Join(large, f+".js"), comment)
	}
	write(t, filepath.Join(large, "index.js"), "import './a'; import './b'; import './c'; import './d'; "+comment)
	write(t, filepath.Join(large, "big.js"), comment+strings.Repeat(" ", 200))
	write(t, filepath.Join(large, "imports.js"), "import './big.js'")
	write(t, filepath.Join(large, "deep.js"), strings.Repeat("[", maxDepth+1))
	for _, c := range []struct{ path, want string }{
		{filepath.Join(many, "index.js"), "outgrows 2000 files"},
		{filepath.Join(large, "index.js"), "outgrows 20971520 bytes"},
		{filepath.Join(large, "big.js"), "more than the 5242880"},
		{filepath.Join(large, "imports.js"), "more than the 5242880"},
		{filepath.Join(large, "deep.js"), "more than 5000 deep"},
	} {
		_, err := New(Options{}).Bundle(t.Context(), c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.path, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(Options{}).Bundle(ctx, filepath.Join(many, "f1.js")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
	// Esbuild doesn't hear that it is cancelled in the middle of a file, and takes
	// a second for this one.
	write(t, filepath.Join(many, "chain.js"), "x = "+strings.Repeat("a =>", 500)+"1")
	if _, err := New(Options{Timeout: 20 * time.Millisecond}).Bundle(t.Context(), filepath.Join(many, "chain.js")); err == nil || !strings.Contains(err.Error(), "bundling took longer than 20ms") {
		t.Errorf("got %v, want that it took too long", err)
	}
	if _, err := New(Options{Timeout: 1}).Bundle(t.Context(), filepath.Join(many, "f1.js")); err == nil || !strings.Contains(err.Error(), "took longer") {
		t.Errorf("got %v, want that it took too long", err)
	}
}
