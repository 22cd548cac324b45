package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func variables(name string) string {
	return map[string]string{"HOME": "/home/u", "TOKEN": "s3cret${HOME}"}[name]
}

// The formats that people have.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Server
	}{
		{"stdio", `{"f":{"command":"npx","args":["-y","${HOME}/x",8080],"env":{"A":"${NONE:-d}","B":1,"C":true},"cwd":"sub","timeout":60000,"pinned":["a"]}}`,
			[]Server{{Name: "f", Type: Stdio, Command: "npx", Args: []string{"-y", "/home/u/x", "8080"},
				Env: map[string]string{"A": "d", "B": "1", "C": "true"}, Cwd: "sub", Timeout: time.Minute, Pinned: []string{"a"}}}},
		{"http", `{"h":{"type":"http","url":" https://x.example/mcp?k=${TOKEN}","headers":{"Authorization":"Bearer ${TOKEN}"},"disabled":true}}`,
			[]Server{{Name: "h", Type: HTTP, URL: "https://x.example/mcp?k=s3cret${HOME}", Disabled: true,
				Headers: map[string]string{"Authorization": "Bearer s3cret${HOME}"}}}},
		{"other spellings", `{"a":{"type":"streamable-http","url":"http://[::1]:1"},"b":{"type":"streamableHttp","url":"http://h"},"c":{"url":"http://h"}}`,
			[]Server{{Name: "a", Type: HTTP, URL: "http://[::1]:1"}, {Name: "b", Type: HTTP, URL: "http://h"}, {Name: "c", Type: HTTP, URL: "http://h"}}},
		{"what is no variable stays", `{"a":{"command":"sh","args":["-c","echo $HOME ${x%y} ${1} ${} ${HOME","${env:HOME}","${HOME:-x}","${A:-}"]}}`,
			[]Server{{Name: "a", Type: Stdio, Command: "sh", Args: []string{"-c", "echo $HOME ${x%y} ${1} ${} ${HOME", "/home/u", "/home/u", ""}}}},
		{"a disabled one may lack its variables", `{"a":{"command":"x","args":["${NONE}"],"disabled":true}}`,
			[]Server{{Name: "a", Type: Stdio, Command: "x", Args: []string{""}, Disabled: true}}},
		{"seconds", `{"a":{"command":"x","timeout":30},"b":{"command":"x","timeout":-1},"c":{"command":"x","timeout":1e300}}`,
			[]Server{{Name: "a", Type: Stdio, Command: "x", Timeout: 30 * time.Second}, {Name: "b", Type: Stdio, Command: "x"},
				{Name: "c", Type: Stdio, Command: "x", Timeout: maxTimeout}}},
		{"fields of others", `{"a":{"command":"x","autoApprove":["y"],"description":5}}`, []Server{{Name: "a", Type: Stdio, Command: "x"}}},
		{"none", `{}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, errs := Parse(json.RawMessage(c.in), variables)
			if len(errs) > 0 || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v, errors %v", got, c.want, errs)
			}
		})
	}
}

// E-2: a bad server is one clear line; the good one beside it loads.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"command":"x","args":["${NONE}","${NONE2}"]}`, `MCP server "bad": ${NONE} isn't set: set the variable or give a default, as in ${NONE:-value}`},
		{`{"type":"http","url":"http://h","headers":{"A":"${NONE}"}}`, `MCP server "bad": ${NONE} isn't set: set the variable or give a default, as in ${NONE:-value}`},
		{`{"type":"sse","url":"http://h"}`, `MCP server "bad": the old "sse" transport isn't supported: use the server's "http" address`},
		{`{"type":"carrier\npigeon"}`, `MCP server "bad": unknown type "carrier pigeon": use "stdio" or "http"`},
		{`{}`, `MCP server "bad": "command" is missing, or "url" for a server on the network`},
		{`{"type":"http"}`, `MCP server "bad": "url" is missing`},
		{`{"url":"ftp://h"}`, `MCP server "bad": "url" isn't an http or https address`},
		{`{"url":"secret"}`, `MCP server "bad": "url" isn't an http or https address`},
		{`{"command":["x"]}`, `MCP server "bad": "command" can't be a array`},
		{`{"command":"x","args":"y"}`, `MCP server "bad": "args" can't be a string`},
		{`{"command":"x","args":[{}]}`, `MCP server "bad": expected text`},
		{`{"command":"x","timeout":"5"}`, `MCP server "bad": "timeout" can't be a string`},
		{`{"command":"x\u0000"}`, `MCP server "bad": remove the NUL characters`},
		{`"npx"`, `MCP server "bad": expected an object, got a string`},
		{`null`, `MCP server "bad": expected an object`},
	} {
		t.Run(c.in, func(t *testing.T) {
			got, errs := Parse(json.RawMessage(`{"bad":`+c.in+`,"good":{"command":"x"}}`), variables)
			if len(errs) != 1 || errs[0].Error() != c.want {
				t.Errorf("errors %v, want %s", errs, c.want)
			}
			if len(got) != 1 || got[0].Name != "good" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestParseFile(t *testing.T) {
	for _, c := range []struct {
		name, in string
		servers  int
		want     string
	}{
		{"good", "\xef\xbb\xbf{\"mcpServers\":{\"a\":{\"command\":\"x\"}},\"other\":1}", 1, ""},
		{"empty", "", 0, "the file of MCP servers isn't a JSON object: line 1: unexpected end of JSON input"},
		{"cut off", "{\n\"mcpServers\": {\n\"a\": {]", 0, "the file of MCP servers isn't a JSON object: line 3: invalid character ']' looking for beginning of object key string"},
		{"no servers", `{"servers":{}}`, 0, `the file of MCP servers has no "mcpServers" object`},
		{"a list", `{"mcpServers":[]}`, 0, `"mcpServers" isn't an object of servers: expected an object, got a array`},
		{"not an object", `[]`, 0, "the file of MCP servers isn't a JSON object: expected an object, got a array"},
		{"huge", strings.Repeat(" ", maxFile+1), 0, "the file of MCP servers is larger than 1024 KB"},
		{"no name", `{"mcpServers":{"":{"command":"x"}}}`, 0, `MCP server "": it has no name`},
		{"control characters", `{"mcpServers":{"a\u001b[31m":{"command":"x"}}}`, 0, `MCP server "a": use a name of at most 128 bytes without control characters`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, errs := ParseFile([]byte(c.in), variables)
			text := ""
			if len(errs) > 0 {
				text = errs[0].Error()
			}
			if len(got) != c.servers || text != c.want {
				t.Errorf("%d servers, errors %v", len(got), errs)
			}
		})
	}
}

// An error knows its line, in whatever the object lies.
func TestParseLines(t *testing.T) {
	_, errs := ParseFile([]byte("{\n\"other\": {\"mcpServers\": 1,\n\"x\": []},\n\"mcpServers\":\n{\"a\": {},\n\n\"b\": {\"command\": \"x\"}, \"c\": {\n}}}"), variables)
	var got []string
	for _, err := range errs {
		if e, ok := errors.AsType[*ParseError](err); ok {
			got = append(got, fmt.Sprint(e.Server, e.Line))
		}
	}
	if len(errs) != 2 || strings.Join(got, " ") != "a5 c7" {
		t.Errorf("%v: %q", errs, got)
	}
}

func TestParseBounds(t *testing.T) {
	var b strings.Builder
	for i := range maxServers + 5 {
		fmt.Fprintf(&b, `,"s%d":{"command":"x"}`, i)
	}
	got, errs := Parse(json.RawMessage("{"+b.String()[1:]+"}"), variables)
	if len(got) != maxServers || len(errs) != 1 {
		t.Errorf("%d servers, %v", len(got), errs)
	}
}

// Every server that Parse returns passes Check unchanged, and errors are of
// one line without control characters.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"command":"x","args":["${HOME:-y}",1],"env":{"A":"${NONE}"}}}`,
		`{"a":{"type":"http","url":"http://h","headers":{"A":"${TOKEN}"},"timeout":5.5}}`,
		`{"a\n":{"type":"sse"},"b":null,"":[]}`,
		`{"a":{"command":"${${HOME}}"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []func([]byte) ([]Server, []error){
			func(b []byte) ([]Server, []error) { return Parse(b, variables) },
			func(b []byte) ([]Server, []error) {
				return ParseFile([]byte(`{"mcpServers":`+string(b)+`}`), variables)
			},
		} {
			servers, errs := parse(data)
			for _, s := range servers {
				again, err := s.Check()
				if err != nil || !reflect.DeepEqual(s, again) {
					t.Fatalf("%+v: %v", s, err)
				}
				if s.Timeout < 0 || s.Timeout > maxTimeout {
					t.Fatalf("timeout %s", s.Timeout)
				}
			}
			for _, err := range errs {
				if text := err.Error(); strings.ContainsAny(text, "\n\r\x1b\x00") || len(text) > 1000 {
					t.Fatalf("error %q", text)
				}
			}
		}
	})
}
