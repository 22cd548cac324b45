package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// timeLayout is ISO 8601 in UTC with milliseconds, as JavaScript writes it.
const timeLayout = "2006-01-02T15:04:05.000Z"

func formatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// parseTime reads an ISO time; one that isn't gives the zero time, since a bad
// date is no reason to lose an entry.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// wireEntry is the union of all entry types' fields. Pointers tell absent from
// empty, so that each type writes exactly its own.
type wireEntry struct {
	Type      Type    `json:"type"`
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"`
	Timestamp string  `json:"timestamp"`

	Message json.RawMessage `json:"message,omitempty"`

	Model    string `json:"model,omitempty"` // provider/id
	Role     string `json:"role,omitempty"`
	Provider string `json:"provider,omitempty"`
	ModelID  string `json:"modelId,omitempty"`

	Thinking json.RawMessage `json:"thinkingLevel,omitempty"`

	Summary          *string         `json:"summary,omitempty"`
	ShortSummary     string          `json:"shortSummary,omitempty"`
	FirstKeptEntryID *string         `json:"firstKeptEntryId,omitempty"`
	TokensBefore     *json.Number    `json:"tokensBefore,omitempty"`
	FromID           *string         `json:"fromId,omitempty"`
	PreserveData     json.RawMessage `json:"preserveData,omitempty"`
	FromExtension    bool            `json:"fromExtension,omitempty"`
	FromHook         bool            `json:"fromHook,omitempty"`

	CustomType  *string         `json:"customType,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
	Content     json.RawMessage `json:"content,omitempty"`
	Display     *bool           `json:"display,omitempty"`
	Details     json.RawMessage `json:"details,omitempty"`
	Attribution string          `json:"attribution,omitempty"`

	TargetID *string `json:"targetId,omitempty"`
	Label    string  `json:"label,omitempty"`
	Name     *string `json:"name,omitempty"`
	Title    string  `json:"title,omitempty"`
}

// MarshalJSON returns the entry as a line of the file says it; one that has
// only Raw comes back as that.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.payloadType() == "" && e.Raw != nil {
		return e.Raw, nil
	}
	line, err := encodeEntry(e)
	if err != nil {
		return nil, err
	}
	return line[:len(line)-1], nil
}

// encodeEntry returns the entry's line, terminated.
func encodeEntry(e Entry) ([]byte, error) {
	w := wireEntry{Type: e.Type, ID: e.ID, Timestamp: formatTime(e.Timestamp)}
	if e.ParentID != "" {
		w.ParentID = &e.ParentID
	}
	switch {
	case e.Message != nil:
		raw, err := e.Message.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("encode session entry: %w", err)
		}
		w.Message = raw
	case e.Model != nil:
		w.Model, w.Provider, w.ModelID = e.Model.Provider+"/"+e.Model.ModelID, e.Model.Provider, e.Model.ModelID
		w.Role = e.Model.Role
	case e.Thinking != nil:
		w.Thinking = json.RawMessage("null")
		if e.Thinking.Level != "" {
			w.Thinking, _ = json.Marshal(e.Thinking.Level) // a string always encodes
		}
	case e.Compaction != nil:
		c := e.Compaction
		n := json.Number(fmt.Sprint(c.TokensBefore))
		w.Summary, w.ShortSummary, w.FirstKeptEntryID, w.TokensBefore = &c.Summary, c.ShortSummary, &c.FirstKeptEntryID, &n
		w.Details, w.PreserveData, w.FromExtension, w.FromHook = c.Details, c.PreserveData, c.FromExtension, c.FromExtension
	case e.BranchSummary != nil:
		b := e.BranchSummary
		w.FromID, w.Summary, w.Details, w.FromExtension, w.FromHook = &b.FromID, &b.Summary, b.Details, b.FromExtension, b.FromExtension
	case e.Custom != nil:
		w.CustomType, w.Data = &e.Custom.CustomType, e.Custom.Data
	case e.CustomMessage != nil:
		return encodeCustomMessage(w, *e.CustomMessage)
	case e.Label != nil:
		w.TargetID, w.Label = &e.Label.TargetID, e.Label.Text
	case e.Info != nil:
		w.Name = &e.Info.Name
	default:
		return encodeRaw(e)
	}
	return marshalLine(w)
}

func encodeCustomMessage(w wireEntry, c CustomMessage) ([]byte, error) {
	content := c.Content
	if content == nil {
		content = []message.Block{}
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encode session entry: %w", err)
	}
	w.CustomType, w.Content, w.Display = &c.CustomType, raw, &c.Display
	w.Details, w.Attribution = c.Details, c.Attribution
	return marshalLine(w)
}

// encodeRaw stores an entry of a type this package has no payload for.
func encodeRaw(e Entry) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if len(e.Raw) > 0 {
		if err := json.Unmarshal(e.Raw, &fields); err != nil {
			return nil, fmt.Errorf("encode session entry of type %q: %w", e.Type, err)
		}
	}
	parent := any(nil)
	if e.ParentID != "" {
		parent = e.ParentID
	}
	for key, v := range map[string]any{"type": e.Type, "id": e.ID, "parentId": parent, "timestamp": formatTime(e.Timestamp)} {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("encode session entry of type %q: %w", e.Type, err)
		}
		fields[key] = raw
	}
	return marshalLine(fields)
}

func marshalLine(v any) ([]byte, error) {
	line, err := jsonl.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode session entry: %w", err)
	}
	return line, nil
}

// decodeEntry reads a line. Damage below the entry's head leaves an entry with
// Raw alone and an error; the caller decides whether that matters.
func decodeEntry(line []byte) (Entry, error) {
	h, ok := scanHead(line, true)
	e := Entry{Type: Type(h.typ), ID: h.id, ParentID: h.parent, Timestamp: parseTime(h.timestamp)}
	var err error
	if ok {
		err = e.decodePayload(h, line)
	} else {
		err = errors.New("it is no JSON object")
	}
	if err != nil {
		e.Raw = bytes.Clone(line)
		return e, fmt.Errorf("read session entry %q: %w", h.id, err)
	}
	return e, nil
}

func (e *Entry) decodePayload(h head, line []byte) error {
	if e.Type == TypeMessage {
		m, err := decodeMessage(h.message)
		if err == nil {
			m.ID = e.ID
			e.Message = m
		}
		return err
	}
	var w wireEntry
	if err := json.Unmarshal(line, &w); err != nil {
		return err
	}
	return e.setPayload(w, line)
}

func (e *Entry) setPayload(w wireEntry, line []byte) error {
	fromExtension := w.FromExtension || w.FromHook
	switch e.Type {
	case TypeModelChange:
		e.Model = w.modelChange()
	case TypeThinking:
		e.Thinking = &ThinkingChange{}
		_ = json.Unmarshal(w.Thinking, &e.Thinking.Level) // anything but a string means no level
	case TypeCompaction:
		e.Compaction = &Compaction{Summary: text(w.Summary), ShortSummary: w.ShortSummary,
			FirstKeptEntryID: text(w.FirstKeptEntryID), TokensBefore: integer(w.TokensBefore),
			Details: w.Details, PreserveData: w.PreserveData, FromExtension: fromExtension}
	case TypeBranchSummary:
		e.BranchSummary = &BranchSummary{FromID: text(w.FromID), Summary: text(w.Summary),
			Details: w.Details, FromExtension: fromExtension}
	case TypeCustom:
		e.Custom = &Custom{CustomType: text(w.CustomType), Data: w.Data}
	case TypeCustomMessage:
		// The message package knows that content may be a string or a list.
		var m message.Message
		raw, err := json.Marshal(map[string]any{"role": message.Custom, "content": w.Content})
		if err == nil {
			err = m.UnmarshalJSON(raw)
		}
		if err != nil {
			return err
		}
		e.CustomMessage = &CustomMessage{CustomType: text(w.CustomType), Content: m.Content,
			Display: w.Display != nil && *w.Display, Details: w.Details, Attribution: w.Attribution}
	case TypeLabel:
		e.Label = &Label{TargetID: text(w.TargetID), Text: w.Label}
	case TypeInfo:
		e.Info = &Info{Name: text(w.Name)}
	case typeTitleChange:
		e.Info = &Info{Name: w.Title}
	default:
		e.Raw = bytes.Clone(line)
	}
	return nil
}

// modelChange reads both families' forms: provider and modelId, or "provider/id".
func (w wireEntry) modelChange() *ModelChange {
	m := &ModelChange{Provider: w.Provider, ModelID: w.ModelID, Role: w.Role}
	if m.Provider == "" || m.ModelID == "" {
		m.Provider, m.ModelID, _ = strings.Cut(w.Model, "/")
	}
	if m.Role == "" {
		m.Role = defaultRole
	}
	return m
}

// defaultRole is the use of a model that answers the user.
const defaultRole = "default"

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

func integer(n *json.Number) int {
	if n == nil {
		return 0
	}
	f, err := n.Float64()
	if err != nil {
		return 0
	}
	return int(f)
}
