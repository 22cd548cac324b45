package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// reply is one answer of the guide: text, then tool calls.
type reply struct {
	text  string
	calls []message.Block
}

// turn is where a request stands: the prompt, what was done for it so far, and
// the tools there are.
type turn struct {
	lang    language
	prompt  string
	intent  intent
	tools   map[string]toolbox
	rounds  [][]outcome // results of each answer with calls since the prompt
	next    int         // rounds that the replayed task has used
	calls   int         // calls in the whole conversation, for new ids
	connect func(language string) string
	asked   string // what the ask tool asked when it ended the run before this prompt
	reply   reply
}

// toolbox is what a tool's schema says about its arguments.
type toolbox struct {
	properties map[string]json.RawMessage
	schema     string
}

// outcome is the result of one call.
type outcome struct {
	tool    string
	text    string
	details json.RawMessage
	failed  bool
}

// none reports that a search or a listing counted nothing.
func (o outcome) none() bool {
	var d struct{ Count, Matches *int }
	if json.Unmarshal(o.details, &d) != nil {
		return false
	}
	return d.Count != nil && *d.Count == 0 || d.Matches != nil && *d.Matches == 0
}

// call is a tool call to be made.
type call struct {
	tool string
	args json.RawMessage
}

func newTurn(req llm.Request) *turn {
	t := &turn{tools: map[string]toolbox{}}
	for _, spec := range req.Tools {
		box := toolbox{schema: string(spec.Parameters)}
		var s struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(spec.Parameters, &s) == nil {
			box.properties = s.Properties
		}
		t.tools[spec.Name] = box
	}
	t.locate(req.Messages)
	t.intent, t.lang = understand(t.prompt)
	return t
}

// locate finds the last prompt and the rounds of calls after it.
func (t *turn) locate(messages []message.Message) {
	start := -1
	results := map[string]message.Message{}
	attributed := slices.ContainsFunc(messages, isAttributed)
	for i, m := range messages {
		switch {
		case m.Role == message.User && !m.Synthetic && isAttributed(m) == attributed:
			start = i
		case m.Role == message.ToolResult:
			results[m.ToolCallID] = m
		}
		t.calls += len(m.Calls())
	}
	if start < 0 {
		return
	}
	t.prompt = typed(messages[start].Content)
	t.asked = asked(messages[:start])
	for _, m := range messages[start:] {
		calls := m.Calls()
		if m.Role != message.Assistant || len(calls) == 0 {
			continue
		}
		round := make([]outcome, len(calls))
		for i, c := range calls {
			result, ok := results[c.ID]
			round[i] = outcome{tool: c.Name, text: result.Text(), details: result.Details, failed: result.IsError || !ok}
		}
		t.rounds = append(t.rounds, round)
	}
}

// asked is the question that a conversation ended with, when the ask tool
// ended it: its result is then also the last answer.
func asked(messages []message.Message) string {
	n := len(messages)
	if n < 2 || messages[n-1].Role != message.Assistant {
		return ""
	}
	if q := messages[n-2]; q.Role == message.ToolResult && q.ToolName == "ask" && q.Text() == messages[n-1].Text() {
		return q.Text()
	}
	return ""
}

// typed is what the user wrote, without the files and the piped input that came
// with it: those are data, whatever they say.
func typed(blocks []message.Block) string {
	var own []message.Block
	for _, b := range blocks {
		if !strings.HasPrefix(b.Text, "<file ") {
			own = append(own, b)
		}
	}
	return message.Text(own)
}

// isAttributed marks what the user wrote. Notes, mentioned files and command
// outputs have the role of a user in a request too; where nothing is marked,
// each counts.
func isAttributed(m message.Message) bool {
	return m.Role == message.User && m.Attribution == "user"
}

// say formats a text in the prompt's language. The three formats take the same
// arguments in the same order.
func (t *turn) say(en, ar, zh string, args ...any) string {
	return fmt.Sprintf(t.lang.pick(en, ar, zh), args...)
}

// do makes calls and returns their results in order. ok is false when the task
// has to stop here: the calls were put into the reply, or can't be made. action
// is a verb phrase that follows "I will" or "I would" in the prompt's language.
func (t *turn) do(action string, calls ...call) (results []outcome, ok bool) {
	if t.next < len(t.rounds) {
		results = t.rounds[t.next]
		t.next++
		if sameTools(results, calls) {
			return results, true
		}
		t.reply.text = t.say(
			"The conversation took another way than I know. Please ask again.",
			"سارت المحادثة في اتجاه لا أعرفه. أعد الطلب من فضلك.",
			"对话的走向超出了我的了解。请再问一次。")
		return nil, false
	}
	for _, c := range calls {
		if !t.has(c.tool) {
			t.reply.text = t.say(
				"I can't do that here: the `%s` tool isn't available. With it, I would %s.",
				"لا أستطيع ذلك هنا: الأداة `%s` غير متاحة. لو كانت متاحة لكنت س%s.",
				"这里做不到：没有 `%s` 工具。有它的话，我会%s。", c.tool, action)
			return nil, false
		}
	}
	t.reply.text = t.say("I'll %s.", "س%s.", "我来%s。", action)
	for _, c := range calls {
		t.calls++
		t.reply.calls = append(t.reply.calls, message.Block{
			Type: message.ToolCallBlock, ID: fmt.Sprintf("guide_%d", t.calls), Name: c.tool, Arguments: c.args,
		})
	}
	return nil, false
}

func sameTools(results []outcome, calls []call) bool {
	if len(results) != len(calls) {
		return false
	}
	for i, c := range calls {
		if results[i].tool != c.tool {
			return false
		}
	}
	return true
}

func (t *turn) has(tool string) bool {
	_, ok := t.tools[tool]
	return ok
}

// takes reports whether a tool has an argument of that name.
func (t *turn) takes(tool, argument string) bool {
	_, ok := t.tools[tool].properties[argument]
	return ok
}

// failed reports a call that went wrong and what can be done about it.
func (t *turn) failed(o outcome) string {
	if reason, denied := denial(o.text); denied {
		return t.denied(o.tool, reason)
	}
	reason := firstLines(o.text, 6)
	if reason == "" {
		reason = t.say("there is no result", "لا توجد نتيجة", "没有结果")
	}
	return t.say("That didn't work (`%s`): %s", "لم ينجح ذلك (`%s`): %s", "没有成功（`%s`）：%s", o.tool, reason)
}

func (t *turn) denied(tool, reason string) string {
	text := t.say("`%s` wasn't allowed, so nothing was changed", "لم يُسمح بالأداة `%s`، فلم يتغير شيء", "`%s` 没有得到允许，什么都没有改动", tool)
	if reason != "" {
		text += t.lang.pick(" (", " (", "（") + reason + t.lang.pick(")", ")", "）")
	}
	mode := "full"
	if tool == "edit" || tool == "write" {
		mode = "edit"
	}
	return text + t.lang.pick(". ", ". ", "。") + t.say(
		"To allow it, say yes when you are asked, or start with `--permissions %s`.",
		"للسماح به أجب بنعم عند السؤال، أو ابدأ بالخيار `--permissions %s`.",
		"要允许它，请在询问时选择同意，或用 `--permissions %s` 启动。", mode)
}

// denial tells a call that wasn't allowed from one that failed, and takes the
// part of the reason that is meant for people.
func denial(text string) (reason string, denied bool) {
	for _, prefix := range []string{"Permission denied: ", "Not allowed: "} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			rest, _, _ = strings.Cut(rest, ", and there is nobody to ask")
			return strings.TrimRight(firstLines(rest, 1), "."), true
		}
	}
	return "", false
}

// object writes a JSON object of the pairs, in their order. Values are
// strings, numbers, bools and slices and maps of them, so encoding can't fail.
func object(pairs ...any) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", pairs[i], encode(pairs[i+1]))
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

func encode(v any) string {
	text, err := jsonl.Value(v)
	if err != nil {
		return "null"
	}
	return string(text)
}
