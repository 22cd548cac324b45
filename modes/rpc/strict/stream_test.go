package strict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Pieces of transcripts.
const (
	ready     = `{"type":"ready","version":"0.1.0"}`
	runStart  = `{"type":"agent_start"}`
	turnStart = `{"type":"turn_start"}`
	settled   = `{"type":"agent_settled","aborted":false}`
)

func start(m string) string { return `{"type":"message_start","message":` + m + `}` }
func end(m string) string   { return `{"type":"message_end","message":` + m + `}` }
func whole(m string) []string {
	return []string{start(m), end(m)}
}
func turnEnd(m string, results ...string) string {
	return `{"type":"turn_end","message":` + m + `,"toolResults":[` + strings.Join(results, ",") + `]}`
}
func runEnd(messages ...string) string {
	return `{"type":"agent_end","messages":[` + strings.Join(messages, ",") + `],"willRetry":false}`
}
func retried(messages ...string) string {
	return strings.Replace(runEnd(messages...), `"willRetry":false`, `"willRetry":true`, 1)
}
func ack(id, command, disposition string) string {
	data := ""
	if disposition != "" {
		data = `,"data":{"disposition":"` + disposition + `"}`
	}
	return fmt.Sprintf(`{"id":%q,"type":"response","command":%q,"success":true%s}`, id, command, data)
}
func fail(id, command string) string {
	return fmt.Sprintf(`{"id":%q,"type":"response","command":%q,"success":false,"error":"no"}`, id, command)
}

// update is the cumulative form: the answer so far has that content.
func update(kind, rest, content string) string {
	m := said("stop", content)
	return `{"type":"message_update","message":` + m + `,"usage":` + zeroUsage + `,"assistantMessageEvent":{"type":"` + kind + `",` + rest + `,"partial":` + m + `}}`
}

// delta is the other form.
func delta(kind, rest string) string {
	return `{"type":"message_update","usage":` + zeroUsage + `,"assistantMessageEvent":{"type":"` + kind + `",` + rest + `}}`
}

func tool(phase, id, name, rest string) string {
	return fmt.Sprintf(`{"type":"tool_execution_%s","toolCallId":%q,"toolName":%q,%s}`, phase, id, name, rest)
}
func toolStart(id string) string { return tool("start", id, "read", `"args":{}`) }
func toolEnd(id string) string {
	return tool("end", id, "read", `"result":{"content":[`+textOf("x")+`]},"isError":false`)
}

func join(parts ...any) []string {
	var lines []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			lines = append(lines, p)
		case []string:
			lines = append(lines, p...)
		}
	}
	return lines
}

var (
	hi    = asked("hi")
	hello = said("stop", textOf("Hello"))
	two   = said("toolUse", callOf("a", "read", `{}`)+","+callOf("b", "read", `{}`))
	resA  = result("a", "read", "x", false)
	resB  = result("b", "read", "x", false)
	wrong = said("error", "")

	signed = said("toolUse", `{"type":"toolCall","id":"a","name":"read","arguments":{},"thoughtSignature":"s"}`)
)

// oneRun is a whole run with one answer.
func oneRun() []string {
	return join(runStart, turnStart, whole(hi),
		start(said("stop", "")),
		update("text_start", `"contentIndex":0`, textOf("")),
		update("text_delta", `"contentIndex":0,"delta":"Hel"`, textOf("Hel")),
		update("text_delta", `"contentIndex":0,"delta":"lo"`, textOf("Hello")),
		update("text_end", `"contentIndex":0,"content":"Hello"`, textOf("Hello")),
		end(hello), turnEnd(hello), runEnd(hi, hello))
}

// twoCalls is a run up to the answer with two calls.
func twoCalls() []string {
	return join(ready, ack("1", "prompt", "started"), runStart, turnStart, whole(hi), start(said("stop", "")),
		update("toolcall_start", `"contentIndex":0`, callOf("a", "read", `{}`)),
		update("toolcall_delta", `"contentIndex":0,"delta":"{}"`, callOf("a", "read", `{}`)),
		update("toolcall_start", `"contentIndex":1`, callOf("a", "read", `{}`)+","+callOf("b", "read", `{}`)),
		update("toolcall_end", `"contentIndex":0,"toolCall":`+callOf("a", "read", `{}`), callOf("a", "read", `{}`)+","+callOf("b", "read", `{}`)),
		update("toolcall_end", `"contentIndex":1,"toolCall":`+callOf("b", "read", `{}`), callOf("a", "read", `{}`)+","+callOf("b", "read", `{}`)),
		end(two))
}

// streaming is a run up to the middle of its answer.
func streaming() []string {
	return join(ready, ack("1", "prompt", "started"), runStart, turnStart, whole(hi), start(said("stop", "")))
}

func dialogFrame(id, rest string) string {
	return `{"type":"extension_ui_request","id":"` + id + `",` + rest + `}`
}
func hostCall(id, call string) string {
	return `{"type":"host_tool_call","id":"` + id + `","toolCallId":"` + call + `","toolName":"read","arguments":{}}`
}
func hostCancel(id, target string) string {
	return `{"type":"host_tool_cancel","id":"` + id + `","targetId":"` + target + `"}`
}

const (
	retry1     = `{"type":"auto_retry_start","attempt":1,"maxAttempts":2,"delayMs":1,"errorMessage":"x"}`
	retry2     = `{"type":"auto_retry_start","attempt":2,"maxAttempts":2,"delayMs":1,"errorMessage":"x"}`
	retry3     = `{"type":"auto_retry_start","attempt":3,"maxAttempts":2,"delayMs":1,"errorMessage":"x"}`
	retryOK    = `{"type":"auto_retry_end","success":true,"attempt":1}`
	retryLost  = `{"type":"auto_retry_end","success":false,"attempt":2,"finalError":"x"}`
	reminder   = `{"type":"todo_reminder","todos":[{"id":"t","content":"c","status":"pending"}],"attempt":1,"maxAttempts":3}`
	triggered  = `{"type":"ttsr_triggered","rules":[{"name":"n","path":"p","content":"c","condition":["x"],"_source":{"provider":"a","providerName":"A","path":"p","level":"user"}}]}`
	squeeze    = `{"type":"auto_compaction_start","reason":"threshold","action":"context-full"}`
	squeezed   = `{"type":"auto_compaction_end","action":"context-full","result":{"summary":"s","firstKeptEntryId":"e","tokensBefore":1},"aborted":false,"willRetry":false}`
	squeezePi  = `{"type":"compaction_start","reason":"manual"}`
	squeezedPi = `{"type":"compaction_end","reason":"manual","aborted":true,"willRetry":false}`
)

func failedRun(prompts ...string) []string {
	lines := join(runStart, turnStart)
	for _, p := range prompts {
		lines = append(lines, whole(p)...)
	}
	return join(lines, start(said("stop", "")), end(wrong), turnEnd(wrong))
}

func TestStreamGood(t *testing.T) {
	prompt := ack("1", "prompt", "")
	for _, tc := range []struct {
		name    string
		options Options
		lines   []string
	}{
		{"nothing asked", Options{}, join(ready)},
		{"a prompt", Options{}, join(ready, prompt, oneRun(), settled)},
		{"two prompts in the pi dialect", Options{Dialect: Pi}, join(ready, ack("1", "prompt", "started"), oneRun(), settled, ack("2", "prompt", "started"), oneRun(), settled)},
		{"one queued, one handled meanwhile", Options{}, join(ready, prompt, ack("2", "prompt", "queued"), ack("3", "prompt", "handled"), oneRun(), settled)},
		{"a handled command", Options{}, join(ready, ack("1", "prompt", "handled"), `{"type":"command_output","text":"x"}`, settled)},
		{"a prompt that can't start", Options{}, join(ready, prompt, fail("1", "prompt"), settled, ack("2", "prompt", ""), fail("2", "prompt"))},
		{"the same in the pi dialect", Options{Dialect: Pi}, join(ready, fail("1", "prompt"), settled)},
		{"deltas", Options{Delta: true}, join(ready, prompt, runStart, turnStart, whole(hi), start(said("stop", "")),
			delta("text_start", `"contentIndex":0`), delta("text_delta", `"contentIndex":0,"delta":"Hello"`), delta("text_end", `"contentIndex":0,"content":"Hello"`),
			end(hello), turnEnd(hello), runEnd(hi, hello), settled)},
		{"tools, out of order", Options{}, join(twoCalls(), toolStart("a"), tool("update", "a", "read", `"args":{},"partialResult":{"content":[]}`), toolStart("b"),
			hostCall("h1", "a"), hostCall("h2", "b"), hostCancel("h3", "h2"),
			toolEnd("b"), whole(resB), toolEnd("a"), whole(resA), turnEnd(two, resB, resA),
			turnStart, whole(hello), turnEnd(hello), runEnd(hi, two, resB, resA, hello), settled)},
		{"a cut answer loses an open call", Options{}, join(streaming(),
			update("text_start", `"contentIndex":0`, textOf("")),
			update("text_delta", `"contentIndex":0,"delta":"Hel"`, textOf("Hel")),
			update("toolcall_start", `"contentIndex":1`, textOf("Hel")+","+callOf("a", "read", "{}")),
			end(said("aborted", textOf("Hel"))), turnEnd(said("aborted", textOf("Hel"))), runEnd(hi, said("aborted", textOf("Hel"))), settled, ack("2", "abort", ""))},
		{"a call's signature comes with the message", Options{Delta: true}, join(streaming(), delta("toolcall_start", `"contentIndex":0,"id":"a","toolName":"read"`), delta("toolcall_end", `"contentIndex":0,"toolCall":`+callOf("a", "read", "{}")),
			end(signed), toolStart("a"), toolEnd("a"), whole(resA), turnEnd(signed, resA), runEnd(hi, signed, resA), settled)},
		{"redacted thinking isn't streamed", Options{}, join(streaming(),
			update("text_start", `"contentIndex":1`, `{"type":"redactedThinking","data":"x"},`+textOf("")),
			update("text_end", `"contentIndex":1,"content":""`, `{"type":"redactedThinking","data":"x"},`+textOf("")),
			end(said("stop", `{"type":"redactedThinking","data":"x"},`+textOf(""))),
			turnEnd(said("stop", `{"type":"redactedThinking","data":"x"},`+textOf(""))),
			runEnd(hi, said("stop", `{"type":"redactedThinking","data":"x"},`+textOf(""))), settled)},
		{"a retry", Options{}, join(ready, prompt, failedRun(hi), retried(hi, wrong), retry1, runStart, turnStart, whole(hello), retryOK, turnEnd(hello), runEnd(hello), settled)},
		{"retries given up", Options{}, join(ready, prompt, failedRun(hi), retried(hi, wrong), retry1, failedRun(), retried(wrong), retry2, failedRun(), runEnd(wrong), retryLost, settled)},
		{"a reminder", Options{}, join(ready, prompt, oneRun(), reminder, oneRun(), settled)},
		{"a reminder after a compaction", Options{}, join(ready, prompt, oneRun(), squeeze, squeezed, reminder, oneRun(), settled)},
		{"a rule", Options{}, join(ready, prompt, runStart, turnStart, whole(hi), start(said("stop", "")), triggered, end(wrong), turnEnd(wrong), runEnd(hi, wrong), oneRun(), settled)},
		{"compaction before the end", Options{}, join(ready, prompt, oneRun(), squeeze, squeezed, settled)},
		{"compaction by hand in the pi dialect", Options{Dialect: Pi}, join(ready, squeezePi, squeezedPi)},
		{"abort_and_prompt", Options{}, join(ready, prompt, oneRun(), settled, ack("2", "abort_and_prompt", ""), oneRun(), settled)},
		{"a run of an extension's own", Options{}, join(ready, oneRun(), settled)},
		{"a custom message between runs", Options{}, join(ready, whole(`{"role":"custom","customType":"t","content":"x","display":true,"timestamp":1}`))},
		{"a dialog taken back", Options{}, join(ready, dialogFrame("u1", `"method":"editor","title":"t"`), dialogFrame("u2", `"method":"cancel","targetId":"u1"`))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := New(tc.options)
			for _, line := range tc.lines {
				if err := s.Line([]byte(line)); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.End(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Every rule has a transcript whose last line, or whose end, breaks it.
func TestStreamBad(t *testing.T) {
	const atEnd = "" // the last line is fine
	run := join(ready, ack("1", "prompt", "started"))
	inTurn := join(run, runStart, turnStart)
	open := join(streaming(), update("text_start", `"contentIndex":0`, textOf("")), update("text_delta", `"contentIndex":0,"delta":"Hello"`, textOf("Hello")))
	for _, tc := range []struct {
		name    string
		options Options
		lines   []string
		want    string
	}{
		{"no ready", Options{}, join(runStart), "ready"},
		{"ready twice", Options{}, join(ready, ready), "ready"},
		{"not a frame", Options{}, join(ready, `{"type":"x"}`), "unknown"},
		{"the other dialect's frame", Options{}, join(ready, squeezePi), "dialect"},
		{"the default dialect's frame", Options{Dialect: Pi}, join(ready, squeeze), "dialect"},

		{"agent_start twice", Options{}, join(run, runStart, runStart), "hasn't ended"},
		{"agent_end alone", Options{}, join(run, runEnd()), "no run"},
		{"agent_end within a turn", Options{}, join(inTurn, runEnd()), "turn hasn't ended"},
		{"agent_end with another list", Options{}, join(oneRunUpTo(run), runEnd(hello)), "lists 1"},
		{"turn outside of a run", Options{}, join(run, turnStart), "no run"},
		{"turn in a turn", Options{}, join(inTurn, turnStart), "hasn't ended"},
		{"turn_end alone", Options{}, join(run, runStart, turnEnd(hello)), "no turn"},
		{"turn without answer", Options{}, join(inTurn, turnEnd(hello)), "no assistant"},
		{"turn_end with another message", Options{}, join(inTurn, whole(hello), turnEnd(wrong)), "another message"},
		{"message outside of a turn", Options{}, join(run, start(hi)), "outside"},
		{"message in a message", Options{}, join(inTurn, start(hi), start(hi)), "hasn't ended"},
		{"message_end alone", Options{}, join(inTurn, end(hi)), "no message"},
		{"message_end with another message", Options{}, join(inTurn, start(hi), end(asked("ho"))), "another message"},
		{"message_end of another role", Options{}, join(inTurn, start(hello), end(hi)), "another role"},
		{"two answers in a turn", Options{}, join(inTurn, whole(hello), start(hello)), "already"},
		{"a user message after the answer", Options{}, join(inTurn, whole(hello), start(hi)), "next turn"},
		{"a role that no event announces", Options{}, join(inTurn, start(`{"role":"compactionSummary","summary":"s","tokensBefore":1,"timestamp":1}`)), "role"},

		{"update without message", Options{}, join(inTurn, update("text_start", `"contentIndex":0`, textOf(""))), "no assistant"},
		{"update of the user's", Options{}, join(inTurn, start(hi), update("text_start", `"contentIndex":0`, textOf(""))), "no assistant"},
		{"the delta form unasked", Options{}, join(streaming(), delta("text_start", `"contentIndex":0`)), "form"},
		{"the cumulative form unasked", Options{Delta: true}, join(streaming(), update("text_start", `"contentIndex":0`, textOf(""))), "form"},
		{"no usage in the pi dialect", Options{Dialect: Pi}, join(streaming(), strings.Replace(update("text_start", `"contentIndex":0`, textOf("")), `"usage":`+zeroUsage+`,"assistantMessageEvent"`, `"assistantMessageEvent"`, 1)), "usage"},
		{"another usage", Options{}, join(streaming(), strings.Replace(update("text_start", `"contentIndex":0`, textOf("")), `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"assistantMessageEvent"`, `"usage":`+strings.Replace(zeroUsage, "0", "7", 1)+`,"assistantMessageEvent"`, 1)), "usage"},
		{"another partial", Options{}, join(streaming(), strings.Replace(update("text_start", `"contentIndex":0`, textOf("")), `"partial":{"role":"assistant","content":[{"type":"text","text":""}]`, `"partial":{"role":"assistant","content":[]`, 1)), "partial"},
		{"a delta before its start", Options{}, join(streaming(), update("text_delta", `"contentIndex":0,"delta":"x"`, textOf("x"))), "not open"},
		{"a start twice", Options{}, join(open, update("text_start", `"contentIndex":0`, textOf("Hello"))), "starts after"},
		{"a delta of another kind", Options{}, join(open, update("thinking_delta", `"contentIndex":0,"delta":"x"`, textOf("Hello"))), "kind"},
		{"a delta after the end", Options{}, join(open, update("text_end", `"contentIndex":0,"content":"Hello"`, textOf("Hello")), update("text_delta", `"contentIndex":0,"delta":"x"`, textOf("Hellox"))), "not open"},
		{"a lost delta", Options{}, join(open, update("text_delta", `"contentIndex":0,"delta":"!"`, textOf("Hello?!"))), "sum of the deltas"},
		{"an end with another text", Options{}, join(open, update("text_end", `"contentIndex":0,"content":"Hell"`, textOf("Hello"))), "sum of the deltas"},
		{"a block that isn't in the message", Options{}, join(streaming(), update("text_start", `"contentIndex":0`, "")), "has no block"},
		{"a block of another kind in the message", Options{}, join(streaming(), update("text_start", `"contentIndex":0`, callOf("a", "read", "{}"))), "is a toolCall"},
		{"a call that changes", Options{}, join(streaming(), update("toolcall_start", `"contentIndex":0`, callOf("a", "read", "{}")), update("toolcall_delta", `"contentIndex":0,"delta":"{"`, callOf("b", "read", "{}"))), "another call"},
		{"a call that ends as another", Options{Delta: true}, join(streaming(), delta("toolcall_start", `"contentIndex":0,"id":"a","toolName":"read"`), delta("toolcall_end", `"contentIndex":0,"toolCall":`+callOf("b", "read", "{}"))), "another call"},
		{"arguments that aren't the deltas", Options{Delta: true}, join(streaming(), delta("toolcall_start", `"contentIndex":0,"id":"a","toolName":"read"`), delta("toolcall_delta", `"contentIndex":0,"delta":"{}"`), delta("toolcall_end", `"contentIndex":0,"toolCall":`+callOf("a", "read", `{"x":1}`))), "arguments"},
		{"an end without its last block's end", Options{}, join(open, end(hello)), "has no end"},
		{"a final text that wasn't streamed", Options{}, join(open, update("text_end", `"contentIndex":0,"content":"Hello"`, textOf("Hello")), end(said("stop", textOf("Hallo")))), "not what was streamed"},
		{"a final call that wasn't streamed so", Options{Delta: true}, join(streaming(), delta("toolcall_start", `"contentIndex":0,"id":"a","toolName":"read"`), delta("toolcall_end", `"contentIndex":0,"toolCall":`+callOf("a", "read", "{}")), end(said("toolUse", callOf("a", "read", `{"x":1}`)))), "not what was streamed"},
		{"a final block that wasn't streamed", Options{}, join(open, update("text_end", `"contentIndex":0,"content":"Hello"`, textOf("Hello")), end(said("stop", textOf("Hello")+","+textOf("more")))), "not streamed"},
		{"a streamed block that is lost", Options{}, join(open, update("text_end", `"contentIndex":0,"content":"Hello"`, textOf("Hello")), end(said("stop", ""))), "was streamed"},
		{"content from nowhere", Options{}, join(streaming(), end(hello)), "neither"},
		{"a cut answer loses text", Options{}, join(open, end(said("aborted", ""))), "lost"},
		{"a cut answer loses text before other text", Options{}, join(open, update("text_start", `"contentIndex":1`, textOf("Hello")+","+textOf("")), update("text_delta", `"contentIndex":1,"delta":"you"`, textOf("Hello")+","+textOf("you")), end(said("aborted", textOf("you")))), "lost"},
		{"a cut answer invents text", Options{}, join(open, end(said("error", textOf("Hello!")))), "not what was streamed"},

		{"two calls of one id", Options{}, join(inTurn, start(said("stop", "")), delta1("a"), delta1at(1, "a"), end(said("toolUse", callOf("a", "read", "{}")+","+callOf("a", "read", "{}")))), "two calls"},
		{"a tool before the answer", Options{}, join(inTurn, toolStart("a")), "no call"},
		{"a tool within the answer", Options{}, join(streaming(), toolStart("a")), "hasn't ended"},
		{"a tool that nobody called", Options{}, join(twoCalls(), toolStart("c")), "no call"},
		{"a tool under another name", Options{}, join(twoCalls(), tool("start", "a", "write", `"args":{}`)), "not write"},
		{"a tool starts twice", Options{}, join(twoCalls(), toolStart("a"), toolStart("a")), "started already"},
		{"progress before the start", Options{}, join(twoCalls(), tool("update", "a", "read", `"args":{},"partialResult":{"content":[]}`)), "not started"},
		{"a tool ends before its start", Options{}, join(twoCalls(), toolEnd("a")), "not started"},
		{"a tool ends twice", Options{}, join(twoCalls(), toolStart("a"), toolEnd("a"), toolEnd("a")), "ended already"},
		{"a result before the end", Options{}, join(twoCalls(), toolStart("a"), start(resA)), "started already"},
		{"another result", Options{}, join(twoCalls(), toolStart("a"), toolEnd("a"), start(result("a", "read", "y", false))), "another result"},
		{"a result that failed", Options{}, join(twoCalls(), toolStart("a"), toolEnd("a"), start(result("a", "read", "x", true))), "another result"},
		{"a result twice", Options{}, join(twoCalls(), toolStart("a"), toolEnd("a"), whole(resA), start(resA)), "ended already"},
		{"a turn ends without a result", Options{}, join(twoCalls(), toolStart("a"), toolEnd("a"), whole(resA), turnEnd(two, resA)), "no result"},
		{"results in another order", Options{}, join(twoCalls(), toolStart("a"), toolStart("b"), toolEnd("a"), whole(resA), toolEnd("b"), whole(resB), turnEnd(two, resB, resA)), "another order"},

		{"a reminder within a run", Options{}, join(run, runStart, reminder), "within a run"},
		{"a reminder of nothing", Options{}, join(ready, reminder), "no run"},
		{"a reminder that nobody gets", Options{}, join(run, oneRun(), reminder, settled), "not reminded"},
		{"a reminder too many", Options{}, join(run, oneRun(), strings.Replace(reminder, `"attempt":1`, `"attempt":4`, 1)), "4 of 3"},
		{"a rule that nothing breaks", Options{}, join(run, runStart, triggered), "no turn"},
		{"settled within a run", Options{}, join(run, runStart, settled), "within a run"},
		{"settled twice", Options{}, join(run, oneRun(), settled, settled), "no accepted prompt"},
		{"settled out of nothing", Options{}, join(ready, settled), "no accepted prompt"},
		{"settled before the promised retry", Options{}, join(run, failedRun(hi), retried(hi, wrong), settled), "willRetry"},
		{"settled within retries", Options{}, join(run, failedRun(hi), retried(hi, wrong), retry1, settled), "auto_retry_end"},
		{"settled within a compaction", Options{}, join(run, oneRun(), squeeze, settled), "compaction"},
		{"a run within a compaction", Options{}, join(run, oneRun(), squeeze, runStart), "compaction"},
		{"a compaction within a run", Options{}, join(run, runStart, squeeze), "within a run"},
		{"a compaction within another", Options{}, join(run, oneRun(), squeeze, squeeze), "before"},
		{"a compaction's end alone", Options{}, join(run, squeezed), "ends a compaction"},
		{"a compaction's end with another reason", Options{Dialect: Pi}, join(ready, squeezePi, strings.Replace(squeezedPi, "manual", "overflow", 1)), "ends a compaction"},
		{"a failed compaction with a result", Options{}, join(run, oneRun(), squeeze, strings.Replace(squeezed, `"aborted":false`, `"aborted":true`, 1)), "result"},
		{"a compaction without result that goes on", Options{Dialect: Pi}, join(ready, squeezePi, strings.Replace(squeezedPi, `"willRetry":false`, `"willRetry":true`, 1)), "willRetry"},
		{"a retry within a run", Options{}, join(run, runStart, retry1), "within a run"},
		{"retries given up within a run", Options{}, join(run, failedRun(hi), retried(hi, wrong), retry1, runStart, strings.Replace(retryLost, `"attempt":2`, `"attempt":1`, 1)), "within a run"},
		{"a retry that skips one", Options{}, join(run, failedRun(hi), retried(hi, wrong), retry2), "follows"},
		{"a retry too many", Options{}, join(run, failedRun(hi), retried(hi, wrong), retry1, retry2, retry3), "attempt 3 of 2"},
		{"a retry's end alone", Options{}, join(run, retryOK), "none"},
		{"a retry's success with an error", Options{}, join(run, failedRun(hi), retried(hi, wrong), retry1, strings.Replace(retryOK, "1}", `1,"finalError":"x"}`, 1)), "finalError"},
		{"a retry's failure without one", Options{}, join(run, failedRun(hi), retried(hi, wrong), retry1, strings.Replace(retryOK, "true", "false", 1)), "finalError"},

		{"a second success", Options{}, join(ready, ack("1", "prompt", ""), ack("1", "prompt", "")), "answers"},
		{"success after failure", Options{}, join(ready, fail("1", "prompt"), ack("1", "prompt", "")), "answers"},
		{"two failures after a success", Options{}, join(ready, ack("1", "prompt", ""), fail("1", "prompt"), fail("1", "prompt")), "answers"},
		{"a second answer to another command", Options{}, join(ready, ack("1", "abort", ""), fail("1", "abort")), "second time"},
		{"a second answer under another name", Options{}, join(ready, ack("1", "prompt", ""), fail("1", "abort_and_prompt")), "second time"},
		{"a second answer in the pi dialect", Options{Dialect: Pi}, join(ready, ack("1", "prompt", "started"), fail("1", "prompt")), "second time"},
		{"no disposition in the pi dialect", Options{Dialect: Pi}, join(ready, ack("1", "prompt", "")), "disposition"},
		{"an id with an unknown command", Options{}, join(ready, `{"id":"1","type":"response","command":"frob","success":false,"error":"Unknown command: frob"}`), "without id"},
		{"abort answered within the run", Options{}, join(run, runStart, ack("2", "abort", "")), "after agent_end"},
		{"abort_and_prompt answered within the run", Options{}, join(run, runStart, ack("2", "abort_and_prompt", "")), "within a run"},
		{"a start acknowledged late", Options{}, join(ready, runStart, ack("1", "prompt", "started")), "within a run"},

		{"a dialog's id again", Options{}, join(ready, dialogFrame("u1", `"method":"notify","message":"m"`), dialogFrame("u1", `"method":"notify","message":"m"`)), "before"},
		{"a cancel of no dialog", Options{}, join(ready, dialogFrame("u1", `"method":"notify","message":"m"`), dialogFrame("u2", `"method":"cancel","targetId":"u1"`)), "no dialog"},
		{"a host call without its tool", Options{}, join(twoCalls(), hostCall("h1", "a")), "not started"},
		{"a host call's id again", Options{}, join(twoCalls(), toolStart("a"), hostCall("h1", "a"), hostCall("h1", "a")), "before"},
		{"a host call under a dialog's id", Options{}, join(twoCalls(), toolStart("a"), dialogFrame("h1", `"method":"notify","message":"m"`), hostCall("h1", "a")), "before"},
		{"a cancel under the call's id", Options{}, join(twoCalls(), toolStart("a"), hostCall("h1", "a"), hostCancel("h1", "h1")), "before"},
		{"a cancel of no call", Options{}, join(twoCalls(), toolStart("a"), hostCancel("h2", "h1")), "no open call"},
		{"a cancel twice", Options{}, join(twoCalls(), toolStart("a"), hostCall("h1", "a"), hostCancel("h2", "h1"), hostCancel("h3", "h1")), "no open call"},
		{"a cancel after the end", Options{}, join(twoCalls(), toolStart("a"), hostCall("h1", "a"), toolEnd("a"), hostCancel("h2", "h1")), "no open call"},

		{"end: nothing written", Options{}, nil, "not even"},
		{"end: a run is open", Options{}, join(run, runStart, atEnd), "no agent_end"},
		{"end: a message is open", Options{}, join(streaming(), atEnd), "no end"},
		{"end: not settled", Options{}, join(run, oneRun(), atEnd), "agent_settled"},
		{"end: not settled, nobody asked", Options{}, join(ready, oneRun(), atEnd), "no agent_settled"},
		{"end: never started", Options{}, join(run, atEnd), "agent_settled"},
		{"end: a retry is open", Options{}, join(run, failedRun(hi), retried(hi, wrong), retry1, atEnd), "auto_retry_end"},
		{"end: a compaction is open", Options{Dialect: Pi}, join(ready, squeezePi, atEnd), "compaction"},
		{"end: a host call is open", Options{}, join(twoCalls(), toolStart("a"), hostCall("h1", "a"), atEnd), "host tool"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := New(tc.options)
			bad, atEnd := "", len(tc.lines) == 0 || tc.lines[len(tc.lines)-1] == ""
			lines := tc.lines
			if len(lines) > 0 {
				bad, lines = lines[len(lines)-1], lines[:len(lines)-1]
			}
			for _, line := range lines {
				if err := s.Line([]byte(line)); err != nil {
					t.Fatalf("before the bad frame: %v", err)
				}
			}
			err := error(nil)
			if atEnd {
				err = s.End()
			} else {
				err = s.Line([]byte(bad))
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want an error with %q", err, tc.want)
			}
			if s.Line([]byte(settled)) != nil {
				t.Error("a second error")
			}
			if again := s.End(); again == nil || again.Error() != err.Error() {
				t.Errorf("at the end %v, want the first error again", again)
			}
		})
	}
}

// oneRunUpTo is a run without its agent_end.
func oneRunUpTo(before []string) []string {
	lines := oneRun()
	return join(before, lines[:len(lines)-1])
}

func delta1(id string) []string { return delta1at(0, id) }

// delta1at streams a call with empty arguments.
func delta1at(index int, id string) []string {
	content := strings.Join(slices.Repeat([]string{callOf(id, "read", "{}")}, index+1), ",")
	at := fmt.Sprintf(`"contentIndex":%d`, index)
	return []string{
		update("toolcall_start", at, content),
		update("toolcall_end", at+`,"toolCall":`+callOf(id, "read", "{}"), content),
	}
}

func TestStreamSent(t *testing.T) {
	parse := `{"type":"response","command":"parse","success":false,"error":"Failed to parse command: x"}`
	for _, tc := range []struct {
		name    string
		options Options
		sent    string
		lines   []string
		want    string
	}{
		{"answered", Options{}, `{"id":"1","type":"abort"}`, join(ready, ack("1", "abort", "")), ""},
		{"no id, no answer due", Options{}, `{"type":"abort"}`, join(ready, `{"type":"response","command":"abort","success":true}`), ""},
		{"side frames aren't answered", Options{}, `{"type":"extension_ui_response","id":"u","cancelled":true}`, join(ready), ""},
		{"answered without id", Options{}, `{"id":"1","type":"abort"}`, join(ready, parse), ""},
		{"never answered", Options{}, `{"id":"1","type":"abort"}`, join(ready), "no answer"},
		{"the id is due in the pi dialect", Options{Dialect: Pi}, `{"id":"1","type":"abort"}`, join(ready, parse), "no answer"},
		{"another id", Options{}, `{"id":"1","type":"abort"}`, join(ready, ack("2", "abort", "")), "what was sent"},
		{"another command", Options{}, `{"id":"1","type":"abort"}`, join(ready, ack("1", "abort_bash", "")), "what was sent"},
		{"no JSON", Options{}, `ls`, join(ready, parse), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := New(tc.options)
			s.Sent([]byte(tc.sent))
			for _, line := range tc.lines {
				_ = s.Line([]byte(line)) // End returns the first error
			}
			err := s.End()
			if tc.want == "" && err != nil {
				t.Error(err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}
