package engine

import (
	"context"
	"slices"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// SetModel chooses the model of the next request by pattern; a thinking level
// may follow as ":level".
func (s *Session) SetModel(ctx context.Context, pattern string) (llm.Model, error) {
	m, level, err := s.engine.findModel(pattern)
	if err != nil {
		return llm.Model{}, err
	}
	return do(ctx, s, func() (llm.Model, error) {
		if err := s.choose(m); err != nil {
			return llm.Model{}, err
		}
		if level != "" {
			s.setThinking(level)
		}
		return m, nil
	})
}

// SetModelExact chooses the model of the next request by its exact name. One
// that isn't known may be a local server's, which is asked first, 300 ms at
// most. It is a *ModelNotFoundError or a *NoKeyError when that is the reason
// against it.
func (s *Session) SetModelExact(ctx context.Context, provider, id string) (llm.Model, error) {
	m, err := s.engine.exactModel(provider, id)
	if err != nil {
		return llm.Model{}, err
	}
	return do(ctx, s, func() (llm.Model, error) { return m, s.choose(m) })
}

// CycleModel goes to the next model of those enabled in the settings, or of
// all. ok is false when there is no other.
func (s *Session) CycleModel(ctx context.Context) (m llm.Model, ok bool, err error) {
	models := s.engine.enabled(s.scope())
	m, err = do(ctx, s, func() (llm.Model, error) {
		at := slices.IndexFunc(models, func(m llm.Model) bool { return m.Ref() == s.model.Ref() })
		if len(models) == 0 || (len(models) == 1 && at == 0) {
			return s.model, nil
		}
		ok = true
		next := models[(at+1)%len(models)]
		return next, s.choose(next)
	})
	return m, ok, err
}

// Scoped reports whether CycleModel goes through a list of the user's own.
func (s *Session) Scoped() bool { return len(s.scope()) > 0 }

// scope are the patterns of the models to cycle through.
func (s *Session) scope() []string {
	if len(s.opts.Models) > 0 {
		return s.opts.Models
	}
	return s.env.settings.EnabledModels
}

// choose switches to a model, stores the choice and tells of it.
func (s *Session) choose(m llm.Model) error {
	if err := s.use(m); err != nil {
		return err
	}
	s.append(session.Entry{Model: &session.ModelChange{Provider: m.Provider, ModelID: m.ID}})
	s.publish(event.ModelChanged{Model: modelEvent(m)})
	if level := m.Clamp(s.thinking); level != s.thinking {
		s.setThinking(level)
	}
	return nil
}

// use makes m the session's model.
func (s *Session) use(m llm.Model) error {
	if m.Ref() == s.model.Ref() && s.provider != nil {
		return nil
	}
	p, err := s.engine.provider(m, time.Duration(s.env.settings.Retry.IdleTimeoutMs)*time.Millisecond)
	if err != nil {
		return err
	}
	s.model, s.provider = m, p
	return nil
}

// Model is the model of the next request.
func (s *Session) Model(ctx context.Context) (llm.Model, error) {
	return do(ctx, s, func() (llm.Model, error) { return s.model, nil })
}

// SetThinking sets the thinking level, clamped to what the model supports.
func (s *Session) SetThinking(ctx context.Context, level llm.Level) (llm.Level, error) {
	return do(ctx, s, func() (llm.Level, error) { return s.setThinking(level), nil })
}

func (s *Session) setThinking(level llm.Level) llm.Level {
	level = s.model.Clamp(level)
	if level != s.thinking {
		s.thinking = level
		s.append(session.Entry{Thinking: &session.ThinkingChange{Level: string(level)}})
		s.publish(event.ThinkingChanged{Level: string(level)})
	}
	return level
}

// CycleThinking goes to the next level. ok is false for a model without
// reasoning.
func (s *Session) CycleThinking(ctx context.Context) (level llm.Level, ok bool, err error) {
	level, err = do(ctx, s, func() (llm.Level, error) {
		levels := s.model.Supported()
		if len(levels) < 2 {
			return s.thinking, nil
		}
		ok = true
		for i, l := range levels {
			if l == s.thinking {
				return s.setThinking(levels[(i+1)%len(levels)]), nil
			}
		}
		return s.setThinking(levels[0]), nil
	})
	return level, ok, err
}

// SetMode sets the permission mode for this session: ask, edit, full or plan.
func (s *Session) SetMode(ctx context.Context, name string) error {
	mode, err := permission.ParseMode(name)
	if err != nil {
		return err
	}
	return s.set(ctx, func() error {
		if s.policy.setMode(mode) {
			s.env.forget() // the system prompt names the mode
			s.publish(event.ModeChanged{Mode: string(mode)})
		}
		return nil
	})
}

// SetAutoCompaction switches automatic compaction for this session.
func (s *Session) SetAutoCompaction(ctx context.Context, on bool) error {
	return s.set(ctx, func() error { s.auto.compaction = on; s.settingsChanged(); return nil })
}

// SetAutoRetry switches automatic retry for this session.
func (s *Session) SetAutoRetry(ctx context.Context, on bool) error {
	return s.set(ctx, func() error { s.auto.retry = on; s.settingsChanged(); return nil })
}

// settingsChanged tells the faces.
func (s *Session) settingsChanged() {
	s.publish(event.SettingsChanged{
		SteeringMode: s.modes.steering, FollowUpMode: s.modes.followUp, InterruptMode: s.modes.interrupt,
		AutoCompaction: s.auto.compaction, AutoRetry: s.auto.retry,
	})
}

// Stats counts what is in the context.
type Stats struct {
	SessionID, File, Name      string
	User, Assistant            int
	ToolCalls, ToolResults     int
	Messages                   int
	Usage                      message.Usage
	ContextTokens, ContextSize int // of the model's window; ContextTokens is an estimate
}

// Stats of the session.
func (s *Session) Stats(ctx context.Context) (Stats, error) {
	return do(ctx, s, func() (Stats, error) {
		u := s.usageEvent()
		st := Stats{
			SessionID: s.doc.ID(), File: s.doc.File(), Name: s.doc.Name(), Messages: len(s.messages),
			Usage: s.usage, ContextTokens: u.ContextTokens, ContextSize: u.ContextWindow,
		}
		for _, m := range s.messages {
			switch m.Role {
			case message.User:
				st.User++
			case message.Assistant:
				st.Assistant++
				st.ToolCalls += len(m.Calls())
			case message.ToolResult:
				st.ToolResults++
			}
		}
		return st, nil
	})
}

// Models lists the models that can be used, the guide last.
func (s *Session) Models() []llm.Model { return s.engine.Models() }

// Offers lists the models that search finds, those that can be used first.
func (s *Session) Offers(search string) []Offer { return s.engine.Offers(search) }

// Tools lists what the model can call.
func (s *Session) Tools() []llm.ToolSpec { return s.toolSpecs() }

// SystemPrompt is the system prompt of the next request.
func (s *Session) SystemPrompt() string { return s.env.system() }
