package rpc

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// TestTranscripts plays each testdata/NAME.rpc against the model script of the
// same name (or the one that it names) and compares what comes back.
//
//	# words             a comment
//	! key=value         dialect=pi, deltas, permissions=MODE, script=NAME, memory, approve, hook=NAME, file NAME=TEXT (\n in it ends a line),
//	                    progress (shows tool_execution_update), titles, model=NAME, loose (no strict reader), settings JSON, models JSON, auth JSON
//	> {...}             a line of the host; $name is taken before, $call_1 is the id of the host's call call_1,
//	                    $dir and $home are folders
//	? type              waits for a frame of that type, or of that step of an answer (text_end) or method (confirm)
//	? type*2            waits for two of them
//	? id                waits for the response to "id"
//	= name path         takes $name from the last frame that was waited for (dotted path)
//	< {...}             what came; written by -update
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.rpc")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".rpc"), func(t *testing.T) {
			t.Parallel()
			playTranscript(t, file)
		})
	}
}

func playTranscript(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tr := &transcript{t: t, vars: map[string]string{}, steady: newSteady()}
	script := strings.TrimSuffix(file, ".rpc") + ".script"
	s := tr.open(string(data), &script)
	s.mode = func(o *Options) {
		o.Dialect, o.Deltas, o.Titles = tr.dialect, tr.deltas, tr.titles
		o.Now = func() time.Time { return time.Unix(0, 0) } // text waits for the end of its block
	}
	if tr.hook != "" {
		hooks, ok := testHooks[tr.hook]
		if !ok {
			t.Fatalf("there is no hook %q", tr.hook)
		}
		s.hooks = hooks
	}
	model, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	tr.h = connect(t, string(model), s)
	tr.steady.dirs = []string{tr.h.dir, tr.h.home}
	tr.vars["dir"], tr.vars["home"] = tr.h.dir, tr.h.home
	got := tr.play(string(data))
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(data), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d:\n got %s\nwant %s", file, i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%s: %d lines, want %d; the last is\n%s", file, len(g), len(w), g[len(g)-1])
	}
}

// transcript is a file being played.
type transcript struct {
	t       *testing.T
	h       *host
	vars    map[string]string
	steady  *steady
	out     []string
	last    frame
	dialect string
	deltas  bool
	titles  bool
	// progress keeps the news of tools: how often most of them tell is their own
	// affair.
	progress bool
	hook     string
}

func (tr *transcript) play(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "<":
			continue
		case ">":
			tr.out = append(tr.out, line)
			tr.h.send("%s", os.Expand(rest, func(name string) string {
				if v, ok := tr.vars[name]; ok {
					return v
				}
				return "$" + name
			}))
		case "?":
			what, count, _ := strings.Cut(rest, "*")
			n, _ := strconv.Atoi(count)
			for range max(n, 1) {
				tr.last = tr.h.until(rest, func(f frame) bool {
					tr.add(f)
					return f.is(what)
				})
			}
			tr.out = append(tr.out, line)
		case "=":
			name, path, _ := strings.Cut(rest, " ")
			tr.vars[name] = pick(tr.t, tr.last.line, path)
			tr.out = append(tr.out, line)
		default:
			tr.out = append(tr.out, line)
		}
	}
	if err := tr.h.finish(); err != nil {
		tr.t.Fatal(err)
	}
	for {
		f, ok := tr.h.take()
		if !ok {
			return strings.Join(tr.out, "\n") + "\n"
		}
		tr.add(f)
	}
}

// is reports whether a transcript that waits for what waits for f.
func (f frame) is(what string) bool {
	if f.Type == "response" {
		return string(f.ID) == `"`+what+`"` || what == "response"
	}
	step := f.Method
	if f.Type == "message_update" {
		step = f.Event.Type
	}
	return what == f.Type || what == step
}

// add writes a frame, joined with the one before where that is another part of
// the same text. Calls that run beside each other are put in their order.
func (tr *transcript) add(f frame) {
	if f.Type == "host_tool_call" {
		var id string
		_ = json.Unmarshal(f.ID, &id)
		tr.vars[f.Call], tr.steady.calls[id] = id, f.Call
	}
	line := "< " + tr.steady.line(f.line)
	switch f.Type {
	case "tool_execution_update", "bash_execution_update":
		if !tr.progress {
			return
		}
	case "host_tool_call", "tool_execution_start":
		at := len(tr.out)
		for at > 0 && strings.HasPrefix(tr.out[at-1], `< {"type":"host_tool_call"`) && (f.Type != "host_tool_call" || line < tr.out[at-1]) {
			at--
		}
		tr.out = slices.Insert(tr.out, at, line)
		return
	}
	if n := len(tr.out); n > 0 && f.Type == "message_update" {
		if joined, ok := joinDeltas(tr.out[n-1], line); ok {
			tr.out[n-1] = joined
			return
		}
	}
	tr.out = append(tr.out, line)
}

var deltaText = regexp.MustCompile(`"delta":"((?:[^"\\]|\\.)*)"`)

func joinDeltas(before, line string) (string, bool) {
	type update struct {
		Type  string
		Event struct {
			Type         string
			ContentIndex int
		} `json:"assistantMessageEvent"`
	}
	var a, b update
	if json.Unmarshal([]byte(strings.TrimPrefix(before, "< ")), &a) != nil || json.Unmarshal([]byte(line[2:]), &b) != nil {
		return "", false
	}
	if a.Type != b.Type || a.Event != b.Event || !strings.HasSuffix(a.Event.Type, "_delta") {
		return "", false
	}
	first := deltaText.FindStringSubmatch(before)[1]
	return deltaText.ReplaceAllStringFunc(line, func(s string) string {
		return `"delta":"` + first + strings.TrimPrefix(s, `"delta":"`)
	}), true
}

// pick reads a value by its dotted path: data.messages.0.entryId.
func pick(t *testing.T, line, path string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(at) {
				t.Fatalf("no %s in %s", path, line)
			}
			v = at[i]
		}
	}
	s, ok := v.(string)
	if !ok {
		t.Fatalf("%s is no string in %s", path, line)
	}
	return s
}

// steady takes out of a line what differs from run to run.
type steady struct {
	dirs  []string
	ids   map[string]string
	calls map[string]string // the host's calls, by the ids of their frames
}

func newSteady() *steady { return &steady{ids: map[string]string{}, calls: map[string]string{}} }

var (
	steadyTimes   = regexp.MustCompile(`"(timestamp|labelTimestamp)":("[^"]*"|\d+)`)
	steadySpans   = regexp.MustCompile(`,"(duration|durationMs|ttft)":\d+`) // absent when 0
	steadyFiles   = regexp.MustCompile(`"[^"]*/\.local/[^"]*"`)
	steadyExport  = regexp.MustCompile(`"hoopoe-session-[^"]+\.html"`)
	steadyScript  = regexp.MustCompile(`[^"]*/model\.script`)
	steadyPrompt  = regexp.MustCompile(`"systemPrompt":"(?:[^"\\]|\\.)*"`)
	steadyTools   = regexp.MustCompile(`"dumpTools":\[.*?\}\],"contextUsage"`)
	steadyBuiltin = regexp.MustCompile(`(\{"name":"[^"]*","description":"[^"]*","source":"builtin"\},?)+`)
	steadyUsage   = regexp.MustCompile(`\{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":\{[^}]*\}\}`)
	steadyHost    = regexp.MustCompile(`"(id|targetId)":"(host_\d+)"`)
	steadyIDs     = regexp.MustCompile(`(["/ _])([0-9a-f]{8}(?:-[0-9a-f-]{27})?)\b`) // but no part of a number
)

func (s *steady) line(line string) string {
	for i, d := range s.dirs {
		line = strings.ReplaceAll(line, d, []string{"$DIR", "$HOME"}[i])
	}
	line = steadyTimes.ReplaceAllString(line, `"$1":0`)
	line = steadySpans.ReplaceAllString(line, "")
	line = steadyFiles.ReplaceAllString(line, `"$$FILE"`)
	line = steadyExport.ReplaceAllString(line, `"hoopoe-session-$$NAME.html"`)
	line = steadyScript.ReplaceAllString(line, `$$SCRIPT`)
	line = steadyPrompt.ReplaceAllString(line, `"systemPrompt":"…"`)
	line = steadyTools.ReplaceAllString(line, `"dumpTools":[…],"contextUsage"`)
	line = steadyBuiltin.ReplaceAllString(line, `"the built-in ones",`)
	line = steadyUsage.ReplaceAllString(line, `"none"`)
	line = steadyHost.ReplaceAllStringFunc(line, func(field string) string {
		m := steadyHost.FindStringSubmatch(field)
		if call, ok := s.calls[m[2]]; ok {
			return `"` + m[1] + `":"$` + call + `"`
		}
		return `"` + m[1] + `":"host_N"`
	})
	if _, whole, ok := strings.Cut(line, `"message":`); ok { // said twice, told once
		if i := strings.Index(whole, `,"usage":"none","assistantMessageEvent"`); i > 0 {
			line = strings.Replace(line, `"partial":`+whole[:i], `"partial":"as message"`, 1)
		}
	}
	return steadyIDs.ReplaceAllStringFunc(line, func(found string) string {
		id := found[1:]
		if s.ids[id] == "" {
			s.ids[id] = fmt.Sprintf("id%d", len(s.ids)+1)
		}
		return found[:1] + s.ids[id]
	})
}
