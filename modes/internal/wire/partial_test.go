package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPartial(t *testing.T) {
	for in, want := range map[string]string{
		"":                             `{}`,
		"  ":                           `{}`,
		"[1]":                          `{}`,
		"{":                            `{}`,
		`{"pa`:                         `{}`,
		`{"path`:                       `{}`,
		`{"path"`:                      `{}`,
		`{"path":`:                     `{}`,
		`{"path":"ma`:                  `{"path":"ma"}`,
		`{"path":"ma\`:                 `{"path":"ma"}`,
		`{"path":"ma\u00`:              `{"path":"ma"}`,
		`{"path":"ma\u00e9\n`:          `{"path":"ma\u00e9\n"}`,
		`{"path":"main.go"}`:           `{"path":"main.go"}`,
		`{"path":"main.go","n":1`:      `{"path":"main.go"}`,
		`{"n":12,`:                     `{"n":12}`,
		`{"n":12 `:                     `{"n":12}`,
		`{"ok":tru`:                    `{}`,
		`{"ok":true,"x":nul`:           `{"ok":true}`,
		`{"a":[1,2,{"b":"c`:            `{"a":[1,2,{"b":"c"}]}`,
		`{"a":{"b":[`:                  `{"a":{"b":[]}}`,
		`{"a":[1,`:                     `{"a":[1]}`,
		` {"a" : "b" , "c" : [ "d" ] `: `{"a":"b","c":["d"]}`,
		`{"a":x}`:                      `{}`,
	} {
		if got := string(Partial(in)); got != want {
			t.Errorf("Partial(%q) = %s, want %s", in, got, want)
		}
	}
}

// FuzzPartial: the beginning of anything gives an object; the whole of an
// object gives itself.
func FuzzPartial(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c\u00e9"}],"d":null}`, 9)
	f.Add(strings.Repeat(`{"a":`, 200), 900)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 0 || n > len(text) {
			n = len(text)
		}
		got := Partial(text[:n])
		var object map[string]any
		if err := json.Unmarshal(got, &object); err != nil {
			t.Fatalf("Partial(%q) = %s: %v", text[:n], got, err)
		}
	})
}
