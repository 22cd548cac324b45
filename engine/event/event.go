// Package event is what a session tells its faces: a sealed union of events,
// the envelope that orders them, and one canonical JSON of both.
//
//	agent loop ─▶ session owner ─▶ Envelope{Seq} ─▶ every subscription ─▶ face's dialect
//
// Events name what has happened, in the past tense. Anything that an event
// points to is immutable once it is published. Texts are as the model, the
// tool or the user made them: a face sanitises where it meets a terminal.
//
// Life cycles nest: run ⊃ turn ⊃ message and tool call. A prompt may take
// several runs (retry, compaction, queued messages); RunSettled closes it.
package event

import "time"

// Event is one of the structs of this package.
type Event interface {
	Kind() Kind
	event()
}

// Envelope orders an event within its session. Seq rises by one with each
// event; deltas that were merged carry the last one's.
type Envelope struct {
	Seq     uint64
	Session string
	At      time.Time
	Event   Event
}

// Kind is an event's name in the canonical JSON.
type Kind string
