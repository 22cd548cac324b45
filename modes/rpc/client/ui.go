package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// UIRequest is what an extension shows, or asks of, the user; the agent's
// permission questions come as select. Events carry all of them, the UIHandler
// gets those with an answer: select, confirm, input and editor.
type UIRequest struct {
	ID     string `json:"id"`
	Method string `json:"method"`
	Title  string `json:"title"` // select, confirm, input, editor, setTitle
	// Message of confirm and notify.
	Message string   `json:"message"`
	Options []string `json:"options"` // select
	// Placeholder of input, Prefill of editor.
	Placeholder string `json:"placeholder"`
	Prefill     string `json:"prefill"`
	// TimeoutMS is when the agent goes on without an answer; 0 is never.
	TimeoutMS int64 `json:"timeout"`

	NotifyType string `json:"notifyType"` // info, warning or error
	StatusKey  string `json:"statusKey"`
	// StatusText and WidgetLines are nil to take the status or widget away.
	StatusText      *string  `json:"statusText"`
	WidgetKey       string   `json:"widgetKey"`
	WidgetLines     []string `json:"widgetLines"`
	WidgetPlacement string   `json:"widgetPlacement"` // aboveEditor or belowEditor
	Text            string   `json:"text"`            // set_editor_text
	URL             string   `json:"url"`             // open_url
	TargetID        string   `json:"targetId"`        // cancel
}

// UIResponse answers a dialog. Value is for select, input and editor; Confirmed
// for confirm; Cancelled counts before both.
type UIResponse struct {
	Value     string
	Confirmed bool
	Cancelled bool
}

// UIHandler answers dialogs, each in a goroutine of its own. ctx ends when the
// agent no longer waits: it took the dialog back, the time is up, or the client
// is closed. A panic cancels the dialog.
type UIHandler func(ctx context.Context, r UIRequest) UIResponse

// dialog has a request answered that wants it.
func (c *Client) dialog(line []byte) {
	var r UIRequest
	if err := json.Unmarshal(line, &r); err != nil {
		c.report(line, err)
		return
	}
	switch r.Method {
	case "notify", "setStatus", "setWidget", "setTitle", "set_editor_text", "open_url":
	case "cancel":
		c.cancel(line)
	case "select", "confirm", "input", "editor":
		if c.options.OnUI != nil {
			ctx, done := c.begin(r.ID)
			go func() {
				defer done()
				c.answerDialog(ctx, r, line)
			}()
			return
		}
		fallthrough
	default:
		// An agent must not wait for a dialog that this client can't show.
		_ = c.send(r.response(UIResponse{Cancelled: true}), nil)
	}
}

func (c *Client) answerDialog(ctx context.Context, r UIRequest, line []byte) {
	if r.TimeoutMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.TimeoutMS)*time.Millisecond)
		defer cancel()
	}
	answer := UIResponse{Cancelled: true}
	func() {
		defer func() {
			if p := recover(); p != nil {
				c.report(line, fmt.Errorf("the handler of the dialog panicked: %v", p))
			}
		}()
		answer = c.options.OnUI(ctx, r)
	}()
	if ctx.Err() == nil {
		_ = c.send(r.response(answer), nil) // fails only when nobody waits
	}
}

func (r UIRequest) response(a UIResponse) map[string]any {
	frame := map[string]any{"type": "extension_ui_response", "id": r.ID}
	switch {
	case a.Cancelled:
		frame["cancelled"] = true
	case r.Method == "confirm":
		frame["confirmed"] = a.Confirmed
	default:
		frame["value"] = a.Value
	}
	return frame
}
