package client_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

func tool(name string, run func(context.Context, client.HostCall) (client.Output, error)) client.HostTool {
	return client.HostTool{Name: name, Description: "Does " + name + ".", Run: run}
}

// setTools exchanges the host's tools with a fake that takes them.
func setTools(t *testing.T, c *client.Client, f *fake, tools ...client.HostTool) frame {
	t.Helper()
	wait := later(func() ([]string, error) { return c.SetHostTools(t.Context(), tools...) })
	sent := f.expect("set_host_tools")
	f.say(fmt.Sprintf(`{"id":%q,"type":"response","command":"set_host_tools","success":true,"data":{"toolNames":["x"]}}`, sent["id"]))
	if names, err := wait(); err != nil || !reflect.DeepEqual(names, []string{"x"}) {
		t.Errorf("names %v, %v", names, err)
	}
	return sent
}

func texts(s ...string) map[string]any {
	content := []any{}
	for _, text := range s {
		content = append(content, map[string]any{"type": "text", "text": text})
	}
	return map[string]any{"content": content}
}

// the definitions that are sent.
func TestHostToolDefinitions(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		plain, full := tool("a", noop), tool("b", noop)
		full.Label, full.Hidden, full.Parameters = "B", true, map[string]any{"type": "object"}
		sent := setTools(t, c, f, plain, full)
		want := []any{
			map[string]any{"name": "a", "description": "Does a.", "parameters": map[string]any{"type": "object", "properties": map[string]any{}}},
			map[string]any{"name": "b", "description": "Does b.", "parameters": map[string]any{"type": "object"}, "label": "B", "hidden": true},
		}
		if !reflect.DeepEqual(sent["tools"], want) {
			t.Errorf("sent %v", sent["tools"])
		}
		if sent = setTools(t, c, f); !reflect.DeepEqual(sent["tools"], []any{}) {
			t.Errorf("no tools: sent %v", sent["tools"])
		}
		if _, err := c.SetHostTools(t.Context(), client.HostTool{Name: "c"}); err == nil {
			t.Error("a tool without Run is taken")
		}
	})
}

func noop(context.Context, client.HostCall) (client.Output, error) { return client.Output{}, nil }

// what a call's end looks like on the wire.
func TestHostToolResults(t *testing.T) {
	tests := []struct {
		name, args string
		run        func(context.Context, client.HostCall) (client.Output, error)
		result     map[string]any
		isError    bool
	}{
		{name: "text", run: func(_ context.Context, call client.HostCall) (client.Output, error) {
			return client.Text(call.Name + " " + call.ToolCallID + " " + string(call.Arguments)), nil
		}, args: `{"a":1}`, result: texts(`x t1 {"a":1}`)},
		{name: "nothing", run: noop, args: `{}`, result: texts()},
		{name: "details", args: `{}`, run: func(context.Context, client.HostCall) (client.Output, error) {
			return client.Output{Details: []byte(`{"n":1}`)}, nil
		}, result: map[string]any{"content": []any{}, "details": map[string]any{"n": 1.0}}},
		{name: "error", args: `{}`, run: func(context.Context, client.HostCall) (client.Output, error) {
			return client.Output{Details: []byte(`1`)}, errors.New("no disk")
		}, result: map[string]any{"content": texts("no disk")["content"], "details": 1.0}, isError: true},
		{name: "panic", args: `{}`, run: func(context.Context, client.HostCall) (client.Output, error) { panic("oh") },
			result: texts(`host tool "x" panicked: oh`), isError: true},
		{name: "arguments that are no object", run: noop, args: `[]`, result: texts("the arguments are no JSON object"), isError: true},
		{name: "no arguments", run: noop, args: `null`, result: texts("the arguments are no JSON object"), isError: true},
		{name: "a result that is no JSON", args: `{}`, run: func(context.Context, client.HostCall) (client.Output, error) {
			return client.Output{Details: []byte(`{`)}, nil
		}, isError: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
				setTools(t, c, f, tool("x", tt.run))
				f.say(`{"type":"host_tool_call","id":"h1","toolCallId":"t1","toolName":"x","arguments":` + tt.args + `}`)
				got := f.expect("host_tool_result")
				if got["id"] != "h1" || (got["isError"] == true) != tt.isError {
					t.Errorf("sent %v", got)
				}
				if tt.result != nil && !reflect.DeepEqual(got["result"], tt.result) {
					t.Errorf("result %v, want %v", got["result"], tt.result)
				}
			})
		})
	}
}

// calls run beside each other, each is cancelled alone, and the end of
// the client cancels the rest.
func TestHostToolCalls(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		ended := make(chan string, 3)
		hang := tool("hang", func(ctx context.Context, call client.HostCall) (client.Output, error) {
			if err := call.Update(client.Text("working")); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			if err := call.Update(client.Text("too late")); err == nil {
				t.Error("an update after the end is taken")
			}
			ended <- call.ToolCallID
			return client.Text("too late"), nil
		})
		setTools(t, c, f, hang, tool("quick", noop))
		for i := range 2 {
			f.say(fmt.Sprintf(`{"type":"host_tool_call","id":"h%d","toolCallId":"t%d","toolName":"hang","arguments":{}}`, i, i))
			if got := f.expect("host_tool_update"); got["id"] != fmt.Sprint("h", i) || !reflect.DeepEqual(got["partialResult"], texts("working")) {
				t.Errorf("sent %v", got)
			}
		}
		f.say(`{"type":"host_tool_call","id":"q","toolCallId":"t","toolName":"quick","arguments":{}}`)
		if got := f.expect("host_tool_result"); got["id"] != "q" {
			t.Errorf("sent %v", got)
		}
		f.say(`{"type":"host_tool_cancel","id":"c1","targetId":"h0"}`, `{"type":"host_tool_cancel","id":"c2","targetId":"nobody"}`, `{"type":"host_tool_cancel","targetId":3}`)
		if got := <-ended; got != "t0" {
			t.Errorf("call %s was cancelled", got)
		}
		f.silent()
		c.Close()
		if got := <-ended; got != "t1" {
			t.Errorf("call %s was cancelled", got)
		}
	})
}

// Tools of the new set work before the agent's answer, those of the old set
// until it; a refused set changes nothing.
func TestHostToolExchange(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		works := func(name string, want bool) {
			t.Helper()
			f.say(fmt.Sprintf(`{"type":"host_tool_call","id":"h","toolCallId":"t","toolName":%q,"arguments":{}}`, name))
			got := f.expect("host_tool_result")
			if (got["isError"] != true) != want {
				t.Errorf("tool %s: %v", name, got)
			}
			if !want && !reflect.DeepEqual(got["result"], texts(fmt.Sprintf("the host has no tool %q", name))) {
				t.Errorf("tool %s: %v", name, got)
			}
		}
		works("a", false)
		setTools(t, c, f, tool("a", noop))
		wait := later(func() ([]string, error) { return c.SetHostTools(t.Context(), tool("b", noop)) })
		id := f.expect("set_host_tools")["id"]
		works("a", true)
		works("b", true)
		f.say(fmt.Sprintf(`{"id":%q,"type":"response","command":"set_host_tools","success":false,"error":"conflict"}`, id))
		if _, err := wait(); command(t, err) != "set_host_tools: conflict" {
			t.Error(err)
		}
		works("a", true)
		works("b", false)
		setTools(t, c, f, tool("b", noop))
		works("a", false)
		works("b", true)

		// Two exchanges don't mix.
		one := later(func() ([]string, error) { return c.SetHostTools(t.Context(), tool("c", noop)) })
		f.expect("set_host_tools")
		two := later(func() ([]string, error) { return c.SetHostTools(t.Context(), tool("d", noop)) })
		synctest.Wait()
		f.silent()
		f.say(`{"id":"req_4","type":"response","command":"set_host_tools","success":true,"data":{"toolNames":["c"]}}`)
		if _, err := one(); err != nil {
			t.Error(err)
		}
		f.expect("set_host_tools")
		f.say(`{"id":"req_5","type":"response","command":"set_host_tools","success":true,"data":{"toolNames":["d"]}}`)
		if _, err := two(); err != nil {
			t.Error(err)
		}
		works("c", false)
		works("d", true)
	})
}
