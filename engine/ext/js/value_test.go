package js

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/grafana/sobek"
)

// same compares valueOf with what the engine itself makes of a text.
func same(t *testing.T, rt *sobek.Runtime, raw string) {
	t.Helper()
	stringify, _ := sobek.AssertFunction(rt.Get("JSON").ToObject(rt).Get("stringify"))
	parse, _ := sobek.AssertFunction(rt.Get("JSON").ToObject(rt).Get("parse"))
	want, parseErr := parse(sobek.Undefined(), rt.ToValue(raw))
	got, err := valueOf(rt, json.RawMessage(raw))
	if (err == nil) != json.Valid([]byte(raw)) {
		t.Fatalf("%q: error %v", raw, err)
	}
	if err != nil || parseErr != nil { // numbers beyond float64 are an error to the engine
		return
	}
	a, err := stringify(sobek.Undefined(), got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := stringify(sobek.Undefined(), want)
	if err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("%q is %s, want %s", raw, a, b)
	}
}

var texts = []string{
	`null`, ` true `, `false`, `0`, `-0`, `12`, `-1.5e3`, `1e400`, `9007199254740993`, `""`, `"a"`, `"a\"b\\"`, `"\ud83d\ude00\ud800"`, `"ä€😀"`, "\"\xff\"",
	`{}`, `[]`, `[1, "a", [null], {"b": {}}]`, `{"b": 1, "a": [2], "1": 3, "b": 4}`, `{"__proto__": {"x": 1}, "toString": 2}`, `{"ä\n": "\u0000"}`,
	``, ` `, `{`, `[`, `"`, `"\`, `"\"`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1,}`, `[1,]`, `[,1]`, `[1 2]`, `{}{}`, `01`, `+1`, `1.`, `.5`, `NaN`, `Infinity`, `0x1`, `1_0`, `tru`, "\"\n\"", `]`, `}`, "1 \x00",
	strings.Repeat("[", 20_000),
}

func TestValueOf(t *testing.T) {
	rt := sobek.New()
	for _, raw := range texts {
		same(t, rt, raw)
	}
}

// What an extension does to prototypes doesn't reach what it is given.
func TestValueOfIgnoresSetters(t *testing.T) {
	rt := sobek.New()
	if _, err := rt.RunString(`Object.defineProperty(Object.prototype, "a", { set() { throw new Error("heard") } })`); err != nil {
		t.Fatal(err)
	}
	same(t, rt, `{"a": 1, "__proto__": 2}`)
}

func FuzzValueOf(f *testing.F) {
	for _, raw := range texts {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) { same(t, sobek.New(), raw) })
}
