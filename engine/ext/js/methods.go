package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// method is something that the JavaScript side asks of the session. What it
// answers goes back as JSON; nil is undefined.
type method func(in *instance, ctx context.Context, c *call, args json.RawMessage) (any, error)

// do is a method that reads its arguments into an A and answers nothing.
func do[A any](fn func(s ext.Session, ctx context.Context, a A) error) method {
	return func(in *instance, ctx context.Context, _ *call, args json.RawMessage) (any, error) {
		a, err := parse[A](args)
		if err != nil {
			return nil, err
		}
		return nil, fn(in.session, ctx, a)
	}
}

// ask is a method with arguments and an answer.
func ask[A any](fn func(s ext.Session, ctx context.Context, a A) (any, error)) method {
	return func(in *instance, ctx context.Context, _ *call, args json.RawMessage) (any, error) {
		a, err := parse[A](args)
		if err != nil {
			return nil, err
		}
		return fn(in.session, ctx, a)
	}
}

// read is a method without arguments.
func read(fn func(s ext.Session, ctx context.Context) (any, error)) method {
	return func(in *instance, ctx context.Context, _ *call, _ json.RawMessage) (any, error) {
		return fn(in.session, ctx)
	}
}

func parse[A any](args json.RawMessage) (a A, err error) {
	if args == nil {
		return a, nil
	}
	if err := json.Unmarshal(args, &a); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return a, fmt.Errorf("%s must not be a %s", wrong.Field, wrong.Value)
		}
		return a, fmt.Errorf("arguments: %w", err)
	}
	return a, nil
}

type (
	named struct{ Name string }
	shown struct {
		Key, Placement string
		Text, Level    *string
		Lines          []string
	}
	target struct {
		ID, Path, Instructions string
		Summarize              bool
		Label                  *string
	}
	said struct {
		Content  json.RawMessage
		Delivery string
		Trigger  bool
		Message  customMessage
		Type     string
		Data     json.RawMessage
	}
)

// instant are the methods that answer at once; they run in a turn of the loop.
var instant = map[string]method{
	"hasUI":        read(func(s ext.Session, _ context.Context) (any, error) { return s.HasUI(), nil }),
	"systemPrompt": read(func(s ext.Session, _ context.Context) (any, error) { return s.SystemPrompt(), nil }),
	"activeTools":  read(func(s ext.Session, _ context.Context) (any, error) { return listed(s.ActiveTools()), nil }),
	"shutdown":     read(func(s ext.Session, ctx context.Context) (any, error) { s.Shutdown(ctx); return nil, nil }),
	"flag":         ask(func(s ext.Session, _ context.Context, a named) (any, error) { return s.Flag(a.Name), nil }),
	"cwd":          func(in *instance, _ context.Context, _ *call, _ json.RawMessage) (any, error) { return in.cwd(), nil },
	"state":        read(state),
	"context":      read(modelContext),
	"document":     read(document),
	"entries":      read(entries),
	"models":       read(models),
	"allTools":     read(allTools),
	"commands":     read(commands),

	"notify": do(func(s ext.Session, ctx context.Context, a shown) error {
		s.Notify(ctx, level(text(a.Level)), text(a.Text))
		return nil
	}),
	"setStatus": do(func(s ext.Session, ctx context.Context, a shown) error { s.SetStatus(ctx, a.Key, a.Text); return nil }),
	"setWidget": do(func(s ext.Session, ctx context.Context, a shown) error {
		s.SetWidget(ctx, a.Key, a.Lines, a.Placement)
		return nil
	}),
	"setTitle": do(func(s ext.Session, ctx context.Context, a shown) error { s.SetTitle(ctx, text(a.Text)); return nil }),
	"setEditorText": do(func(s ext.Session, ctx context.Context, a shown) error {
		s.SetEditorText(ctx, text(a.Text))
		return nil
	}),

	"setThinking": do(func(s ext.Session, ctx context.Context, a shown) error { return s.SetThinking(ctx, text(a.Level)) }),
	"rename":      do(func(s ext.Session, ctx context.Context, a named) error { return s.Rename(ctx, a.Name) }),
	"setActiveTools": do(func(s ext.Session, ctx context.Context, a struct{ Names []string }) error {
		return s.SetActiveTools(ctx, a.Names)
	}),
	"setLabel": do(func(s ext.Session, ctx context.Context, a target) error { return s.SetLabel(ctx, a.ID, a.Label) }),

	"sendMessage": do(func(s ext.Session, ctx context.Context, a said) error {
		m, err := a.Message.decoded()
		if err != nil {
			return err
		}
		m.Trigger, m.Delivery = a.Trigger, a.Delivery
		return s.SendMessage(ctx, m)
	}),
	"sendUserMessage": do(func(s ext.Session, ctx context.Context, a said) error {
		content, err := decodeContent(a.Content)
		if err != nil {
			return err
		}
		return s.Send(ctx, content, a.Delivery)
	}),
	"appendEntry": do(func(s ext.Session, ctx context.Context, a said) error {
		_, err := s.AppendEntry(ctx, a.Type, a.Data)
		return err
	}),
}

// lasting are the methods that take their time; they run off the loop.
var lasting = map[string]method{
	"dialog": dialog,
	"exec":   execute,
	"setModel": ask(func(s ext.Session, ctx context.Context, a struct{ Provider, ID string }) (any, error) {
		return s.SetModel(ctx, a.Provider, a.ID)
	}),
	"compact": compact,
	"abort":   read(func(s ext.Session, ctx context.Context) (any, error) { return nil, s.Abort(ctx) }),
	"settled": read(func(s ext.Session, ctx context.Context) (any, error) { return nil, s.Settled(ctx) }),
	"reload":  read(func(s ext.Session, ctx context.Context) (any, error) { return nil, s.Reload(ctx) }),
	"newSession": ask(func(s ext.Session, ctx context.Context, a target) (any, error) {
		return cancelled(s.NewDocument(ctx, a.Path))
	}),
	"switchSession": ask(func(s ext.Session, ctx context.Context, a target) (any, error) {
		return cancelled(s.Switch(ctx, a.Path))
	}),
	"branch": ask(func(s ext.Session, ctx context.Context, a target) (any, error) { return cancelled(s.Branch(ctx, a.ID)) }),
	"navigateTree": ask(func(s ext.Session, ctx context.Context, a target) (any, error) {
		return cancelled(s.MoveTo(ctx, a.ID, a.Summarize, a.Instructions))
	}),
}

// putOff are those that a session carries out when the hook is over that they
// are called from.
var putOff = map[string]bool{
	"abort": true, "compact": true, "reload": true, "newSession": true, "switchSession": true, "branch": true, "navigateTree": true,
}

func cancelled(cancelled bool, err error) (any, error) {
	return map[string]bool{"cancelled": cancelled}, err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func level(s string) string {
	if s == "warning" || s == "error" {
		return s
	}
	return "info"
}

// listed keeps an empty list from becoming null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (in *instance) cwd() string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	d, err := in.session.Document(ctx)
	if err != nil {
		return ""
	}
	return d.Cwd
}

func dialog(in *instance, ctx context.Context, c *call, args json.RawMessage) (any, error) {
	a, err := parse[struct {
		Kind                                 event.QuestionKind
		Title, Message, Placeholder, Prefill string
		Options                              []string
		Timeout                              float64
	}](args)
	if err != nil {
		return nil, err
	}
	q := event.Question{
		Kind: a.Kind, CallID: c.tool, Title: a.Title, Message: a.Message, Options: a.Options, Placeholder: a.Placeholder, Prefill: a.Prefill,
		Timeout: milliseconds(a.Timeout),
	}
	if q.Kind == event.AskSelect && len(q.Options) == 0 {
		return nil, errors.New("select needs options")
	}
	got, answered := in.session.Ask(ctx, q)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return map[string]any{"answered": answered, "cancelled": got.Cancelled, "confirmed": got.Confirmed, "value": got.Value}, nil
}

func execute(in *instance, ctx context.Context, _ *call, args json.RawMessage) (any, error) {
	if !slices.Contains(in.of.granted, "exec") {
		return nil, errors.New(`exec needs the capability "exec": state it in the extension's header (// @capabilities exec) and allow it`)
	}
	a, err := parse[struct {
		Command, Cwd string
		Args         []string
		Env          map[string]string
		Input        *string
		Timeout      float64
	}](args)
	if err != nil {
		return nil, err
	}
	e := ext.Exec{Name: a.Command, Args: a.Args, Dir: a.Cwd, Timeout: milliseconds(a.Timeout)}
	for name, value := range a.Env {
		e.Env = append(e.Env, name+"="+value)
	}
	slices.Sort(e.Env)
	if a.Input != nil {
		e.Stdin = strings.NewReader(*a.Input)
	}
	r, err := in.session.Exec(ctx, e)
	if err != nil {
		return nil, err
	}
	return map[string]any{"stdout": r.Stdout, "stderr": r.Stderr, "code": r.Code, "killed": r.Killed}, nil
}

// milliseconds is a time out of JavaScript, none when it makes no sense.
func milliseconds(ms float64) time.Duration {
	const most = 24 * 60 * 60 * 1000
	if !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, most) * float64(time.Millisecond))
}

// compact answers what the compaction has made, unless it is only noted.
func compact(in *instance, ctx context.Context, _ *call, args json.RawMessage) (any, error) {
	a, err := parse[target](args)
	if err != nil {
		return nil, err
	}
	noted := ext.Inside(ctx)
	if err := in.session.Compact(ctx, a.Instructions); err != nil || noted {
		return nil, err
	}
	list, _, err := in.session.Entries(ctx)
	if err != nil {
		return nil, err
	}
	for _, raw := range slices.Backward(list) {
		var e struct {
			Type string `json:"type"`
			event.CompactionResult
		}
		if json.Unmarshal(raw, &e) == nil && e.Type == "compaction" {
			return e.CompactionResult, nil
		}
	}
	return nil, nil
}

// customMessage is a message of an extension's own, as it writes it.
type customMessage struct {
	CustomType string
	Content    json.RawMessage
	Display    bool
	Details    json.RawMessage
}

func (m customMessage) decoded() (ext.CustomMessage, error) {
	if m.CustomType == "" {
		return ext.CustomMessage{}, errors.New("the message has no customType")
	}
	content, err := decodeContent(m.Content)
	return ext.CustomMessage{Type: m.CustomType, Content: content, Display: m.Display, Details: m.Details}, err
}

// message is it as part of the conversation.
func (m customMessage) message(now time.Time) (message.Message, error) {
	c, err := m.decoded()
	return message.Message{
		Role: message.Custom, CustomType: c.Type, Content: c.Content, Display: c.Display, Details: c.Details, Timestamp: now.UnixMilli(),
	}, err
}
