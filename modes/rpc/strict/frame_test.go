package strict

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	zeroUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	oneModel  = `{"id":"m","name":"M","api":"a","provider":"p","baseUrl":"","reasoning":true,"input":["text","image"],"cost":{"input":1,"output":2.5,"cacheRead":0,"cacheWrite":0},"contextWindow":1000,"maxTokens":100}`
	onePhase  = `{"id":"phase-1","name":"n","tasks":[{"id":"task-1","content":"c","status":"abandoned","notes":"x"}]}`
)

// said is an assistant message.
func said(stop, content string) string {
	return `{"role":"assistant","content":[` + content + `],"api":"a","provider":"p","model":"m","usage":` + zeroUsage + `,"stopReason":"` + stop + `","timestamp":1}`
}

func textOf(s string) string { return `{"type":"text","text":"` + s + `"}` }
func callOf(id, name, arguments string) string {
	return `{"type":"toolCall","id":"` + id + `","name":"` + name + `","arguments":` + arguments + `}`
}
func asked(s string) string {
	return `{"role":"user","content":[` + textOf(s) + `],"attribution":"user","timestamp":1}`
}
func result(id, name, text string, failed bool) string {
	return fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[%s],"isError":%t,"timestamp":1}`, id, name, textOf(text), failed)
}
func ok(command, data string) string {
	if data != "" {
		data = `,"data":` + data
	}
	return `{"id":"1","type":"response","command":"` + command + `","success":true` + data + `}`
}
func userRequest(rest string) string { return `{"type":"extension_ui_request","id":"u1",` + rest + `}` }

// good has frames of every name.
var good = []string{
	`{"type":"ready","version":"0.1.0"}`,
	`{"type":"agent_start"}`,
	`{"type":"agent_end","messages":[],"willRetry":false}`,
	`{"type":"agent_end","messages":[` + strings.Join([]string{
		asked("hi"), said("error", textOf("a")), result("c", "read", "x", true),
		`{"role":"user","content":"plain","synthetic":true,"timestamp":1}`,
		`{"role":"developer","content":[],"timestamp":1}`,
		`{"role":"custom","customType":"t","content":[{"type":"image","data":"AA==","mimeType":"image/png"}],"display":false,"details":[null],"timestamp":1}`,
		`{"role":"bashExecution","command":"ls","output":"","exitCode":-1,"cancelled":false,"truncated":false,"timestamp":1}`,
		`{"role":"branchSummary","summary":"s","fromId":"e","timestamp":1}`,
		`{"role":"compactionSummary","summary":"s","tokensBefore":3,"timestamp":1}`,
		`{"role":"fileMention","files":[{"path":"a","content":"","skippedReason":"tooLarge"}],"timestamp":1}`,
		said("stop", `{"type":"thinking","thinking":"t","thinkingSignature":"s"},{"type":"redactedThinking","data":"x"}`),
	}, ",") + `]}`,
	`{"type":"agent_settled","aborted":false}`,
	`{"type":"turn_start"}`,
	`{"type":"turn_end","message":` + said("toolUse", callOf("c", "read", `{"a":null}`)) + `,"toolResults":[` + result("c", "read", "x", false) + `]}`,
	`{"type":"message_start","message":` + asked("hi") + `}`,
	`{"type":"message_end","message":` + said("length", "") + `}`,
	updated("text_start", `"contentIndex":0`), updated("thinking_start", `"contentIndex":0`), updated("toolcall_start", `"contentIndex":0`),
	updated("text_delta", `"contentIndex":0,"delta":""`), updated("thinking_delta", `"contentIndex":0,"delta":""`), updated("toolcall_delta", `"contentIndex":0,"delta":"{"`),
	updated("text_end", `"contentIndex":0,"content":""`), updated("thinking_end", `"contentIndex":0,"content":""`),
	updated("toolcall_end", `"contentIndex":0,"toolCall":`+callOf("c", "read", "{}")),
	`{"type":"message_update","usage":` + zeroUsage + `,"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"x"}}`,
	`{"type":"message_update","usage":` + zeroUsage + `,"assistantMessageEvent":{"type":"toolcall_start","contentIndex":0,"id":"c","toolName":"read"}}`,
	`{"type":"tool_execution_start","toolCallId":"c","toolName":"read","args":{"x":null},"intent":"look"}`,
	`{"type":"tool_execution_update","toolCallId":"c","toolName":"read","args":{},"partialResult":{"content":[]}}`,
	`{"type":"tool_execution_end","toolCallId":"c","toolName":"read","result":{"content":[` + textOf("x") + `],"details":{"a":null}},"isError":false,"durationMs":3}`,
	`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"overloaded"}`,
	`{"type":"auto_retry_end","success":false,"attempt":3,"finalError":"overloaded"}`,
	`{"type":"auto_compaction_start","reason":"threshold","action":"context-full"}`,
	`{"type":"auto_compaction_end","action":"context-full","result":{"summary":"s","firstKeptEntryId":"e","tokensBefore":1,"details":{"readFiles":[]}},"aborted":false,"willRetry":false}`,
	`{"type":"auto_compaction_end","action":"context-full","aborted":false,"willRetry":false,"skipped":true}`,
	`{"type":"compaction_start","reason":"manual"}`,
	`{"type":"compaction_end","reason":"overflow","aborted":false,"willRetry":false,"errorMessage":"no"}`,
	`{"type":"ttsr_triggered","rules":[{"name":"n","path":"p","content":"c","condition":["x"],"_source":{"provider":"a","providerName":"b","path":"p","level":"project"}}]}`,
	`{"type":"todo_reminder","todos":[{"id":"task-1","content":"c","status":"pending"}],"attempt":1,"maxAttempts":3}`,
	`{"type":"todo_auto_clear"}`,
	`{"type":"queue_update","steering":["a"],"followUp":[]}`,
	`{"type":"session_info_changed"}`,
	`{"type":"thinking_level_changed","level":"xhigh"}`,
	`{"type":"bash_execution_update","id":"b1","delta":"x"}`,
	`{"type":"command_output","text":"done"}`,
	`{"type":"notice","level":"warning","message":"m"}`,
	`{"type":"extension_error","extensionPath":"p","event":"e","error":"x"}`,
	userRequest(`"method":"select","title":"t","options":["a"],"timeout":1000`),
	userRequest(`"method":"confirm","title":"t","message":"m"`),
	userRequest(`"method":"input","title":"t","placeholder":"p"`),
	userRequest(`"method":"editor","title":"t","prefill":""`),
	userRequest(`"method":"cancel","targetId":"u0"`),
	userRequest(`"method":"notify","message":"m","notifyType":"info"`),
	userRequest(`"method":"setStatus","statusKey":"k"`),
	userRequest(`"method":"setWidget","widgetKey":"k","widgetLines":[],"widgetPlacement":"belowEditor"`),
	userRequest(`"method":"setTitle","title":"t"`),
	userRequest(`"method":"set_editor_text","text":"t"`),
	`{"type":"host_tool_call","id":"h1","toolCallId":"c","toolName":"echo","arguments":{"a":null}}`,
	`{"type":"host_tool_cancel","id":"h2","targetId":"h1"}`,

	ok("prompt", ""), ok("prompt", `{"disposition":"started"}`), ok("steer", `{"disposition":"queued"}`), ok("follow_up", ""), ok("abort", ""),
	ok("abort_and_prompt", ""), ok("new_session", `{"cancelled":false}`),
	ok("get_state", `{"model":`+oneModel+`,"thinkingLevel":"off","isStreaming":false,"isCompacting":false,"steeringMode":"all","followUpMode":"one-at-a-time","interruptMode":"wait","sessionFile":"/s","sessionId":"i","sessionName":"n","autoCompactionEnabled":true,"messageCount":0,"queuedMessageCount":0,"todoPhases":[`+onePhase+`],"pendingMessageCount":0,"contextUsage":{"tokens":null,"contextWindow":10,"percent":null},"systemPrompt":"s","dumpTools":[{"name":"n","description":"","parameters":{}}]}`),
	ok("set_todos", `{"todoPhases":[`+onePhase+`]}`), ok("set_host_tools", `{"toolNames":["echo"]}`), ok("clear_queue", `{"steering":[],"followUp":["a"]}`),
	ok("set_model", oneModel), ok("cycle_model", `{"model":`+oneModel+`,"thinkingLevel":"low","isScoped":false}`), ok("cycle_model", "null"),
	ok("get_available_models", `{"models":[`+oneModel+`]}`), ok("set_thinking_level", ""), ok("cycle_thinking_level", `{"level":"low"}`), ok("cycle_thinking_level", "null"),
	ok("get_available_thinking_levels", `{"levels":["off"]}`),
	ok("set_steering_mode", ""), ok("set_follow_up_mode", ""), ok("set_interrupt_mode", ""), ok("set_auto_compaction", ""), ok("set_auto_retry", ""), ok("abort_retry", ""), ok("abort_bash", ""),
	ok("compact", `{"summary":"s","firstKeptEntryId":"e","tokensBefore":1}`),
	ok("bash", `{"output":"x","exitCode":1,"cancelled":false,"truncated":false,"totalLines":1,"totalBytes":1,"outputLines":1,"outputBytes":1,"newCwd":"/"}`),
	ok("get_session_stats", `{"sessionId":"i","userMessages":1,"assistantMessages":1,"toolCalls":0,"toolResults":0,"totalMessages":2,"tokens":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"total":2},"cost":0.5,"premiumRequests":0,"contextUsage":{"tokens":5,"contextWindow":10,"percent":0.5}}`),
	ok("export_html", `{"path":"x.html"}`), ok("switch_session", `{"cancelled":true}`), ok("set_session_name", ""),
	ok("branch", `{"text":"t","cancelled":false}`), ok("fork", `{"text":"","cancelled":true}`), ok("clone", `{"cancelled":false}`),
	ok("get_branch_messages", `{"messages":[{"entryId":"e","text":"t"}]}`), ok("get_fork_messages", `{"messages":[]}`),
	ok("get_entries", `{"entries":[{"type":"message","id":"e","parentId":null,"timestamp":"T","message":`+asked("x")+`},{"type":"label","id":"f","parentId":"e","timestamp":"T","label":null}],"leafId":"f"}`),
	ok("get_tree", `{"tree":[{"entry":{"type":"custom","id":"e","parentId":null,"timestamp":"T"},"children":[{"entry":{"type":"custom","id":"f","parentId":"e","timestamp":"T"},"children":[],"label":"l"}]}],"leafId":null}`),
	ok("get_messages", `{"messages":[]}`), ok("get_last_assistant_text", `{"text":null}`),
	ok("get_commands", `{"commands":[{"name":"compact","description":"d","source":"builtin","sourceInfo":{"path":"x","source":"local","scope":"user","origin":"top-level"}}]}`),

	`{"id":"1","type":"response","command":"set_model","success":false,"error":"Model not found: p/m"}`,
	`{"type":"response","command":"parse","success":false,"error":"Failed to parse command: bad"}`,
	`{"type":"response","command":"frob","success":false,"error":"Unknown command: frob"}`,
	`{"id":"1","type":"response","command":"frob","success":false,"error":"Unknown command: frob"}`,
	`{"type":"response","success":false,"error":"Unknown command: undefined"}`,
	`{"id":"1","type":"response","success":false,"error":"Unknown command: 5"}`,
	`{"type":"response","command":"extension_send","success":false,"error":"busy"}`,
}

// updated is a message_update in the cumulative form.
func updated(kind, rest string) string {
	m := said("stop", textOf(""))
	return `{"type":"message_update","message":` + m + `,"usage":` + zeroUsage + `,"assistantMessageEvent":{"type":"` + kind + `",` + rest + `,"partial":` + m + `}}`
}

func TestFrameGood(t *testing.T) {
	var seen []string
	for _, line := range good {
		name, err := FrameName([]byte(line))
		if err != nil {
			t.Errorf("%v\n%s", err, line)
		}
		seen = append(seen, name)
	}
	for _, name := range FrameNames() {
		if !slices.Contains(seen, name) {
			t.Errorf("no good frame for %q", name)
		}
	}
}

func TestFrameBad(t *testing.T) {
	for _, tc := range []struct{ name, line, want string }{
		{"no JSON", `hello`, "not one JSON"},
		{"an array", `[]`, "not an object"},
		{"two values", `{"type":"agent_start"}{"type":"agent_start"}`, "not one JSON"},
		{"a line end", `{"type":"agent_start"}` + "\n", "white space"},
		{"spaces", `{"type": "agent_start"}`, "white space"},
		{"raw U+2028", `{"type":"command_output","text":"` + "\u2028" + `"}`, "U+2028"},
		{"raw U+2029", `{"type":"command_output","text":"` + "\u2029" + `"}`, "U+2028"},
		{"bad UTF-8", `{"type":"command_output","text":"` + "\xff" + `"}`, "UTF-8"},
		{"a key twice", `{"type":"command_output","text":"a","text":"b"}`, "twice"},
		{"no type", `{}`, "type"},
		{"a number as type", `{"type":1}`, "type"},
		{"an unknown type", `{"type":"prompt_result"}`, "unknown"},

		{"manual in the default name", `{"type":"auto_compaction_start","reason":"manual","action":"context-full"}`, "reason"},
		{"skipped false", `{"type":"auto_compaction_end","action":"handoff","aborted":false,"willRetry":false,"skipped":false}`, "skipped"},
		{"a float where an integer is due", `{"type":"auto_retry_start","attempt":1.0,"maxAttempts":3,"delayMs":2000,"errorMessage":"x"}`, "attempt"},
		{"an exponent", `{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2e3,"errorMessage":"x"}`, "delayMs"},
		{"a negative count", updated("text_start", `"contentIndex":-1`), "contentIndex"},
		{"an index as text", updated("text_start", `"contentIndex":"0"`), "contentIndex"},
		{"an event that never is in an update", updated("done", `"reason":"stop"`), "unknown"},
		{"a delta that is no text", updated("text_delta", `"contentIndex":0,"delta":1`), "delta"},
		{"an update of a user message", strings.ReplaceAll(updated("text_start", `"contentIndex":0`), said("stop", textOf("")), asked("x")), "role"},
		{"partial without message", `{"type":"message_update","usage":` + zeroUsage + `,"assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":` + said("stop", "") + `}}`, "partial"},
		{"message without partial", `{"type":"message_update","message":` + said("stop", "") + `,"assistantMessageEvent":{"type":"text_start","contentIndex":0}}`, "partial"},
		{"the delta form without usage", `{"type":"message_update","assistantMessageEvent":{"type":"text_start","contentIndex":0}}`, "usage"},
		{"a call without its name in the delta form", `{"type":"message_update","usage":` + zeroUsage + `,"assistantMessageEvent":{"type":"toolcall_start","contentIndex":0,"id":"c"}}`, "toolName"},

		{"a turn without message", `{"type":"turn_end","toolResults":[]}`, "message"},
		{"a turn of a user message", `{"type":"turn_end","message":` + asked("x") + `,"toolResults":[]}`, "role"},
		{"an unknown role", `{"type":"message_end","message":{"role":"system","timestamp":1}}`, "unknown"},
		{"a stop reason of ours", `{"type":"message_end","message":` + said("refusal", "") + `}`, "stopReason"},
		{"arguments null", `{"type":"message_end","message":` + said("toolUse", callOf("c", "x", "null")) + `}`, "arguments"},
		{"an image in an answer", `{"type":"message_end","message":` + said("stop", `{"type":"image","data":"AA==","mimeType":"image/png"}`) + `}`, "unknown"},
		{"usage without cost", `{"type":"message_end","message":` + strings.Replace(said("stop", ""), `"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}`, `"premiumRequests":0`, 1) + `}`, "cost"},
		{"details null", `{"type":"tool_execution_end","toolCallId":"c","toolName":"r","result":{"content":[],"details":null},"isError":false}`, "details"},
		{"args as text", `{"type":"tool_execution_start","toolCallId":"c","toolName":"r","args":"{}"}`, "args"},
		{"a finished todo in a reminder", `{"type":"todo_reminder","todos":[{"id":"1","content":"c","status":"completed"}],"attempt":1,"maxAttempts":3}`, "status"},
		{"a level of another program", `{"type":"thinking_level_changed","level":"max"}`, "level"},
		{"an unknown severity", `{"type":"notice","level":"debug","message":"m"}`, "level"},
		{"an unknown method", userRequest(`"method":"open_url","url":"x"`), "unknown"},
		{"a widget elsewhere", userRequest(`"method":"setWidget","widgetKey":"k","widgetPlacement":"left"`), "widgetPlacement"},
		{"arguments of the host as a list", `{"type":"host_tool_call","id":"h","toolCallId":"c","toolName":"e","arguments":[]}`, "arguments"},

		{"an id that is a number", `{"id":1,"type":"response","command":"abort","success":true}`, "id"},
		{"success of nothing known", ok("frob", ""), "unknown"},
		{"success with an error", `{"type":"response","command":"abort","success":true,"error":"x"}`, "error"},
		{"data where none is due", ok("abort", "{}"), "data"},
		{"data null where none is due", ok("abort", "null"), "data"},
		{"no data", ok("get_state", ""), "data"},
		{"null for an object", ok("set_model", "null"), "null"},
		{"failure with data", `{"type":"response","command":"abort","success":false,"error":"x","data":{}}`, "data"},
		{"failure without words", `{"type":"response","command":"abort","success":false,"error":""}`, "error"},
		{"failure that is an object", `{"type":"response","command":"abort","success":false,"error":{"message":"x"}}`, "error"},
		{"a parse failure with an id", `{"id":"1","type":"response","command":"parse","success":false,"error":"Failed to parse command: x"}`, "id"},
		{"a parse failure in other words", `{"type":"response","command":"parse","success":false,"error":"bad"}`, "parse"},
		{"an unknown command in other words", `{"type":"response","command":"frob","success":false,"error":"no"}`, "frob"},
		{"no command", `{"type":"response","success":false,"error":"x"}`, "command"},
		{"neither success nor failure", `{"type":"response","command":"abort","success":"yes"}`, "success"},
		{"an unknown disposition", ok("prompt", `{"disposition":"done"}`), "disposition"},
		{"a started steer", ok("steer", `{"disposition":"started"}`), "disposition"},
		{"an entry without its parent", ok("get_entries", `{"entries":[{"type":"label","id":"f","timestamp":"T"}],"leafId":"f"}`), "parentId"},
		{"an entry with half a message", ok("get_entries", `{"entries":[{"type":"message","id":"f","parentId":null,"timestamp":"T","message":{"role":"user"}}],"leafId":"f"}`), "message"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := Frame([]byte(tc.line)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q\n%s", err, tc.want, tc.line)
			}
		})
	}
}

// openFields belong to a model, a tool, an extension or the user: anything goes
// below them. nullFields may be null.
var (
	openFields = []string{"arguments", "args", "details", "parameters", "entry", "entries"}
	nullFields = []string{"tokens", "percent", "parentId", "leafId"}
)

// Nothing known may be null, lack its type, or have company.
func TestFrameMutants(t *testing.T) {
	for _, line := range good {
		var root any
		if err := json.Unmarshal([]byte(line), &root); err != nil {
			t.Fatal(err)
		}
		try := func(path, what string) {
			mutant, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			if Frame(mutant) == nil {
				t.Errorf("%s of %s passes\n%s", path, what, mutant)
			}
		}
		var walk func(path string, v any)
		walk = func(path string, v any) {
			switch v := v.(type) {
			case []any:
				for i := range v {
					walk(fmt.Sprintf("%s[%d]", path, i), v[i])
				}
			case map[string]any:
				v["mutant"] = 1
				try(path, "a new field")
				delete(v, "mutant")
				for key, old := range v {
					if slices.Contains(openFields, key) {
						continue
					}
					mayBeNull := slices.Contains(nullFields, key) || key == "data" && strings.Contains(line, `"cycle_`)
					if !mayBeNull && old != nil {
						v[key] = nil
						try(path+"."+key, "null")
					}
					v[key] = "1"
					if _, isText := old.(string); isText || old == nil {
						v[key] = true
					}
					if key != "content" || fmt.Sprintf("%T", old) == "string" { // a user's content may be either
						try(path+"."+key, "another type")
					}
					v[key] = old
					walk(path+"."+key, old)
				}
			}
		}
		walk("", root)
	}
}

func TestInput(t *testing.T) {
	for _, tc := range []struct{ name, line, want string }{
		{"a command", `{"id":"1","type":"prompt","message":"hi","images":[{"type":"image","data":"AA==","mimeType":"image/png"}],"streamingBehavior":"steer"}`, ""},
		{"without id and compactness", `{ "type": "get_state" }`, ""},
		{"tools", `{"type":"set_host_tools","tools":[{"name":"echo","description":"d","parameters":{"type":"object"},"hidden":true}]}`, ""},
		{"a choice", `{"type":"extension_ui_response","id":"u","value":"a"}`, ""},
		{"a timeout", `{"type":"extension_ui_response","id":"u","cancelled":true,"timedOut":true}`, ""},
		{"progress", `{"type":"host_tool_update","id":"h","partialResult":{"content":[]}}`, ""},
		{"a result", `{"type":"host_tool_result","id":"h","result":{"content":[],"details":1},"isError":true}`, ""},

		{"an unknown command", `{"type":"frob"}`, "unknown"},
		{"a field too many", `{"type":"abort","force":true}`, "force"},
		{"a field too few", `{"type":"set_model","provider":"p"}`, "modelId"},
		{"an unknown mode", `{"type":"set_interrupt_mode","mode":"all"}`, "mode"},
		{"a tool without description", `{"type":"set_host_tools","tools":[{"name":"echo","description":"","parameters":{}}]}`, "description"},
		{"two answers", `{"type":"extension_ui_response","id":"u","value":"a","confirmed":true}`, "has 2"},
		{"no answer", `{"type":"extension_ui_response","id":"u"}`, "has 0"},
		{"a timeout that was answered", `{"type":"extension_ui_response","id":"u","value":"a","timedOut":true}`, "timedOut"},
		{"a result without content", `{"type":"host_tool_result","id":"h","result":{}}`, "content"},
		{"no JSON", `ls`, "JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Input([]byte(tc.line))
			if tc.want == "" && err != nil {
				t.Error(err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func FuzzFrame(f *testing.F) {
	for _, line := range good {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		name, err := FrameName(line)
		if (err == nil) != (Frame(line) == nil) {
			t.Fatalf("Frame and FrameName disagree: %v", err)
		}
		if err == nil && !slices.Contains(FrameNames(), name) && !strings.HasPrefix(name, "response ") {
			t.Fatalf("%q is not among the names", name)
		}
		_ = Input(line)
		s := New(Options{})
		_ = s.Line([]byte(`{"type":"ready","version":"1"}`))
		if err == nil && name != "ready" {
			_ = s.Line(line)
		}
	})
}
