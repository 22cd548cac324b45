package js

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// recorder is a session that notes what an extension asks of it.
type recorder struct {
	key     string
	exec    func(ext.Exec) (ext.ExecResult, error)
	answer  func(context.Context, event.Question) (event.Answer, bool)
	view    event.View
	entries []json.RawMessage
	leaf    string
	doc     ext.Document
	flags   map[string]any

	mu   sync.Mutex
	said []string
	news chan string // every line of said too
}

func newRecorder() *recorder {
	return &recorder{
		key: "session", news: make(chan string, 10_000),
		doc:  ext.Document{ID: "s1", File: "/s/s1.jsonl", Dir: "/s", Cwd: "/work", Name: "first"},
		view: event.View{Model: event.Model{Provider: "p", ID: "m", Name: "M", ContextWindow: 1000, Images: true}, Thinking: "low", Usage: event.UsageChanged{ContextTokens: 250, ContextWindow: 1000}},
	}
}

func (r *recorder) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	r.mu.Lock()
	r.said = append(r.said, line)
	r.mu.Unlock()
	select {
	case r.news <- line:
	default:
	}
}

func (r *recorder) lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.said...)
}

// await waits until a line that begins with a text was noted.
func (r *recorder) await(t testing.TB, prefix string) string {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case line := <-r.news:
			if strings.HasPrefix(line, prefix) {
				return line
			}
		case <-late:
			t.Fatalf("nothing begins with %q in %q", prefix, r.lines())
		}
	}
}

func (r *recorder) SessionKey() string { return r.key }
func (r *recorder) Exec(_ context.Context, c ext.Exec) (ext.ExecResult, error) {
	r.note("exec %s %s in %q", c.Name, strings.Join(c.Args, " "), c.Dir)
	if r.exec != nil {
		return r.exec(c)
	}
	return ext.ExecResult{Stdout: "out", Code: 0}, nil
}
func (r *recorder) Flag(name string) any { return r.flags[name] }
func (r *recorder) Changed()             { r.note("changed") }
func (r *recorder) Failed(point string, err error) {
	r.note("failed %s: %v", point, err)
}
func (r *recorder) Send(_ context.Context, content []message.Block, delivery string) error {
	r.note("send %q %s", message.Text(content), delivery)
	return nil
}
func (r *recorder) SendMessage(_ context.Context, m ext.CustomMessage) error {
	r.note("message %s %q display=%v trigger=%v %s %s", m.Type, message.Text(m.Content), m.Display, m.Trigger, m.Delivery, m.Details)
	return nil
}
func (r *recorder) AppendEntry(_ context.Context, customType string, data json.RawMessage) (string, error) {
	r.note("entry %s %s", customType, data)
	return "e1", nil
}
func (r *recorder) SetLabel(_ context.Context, id string, label *string) error {
	r.note("label %s %q", id, text(label))
	return nil
}
func (r *recorder) HasUI() bool { return true }
func (r *recorder) Ask(ctx context.Context, q event.Question) (event.Answer, bool) {
	r.note("ask %s %q %q %v call=%s", q.Kind, q.Title, q.Message, q.Options, q.CallID)
	if r.answer != nil {
		return r.answer(ctx, q)
	}
	return event.Answer{}, false
}
func (r *recorder) Notify(_ context.Context, level, text string) { r.note("notify %s %q", level, text) }
func (r *recorder) SetStatus(_ context.Context, key string, s *string) {
	r.note("status %s %q", key, text(s))
}
func (r *recorder) SetWidget(_ context.Context, key string, lines []string, placement string) {
	r.note("widget %s %q %s", key, lines, placement)
}
func (r *recorder) SetTitle(_ context.Context, title string)     { r.note("title %q", title) }
func (r *recorder) SetEditorText(_ context.Context, text string) { r.note("editor %q", text) }
func (r *recorder) SetModel(_ context.Context, provider, id string) (bool, error) {
	r.note("model %s/%s", provider, id)
	return id != "none", nil
}
func (r *recorder) SetThinking(_ context.Context, level string) error {
	r.note("thinking %s", level)
	return nil
}
func (r *recorder) Rename(_ context.Context, name string) error {
	r.note("rename %s", name)
	return nil
}
func (r *recorder) SetActiveTools(_ context.Context, names []string) error {
	r.note("tools %v", names)
	return nil
}
func (r *recorder) View(context.Context) (event.View, error) { return r.view, nil }
func (r *recorder) Entries(context.Context) ([]json.RawMessage, string, error) {
	return r.entries, r.leaf, nil
}
func (r *recorder) Document(context.Context) (ext.Document, error) { return r.doc, nil }
func (r *recorder) SystemPrompt() string                           { return "be good" }
func (r *recorder) AllTools() []tool.Spec {
	return []tool.Spec{{Name: "read", Description: "reads"}, {Name: "bash", Description: "runs"}}
}
func (r *recorder) ActiveTools() []string { return []string{"read"} }
func (r *recorder) Commands(context.Context) []ext.CommandInfo {
	return []ext.CommandInfo{{Name: "model", Source: "builtin"}, {Name: "fix", Source: "prompt", Path: "/p/fix.md"}}
}
func (r *recorder) Models() []event.Model { return []event.Model{r.view.Model} }

// control notes a call of a method that may replace or stop something.
func (r *recorder) control(ctx context.Context, method string) (bool, error) {
	inside := ext.Inside(ctx)
	r.note("%s inside=%v", method, inside)
	if inside && method == "settled" {
		return false, fmt.Errorf("settled from inside a hook")
	}
	return false, nil
}
func (r *recorder) Abort(ctx context.Context) error { _, err := r.control(ctx, "abort"); return err }
func (r *recorder) Settled(ctx context.Context) error {
	_, err := r.control(ctx, "settled")
	return err
}
func (r *recorder) Compact(ctx context.Context, instructions string) error {
	_, err := r.control(ctx, "compact "+instructions)
	return err
}
func (r *recorder) NewDocument(ctx context.Context, parent string) (bool, error) {
	return r.control(ctx, "new "+parent)
}
func (r *recorder) Switch(ctx context.Context, path string) (bool, error) {
	return r.control(ctx, "switch "+path)
}
func (r *recorder) Branch(ctx context.Context, id string) (bool, error) {
	return r.control(ctx, "branch "+id)
}
func (r *recorder) MoveTo(ctx context.Context, id string, summarize bool, instructions string) (bool, error) {
	return r.control(ctx, fmt.Sprintf("move %s %v %s", id, summarize, instructions))
}
func (r *recorder) Reload(ctx context.Context) error { _, err := r.control(ctx, "reload"); return err }
func (r *recorder) Shutdown(context.Context)         { r.note("shutdown") }
