package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

func TestReady(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		if c.Version() != "1.2.3" {
			t.Errorf("version %q", c.Version())
		}
	})
}

func TestNotReady(t *testing.T) {
	tests := []struct {
		name, want string
		says       string
		ends       bool
		cancel     bool
	}{
		{name: "silence", want: "wasn't ready within 30s"},
		{name: "other frames", says: `{"type":"agent_start"}`, want: "wasn't ready within 30s"},
		{name: "end", ends: true, want: "the agent has ended (EOF)"},
		{name: "cancelled", cancel: true, want: "the user went away"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, f := pipes(t)
				if tt.says != "" {
					f.say(tt.says)
				}
				if tt.ends {
					f.out.Close()
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				if tt.cancel {
					time.AfterFunc(time.Second, func() { cancel(errors.New("the user went away")) })
				}
				c, err := client.New(ctx, in, f.stdin(), client.Options{})
				if err == nil || !strings.Contains(err.Error(), tt.want) || c != nil {
					t.Errorf("New = %v, %v, want an error with %q", c, err, tt.want)
				}
				cancel(nil)
			})
		})
	}
}

// Host tools of the options are registered before New returns; a refusal fails
// it.
func TestHostToolsAtStart(t *testing.T) {
	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprint("refused ", refused), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, f := pipes(t)
				f.say(`{"type":"ready"}`)
				wait := later(func() (*client.Client, error) {
					return client.New(t.Context(), in, f.stdin(), client.Options{HostTools: []client.HostTool{{
						Name: "clock", Description: "Tells the time.", Run: func(context.Context, client.HostCall) (client.Output, error) {
							return client.Text("noon"), nil
						},
					}}})
				})
				f.expect("set_host_tools")
				if refused {
					f.say(`{"id":"req_1","type":"response","command":"set_host_tools","success":false,"error":"no"}`)
					if c, err := wait(); c != nil || command(t, err) != "set_host_tools: no" {
						t.Errorf("New = %v, %v", c, err)
					}
					return
				}
				f.say(`{"id":"req_1","type":"response","command":"set_host_tools","success":true,"data":{"toolNames":["clock"]}}`)
				c, err := wait()
				if err != nil {
					t.Fatal(err)
				}
				f.say(`{"type":"host_tool_call","id":"h1","toolCallId":"t1","toolName":"clock","arguments":{}}`)
				f.expect("host_tool_result")
				c.Close()
			})
		})
	}
}

// every command's request and the value made of its response.
func TestCommands(t *testing.T) {
	type c = client.Client
	ctx := context.Background()
	none := func(f func(*c) error) func(*c) (any, error) {
		return func(cl *c) (any, error) { return nil, f(cl) }
	}
	n := func(v int) *int { return &v }
	image := message.ImageOf("AAAA", "image/png")
	todos := []message.TodoPhase{{ID: "p", Name: "N", Tasks: []message.Todo{{ID: "t", Content: "c", Status: "pending"}}}}
	model := `{"id":"m","name":"M","api":"a","provider":"p","baseUrl":"u","reasoning":true,"input":["text"],"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0},"contextWindow":10,"maxTokens":5}`
	aModel := client.Model{ID: "m", Name: "M", API: "a", Provider: "p", BaseURL: "u", Reasoning: true, Input: []string{"text"}, Cost: client.Price{Input: 1, Output: 2}, ContextWindow: 10, MaxTokens: 5}
	entry := `{"type":"custom","id":"e1","parentId":null,"timestamp":"2026-01-02T03:04:05Z","data":7}`
	anEntry := client.Entry{Type: "custom", ID: "e1", Timestamp: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Raw: json.RawMessage(entry)}

	tests := []struct {
		request, data string
		call          func(*c) (any, error)
		want          any
	}{
		{`{"type":"steer","message":"x","images":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, `{"disposition":"queued"}`,
			func(cl *c) (any, error) { return cl.Steer(ctx, "x", image) }, client.Queued},
		{`{"type":"follow_up","message":"x"}`, ``, func(cl *c) (any, error) { return cl.FollowUp(ctx, "x") }, client.Disposition("")},
		{`{"type":"abort"}`, ``, none(func(cl *c) error { return cl.Abort(ctx) }), nil},
		{`{"type":"clear_queue"}`, `{"steering":["a"],"followUp":[]}`, func(cl *c) (any, error) { return cl.ClearQueue(ctx) },
			client.Queue{Steering: []string{"a"}, FollowUp: []string{}}},
		{`{"type":"set_steering_mode","mode":"all"}`, ``, none(func(cl *c) error { return cl.SetSteeringMode(ctx, client.All) }), nil},
		{`{"type":"set_follow_up_mode","mode":"one-at-a-time"}`, ``, none(func(cl *c) error { return cl.SetFollowUpMode(ctx, client.OneAtATime) }), nil},
		{`{"type":"set_interrupt_mode","mode":"immediate"}`, ``, none(func(cl *c) error { return cl.SetInterruptMode(ctx, client.Immediate) }), nil},

		{`{"type":"get_state"}`, `{"model":` + model + `,"thinkingLevel":"low","isStreaming":true,"isCompacting":false,"steeringMode":"all","followUpMode":"one-at-a-time","interruptMode":"wait","sessionId":"s","autoCompactionEnabled":true,"messageCount":3,"queuedMessageCount":1,"pendingMessageCount":1,"todoPhases":[],"systemPrompt":"sys","dumpTools":[{"name":"read","description":"d","parameters":{"type":"object"}}],"contextUsage":{"tokens":null,"contextWindow":10,"percent":null}}`,
			func(cl *c) (any, error) { return cl.State(ctx) },
			client.State{Model: &aModel, ThinkingLevel: "low", IsStreaming: true, SteeringMode: client.All, FollowUpMode: client.OneAtATime, InterruptMode: client.AtTurnEnd,
				SessionID: "s", AutoCompactionEnabled: true, MessageCount: 3, QueuedMessageCount: 1, TodoPhases: []message.TodoPhase{}, SystemPrompt: "sys",
				Tools:        []client.Tool{{Name: "read", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}},
				ContextUsage: &client.ContextUsage{ContextWindow: 10}}},
		{`{"type":"set_todos","phases":[{"id":"p","name":"N","tasks":[{"id":"t","content":"c","status":"pending"}]}]}`,
			`{"todoPhases":[{"id":"p","name":"N","tasks":[{"id":"t","content":"c","status":"pending"}]}]}`,
			func(cl *c) (any, error) { return cl.SetTodos(ctx, todos) }, todos},
		{`{"type":"set_todos","phases":[{"id":"p","name":"N","tasks":[]}]}`, `{"todoPhases":[]}`,
			func(cl *c) (any, error) { return cl.SetTodos(ctx, []message.TodoPhase{{ID: "p", Name: "N"}}) }, []message.TodoPhase{}},
		{`{"type":"get_messages"}`, `{"messages":[{"role":"user","content":"hi","timestamp":1}]}`, func(cl *c) (any, error) { return cl.Messages(ctx) },
			[]message.Message{{Role: message.User, Content: []message.Block{message.TextOf("hi")}, Timestamp: 1}}},
		{`{"type":"get_last_assistant_text"}`, `{"text":"yo"}`, func(cl *c) (any, error) {
			s, ok, err := cl.LastAssistantText(ctx)
			return fmt.Sprint(s, ok), err
		}, "yotrue"},
		{`{"type":"get_last_assistant_text"}`, `{"text":null}`, func(cl *c) (any, error) {
			s, ok, err := cl.LastAssistantText(ctx)
			return fmt.Sprint(s, ok), err
		}, "false"},
		{`{"type":"get_commands"}`, `{"commands":[{"name":"skill:x","description":"d","source":"skill"}]}`, func(cl *c) (any, error) { return cl.Commands(ctx) },
			[]client.Command{{Name: "skill:x", Description: "d", Source: "skill"}}},

		{`{"type":"set_model","provider":"p","modelId":"m"}`, model, func(cl *c) (any, error) { return cl.SetModel(ctx, "p", "m") }, aModel},
		{`{"type":"cycle_model"}`, `{"model":` + model + `,"thinkingLevel":"off","isScoped":true}`, func(cl *c) (any, error) { return cl.CycleModel(ctx) },
			&client.Cycled{Model: aModel, ThinkingLevel: "off", IsScoped: true}},
		{`{"type":"cycle_model"}`, `null`, func(cl *c) (any, error) { return cl.CycleModel(ctx) }, (*client.Cycled)(nil)},
		{`{"type":"get_available_models"}`, `{"models":[` + model + `]}`, func(cl *c) (any, error) { return cl.AvailableModels(ctx) }, []client.Model{aModel}},
		{`{"type":"set_thinking_level","level":"high"}`, ``, none(func(cl *c) error { return cl.SetThinkingLevel(ctx, "high") }), nil},
		{`{"type":"cycle_thinking_level"}`, `{"level":"low"}`, func(cl *c) (any, error) { return cl.CycleThinkingLevel(ctx) }, "low"},
		{`{"type":"cycle_thinking_level"}`, `null`, func(cl *c) (any, error) { return cl.CycleThinkingLevel(ctx) }, ""},
		{`{"type":"get_available_thinking_levels"}`, `{"levels":["off"]}`, func(cl *c) (any, error) { return cl.AvailableThinkingLevels(ctx) }, []string{"off"}},

		{`{"type":"compact","customInstructions":"keep"}`, `{"summary":"s","shortSummary":"t","firstKeptEntryId":"e","tokensBefore":9,"details":{}}`,
			func(cl *c) (any, error) { return cl.Compact(ctx, "keep") },
			client.CompactionResult{Summary: "s", ShortSummary: "t", FirstKeptEntryID: "e", TokensBefore: 9, Details: json.RawMessage(`{}`)}},
		{`{"type":"compact"}`, `{"summary":""}`, func(cl *c) (any, error) { return cl.Compact(ctx, "") }, client.CompactionResult{}},
		{`{"type":"set_auto_compaction","enabled":false}`, ``, none(func(cl *c) error { return cl.SetAutoCompaction(ctx, false) }), nil},
		{`{"type":"set_auto_retry","enabled":true}`, ``, none(func(cl *c) error { return cl.SetAutoRetry(ctx, true) }), nil},
		{`{"type":"abort_retry"}`, ``, none(func(cl *c) error { return cl.AbortRetry(ctx) }), nil},
		{`{"type":"bash","command":"ls","excludeFromContext":true}`, `{"output":"o","exitCode":0,"cancelled":false,"truncated":true,"totalLines":4,"totalBytes":3,"outputLines":2,"outputBytes":1}`,
			func(cl *c) (any, error) { return cl.Bash(ctx, "ls", client.BashOptions{ExcludeFromContext: true}) },
			client.BashResult{Output: "o", ExitCode: n(0), Truncated: true, TotalLines: 4, TotalBytes: 3, OutputLines: 2, OutputBytes: 1}},
		{`{"type":"bash","command":"ls"}`, `{"output":"","cancelled":true}`, func(cl *c) (any, error) { return cl.Bash(ctx, "ls", client.BashOptions{}) },
			client.BashResult{Cancelled: true}},
		{`{"type":"abort_bash"}`, ``, none(func(cl *c) error { return cl.AbortBash(ctx) }), nil},

		{`{"type":"new_session"}`, `{"cancelled":false}`, func(cl *c) (any, error) { return cl.NewSession(ctx, "") }, false},
		{`{"type":"new_session","parentSession":"f"}`, `{"cancelled":true}`, func(cl *c) (any, error) { return cl.NewSession(ctx, "f") }, true},
		{`{"type":"switch_session","sessionPath":"f"}`, `{"cancelled":true}`, func(cl *c) (any, error) { return cl.SwitchSession(ctx, "f") }, true},
		{`{"type":"branch","entryId":"e"}`, `{"text":"t","cancelled":false}`, func(cl *c) (any, error) { return cl.Branch(ctx, "e") }, client.Branched{Text: "t"}},
		{`{"type":"fork","entryId":"e"}`, `{"text":"t","cancelled":false}`, func(cl *c) (any, error) { return cl.Fork(ctx, "e") }, client.Branched{Text: "t"}},
		{`{"type":"get_branch_messages"}`, `{"messages":[{"entryId":"e","text":"t"}]}`, func(cl *c) (any, error) { return cl.BranchMessages(ctx) },
			[]client.BranchMessage{{EntryID: "e", Text: "t"}}},
		{`{"type":"get_fork_messages"}`, `{"messages":[]}`, func(cl *c) (any, error) { return cl.ForkMessages(ctx) }, []client.BranchMessage{}},
		{`{"type":"clone"}`, `{"cancelled":false}`, func(cl *c) (any, error) { return cl.Clone(ctx) }, false},
		{`{"type":"set_session_name","name":"n"}`, ``, none(func(cl *c) error { return cl.SetSessionName(ctx, "n") }), nil},
		{`{"type":"export_html","outputPath":"o"}`, `{"path":"o"}`, func(cl *c) (any, error) { return cl.ExportHTML(ctx, "o") }, "o"},
		{`{"type":"export_html"}`, `{"path":"q"}`, func(cl *c) (any, error) { return cl.ExportHTML(ctx, "") }, "q"},
		{`{"type":"get_session_stats"}`, `{"sessionFile":"f","sessionId":"s","userMessages":1,"assistantMessages":2,"toolCalls":3,"toolResults":4,"totalMessages":5,"tokens":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"total":10},"cost":0.5,"premiumRequests":1,"contextUsage":{"tokens":7,"contextWindow":10,"percent":70}}`,
			func(cl *c) (any, error) {
				s, err := cl.SessionStats(ctx)
				if s.ContextUsage == nil || *s.ContextUsage.Tokens != 7 || *s.ContextUsage.Percent != 70 {
					return nil, fmt.Errorf("context usage %+v", s.ContextUsage)
				}
				s.ContextUsage = nil
				return s, err
			},
			client.Stats{SessionFile: "f", SessionID: "s", UserMessages: 1, AssistantMessages: 2, ToolCalls: 3, ToolResults: 4, TotalMessages: 5,
				Tokens: client.Tokens{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Total: 10}, Cost: 0.5, PremiumRequests: 1}},
		{`{"type":"get_entries","since":"e0"}`, `{"entries":[` + entry + `],"leafId":"e1"}`, func(cl *c) (any, error) { return cl.Entries(ctx, "e0") },
			client.Entries{Entries: []client.Entry{anEntry}, LeafID: "e1"}},
		{`{"type":"get_entries"}`, `{"entries":[],"leafId":null}`, func(cl *c) (any, error) { return cl.Entries(ctx, "") }, client.Entries{Entries: []client.Entry{}}},
		{`{"type":"get_tree"}`, `{"tree":[{"entry":` + entry + `,"children":[],"label":"l"}],"leafId":"e1"}`, func(cl *c) (any, error) { return cl.Tree(ctx) },
			client.Tree{Roots: []*client.Node{{Entry: anEntry, Children: []*client.Node{}, Label: "l"}}, LeafID: "e1"}},
		{`{"type":"negotiate_protocol","protocolVersion":2}`, `{"protocolVersion":2}`, func(cl *c) (any, error) {
			raw, err := cl.Call(ctx, "negotiate_protocol", struct {
				Version int `json:"protocolVersion"`
			}{2})
			return string(raw), err
		}, `{"protocolVersion":2}`},
	}
	connect(t, client.Options{}, func(t *testing.T, cl *client.Client, f *fake) {
		for i, tt := range tests {
			var want frame
			if err := json.Unmarshal([]byte(tt.request), &want); err != nil {
				t.Fatal(err)
			}
			id, kind := fmt.Sprintf("req_%d", 2*i+1), want["type"].(string)
			want["id"] = id
			wait := later(func() (any, error) { return tt.call(cl) })
			if got := f.expect(kind); !reflect.DeepEqual(got, want) {
				t.Errorf("sent %v, want %v", got, want)
			}
			data := ""
			if tt.data != "" {
				data = `,"data":` + tt.data
			}
			f.say(fmt.Sprintf(`{"id":%q,"type":"response","command":%q,"success":true%s}`, id, kind, data))
			if got, err := wait(); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s = %+v, %v, want %+v", kind, got, err, tt.want)
			}

			// Every command hands on the agent's refusal.
			wait = later(func() (any, error) { return tt.call(cl) })
			f.expect(kind)
			f.say(fmt.Sprintf(`{"id":"req_%d","type":"response","command":%q,"success":false,"error":"not now"}`, 2*i+2, kind))
			if _, err := wait(); err == nil || (kind != "get_session_stats" && command(t, err) != kind+": not now") {
				t.Errorf("%s: error %v", kind, err)
			}
		}
	})
}

// Responses find their calls in any order, by their ids.
func TestShuffledResponses(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		const calls = 50
		var waits []func() (json.RawMessage, error)
		for i := range calls {
			waits = append(waits, later(func() (json.RawMessage, error) {
				return c.Call(t.Context(), "echo", map[string]any{"n": i})
			}))
			synctest.Wait()
		}
		var lines []string
		for range calls {
			sent := f.expect("echo")
			lines = append([]string{fmt.Sprintf(`{"id":%q,"type":"response","command":"echo","success":true,"data":%v}`, sent["id"], sent["n"])}, lines...)
		}
		f.say(lines...)
		for i, wait := range waits {
			if data, err := wait(); err != nil || string(data) != fmt.Sprint(i) {
				t.Errorf("call %d: %s, %v", i, data, err)
			}
		}
	})
}

// which call a failure without id belongs to.
func TestFailuresWithoutID(t *testing.T) {
	const parse = `{"type":"response","command":"parse","success":false,"error":"Failed to parse command: no"}`
	const unknown = `{"type":"response","command":"get_tree","success":false,"error":"Unknown command: get_tree"}`
	tests := []struct {
		name     string
		calls    []string
		line     string
		fails    string // the call that fails
		reported bool
	}{
		{"parse, one call", []string{"compact"}, parse, "compact", false},
		{"parse, two calls", []string{"compact", "get_state"}, parse, "", true},
		{"parse, no call", nil, parse, "", true},
		{"unknown command, one of that name", []string{"get_state", "get_tree"}, unknown, "get_tree", false},
		{"unknown command, two of that name", []string{"get_tree", "get_tree"}, unknown, "", true},
		{"unknown command, none of that name", []string{"get_state"}, unknown, "", true},
		{"an id that is no string", []string{"get_tree"}, strings.Replace(unknown, "{", `{"id":7,`, 1), "get_tree", false},
		{"an extension's", nil, `{"type":"response","command":"extension_send","success":false,"error":"x"}`, "", true},
		{"success", []string{"get_tree"}, `{"type":"response","command":"get_tree","success":true}`, "", true},
		{"unknown id", []string{"get_tree"}, strings.Replace(unknown, "{", `{"id":"req_99",`, 1), "", false},
		{"no JSON", []string{"get_tree"}, `Warning: something`, "", true},
		{"no object", []string{"get_tree"}, `[1]`, "", true},
		{"no type", []string{"get_tree"}, `{}`, "", true},
		{"wrong shape", []string{"get_tree"}, `{"type":"response","success":"yes"}`, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var reports []error
			o := client.Options{ProtocolError: func(err error) { reports = append(reports, err) }}
			connect(t, o, func(t *testing.T, c *client.Client, f *fake) {
				waits := map[string]func() (json.RawMessage, error){}
				ids := map[string]string{}
				for _, command := range tt.calls {
					wait := later(func() (json.RawMessage, error) { return c.Call(t.Context(), command, nil) })
					id := f.expect(command)["id"].(string)
					waits[id], ids[id] = wait, command
				}
				f.say(tt.line)
				for id, command := range ids {
					if command != tt.fails {
						f.say(fmt.Sprintf(`{"id":%q,"type":"response","command":%q,"success":true}`, id, command))
					}
					if _, err := waits[id](); (err != nil) != (command == tt.fails) {
						t.Errorf("%s: %v", command, err)
					}
				}
				if (len(reports) > 0) != tt.reported {
					t.Errorf("reported %v", reports)
				}
				for _, err := range reports {
					if _, ok := errors.AsType[*client.FrameError](err); !ok {
						t.Errorf("report %v is no FrameError", err)
					}
				}
			})
		})
	}
}

// A call that was given up doesn't pass its failure to another.
func TestGivenUpCall(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Call(ctx, "compact", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		f.expect("compact")
		if _, err := c.Call(ctx, "get_state", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		f.silent()
		wait := later(func() (client.State, error) { return c.State(t.Context()) })
		f.expect("get_state")
		f.say(`{"type":"response","command":"parse","success":false,"error":"Failed to parse command: x"}`,
			`{"id":"req_2","type":"response","command":"get_state","success":true,"data":{"sessionId":"s"}}`)
		if s, err := wait(); err != nil || s.SessionID != "s" {
			t.Errorf("state %+v, %v", s, err)
		}
	})
}

func TestBadParameters(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		for _, params := range []any{[]int{1}, "x", json.RawMessage("null"), make(chan int)} {
			if _, err := c.Call(t.Context(), "x", params); err == nil {
				t.Errorf("parameters %v are taken", params)
			}
		}
		f.silent()
	})
}

// Lines of tens of megabytes pass in both directions.
func TestLongLines(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		long := strings.Repeat("\u2028 0123456789", 2<<20)
		wait := later(func() (client.BashResult, error) { return c.Bash(t.Context(), long, client.BashOptions{}) })
		if got := f.expect("bash")["command"]; got != long {
			t.Error("the command came out otherwise")
		}
		f.say(`{"id":"req_1","type":"response","command":"bash","success":true,"data":{"output":"` + long + `"}}`)
		if r, err := wait(); err != nil || r.Output != long {
			t.Errorf("%d bytes, %v", len(r.Output), err)
		}
	})
}

// A response that is nested deeper than the decoder goes fails its call.
func TestDeepResponse(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		wait := later(func() (client.Tree, error) { return c.Tree(t.Context()) })
		f.expect("get_tree")
		deep := strings.Repeat(`{"children":[`, 10000) + strings.Repeat(`]}`, 10000)
		f.say(`{"id":"req_1","type":"response","command":"get_tree","success":true,"data":{"tree":[` + deep + `]}}`)
		if _, err := wait(); err == nil || !strings.Contains(err.Error(), "depth") {
			t.Errorf("error %v", err)
		}
	})
}

// No bytes of an agent's break the client or end a call that they don't name.
func FuzzDispatch(f *testing.F) {
	for _, line := range []string{
		`{"type":"response","id":"req_1","success":true}`, `{"type":"agent_settled"}`, `{"type":"agent_end","messages":[{}]}`,
		`{"type":"host_tool_call","id":"x","toolName":"t","arguments":{}}`, `{"type":"host_tool_cancel","targetId":"x"}`,
		`{"type":"extension_ui_request","id":"u","method":"confirm"}`, `{"type":"extension_ui_request","method":"cancel","targetId":3}`,
		`{"type":"response","command":"parse"}`, `{"type":3}`, `null`, "{", "\x00\xff", `{"type":"message_update","message":3}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
			events := c.Subscribe()
			a := later(func() (json.RawMessage, error) { return c.Call(t.Context(), "a", nil) })
			f.expect("a")
			b := later(func() (json.RawMessage, error) { return c.Call(t.Context(), "b", nil) })
			f.expect("b")
			f.say(string(data))
			f.say(`{"type":"response","id":"req_1","command":"a","success":true}`,
				`{"type":"response","id":"req_2","command":"b","success":true}`, `{"type":"last"}`)
			named := strings.Contains(string(data), "req_") || strings.Contains(string(data), `\u`) ||
				strings.Contains(string(data), `"a"`) || strings.Contains(string(data), `"b"`)
			for _, wait := range []func() (json.RawMessage, error){a, b} {
				if _, err := wait(); err != nil && !named {
					t.Error(err)
				}
			}
			for e, err := range events.All(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Type == "last" {
					break
				}
			}
		})
	})
}
