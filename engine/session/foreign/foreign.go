// Package foreign reads sessions that other agents have saved, and makes
// sessions of ours from them.
//
//	file ─ Detect ─▶ Format ─ Read ─▶ turns (id, parent, message) ─▶ session.Document + Report
//
// The other file is only read. What people and models said, the calls of tools
// and their results, images, thinking with its signature, usage, branches and
// names come over; the Report counts what could not. Sessions of pi and of
// oh-my-pi have our own format: they are copied whole.
package foreign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// Format is the program whose session a file is.
type Format string

// Formats that can be read.
const (
	Claude Format = "claude" // Claude Code: ~/.claude/projects/*/*.jsonl
	Codex  Format = "codex"  // Codex: ~/.codex/sessions/**/rollout-*.jsonl
	Pi     Format = "pi"     // pi, oh-my-pi and others of the family
)

// ErrFormat says that a file is no session of any of the formats.
var ErrFormat = errors.New("not a session of Claude Code, Codex, pi or oh-my-pi")

// maxLine bounds a line of a foreign file, in bytes; longer ones are left out.
const maxLine = 64 << 20

// Report tells what became of a session.
type Report struct {
	Format   Format
	Cwd      string // the folder it was about; empty if the file doesn't say
	Messages int
	// Left counts what could not be carried over, by what it is.
	Left map[string]int
}

// Lines lists what was left out, a line each, sorted.
func (r Report) Lines() []string {
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(r.Left)) {
		lines = append(lines, fmt.Sprintf("%d × %s", r.Left[what], what))
	}
	return lines
}

func (r *Report) leave(what string) {
	if r.Left == nil {
		r.Left = map[string]int{}
	}
	r.Left[what]++
}

// Detect tells a file's format by its first lines.
func Detect(path string) (Format, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	lines := read(io.LimitReader(f, 4<<20))
	for range 50 {
		line, err := lines.Next()
		if err != nil {
			break
		}
		var l struct {
			Type      string          `json:"type"`
			Version   int             `json:"version"`
			SessionID string          `json:"sessionId"`
			LeafUUID  string          `json:"leafUuid"`
			Payload   json.RawMessage `json:"payload"`
			// The oldest files of Codex begin with a bare header.
			Instructions *string `json:"instructions"`
			ID, Cwd      string
		}
		switch json.Unmarshal(line.Data, &l); {
		case l.Type == "session" && l.ID != "":
			return Pi, nil
		case l.Type == "session_meta" && l.Payload != nil, l.Type == "" && l.ID != "" && strings.Contains(string(line.Data), `"timestamp"`):
			return Codex, nil
		case l.SessionID != "" || l.LeafUUID != "":
			return Claude, nil
		}
	}
	return "", fmt.Errorf("%s: %w", path, ErrFormat)
}

// turn is a message with its place in the foreign tree.
type turn struct {
	id, parent string
	at         time.Time
	message    message.Message
	// summary of all that came before, instead of a message.
	summary string
}

// transcript is a foreign session as far as it was understood.
type transcript struct {
	cwd, name string
	turns     []turn
}

// Read makes a session from a foreign file. An empty o.Cwd takes the folder
// that the file tells. The new session is not written before it has a message.
func Read(path string, o session.Options) (*session.Document, Report, error) {
	format, err := Detect(path)
	if err != nil {
		return nil, Report{}, err
	}
	r := Report{Format: format}
	if format == Pi {
		return copied(path, o, r)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, r, fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	var t transcript
	lines := read(f)
	if format == Claude {
		t, err = readClaude(lines, &r)
	} else {
		t, err = readCodex(lines, &r)
	}
	if err != nil {
		return nil, r, fmt.Errorf("read session %s: %w", path, err)
	}
	if len(t.turns) == 0 {
		return nil, r, fmt.Errorf("read session %s: nothing was said in it", path)
	}
	r.Cwd = t.cwd
	if o.Cwd == "" {
		o.Cwd = t.cwd
	}
	o.ParentSession = path
	doc, err := t.write(o, &r)
	return doc, r, err
}

// read reads the lines of a foreign file. A mark in front that tells the order of
// bytes belongs to no line.
func read(r io.Reader) *jsonl.Reader {
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		_, _ = b.Discard(3) // it is there
	}
	return jsonl.NewReader(b, maxLine)
}

// moment is a time; one that can't be read is zero and costs no line.
type moment struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &m.Time) != nil {
		m.Time = time.Time{}
	}
	return nil
}

// each calls take with every line that is JSON of the form, and the line itself.
func each[L any](lines *jsonl.Reader, r *Report, take func(raw []byte, l L)) error {
	for {
		line, err := lines.Next()
		if _, long := errors.AsType[*jsonl.TooLongError](err); long {
			r.leave("lines that are too long")
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var l L
		if json.Unmarshal(line.Data, &l) != nil {
			r.leave("lines that can't be read")
			continue
		}
		take(line.Data, l)
	}
}

// copied takes over a session of our own format.
func copied(path string, o session.Options, r Report) (*session.Document, Report, error) {
	doc, notices, err := session.Fork(path, o)
	if err != nil {
		return nil, r, err
	}
	for _, n := range notices {
		r.leave(n.String())
	}
	r.Cwd = doc.Header().Cwd
	for _, e := range doc.Entries() {
		if e.Message != nil {
			r.Messages++
		}
	}
	return doc, r, nil
}

// write makes the document: every turn after its parent, as far as there is one.
func (t transcript) write(o session.Options, r *Report) (*session.Document, error) {
	doc, err := session.New(o)
	if err != nil {
		return nil, err
	}
	entries := map[string]string{} // foreign id to ours
	at := doc.Header().Timestamp   // of what has no time
	for _, one := range t.turns {
		if one.at.IsZero() {
			one.at = at
		}
		at = one.at
		if parent, ok := entries[one.parent]; ok {
			err = doc.MoveTo(parent)
		} else if one.parent == "" {
			err = doc.MoveTo("")
		}
		if err != nil {
			break
		}
		e := session.Entry{Timestamp: one.at}
		if one.summary != "" {
			e.Compaction = &session.Compaction{Summary: one.summary}
		} else {
			m := one.message
			m.Timestamp = one.at.UnixMilli()
			e.Message = &m
			r.Messages++
		}
		var added session.Entry
		if added, err = doc.Append(e); err != nil {
			break
		}
		entries[one.id] = added.ID
	}
	if err == nil && session.CleanName(t.name) != "" {
		_, err = doc.SetName(t.name)
	}
	if err != nil {
		doc.Close()
		return nil, fmt.Errorf("write imported session: %w", err)
	}
	return doc, nil
}
