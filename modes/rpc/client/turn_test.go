package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// ends is an agent_end with one answer.
func ends(text string) string {
	return fmt.Sprintf(`{"type":"agent_end","messages":[{"role":"assistant","content":[{"type":"text","text":%q}],"stopReason":"stop","timestamp":1}]}`, text)
}

const (
	starts  = `{"type":"agent_start"}`
	settles = `{"type":"agent_settled","aborted":false}`
	aborts  = `{"type":"agent_settled","aborted":true}`
	failed  = `{"type":"agent_end","messages":[{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded","timestamp":1}],"willRetry":true}`
)

// ack accepts the command with that number.
func ack(n int, disposition string) string {
	return fmt.Sprintf(`{"id":"req_%d","type":"response","command":"prompt","success":true,"data":{"disposition":%q}}`, n, disposition)
}

func refusal(n int, why string) string {
	return fmt.Sprintf(`{"id":"req_%d","type":"response","command":"prompt","success":false,"error":%q}`, n, why)
}

// a prompt ends at its agent_settled, and at no other's.
func TestTurns(t *testing.T) {
	// A step is a line of the agent's, or with > a command of the client's:
	// prompt, steer (a prompt that may join a run), fork (abort_and_prompt),
	// abort. With = it says how the prompt of that number has ended by now; -
	// is not yet.
	tests := []struct {
		name  string
		steps []string
	}{
		{"plain", []string{">prompt", ack(1, "started"), starts, ends("a"), "=1 -", settles, "=1 a"}},
		{"no disposition", []string{">prompt", `{"id":"req_1","type":"response","command":"prompt","success":true}`, starts, ends("a"), "=1 -", settles, "=1 a"}},
		{"two in a row", []string{">prompt", ack(1, "started"), starts, ends("a"), settles, ">prompt", ack(2, "started"), "=1 a", "=2 -", starts, ends("b"), settles, "=2 b"}},
		{"retry", []string{">prompt", ack(1, "started"), starts, failed, `{"type":"auto_retry_start"}`, starts, ends("a"), "=1 -", settles, "=1 a"}},
		{"provider error", []string{">prompt", ack(1, "started"), starts, failed, settles, "=1 !the model gave no answer: overloaded"}},
		{"handled when idle", []string{">prompt", ack(1, "handled"), "=1 -", settles, "=1 "}},
		{"handled in a run", []string{">prompt", ack(1, "started"), starts, ">prompt", ack(2, "handled"), "=2 -", ends("a"), "=1 -", settles, "=1 a", "=2 a"}},
		{"handled and failed", []string{">prompt", ack(1, "handled"), refusal(1, "no such model"), settles, "=1 !prompt: no such model",
			">prompt", ack(2, "started"), "=2 -", starts, ends("b"), settles, "=2 b"}},
		{"refused", []string{">prompt", refusal(1, "busy"), "=1 !prompt: busy"}},
		{"refused after acceptance", []string{">prompt", ack(1, "started"), "=1 -", refusal(1, "no key"), "=1 !prompt: no key", settles}},
		{"refused after acceptance, then another", []string{
			">prompt", ack(1, "started"), refusal(1, "no key"), settles, ">prompt", ack(2, "started"), "=2 -", starts, ends("b"), settles, "=2 b"}},
		{"busy", []string{">prompt", ack(1, "started"), starts, ">prompt", ack(2, "started"), refusal(2, "busy"), "=2 !prompt: busy", ends("a"), "=1 -", settles, "=1 a",
			">prompt", ack(3, "started"), "=3 -", starts, ends("c"), settles, "=3 c"}},
		{"refused without id", []string{">prompt", `{"type":"response","command":"parse","success":false,"error":"x"}`, "=1 !prompt: x"}},
		{"failure before success", []string{">prompt", refusal(1, "busy"), ack(1, "started"), "=1 !prompt: busy", settles, ">prompt", ack(2, "started"), starts, ends("b"), settles, "=2 b"}},
		{"steer joins the run", []string{">prompt", ack(1, "started"), starts, ">steer", ack(2, "queued"), ends("a"), "=1 -", "=2 -", settles, "=1 a", "=2 a"}},
		{"steer between two runs of a prompt", []string{
			">prompt", ack(1, "started"), starts, ends("a"), ">steer", ack(2, "queued"), starts, ends("b"), settles, "=1 b", "=2 b"}},
		{"steer after the last run", []string{
			">prompt", ack(1, "started"), starts, ends("a"), ">steer", ack(2, "queued"), settles, "=1 a", "=2 -", starts, ends("b"), settles, "=2 b"}},
		{"steer behind an abort", []string{
			">prompt", ack(1, "started"), starts, ">abort", ">steer", ack(3, "queued"), ends("a"), aborts, "=1 aborted", "=3 -", starts, ends("b"), settles, "=3 b"}},
		{"steer when idle", []string{">steer", ack(1, "started"), starts, ends("a"), settles, "=1 a"}},
		{"queued behind the end", []string{
			">prompt", ack(1, "started"), starts, ends("a"), ">prompt", ack(2, "queued"), ">prompt", ack(3, "queued"), settles, "=1 a", "=2 -",
			starts, ends("b"), settles, "=2 b", "=3 -", starts, ends("c"), settles, "=3 c"}},
		{"queued behind a run of somebody else's", []string{
			starts, ends("x"), ">prompt", ack(1, "queued"), settles, "=1 -", starts, ends("a"), settles, "=1 a"}},
		{"queued behind a compaction", []string{">prompt", ack(1, "queued"), starts, ends("a"), settles, "=1 a"}},
		{"queued and handled", []string{">prompt", ack(1, "queued"), settles, "=1 "}},
		{"queued, and the one before it fails", []string{
			">prompt", ack(1, "started"), ">prompt", ack(2, "queued"), refusal(1, "no key"), settles, "=1 !prompt: no key", "=2 -", starts, ends("b"), settles, "=2 b"}},
		{"abort", []string{">prompt", ack(1, "started"), starts, ">abort", ends("half"), aborts, "=1 aborted",
			`{"id":"req_2","type":"response","command":"abort","success":true}`}},
		{"abort and prompt", []string{">prompt", ack(1, "started"), starts, ">fork", ends("half"), aborts, "=1 aborted", ack(2, "started"), "=2 -", starts, ends("b"), settles, "=2 b"}},
		{"failure of abort and prompt", []string{">fork", ack(1, "started"), `{"id":"req_1","type":"response","command":"abort_and_prompt","success":false,"error":"no key"}`, "=1 !abort_and_prompt: no key"}},
		{"unknown shapes", []string{">prompt", ack(1, "started"), starts, `{"type":"agent_end","messages":7}`, settles, "=1 !decode the end of a run"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
				outcomes := map[string]chan string{}
				for i, step := range tt.steps {
					kind, rest := step[:1], step[1:]
					switch kind {
					case ">":
						id, outcome := send(t, c, f, rest)
						outcomes[id] = outcome
					case "=":
						n, want, _ := strings.Cut(rest, " ")
						synctest.Wait()
						got := "-"
						select {
						case got = <-outcomes["req_"+n]:
						default:
						}
						if got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, want)) {
							t.Fatalf("step %d: prompt %s ended as %q, want %q", i, n, got, want)
						}
					default:
						f.say(step)
					}
				}
			})
		})
	}
}

// send has the client send a command, and says how the prompt in it ends.
func send(t *testing.T, c *client.Client, f *fake, what string) (id string, outcome chan string) {
	t.Helper()
	ctx, outcome := t.Context(), make(chan string, 1)
	var turn func() (*client.Turn, error)
	kind := "prompt"
	switch what {
	case "prompt":
		turn = later(func() (*client.Turn, error) { return c.Prompt(ctx, "x", client.PromptOptions{}) })
	case "steer":
		turn = later(func() (*client.Turn, error) { return c.Prompt(ctx, "x", client.PromptOptions{During: client.Steer}) })
	case "fork":
		kind = "abort_and_prompt"
		turn = later(func() (*client.Turn, error) { return c.AbortAndPrompt(ctx, "x") })
	case "abort":
		go c.Abort(ctx)
		return f.expect("abort")["id"].(string), outcome
	}
	sent := f.expect(kind)
	if during := sent["streamingBehavior"]; (during == "steer") != (what == "steer") {
		t.Errorf("sent %v", sent)
	}
	go func() {
		running, err := turn()
		var r client.Result
		if err == nil {
			r, err = running.Wait(ctx)
		}
		switch {
		case err != nil:
			outcome <- "!" + err.Error()
		case r.Aborted:
			outcome <- "aborted"
		default:
			outcome <- r.Text
		}
	}()
	return sent["id"].(string), outcome
}

// A slash command's reply is part of its result.
func TestCommandOutput(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		wait := later(func() (client.Result, error) { return c.PromptAndWait(t.Context(), "/tools") })
		f.expect("prompt")
		f.say(ack(1, "handled"), `{"type":"command_output","text":"read"}`, `{"type":"command_output","text":"bash"}`, settles)
		if r, err := wait(); err != nil || r.Output != "read\nbash" || r.Text != "" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

func TestPromptAndWait(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		wait := later(func() (client.Result, error) { return c.PromptAndWait(t.Context(), "x") })
		f.expect("prompt")
		f.say(ack(1, "started"), starts, failed, starts, ends("a"), settles)
		r, err := wait()
		if err != nil || len(r.Messages) != 2 || r.Messages[0].ErrorMessage != "overloaded" || r.Text != "a" {
			t.Errorf("%+v, %v", r, err)
		}

		wait = later(func() (client.Result, error) { return c.PromptAndWait(t.Context(), "x") })
		f.expect("prompt")
		f.say(ack(2, "started"), starts, failed, settles)
		r, err = wait()
		if failure, ok := errors.AsType[*client.ProviderError](err); !ok || failure.Answer.StopReason != message.Error || len(r.Messages) != 1 {
			t.Errorf("%+v, %v", r, err)
		}

		wait = later(func() (client.Result, error) { return c.PromptAndWait(t.Context(), "x") })
		f.expect("prompt")
		f.say(refusal(3, "no key"))
		if _, err = wait(); command(t, err) != "prompt: no key" {
			t.Error(err)
		}
	})
}
