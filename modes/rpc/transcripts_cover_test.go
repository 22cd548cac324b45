package rpc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/strict"
)

// elsewhere are frames that no transcript can have, with the test that has them.
var elsewhere = map[string]string{
	"bash_execution_update": "TestBashOutputStreams: how often it comes is the machine's affair",
	"todo_auto_clear":       "TestEventsOnTheWire: it comes a minute later",
	"notice":                "TestEventsOnTheWire: it needs a full disk",
}

// infallible are commands that succeed whatever the host writes.
var infallible = []string{
	"abort", "abort_bash", "abort_retry", "clear_queue", "cycle_model", "cycle_thinking_level",
	"get_available_models", "get_available_thinking_levels", "get_branch_messages", "get_commands", "get_fork_messages",
	"get_last_assistant_text", "get_messages", "get_session_stats", "get_state", "get_tree",
}

// TestTranscriptsCoverTheProtocol: every frame that there is stands in a
// transcript, every command in one where it works and, unless it can't, in one
// where it fails.
func TestTranscriptsCoverTheProtocol(t *testing.T) {
	files, err := filepath.Glob("testdata/*.rpc")
	if err != nil {
		t.Fatal(err)
	}
	frames, fails, sent := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		last := "" // the command that was sent last: a failure may not name it
		for line := range strings.Lines(string(data)) {
			if text, ok := strings.CutPrefix(line, "> "); ok {
				var r struct{ Type string }
				if json.Unmarshal([]byte(text), &r) == nil {
					last = r.Type
					sent[r.Type] = true
				}
			}
			text, ok := strings.CutPrefix(line, "< ")
			if !ok {
				continue
			}
			f := decode(t, strings.ReplaceAll(text, "[…]", "[]"))
			switch {
			case f.Type == "response" && f.Success:
				frames["response "+f.Command] = true
			case f.Type == "response" && f.Command == "parse":
				fails[last] = true
			case f.Type == "response":
				fails[f.Command] = true
			case f.Type == "message_update":
				frames["message_update "+f.Event.Type] = true
			case f.Type == "extension_ui_request":
				frames["extension_ui_request "+f.Method] = true
			default:
				frames[f.Type] = true
			}
		}
	}
	for _, name := range strict.FrameNames() {
		if _, tested := elsewhere[name]; !frames[name] && !tested {
			t.Errorf("no transcript has %s", name)
		}
	}
	for _, name := range strict.InputNames() {
		if !sent[name] {
			t.Errorf("no transcript sends %s", name)
		}
		if !fails[name] && !slices.Contains(infallible, name) && name != "extension_ui_response" {
			t.Errorf("no transcript has %s fail", name)
		}
	}
}
