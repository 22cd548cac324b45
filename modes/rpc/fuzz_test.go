package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// FuzzReceive: whatever a host writes, the server lives on, answers every line
// that has to be answered, and only with ids that came with that command.
func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","type":"get_state"}`,
		"{\"id\":\"1\",\"type\":\"get_state\"}\n\nls\n{\"id\":2,\"type\":\"set_model\"}\nnull\n[]\n3",
		`{"type":"foobar","id":"x"}` + "\r\n" + `{"id":"y"}`,
		`{"id":{"a":[]},"type":"abort"}`,
		`{"id":"h","type":"host_tool_result","result":{"content":[]}}`,
		`{"id":"h","type":"extension_ui_response","cancelled":true}`,
		`{"id":"h","type":"host_tool_update","partialResult":{"content":3}}`,
		"{\"id\":\"\u2028\",\"type\":\"abort\"}\n\xff\xfe{",
		`{"id":"1","id":"2","type":"abort","type":"bash"}`,
		"{\"id\":\"\x80\xa8\"}\n{\"id\":\"\",\"type\":\"\xe8\xe8\"}",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	h := connect(f, "-- turn --\n", setup{open: engine.OpenOptions{InMemory: true}, loose: true})
	f.Fuzz(func(t *testing.T, input []byte, pi bool) {
		_, sub, err := h.session.Attach(t.Context(), engine.Client{Name: "fuzz"})
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		var out bytes.Buffer
		o := Options{Session: h.session, Commands: slash.New(), Stdin: bytes.NewReader(input), Stdout: &out, Now: time.Now}
		if pi {
			o.Dialect = Pi
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := newServer(ctx, o, sub)
		for name := range s.commands { // the dispatcher is what is tried here
			s.commands[name] = command{call: func(context.Context, request) (any, error) { return nil, nil }}
		}
		go s.work(ctx)
		if err := s.read(ctx); err != nil {
			t.Fatal(err)
		}
		s.close(ctx)
		sub.Post(lastItem{})
		if err := s.write(ctx); err != nil {
			t.Fatal(err)
		}
		checkAnswers(t, input, out.Bytes())
	})
}

// checkAnswers reads the input once more, as little cleverly as can be.
func checkAnswers(t *testing.T, input, output []byte) {
	t.Helper()
	sent := map[string]int{}
	commands := 0
	for _, line := range bytes.Split(input, []byte("\n")) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD")) // as every line that we write
		if strings.TrimSpace(string(line)) == "" {
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(line, &fields) == nil {
			var kind string
			_ = json.Unmarshal(fields["type"], &kind)
			sent[kind+" "+compact(fields["id"])]++
			if kind == "extension_ui_response" || kind == "host_tool_result" || kind == "host_tool_update" {
				continue // answered only when it isn't one of ours
			}
		}
		commands++
	}
	answers := 0
	lines := jsonl.NewReader(bytes.NewReader(output), 0)
	for {
		line, err := lines.Next()
		if err != nil {
			break
		}
		var r struct {
			Type, Command string
			ID            json.RawMessage
		}
		if err := json.Unmarshal(line.Data, &r); err != nil {
			t.Fatalf("%v: %q", err, line.Data)
		}
		if r.Type != "response" {
			continue
		}
		answers++
		if key := r.Command + " " + compact(r.ID); len(r.ID) > 0 {
			if sent[key] == 0 {
				t.Fatalf("an answer to nothing that was sent: %s\n%q", line.Data, input)
			}
			sent[key]--
		}
	}
	if answers < commands {
		t.Fatalf("%d answers to %d commands: %q\n%s", answers, commands, input, output)
	}
}

func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil || out.String() == "null" {
		return ""
	}
	var v any
	_ = json.Unmarshal(raw, &v)
	b, _ := json.Marshal(v)
	return string(b)
}
