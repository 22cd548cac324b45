package engine

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/agent"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/rule"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// injectionType is the custom type of a message that tells the model of rules,
// injectionEntry the type of the entry that remembers their names.
const (
	injectionType  = "ttsr-injection"
	injectionEntry = session.Type("ttsr_injection")
)

// maxHits is how often one rule may stop or follow the answers to one prompt.
// A model that goes on to break it will not be helped by more.
const maxHits = 5

// watch holds the rules against what the model streams. While a run is going it
// belongs to the run's goroutine, else to the owner.
type watch struct {
	rules   []rule.Rule
	watcher *rule.Watcher
	// told are the rules of which the branch has told the model, as they are
	// known before there is a watcher.
	told []string
	// notes are matches of which the model is to be told.
	notes []rule.Match
	hits  map[string]int // by rule, in the prompt in progress
	emit  func(event.Event)
}

// load takes the rules as they are now and reports whether there is anything to
// watch for.
func (w *watch) load(rules []rule.Rule, settings rule.Settings) (ready bool, err error) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r rule.Rule) bool { return !r.Streams() })
	if w.watcher == nil || !reflect.DeepEqual(rules, w.rules) {
		told := w.told
		if w.watcher != nil {
			told = w.watcher.Injected()
		}
		w.rules = rules
		w.watcher, err = rule.NewWatcher(rules, settings)
		w.watcher.Restore(told)
	}
	return !w.watcher.Empty(), err
}

// restore takes over which rules the model was told of.
func (w *watch) restore(names []string) {
	w.told, w.notes = names, nil
	if w.watcher != nil {
		w.watcher.Restore(names)
	}
}

// begin opens a prompt. An answer that was cut off and stays, because the user
// stopped too, isn't begun again.
func (w *watch) begin() {
	w.hits = map[string]int{}
	for i := range w.notes {
		w.notes[i].Interrupt = false
	}
}

// Begin makes watch an agent.Watcher, with Delta and End.
func (w *watch) Begin() { w.watcher.Turn() }

func (w *watch) Delta(d event.MessageDelta) (cut bool) {
	switch d.Block {
	case message.TextBlock:
		return w.found(w.watcher.Text(d.Delta()))
	case message.ThinkingBlock:
		return w.found(w.watcher.Thinking(d.Delta()))
	case message.ToolCallBlock:
		return w.found(w.watcher.Tool(d.CallID, d.Name, d.Delta()))
	}
	return false
}

func (w *watch) End() (cut bool) { return w.found(w.watcher.End()) }

// found notes matches and reports whether they cut the answer off.
func (w *watch) found(matches []rule.Match) (cut bool) {
	var rules []event.Rule
	for _, m := range matches {
		if w.hits[m.Rule.Name] == maxHits {
			continue
		}
		w.hits[m.Rule.Name]++
		w.notes = append(w.notes, m)
		if m.Interrupt {
			rules = append(rules, ruleEvent(m.Rule))
		}
	}
	if rules != nil {
		w.emit(event.RuleTriggered{Rules: rules})
	}
	return rules != nil
}

// take is what the model is told, hidden from the user, or none.
func (w *watch) take() []message.Message {
	if len(w.notes) == 0 {
		return nil
	}
	var d injected
	for _, m := range w.notes {
		if !slices.Contains(d.Rules, m.Rule.Name) {
			d.Rules = append(d.Rules, m.Rule.Name)
		}
	}
	details, _ := json.Marshal(d) // strings always encode
	m := message.Message{
		Role: message.Custom, CustomType: injectionType, Attribution: "agent", Details: details,
		Content: []message.Block{message.TextOf(rule.Injection(w.notes))},
	}
	w.notes = nil
	return []message.Message{m}
}

// injected are the details of a message about rules.
type injected struct {
	Rules []string `json:"rules"`
}

// injectedRules is the entry that a branch is found to have told them by.
type injectedRules struct {
	Names []string `json:"injectedRules"`
}

func ruleEvent(r rule.Rule) event.Rule {
	name := r.Family
	if name != "" {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return event.Rule{
		Name: r.Name, Path: r.Path, Content: r.Content, Globs: r.Globs, AlwaysApply: r.Always, Description: r.Description,
		Condition: r.Conditions, Scope: r.Scopes, InterruptMode: string(r.Interrupt),
		Source: event.RuleSource{Provider: r.Family, ProviderName: name, Path: r.Path, Level: r.Source},
	}
}

// watcher is who watches the run that begins, on its goroutine; nil when there
// is nothing to watch for.
func (s *Session) watcher() agent.Watcher {
	t := s.env.settings.TTSR
	if !t.Enabled {
		return nil
	}
	ready, err := s.watch.load(s.env.rules(), rule.Settings{
		Interrupt: rule.Mode(t.InterruptMode), Repeat: t.RepeatMode, Gap: t.RepeatGap, Cwd: s.env.workspace.Cwd(),
	})
	if err != nil {
		s.notify("warning", err.Error())
	}
	if !ready {
		return nil
	}
	return &s.watch
}

// steer takes for the run what comes between two turns: first what is to be
// said about the answer before, then what the user has sent.
func (s *Session) steer(ctx context.Context) []message.Message {
	return append(s.watch.take(), s.poll(ctx, Steer)...)
}

// startOver goes on after an answer that rules have cut off. What it had begun
// leaves the context, but not the file, unless it is to be kept.
func (s *Session) startOver(out agent.Outcome) {
	if s.env.settings.TTSR.ContextMode != "keep" {
		s.removeFailed(out)
	}
	s.startRun(s.watch.take())
}

// rulesTold remembers of which rules a message in the branch tells the model.
func (s *Session) rulesTold(m message.Message) {
	var d injected
	if json.Unmarshal(m.Details, &d) != nil || len(d.Rules) == 0 {
		return
	}
	if raw, err := json.Marshal(injectedRules{d.Rules}); err == nil {
		s.append(session.Entry{Type: injectionEntry, Raw: raw})
	}
}

// restoreRules finds of which rules the branch has told the model.
func (s *Session) restoreRules() {
	var names []string
	for _, e := range s.doc.Branch(injectionEntry) {
		var d injectedRules
		if json.Unmarshal(e.Raw, &d) == nil {
			names = append(names, d.Names...)
		}
	}
	s.watch.restore(names)
}
