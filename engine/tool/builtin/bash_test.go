package builtin

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

func TestBash(t *testing.T) {
	b := newBench(t, map[string]string{"d/x": ""})
	for _, tt := range []struct {
		name, args, want string
		errs             []string
	}{
		{name: "output", args: `{"command":"echo out; echo err >&2"}`, want: "out\nerr"},
		{name: "silence", args: `{"command":"true"}`, want: "(no output)"},
		{name: "directory", args: `{"command":"ls d"}`, want: "x"},
		{name: "not kept between calls", args: `{"command":"cd d"}`, want: "(no output)"},
		{name: "unicode", args: `{"command":"echo 'مرحبا 世界'"}`, want: "مرحبا 世界"},
		{name: "exit code", args: `{"command":"echo before; exit 3"}`, errs: []string{"before\n[exit code 3]"}},
		{name: "not found", args: `{"command":"no_such_program_here"}`, errs: []string{"not found", "[exit code 127]"}},
		{name: "signal", args: `{"command":"kill -9 $$"}`, errs: []string{"(no output)\n[exit code 137]"}},
		{name: "empty", args: `{"command":"  "}`, errs: []string{"command is empty"}},
		{name: "NUL", args: `{"command":"echo \u0000"}`, errs: []string{"NUL"}},
		{name: "timeout", args: `{"command":"echo before; sleep 60","timeout":0.2}`, errs: []string{"before", "[stopped: it ran longer than 0.2 s;"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.errs != nil {
				b.fails(Bash(), tt.args, tt.errs...)
				return
			}
			if got := b.text(Bash(), tt.args); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBashLongOutput(t *testing.T) {
	b := newBench(t, nil)
	r, err := b.run(Bash(), `{"command":"i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo line $i; done"}`)
	if err != nil {
		t.Fatal(err)
	}
	text := message.Text(r.Content)
	holds(t, text, "line 5000\n[Only the end is shown: the output has 5000 lines,", "All of it is in ")
	if strings.Contains(text, "line 100\n") {
		t.Error("nothing was cut")
	}
	var d bashDetails
	if err := json.Unmarshal(r.Details, &d); err != nil || !d.Truncated || d.ExitCode == nil || *d.ExitCode != 0 {
		t.Fatalf("details %s, %v", r.Details, err)
	}
	all, err := os.ReadFile(d.FullOutputPath)
	if err != nil || strings.Count(string(all), "\n") != 5000 {
		t.Errorf("%d lines are kept, %v", strings.Count(string(all), "\n"), err)
	}
}

// Output is shown while the command runs, and cancelling it then ends it.
func TestBashProgress(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	c := b.call(Bash(), `{"command":"echo started; sleep 60"}`)
	var once sync.Once
	c.Progress = func(r tool.Result) {
		if strings.Contains(message.Text(r.Content), "started") {
			once.Do(cancel)
		}
	}
	r, err := Bash().Run(ctx, c)
	if err == nil {
		t.Fatal("the command wasn't stopped")
	}
	holds(t, failure(r, err), "started", "[stopped: the call was cancelled]")
	holds(t, string(r.Details), `"cancelled":true`)
}
