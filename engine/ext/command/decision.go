package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// maxText bounds what a command gives the model or the user, in bytes.
const maxText = 32 << 10

// decision is what a command answers.
type decision struct {
	block, ask, stop, handled bool

	reason  string
	context string          // for the model
	plain   bool            // context is stdout that was no decision
	warning string          // for the user
	input   json.RawMessage // an object, nil keeps the call's
	text    *string
	system  string
	content *string
	isError *bool
	summary string
}

// answer is the decision's JSON.
type answer struct {
	Block          bool            `json:"block"`
	Cancel         bool            `json:"cancel"`
	Decision       string          `json:"decision"`
	Reason         string          `json:"reason"`
	StopReason     string          `json:"stopReason"`
	Continue       *bool           `json:"continue"`
	Context        string          `json:"context"`
	Message        string          `json:"message"`
	SystemMessage  string          `json:"systemMessage"`
	Input          json.RawMessage `json:"input"`
	UpdatedInput   json.RawMessage `json:"updatedInput"`
	Text           *string         `json:"text"`
	Handled        bool            `json:"handled"`
	Action         string          `json:"action"`
	SystemPrompt   string          `json:"systemPrompt"`
	Content        *string         `json:"content"`
	IsError        *bool           `json:"isError"`
	Summary        string          `json:"summary"`
	SuppressOutput bool            `json:"suppressOutput"`
	Specific       *struct {
		HookEventName      string          `json:"hookEventName"`
		PermissionDecision string          `json:"permissionDecision"`
		PermissionReason   string          `json:"permissionDecisionReason"`
		AdditionalContext  string          `json:"additionalContext"`
		UpdatedInput       json.RawMessage `json:"updatedInput"`
	} `json:"hookSpecificOutput"`
}

// parse reads what a command printed that ended well.
func parse(stdout string) (decision, error) {
	text := strings.TrimSpace(stdout)
	if !strings.HasPrefix(text, "{") {
		return decision{context: bounded(text), plain: true}, nil
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		return decision{}, fmt.Errorf("printed a decision that is no JSON: %w", err)
	}
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return decision{}, fmt.Errorf("printed a decision that can't be used: %w", err)
	}
	if len(keys) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(keys)), known) {
		return decision{}, errors.New(`printed an object that decides nothing; use "block", "reason", "context" and so on, or print no "{" first`)
	}
	return a.decide()
}

// known reports whether an answer has a field of that name.
func known(key string) bool {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[answer]()) {
		if f.Tag.Get("json") == key {
			return true
		}
	}
	return false
}

// decide brings the ways of saying one thing together. Of two that contradict
// each other the stricter counts.
func (a answer) decide() (decision, error) {
	d := decision{
		block: a.Block || a.Cancel, handled: a.Handled, warning: bounded(a.SystemMessage),
		reason: a.Reason, context: join(a.Context, a.Message),
		text: a.Text, system: a.SystemPrompt, content: a.Content, isError: a.IsError, summary: a.Summary,
	}
	verdicts, inputs := []string{a.Decision}, []json.RawMessage{a.Input, a.UpdatedInput}
	if s := a.Specific; s != nil {
		verdicts, inputs = append(verdicts, s.PermissionDecision), append(inputs, s.UpdatedInput)
		d.reason = first(d.reason, s.PermissionReason)
		d.context = join(d.context, s.AdditionalContext)
	}
	for _, v := range verdicts {
		switch v {
		case "", "approve", "allow":
		case "block", "deny":
			d.block = true
		case "ask":
			d.ask = true
		default:
			return decision{}, fmt.Errorf("decided %s; use approve, block or ask", brief(v))
		}
	}
	switch a.Action {
	case "", "continue", "transform":
	case "handled":
		d.handled = true
	default:
		return decision{}, fmt.Errorf("chose the action %s; use continue, transform or handled", brief(a.Action))
	}
	if a.Continue != nil && !*a.Continue {
		d.block, d.stop = true, true
		d.reason = first(a.StopReason, d.reason)
	}
	for _, in := range inputs {
		switch in = bytes.TrimSpace(in); {
		case len(in) == 0 || string(in) == "null":
		case in[0] != '{':
			return decision{}, errors.New("gave an input that is no object; give all arguments of the call")
		default:
			d.input = in
		}
	}
	d.reason, d.context = bounded(d.reason), bounded(d.context)
	return d, nil
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// bounded makes text valid UTF-8, trims it and cuts it at maxText.
func bounded(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "\n[cut: the hook gave more]"
}
