package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// settings are what an editor can change of a session. Modes and the option
// "mode" are the same thing twice: clients know one or the other.
type settings struct {
	mode, thinking string
	model          event.Model
}

// The ids of the options.
const (
	modeOption     = "mode"
	modelOption    = "model"
	thinkingOption = "thinking"
)

// modes are those of permission, by how much they let happen.
func modes() []sessionMode {
	return []sessionMode{
		{string(permission.ModePlan), "Plan", "Reads and plans, changes nothing"},
		{string(permission.ModeAsk), "Ask", "Asks before edits and commands"},
		{string(permission.ModeEdit), "Edit", "Edits files unasked, asks before commands"},
		{string(permission.ModeFull), "Full", "Asks for nothing"},
	}
}

func (s settings) modes() modeState { return modeState{s.mode, modes()} }

// options are the whole list, by importance.
func (s settings) options(models []llm.Model) []configOption {
	mode := configOption{
		Type: "select", ID: modeOption, Name: "Mode", Category: "mode", CurrentValue: s.mode,
		Description: "What may happen without asking",
	}
	for _, m := range modes() {
		mode.Options = append(mode.Options, configValue{m.ID, m.Name, m.Description})
	}
	current := s.model.Provider + "/" + s.model.ID
	model := configOption{Type: "select", ID: modelOption, Name: "Model", Category: "model", CurrentValue: current}
	for _, m := range models {
		model.Options = append(model.Options, configValue{m.Ref(), name(m.Name, m.ID), m.Provider})
	}
	if !slices.ContainsFunc(model.Options, func(v configValue) bool { return v.Value == current }) {
		model.Options = append([]configValue{{current, name(s.model.Name, s.model.ID), s.model.Provider}}, model.Options...)
	}
	list := []configOption{mode, model}
	if len(s.model.Levels) > 1 {
		thinking := configOption{
			Type: "select", ID: thinkingOption, Name: "Thinking", Category: "thought_level", CurrentValue: s.thinking,
			Description: "How much the model thinks before it answers",
		}
		for _, level := range s.model.Levels {
			thinking.Options = append(thinking.Options, configValue{Value: level, Name: strings.ToUpper(level[:1]) + level[1:]})
		}
		if !slices.Contains(s.model.Levels, s.thinking) {
			thinking.Options = append(thinking.Options, configValue{Value: s.thinking, Name: s.thinking})
		}
		list = append(list, thinking)
	}
	return list
}

func name(name, id string) string {
	if name == "" {
		return id
	}
	return name
}

// settings are those of the moment, as far as the teller has told.
func (l *live) settings() settings {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *live) options() []configOption { return l.settings().options(l.server.agent.Engine.Known()) }

// changed follows a change of the settings, whoever made it, and tells the list
// of options: one can change another.
func (l *live) changed(e event.Event) {
	l.mu.Lock()
	switch e := e.(type) {
	case event.ModelChanged:
		l.now.model = e.Model
	case event.ThinkingChanged:
		l.now.thinking = e.Level
	case event.ModeChanged:
		l.now.mode = e.Mode
	}
	l.mu.Unlock()
	l.update(configUpdate{"config_option_update", l.options()})
}

// fresh are the options after a change, without waiting for the teller.
func (l *live) fresh(ctx context.Context) ([]configOption, error) {
	v, err := l.session.View(ctx)
	if err != nil {
		return nil, err
	}
	return settings{v.Mode, v.Thinking, v.Model}.options(l.server.agent.Engine.Known()), nil
}

func setMode(ctx context.Context, l *live, r *wire.Request) (any, error) {
	var p struct{ ModeID *string }
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	if p.ModeID == nil {
		return nil, invalid("%s: modeId is missing", r.Method)
	}
	return nil, l.setMode(ctx, *p.ModeID)
}

func (l *live) setMode(ctx context.Context, mode string) error {
	if !slices.ContainsFunc(modes(), func(m sessionMode) bool { return m.ID == mode }) {
		return invalid("there is no mode %q", mode)
	}
	if err := l.session.SetMode(ctx, mode); err != nil {
		return err
	}
	data, err := json.Marshal(modeNote{mode})
	if err != nil {
		return err
	}
	return l.session.Note(ctx, modeNoteType, data)
}

// A mode that the editor has set is the session's when it is opened again.
const modeNoteType = "hoopoe.mode"

type modeNote struct {
	Mode string `json:"mode"`
}

// restoreMode sets the mode that the editor has set last.
func (l *live) restoreMode(ctx context.Context) {
	entries, _, err := l.session.Entries(ctx)
	if err != nil {
		return
	}
	for _, e := range slices.Backward(entries) {
		var n modeNote
		if e.Custom == nil || e.Custom.CustomType != modeNoteType || json.Unmarshal(e.Custom.Data, &n) != nil {
			continue
		}
		if l.session.SetMode(ctx, n.Mode) == nil {
			l.mu.Lock()
			l.now.mode = n.Mode
			l.mu.Unlock()
		}
		return
	}
}

func setConfigOption(ctx context.Context, l *live, r *wire.Request) (any, error) {
	var p struct {
		ConfigID string
		Value    json.RawMessage
	}
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	var value string
	if json.Unmarshal(p.Value, &value) != nil {
		return nil, invalid("%s: the value of %q is one of its options", r.Method, p.ConfigID)
	}
	var err error
	switch p.ConfigID {
	case modeOption:
		err = l.setMode(ctx, value)
	case modelOption:
		err = l.setModel(ctx, value)
	case thinkingOption:
		err = l.setThinking(ctx, value)
	default:
		err = invalid("there is no option %q", p.ConfigID)
	}
	if err != nil {
		return nil, err
	}
	options, err := l.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return struct {
		ConfigOptions []configOption `json:"configOptions"`
	}{options}, nil
}

func (l *live) setModel(ctx context.Context, ref string) error {
	provider, id, ok := strings.Cut(ref, "/")
	if !ok {
		return invalid("a model is named provider/id, not %q", ref)
	}
	if _, err := l.session.SetModelExact(ctx, provider, id); err != nil {
		return failure(modelCode(err, len(l.server.authMethods(l.client)) > 0))
	}
	return nil
}

func (l *live) setThinking(ctx context.Context, name string) error {
	level, err := llm.ParseLevel(name)
	if err != nil {
		return invalid("%v", err)
	}
	_, err = l.session.SetThinking(ctx, level)
	return err
}

// setModel is what the protocol had before its options.
func setModel(ctx context.Context, l *live, r *wire.Request) (any, error) {
	var p struct{ ModelID string }
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	return nil, l.setModel(ctx, p.ModelID)
}

// setTitle names the session.
func setTitle(ctx context.Context, l *live, r *wire.Request) (any, error) {
	var p struct{ Title *string }
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	if p.Title == nil || strings.TrimSpace(*p.Title) == "" {
		return nil, invalid("%s: title is missing", r.Method)
	}
	if err := l.session.Rename(ctx, *p.Title); err != nil {
		return nil, err
	}
	v, err := l.session.View(ctx)
	return map[string]string{"title": v.Name}, err
}
