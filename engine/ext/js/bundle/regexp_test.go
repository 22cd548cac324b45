package bundle

import (
	"path/filepath"
	"strings"
	"testing"
)

// E-1: regular expressions mean what they mean elsewhere.
func TestRegExp(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"named groups", `return /(?<y>\d{4})-(?<m>\d\d)/.exec("on 2026-11").groups.m`, "11"},
		{"after others", `const m = /(a)(?:b)(?<c>c)(?=(d))/.exec("abcd")!; return [m[1], m[2], m[3], m.groups!.c]`, "a,c,d,c"},
		{"no match", `return /(?<a>x)/.exec("y") === null`, "true"},
		{"unset group", `return "a" in /(?<a>x)?y/.exec("y")!.groups! && /(?<a>x)?y/.exec("y")!.groups!.a === undefined`, "true"},
		{"without names", `return /(a)/.exec("a")!.groups === undefined`, "true"},
		{"in a class", `return /[(?<a>]+/.exec("(?<a>")![0]`, "(?<a>"},
		{"escaped", `return /\(\?<a>/.test("(?<a>")`, "true"},
		{"reference", `return /(?<q>['"]).*?\k<q>1/.exec("a'b\"'1")![0]`, `'b"'1`},
		{"the same name twice", `return ["a", "b"].map(s => /(?<x>a)|(?<x>b)/.exec(s)!.groups!.x)`, "a,b"},
		{"match, matchAll", `const r = /(?<d>\d)/g; return ["a1b2".match(r), [..."a1b2".matchAll(r)].map(m => m.groups!.d)].join(" ")`, "1,2 1,2"},
		{"replace", `const r = /(?<d>\d)(?<l>\w)/g; return ["1a2b".replace(r, "$<l>0$<d>$$$<no>"), "1a".replace(r, (...a) => JSON.stringify(a.at(-1)))].join(" ")`, `a01$b02$ {"d":"1","l":"a"}`},
		{"replaceAll, split, search", `return ["a1b1".replaceAll(/(?<d>1)/g, "<$<d>>"), "a1b".split(/(?<d>1)/), "ab1".search(/(?<d>1)/)].join(" ")`, "a<1>b<1> a,1,b 2"},
		{"made at run time", `const name = "k"; return new RegExp("(?<" + name + ">v)").exec("v")!.groups!.k + RegExp("a", "i").test("A")`, "vtrue"},
		{"copies", `const r = /(?<a>x)/g; return [r.source, String(r), r.flags, new RegExp(r, "i").exec("X")!.groups!.a, RegExp(r) === r, r instanceof RegExp, /x/ instanceof RegExp]`, `(?<a>x),/(?<a>x)/g,g,X,true,true,true`},
		{"lastIndex", `const r = /(?<a>x)/gy; const found = [r.test("xx"), r.lastIndex, r.test("xx"), r.test("xx")]; return found`, "true,1,true,false"},
		{"properties", `return ["1éñ日x-".match(/\p{L}+/u), "1éñ-".match(/[\p{Letter}\d]+/u), "aγδ".match(/\p{Script=Greek}+/u), "a1".match(/\P{L}/u), "ÉA a".match(/[^\P{Lu}]+/u)].join(" ")`, "éñ日x 1éñ γδ 1 ÉA"},
		{"no properties without the flag", `return /\p{2}/.test("pp")`, "true"},
		{"flag v", `return "é1".match(/[\p{L}]/v)`, "é"},
		{"sets", `try { return new RegExp("[\\p{L}--[a-z]]", "v") } catch (e) { return e.message }`, `Invalid regular expression: /[\p{L}--[a-z]]/: operations on sets aren't supported; write one class`},
		{"unknown reference", `try { return new RegExp("(?<a>x)\\k<b>") } catch (e) { return e.name }`, "SyntaxError"},
		{"subclass", `class R extends RegExp { twice(s: string) { return this.test(s) && this.test(s) } } return new R("a").twice("a")`, "true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, "")
			write(t, filepath.Join(dir, "a.ts"), "export default function main(): any {\n"+c.body+"\n}")
			b, err := bundleOf(t, dir, "a.ts")
			if err != nil {
				t.Fatal(err)
			}
			got, err := outcome(t, b)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// Scripts without regular expressions carry nothing of it, and the others are
// still right about their lines.
func TestRegExpStaysOut(t *testing.T) {
	dir := tree(t, `
-- plain.ts --
export default () => /a/.test("a")
-- named.ts --
const named = /(?<a>a)/
export default () => {
  throw new Error(String(named))
}
`)
	plain, err := bundleOf(t, dir, "plain.ts")
	if err != nil || strings.Contains(string(plain.Code), "RegExp") {
		t.Errorf("%v in\n%s", err, plain.Code)
	}
	named, err := bundleOf(t, dir, "named.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, err = outcome(t, named)
	if want := filepath.Join(dir, "named.ts") + ":3:"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a place in %s", err, want)
	}
}
