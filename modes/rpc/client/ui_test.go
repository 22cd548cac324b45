package client_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// the answer to each method; "" is none.
func TestUIRequests(t *testing.T) {
	answering := func(a client.UIResponse) client.UIHandler {
		return func(context.Context, client.UIRequest) client.UIResponse { return a }
	}
	yes := answering(client.UIResponse{Value: "v", Confirmed: true})
	tests := []struct {
		method  string
		handler client.UIHandler
		want    frame // without type and id
	}{
		{"select", yes, frame{"value": "v"}},
		{"input", yes, frame{"value": "v"}},
		{"editor", yes, frame{"value": "v"}},
		{"confirm", yes, frame{"confirmed": true}},
		{"confirm", answering(client.UIResponse{}), frame{"confirmed": false}},
		{"select", answering(client.UIResponse{Value: "v", Cancelled: true}), frame{"cancelled": true}},
		{"select", func(context.Context, client.UIRequest) client.UIResponse { panic("oh") }, frame{"cancelled": true}},
		{"select", nil, frame{"cancelled": true}},
		{"confirm", nil, frame{"cancelled": true}},
		{"input", nil, frame{"cancelled": true}},
		{"editor", nil, frame{"cancelled": true}},
		{"brandNew", yes, frame{"cancelled": true}},
		{"notify", yes, nil},
		{"setStatus", nil, nil},
		{"setWidget", yes, nil},
		{"setTitle", yes, nil},
		{"set_editor_text", yes, nil},
		{"open_url", yes, nil},
		{"cancel", yes, nil},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.method, tt.want), func(t *testing.T) {
			connect(t, client.Options{OnUI: tt.handler}, func(t *testing.T, c *client.Client, f *fake) {
				events := c.Subscribe()
				f.say(fmt.Sprintf(`{"type":"extension_ui_request","id":"u1","method":%q,"title":"T"}`, tt.method))
				if tt.want == nil {
					f.silent()
				} else {
					want := frame{"type": "extension_ui_response", "id": "u1"}
					for k, v := range tt.want {
						want[k] = v
					}
					if got := f.expect("extension_ui_response"); !reflect.DeepEqual(got, want) {
						t.Errorf("sent %v, want %v", got, want)
					}
				}
				events.Next(t.Context()) // ready
				e, err := events.Next(t.Context())
				if r, ok := e.Data.(client.UIRequest); err != nil || !ok || r.Method != tt.method || r.Title != "T" {
					t.Errorf("event %+v, %v", e, err)
				}
			})
		})
	}
}

// A dialog's context ends when nobody waits for the answer any more, and then
// there is none.
func TestUIRequestEnds(t *testing.T) {
	tests := []struct {
		name, request string
		end           func(c *client.Client, f *fake)
		after         time.Duration
	}{
		{name: "cancel", request: `{"type":"extension_ui_request","id":"u1","method":"editor"}`,
			end: func(_ *client.Client, f *fake) {
				f.say(`{"type":"extension_ui_request","id":"x","method":"cancel","targetId":"u1"}`)
			}},
		{name: "timeout", request: `{"type":"extension_ui_request","id":"u1","method":"select","options":["a"],"timeout":1500}`,
			end: func(*client.Client, *fake) {}, after: 1500 * time.Millisecond},
		{name: "close", request: `{"type":"extension_ui_request","id":"u1","method":"input"}`,
			end: func(c *client.Client, _ *fake) { c.Close() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var opened chan client.UIRequest // both made in the bubble
			var ended chan time.Duration
			var start time.Time
			handler := func(ctx context.Context, r client.UIRequest) client.UIResponse {
				opened <- r
				<-ctx.Done()
				ended <- time.Since(start)
				return client.UIResponse{Value: "late"}
			}
			connect(t, client.Options{OnUI: handler}, func(t *testing.T, c *client.Client, f *fake) {
				opened, ended, start = make(chan client.UIRequest, 1), make(chan time.Duration, 1), time.Now()
				f.say(tt.request)
				if r := <-opened; r.ID != "u1" {
					t.Errorf("request %+v", r)
				}
				tt.end(c, f)
				if after := <-ended; after != tt.after {
					t.Errorf("ended after %v", after)
				}
				synctest.Wait()
				if tt.name != "close" {
					f.silent()
				}
			})
		})
	}
}
