package rpc

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// Whatever a start hook waits for, a dialog, work of its own or a command, the
// host is heard meanwhile, and its end is the hook's too (pi#8735, requirement R-4).
func TestStartHooksDontHoldTheReader(t *testing.T) {
	for name, wait := range map[string]func(ctx context.Context, s ext.Session){
		"a dialog": func(ctx context.Context, s ext.Session) {
			s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Start?"})
		},
		"work": func(ctx context.Context, _ ext.Session) { <-ctx.Done() },
		"a command": func(ctx context.Context, s ext.Session) {
			_, _ = s.Exec(ctx, ext.Exec{Name: "sh", Args: []string{"-c", "sleep 600"}}) // the end stops it
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, over := make(chan struct{}), make(chan struct{})
			h := connect(t, "-- turn --\n-- text --\nok\n", setup{mode: func(o *Options) { o.Dialect = Pi }, hooks: []ext.Hooks{{
				Name: "slow",
				SessionStart: func(ctx context.Context, s ext.Session) error {
					defer close(over)
					close(begun)
					wait(ctx, s)
					return nil
				},
			}}})
			await(t, "the hook begins", begun)
			for i, command := range []string{
				`"type":"get_state"`, `"type":"get_messages"`, `"type":"get_commands"`, `"type":"get_available_models"`,
				`"type":"set_session_name","name":"early"`, `"type":"set_steering_mode","mode":"all"`, `"type":"bash","command":"echo heard"`,
			} {
				if f := h.ask(fmt.Sprint(i), `{"id":"%d",%s}`, i, command); !f.Success {
					t.Errorf("%s: %s", command, f.line)
				}
			}
			select {
			case <-over:
				t.Error("the hook didn't wait")
			default:
			}
			if err := errors.Join(h.finish(), h.session.Close(t.Context())); err != nil {
				t.Error(err)
			}
			await(t, "the hook ends", over)
		})
	}
}

func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("waited too long until %s", what)
	}
}
