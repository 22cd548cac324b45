package scripted

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// API and Provider are the names in the model row of every script.
const (
	API      = "hoopoe-script"
	Provider = "script"
)

// Script is a parsed file. It is immutable and may serve many players.
type Script struct {
	name  string
	model llm.Model
	turns []turn
}

// Name is what Parse was given.
func (s *Script) Name() string { return s.name }

// Turns is how many turns the script has.
func (s *Script) Turns() int { return len(s.turns) }

// Model is the script's row of the catalogue: script/NAME.
func (s *Script) Model() llm.Model { return s.model }

// SyntaxError says where a script can't be understood.
type SyntaxError struct {
	File string
	Line int // 1-based
	Msg  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

const always = -1

type turn struct {
	line       int
	on, system condition
	times      int // always, or how often it may play
	steps      []step
}

// condition fits everything when it is zero.
type condition struct {
	text string // lower case
	expr *regexp.Regexp
}

func (c condition) fits(s string) bool {
	switch {
	case c.expr != nil:
		return c.expr.MatchString(s)
	case c.text != "":
		return strings.Contains(strings.ToLower(s), c.text)
	}
	return true
}

type stepKind int

const (
	blockStep stepKind = iota
	delayStep
	markStep
	usageStep
	stopStep
	errorStep
	disconnectStep
)

type step struct {
	kind      stepKind
	block     message.Block // type, and for a call name and id
	text      string        // the whole of what a block streams, or the mark's name
	ends      []int         // where each piece of text ends
	signature string
	delay     time.Duration // of a delay step, or before each piece
	usage     message.Usage
	stop      message.StopReason
	err       error
}
