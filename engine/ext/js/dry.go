package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Dry is a session that isn't one: an extension can be loaded into it to learn
// what it registers. It has a working directory and nothing else; what would do
// something is refused.
func Dry(cwd string) ext.Session { return &dry{cwd: cwd} }

type dry struct{ cwd string }

var errDry = errors.New("there is no session yet; do this in a handler of session_start")

func (d *dry) SessionKey() string                                       { return fmt.Sprintf("dry %p", d) }
func (*dry) Exec(context.Context, ext.Exec) (ext.ExecResult, error)     { return ext.ExecResult{}, errDry }
func (*dry) Flag(string) any                                            { return nil }
func (*dry) Changed()                                                   {}
func (*dry) Failed(string, error)                                       {}
func (*dry) Send(context.Context, []message.Block, string) error        { return errDry }
func (*dry) SendMessage(context.Context, ext.CustomMessage) error       { return errDry }
func (*dry) SetLabel(context.Context, string, *string) error            { return errDry }
func (*dry) HasUI() bool                                                { return false }
func (*dry) Notify(context.Context, string, string)                     {}
func (*dry) SetStatus(context.Context, string, *string)                 {}
func (*dry) SetWidget(context.Context, string, []string, string)        {}
func (*dry) SetTitle(context.Context, string)                           {}
func (*dry) SetEditorText(context.Context, string)                      {}
func (*dry) SetModel(context.Context, string, string) (bool, error)     { return false, errDry }
func (*dry) SetThinking(context.Context, string) error                  { return errDry }
func (*dry) Rename(context.Context, string) error                       { return errDry }
func (*dry) SetActiveTools(context.Context, []string) error             { return errDry }
func (*dry) View(context.Context) (event.View, error)                   { return event.View{}, nil }
func (*dry) Entries(context.Context) ([]json.RawMessage, string, error) { return nil, "", nil }
func (d *dry) Document(context.Context) (ext.Document, error)           { return ext.Document{Cwd: d.cwd}, nil }
func (*dry) SystemPrompt() string                                       { return "" }
func (*dry) AllTools() []tool.Spec                                      { return nil }
func (*dry) ActiveTools() []string                                      { return nil }
func (*dry) Commands(context.Context) []ext.CommandInfo                 { return nil }
func (*dry) Models() []event.Model                                      { return nil }
func (*dry) Abort(context.Context) error                                { return errDry }
func (*dry) Settled(context.Context) error                              { return errDry }
func (*dry) Compact(context.Context, string) error                      { return errDry }
func (*dry) NewDocument(context.Context, string) (bool, error)          { return false, errDry }
func (*dry) Switch(context.Context, string) (bool, error)               { return false, errDry }
func (*dry) Branch(context.Context, string) (bool, error)               { return false, errDry }
func (*dry) MoveTo(context.Context, string, bool, string) (bool, error) { return false, errDry }
func (*dry) Reload(context.Context) error                               { return errDry }
func (*dry) Shutdown(context.Context)                                   {}
func (*dry) Ask(context.Context, event.Question) (event.Answer, bool)   { return event.Answer{}, false }
func (*dry) AppendEntry(context.Context, string, json.RawMessage) (string, error) {
	return "", errDry
}
