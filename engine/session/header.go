package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// Version is the file format that is written. Older ones are read and brought
// up at the first write; newer ones are refused.
const Version = 3

var (
	// ErrNotSession is wrapped when a file does not begin as a session does.
	// The file is left alone.
	ErrNotSession = errors.New("not a session file")
	// ErrEmpty is wrapped together with ErrNotSession for a file without a
	// byte; New may be given its path.
	ErrEmpty = errors.New("the file is empty")
	// ErrVersion is wrapped for a session of a version above Version.
	ErrVersion = errors.New("session was written by a newer program")
)

// Header is the first line of a session.
type Header struct {
	Version   int
	ID        string
	Timestamp time.Time
	Cwd       string
	// Title is a name given before the file was written, or by a program that
	// keeps names here. Document.Name knows which name counts.
	Title string
	// ParentSession is the path or the id of the session this one came from.
	ParentSession string
}

type wireHeader struct {
	Type          string `json:"type"`
	Version       int    `json:"version"`
	ID            string `json:"id"`
	Timestamp     string `json:"timestamp"`
	Cwd           string `json:"cwd"`
	Title         string `json:"title,omitempty"`
	TitleSource   string `json:"titleSource,omitempty"`
	ParentSession string `json:"parentSession,omitempty"`
}

func (h Header) encode() ([]byte, error) {
	w := wireHeader{Type: typeHeader, Version: Version, ID: h.ID, Timestamp: formatTime(h.Timestamp),
		Cwd: h.Cwd, Title: h.Title, ParentSession: h.ParentSession}
	if h.Title != "" {
		w.TitleSource = "user"
	}
	line, err := jsonl.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("encode session header: %w", err)
	}
	return line, nil
}

// decodeHeader reads a first line.
func decodeHeader(line []byte) (Header, error) {
	var w wireHeader
	if err := json.Unmarshal(line, &w); err != nil || w.Type != typeHeader || w.ID == "" {
		return Header{}, ErrNotSession
	}
	if w.Version > Version {
		return Header{}, fmt.Errorf("%w (version %d, this one reads up to %d)", ErrVersion, w.Version, Version)
	}
	return Header{Version: max(w.Version, 1), ID: w.ID, Timestamp: parseTime(w.Timestamp), Cwd: w.Cwd,
		Title: w.Title, ParentSession: w.ParentSession}, nil
}

// isTitleLine reports whether line is the padded title that one branch of the
// family puts before the header.
func isTitleLine(line []byte) bool {
	return unquote(field(line, "type")) == typeTitleLine
}
