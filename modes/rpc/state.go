package rpc

import (
	"context"
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// state is what get_state answers.
type state struct {
	Model                 *llm.Model          `json:"model,omitempty"`
	ThinkingLevel         string              `json:"thinkingLevel,omitempty"`
	IsStreaming           bool                `json:"isStreaming"`
	IsCompacting          bool                `json:"isCompacting"`
	SteeringMode          string              `json:"steeringMode"`
	FollowUpMode          string              `json:"followUpMode"`
	InterruptMode         string              `json:"interruptMode"`
	SessionFile           string              `json:"sessionFile,omitempty"`
	SessionID             string              `json:"sessionId"`
	SessionName           string              `json:"sessionName,omitempty"`
	AutoCompactionEnabled bool                `json:"autoCompactionEnabled"`
	MessageCount          int                 `json:"messageCount"`
	QueuedMessageCount    int                 `json:"queuedMessageCount"`
	PendingMessageCount   int                 `json:"pendingMessageCount"`
	TodoPhases            []message.TodoPhase `json:"todoPhases"`
	SystemPrompt          string              `json:"systemPrompt,omitempty"`
	DumpTools             []toolRow           `json:"dumpTools"`
	ContextUsage          *contextUsage       `json:"contextUsage,omitempty"`
}

type toolRow struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// contextUsage has null for what isn't known, right after a compaction.
type contextUsage struct {
	Tokens        *int     `json:"tokens"`
	ContextWindow int      `json:"contextWindow"`
	Percent       *float64 `json:"percent"`
}

func usageOf(tokens, window int) *contextUsage {
	if window <= 0 {
		return nil
	}
	u := &contextUsage{ContextWindow: window}
	if tokens >= 0 {
		percent := 100 * float64(tokens) / float64(window)
		u.Tokens, u.Percent = &tokens, &percent
	}
	return u
}

func (s *server) getState(ctx context.Context, _ request) (any, error) {
	v, err := s.o.Session.View(ctx)
	if err != nil {
		return nil, err
	}
	st := state{
		ThinkingLevel: v.Thinking, IsStreaming: v.Busy, IsCompacting: v.State == string(engine.Compacting),
		SteeringMode: v.SteeringMode, FollowUpMode: v.FollowUpMode, InterruptMode: v.InterruptMode,
		SessionFile: v.File, SessionID: v.SessionID, SessionName: v.Name, AutoCompactionEnabled: v.AutoCompaction,
		MessageCount: len(v.Messages), QueuedMessageCount: len(v.Queue), PendingMessageCount: len(v.Queue),
		TodoPhases: listed(v.Todos), SystemPrompt: s.o.Session.SystemPrompt(), DumpTools: []toolRow{},
		ContextUsage: usageOf(v.Usage.ContextTokens, v.Usage.ContextWindow),
	}
	if m, err := s.o.Session.Model(ctx); err == nil {
		st.Model = &m
	}
	for _, t := range s.o.Session.Tools() {
		st.DumpTools = append(st.DumpTools, toolRow{t.Name, t.Description, t.Parameters})
	}
	return st, nil
}

func (s *server) getMessages(ctx context.Context, _ request) (any, error) {
	v, err := s.o.Session.View(ctx)
	return struct {
		Messages []message.Message `json:"messages"`
	}{wireMessages(v.Messages)}, err
}

func (s *server) getLastAssistantText(ctx context.Context, _ request) (any, error) {
	v, err := s.o.Session.View(ctx)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Text *string `json:"text"`
	}
	for i := len(v.Messages) - 1; i >= 0; i-- {
		if m := v.Messages[i]; m.Role == message.Assistant {
			if text := m.Text(); text != "" {
				answer.Text = &text
				break
			}
		}
	}
	return answer, nil
}

type stats struct {
	SessionFile       string        `json:"sessionFile,omitempty"`
	SessionID         string        `json:"sessionId"`
	UserMessages      int           `json:"userMessages"`
	AssistantMessages int           `json:"assistantMessages"`
	ToolCalls         int           `json:"toolCalls"`
	ToolResults       int           `json:"toolResults"`
	TotalMessages     int           `json:"totalMessages"`
	Tokens            tokens        `json:"tokens"`
	Cost              float64       `json:"cost"`
	PremiumRequests   int           `json:"premiumRequests"`
	ContextUsage      *contextUsage `json:"contextUsage,omitempty"`
}

type tokens struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Total      int `json:"total"`
}

func (s *server) getSessionStats(ctx context.Context, _ request) (any, error) {
	t, err := s.o.Session.Stats(ctx)
	u := t.Usage
	return stats{
		SessionFile: t.File, SessionID: t.SessionID,
		UserMessages: t.User, AssistantMessages: t.Assistant, ToolCalls: t.ToolCalls, ToolResults: t.ToolResults, TotalMessages: t.Messages,
		Tokens: tokens{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Input + u.Output + u.CacheRead + u.CacheWrite},
		Cost:   u.Cost.Total, ContextUsage: usageOf(t.ContextTokens, t.ContextSize),
	}, err
}

// wireMessage is a message in the enums of the family, which knows no refusal.
func wireMessage(m message.Message) message.Message {
	if m.Role == message.Developer {
		m.Synthetic = false // the role says so
	}
	if m.Role != message.Assistant {
		return m
	}
	switch m.StopReason {
	case "":
		m.StopReason = message.Stop
	case message.Refusal:
		m.StopReason = message.Error
		if m.ErrorMessage == "" {
			m.ErrorMessage = "The provider refused to answer"
		}
	}
	return m
}

func wireMessages(list []message.Message) []message.Message {
	out := make([]message.Message, len(list))
	for i, m := range list {
		out[i] = wireMessage(m)
	}
	return out
}
