package wires_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// decoded reads a body of which every field is known.
func decoded[T any](t *testing.T, body []byte) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func isObject(s string) bool {
	var m map[string]any
	return json.Unmarshal([]byte(s), &m) == nil && m != nil
}

func isBase64(s string) bool {
	data, err := base64.StdEncoding.DecodeString(s)
	return err == nil && len(data) > 0
}

var (
	word64  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	word128 = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	word40  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	image64 = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp);base64,(.+)$`)
)

func isDataURL(s string) bool {
	m := image64.FindStringSubmatch(s)
	return m != nil && isBase64(m[2])
}

type messagesBlock struct {
	Type, Text, Thinking, Signature, Data, ID, Name string
	ToolUseID                                       string `json:"tool_use_id"`
	IsError                                         bool   `json:"is_error"`
	Input                                           map[string]any
	Content                                         []messagesBlock
	CacheControl                                    any `json:"cache_control"`
	Source                                          struct {
		Type, Data string
		MediaType  string `json:"media_type"`
	}
}

// checkMessages holds a body against what the SDK's MessageNewParams and its
// blocks document, and the API refuses otherwise:
//   - the user begins and ends, roles alternate, no message is empty;
//   - no text is blank;
//   - images are base64 of PNG, JPEG, GIF or WebP;
//   - ids and names of calls are words of at most 64 and 128 bytes, no id twice;
//   - the calls of an answer have their results, all of them, at the head of the
//     next message; results hold text and images, those of failures text alone;
//   - thinking is signed, redacted thinking has data;
//   - a budget is at least 1024 and below max_tokens, and the turn that goes on
//     then began with thinking;
//   - there are at most four cache breakpoints, none on thinking.
func checkMessages(t *testing.T, body []byte) {
	t.Helper()
	b := decoded[struct {
		MaxTokens int `json:"max_tokens"`
		Thinking  struct {
			Type         string
			BudgetTokens int `json:"budget_tokens"`
		}
		Messages []struct {
			Role    string
			Content []messagesBlock
		}
	}](t, body)
	if bytes.Count(body, []byte(`"cache_control"`)) > 4 {
		t.Error("more than four cache breakpoints")
	}
	if len(b.Messages)%2 != 1 {
		t.Errorf("%d messages: the last isn't the user's", len(b.Messages))
	}
	seen := map[string]bool{}
	var open []string
	began := ""
	for i, m := range b.Messages {
		if m.Role != []string{"user", "assistant"}[i%2] || len(m.Content) == 0 {
			t.Fatalf("message %d is of %s and has %d blocks", i, m.Role, len(m.Content))
		}
		if m.Role == "user" && m.Content[0].Type != "tool_result" {
			began = ""
		}
		if m.Role == "assistant" && began == "" {
			began = m.Content[0].Type
		}
		var results, calls []string
		for j, c := range m.Content {
			checkMessagesBlock(t, m.Role, c)
			switch c.Type {
			case "tool_use":
				if seen[c.ID] {
					t.Errorf("two calls are %s", c.ID)
				}
				seen[c.ID] = true
				calls = append(calls, c.ID)
			case "tool_result":
				if results = append(results, c.ToolUseID); len(results) != j+1 {
					t.Errorf("message %d: a result after something else", i)
				}
			}
		}
		if slices.Sort(open); !slices.Equal(open, slices.Sorted(slices.Values(results))) {
			t.Errorf("message %d: calls %v, results %v", i, open, results)
		}
		open = calls
	}
	if b.Thinking.Type != "enabled" {
		return
	}
	if b.Thinking.BudgetTokens < 1024 || b.Thinking.BudgetTokens >= b.MaxTokens {
		t.Errorf("a budget of %d for %d", b.Thinking.BudgetTokens, b.MaxTokens)
	}
	if began != "" && !strings.HasSuffix(began, "thinking") {
		t.Errorf("a turn that began with %s is to go on with thinking", began)
	}
}

func checkMessagesBlock(t *testing.T, role string, c messagesBlock) {
	t.Helper()
	ok := false
	switch c.Type {
	case "text":
		ok = !blank(c.Text)
	case "image":
		ok = role == "user" && c.Source.Type == "base64" && isBase64(c.Source.Data) &&
			slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, c.Source.MediaType)
	case "thinking":
		ok = role == "assistant" && c.Signature != "" && c.CacheControl == nil
	case "redacted_thinking":
		ok = role == "assistant" && c.Data != "" && c.CacheControl == nil
	case "tool_use":
		ok = role == "assistant" && word64.MatchString(c.ID) && word128.MatchString(c.Name) && c.Input != nil
	case "tool_result":
		ok = role == "user" && word64.MatchString(c.ToolUseID) && len(c.Content) > 0
		for _, inner := range c.Content {
			checkMessagesBlock(t, role, inner)
			ok = ok && (inner.Type == "text" || inner.Type == "image" && !c.IsError)
		}
	}
	if !ok {
		t.Errorf("a block of %s that the API refuses: %+v", role, c)
	}
}

// checkChat holds a body against what the SDK's ChatCompletionNewParams and its
// messages document, and the API refuses otherwise:
//   - one system or developer message, the first; the last isn't the model's;
//   - texts aren't blank, an answer has text or calls;
//   - ids of calls are at most 40 bytes, names words of at most 64, arguments a
//     JSON object's text, no id twice;
//   - right after an answer with calls comes one tool message for each, and
//     nowhere else;
//   - images are data URLs of PNG, JPEG, GIF or WebP in user messages alone.
func checkChat(t *testing.T, body []byte) {
	t.Helper()
	b := decoded[struct {
		Messages []struct {
			Role       string
			Content    json.RawMessage
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}](t, body)
	seen := map[string]bool{}
	var open []string
	for i, m := range b.Messages {
		system := m.Role == "system" || m.Role == "developer"
		if system != (i == 0) {
			t.Errorf("message %d is of %s", i, m.Role)
		}
		if m.Role == "tool" {
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				t.Errorf("message %d: a result of %s; open are %v", i, m.ToolCallID, open)
				continue
			}
			open = slices.Delete(open, at, at+1)
		} else if len(open) > 0 {
			t.Errorf("message %d of %s comes before the results of %v", i, m.Role, open)
		}
		checkChatContent(t, m.Role, m.Content, len(m.ToolCalls) > 0)
		for _, c := range m.ToolCalls {
			if m.Role != "assistant" || c.Type != "function" || !word40.MatchString(c.ID) || seen[c.ID] || !word64.MatchString(c.Function.Name) || !isObject(c.Function.Arguments) {
				t.Errorf("message %d: a call that the API refuses: %+v", i, c)
			}
			seen[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if last := b.Messages[len(b.Messages)-1].Role; last == "assistant" || len(open) > 0 {
		t.Errorf("the last message is of %s, open are %v", last, open)
	}
}

func checkChatContent(t *testing.T, role string, raw json.RawMessage, calls bool) {
	t.Helper()
	var text string
	var parts []struct {
		Type, Text string
		ImageURL   struct{ URL string } `json:"image_url"`
	}
	switch {
	case len(raw) == 0:
		if !calls {
			t.Errorf("%s says nothing", role)
		}
	case json.Unmarshal(raw, &text) == nil:
		if blank(text) {
			t.Errorf("%s says %q", role, text)
		}
	case json.Unmarshal(raw, &parts) != nil || len(parts) == 0:
		t.Errorf("%s has the content %s", role, raw)
	}
	for _, p := range parts {
		if ok := p.Type == "text" && !blank(p.Text) || p.Type == "image_url" && role == "user" && isDataURL(p.ImageURL.URL); !ok {
			t.Errorf("a part of %s that the API refuses: %+v", role, p)
		}
	}
}

type responsesItem struct {
	Type, Role, ID, Name, Arguments, Status string
	CallID                                  string  `json:"call_id"`
	EncryptedContent                        *string `json:"encrypted_content"`
	Summary                                 []any
	Content, Output                         json.RawMessage
}

// checkResponses holds a body against what the SDK's ResponseNewParams and its
// items document, and the API refuses otherwise:
//   - nothing is stored, so reasoning is asked for and returned encrypted;
//   - messages of the user hold text and images, the model's text; none is blank;
//   - call ids are at most 64 bytes, names words of at most 64, arguments a JSON
//     object's text, no id twice, item ids begin with fc_, msg_ and rs_;
//   - each call has one output, after it and before anybody speaks;
//   - reasoning has a summary, if an empty one, and the model's own item after it;
//   - the last item isn't the model's.
func checkResponses(t *testing.T, body []byte) {
	t.Helper()
	b := decoded[struct {
		Store   *bool
		Include []string
		Input   []responsesItem
	}](t, body)
	if b.Store == nil || *b.Store || !slices.Contains(b.Include, "reasoning.encrypted_content") {
		t.Errorf("store %v, include %v", b.Store, b.Include)
	}
	seen := map[string]bool{}
	var open []string
	for i, item := range b.Input {
		said := item.Type == "" || item.Type == "message"
		if len(open) > 0 && said && item.Role == "user" {
			t.Errorf("item %d: the user speaks before the outputs of %v", i, open)
		}
		ok := false
		switch {
		case said && item.Role == "assistant":
			ok = checkResponsesContent(item.Content, "output_text") && (item.ID == "" || strings.HasPrefix(item.ID, "msg_"))
		case said && item.Role == "user":
			ok = checkResponsesContent(item.Content, "input_text", "input_image")
		case item.Type == "function_call":
			ok = word64.MatchString(item.CallID) && !seen[item.CallID] && word64.MatchString(item.Name) && isObject(item.Arguments) &&
				(item.ID == "" || strings.HasPrefix(item.ID, "fc_"))
			seen[item.CallID] = true
			open = append(open, item.CallID)
		case item.Type == "function_call_output":
			at := slices.Index(open, item.CallID)
			ok = at >= 0 && checkResponsesContent(item.Output, "input_text", "input_image")
			if at >= 0 {
				open = slices.Delete(open, at, at+1)
			}
		case item.Type == "reasoning":
			next := responsesItem{}
			if i+1 < len(b.Input) {
				next = b.Input[i+1]
			}
			ok = strings.HasPrefix(item.ID, "rs_") && item.EncryptedContent != nil && *item.EncryptedContent != "" && item.Summary != nil &&
				(next.Role == "assistant" || next.Type == "function_call" || next.Type == "reasoning")
		}
		if !ok {
			t.Errorf("item %d is one that the API refuses: %+v %s %s", i, item, item.Content, item.Output)
		}
	}
	if last := b.Input[len(b.Input)-1]; len(open) > 0 || last.Role != "user" && last.Type != "function_call_output" {
		t.Errorf("the last item is %+v, open are %v", last, open)
	}
}

func checkResponsesContent(raw json.RawMessage, types ...string) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return !blank(text)
	}
	var parts []struct {
		Type, Text string
		ImageURL   string `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return false
	}
	for _, p := range parts {
		ok := !blank(p.Text)
		if p.Type == "input_image" {
			ok = isDataURL(p.ImageURL)
		}
		if !ok || !slices.Contains(types, p.Type) {
			return false
		}
	}
	return true
}

type geminiPart struct {
	Text             string
	Thought          bool
	ThoughtSignature string
	InlineData       *geminiBlob
	FunctionCall     *struct {
		ID, Name string
		Args     map[string]any
	}
	FunctionResponse *struct {
		ID, Name string
		Response map[string]any
		Parts    []struct{ InlineData *geminiBlob }
	}
}

type geminiBlob struct{ MimeType, Data string }

func (b *geminiBlob) valid() bool {
	return isBase64(b.Data) && slices.Contains([]string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}, b.MimeType)
}

var geminiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)

// checkGemini holds a body against what the SDK's Content, Part and their
// functions document, and the API refuses otherwise:
//   - the user begins and ends, and the model never speaks twice in a row: calls
//     come right after the user or results;
//   - a part holds one thing, text isn't blank, images are base64 of a documented
//     type;
//   - after a turn with calls comes one with as many responses, of the same ids
//     and names in the same order, and nothing else; nowhere else are responses;
//   - names begin with a letter or underscore and have at most 128 bytes;
//   - signatures are base64, and a model that insists on them finds one on the
//     first call of each turn.
func checkGemini(t *testing.T, body []byte) {
	t.Helper()
	b := decoded[struct {
		Contents []struct {
			Role  string
			Parts []geminiPart
		}
	}](t, body)
	type named struct{ id, name string }
	var open []named
	role := "model"
	for i, c := range b.Contents {
		if c.Role != "user" && c.Role != "model" || c.Role == "model" && role == "model" || len(c.Parts) == 0 {
			t.Errorf("content %d is of %s after %s and has %d parts", i, c.Role, role, len(c.Parts))
		}
		role = c.Role
		var calls, responses []named
		for _, p := range c.Parts {
			checkGeminiPart(t, c.Role, p)
			if p.FunctionCall != nil {
				if len(calls) == 0 && p.ThoughtSignature == "" {
					t.Errorf("content %d: the first call isn't signed", i)
				}
				calls = append(calls, named{p.FunctionCall.ID, p.FunctionCall.Name})
			}
			if p.FunctionResponse != nil {
				responses = append(responses, named{p.FunctionResponse.ID, p.FunctionResponse.Name})
			}
		}
		if !slices.Equal(open, responses) || len(responses) > 0 && len(responses) != len(c.Parts) {
			t.Errorf("content %d of %d parts: calls %v, responses %v", i, len(c.Parts), open, responses)
		}
		open = calls
	}
	if role != "user" || len(open) > 0 {
		t.Errorf("the last content is of %s", role)
	}
}

func checkGeminiPart(t *testing.T, role string, p geminiPart) {
	t.Helper()
	things, ok := 0, p.ThoughtSignature == "" || isBase64(p.ThoughtSignature) && role == "model"
	if p.Text != "" {
		things++
		ok = ok && !blank(p.Text) && (!p.Thought || role == "model")
	}
	if p.InlineData != nil {
		things++
		ok = ok && p.InlineData.valid()
	}
	if c := p.FunctionCall; c != nil {
		things++
		ok = ok && role == "model" && geminiName.MatchString(c.Name) && c.ID != ""
	}
	if r := p.FunctionResponse; r != nil {
		things++
		ok = ok && role == "user" && geminiName.MatchString(r.Name) && len(r.Response) == 1
		for _, part := range r.Parts {
			ok = ok && part.InlineData != nil && part.InlineData.valid()
		}
	}
	if things != 1 || !ok {
		t.Errorf("a part of %s that the API refuses: %+v", role, p)
	}
}
