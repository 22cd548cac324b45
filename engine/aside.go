package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// asideNote goes before a side question.
const asideNote = "A question on the side: answer it briefly from what you know by now. You have no tools for it, and neither the question nor your answer will be part of the conversation.\n\n"

// Aside asks the model something about the conversation as it stands, beside
// what is going on. Question and answer stay out of the context and the
// session's file; what they cost is counted.
func (s *Session) Aside(ctx context.Context, question string) (answer string, err error) {
	if strings.TrimSpace(question) == "" {
		return "", errors.New("ask something: /btw question")
	}
	history, err := do(ctx, s, func() ([]message.Message, error) {
		if err := s.engine.usable(s.model); err != nil {
			return nil, err
		}
		return s.messages[:len(s.messages):len(s.messages)], nil
	})
	if err != nil {
		return "", err
	}
	asked := append(answered(history), message.Message{Role: message.User, Content: []message.Block{message.TextOf(asideNote + question)}})
	provider, req, err := s.request(ctx, asked, "")
	if err != nil {
		return "", err
	}
	req.Tools = nil
	m, err := answerOf(ctx, provider, req)
	if err != nil {
		return "", err
	}
	s.in.do(func() {
		s.usage = s.usage.Add(m.Usage)
		s.limits.bill(m.Usage)
		s.publish(s.usageEvent())
	})
	return m.Text(), nil
}

// answered leaves out the tail of a turn in progress: calls without results
// make no valid request.
func answered(history []message.Message) []message.Message {
	open := map[string]bool{}
	end := len(history)
	for i := len(history) - 1; i >= 0; i-- {
		m := history[i]
		if m.Role == message.ToolResult {
			open[m.ToolCallID] = true
		}
		if m.Role != message.Assistant {
			continue
		}
		for _, b := range m.Calls() {
			if !open[b.ID] {
				end = i
			}
		}
		break
	}
	return history[:end:end]
}

// answerOf makes one request and returns the answer.
func answerOf(ctx context.Context, p llm.Provider, req llm.Request) (m message.Message, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the %s provider panicked: %v", req.Model.Provider, v)
		}
	}()
	for part := range p.Stream(ctx, req) {
		if fin, ok := part.(llm.Finished); ok {
			return fin.Message, fin.Err
		}
	}
	return m, errors.New("the provider's stream ended without a result")
}
