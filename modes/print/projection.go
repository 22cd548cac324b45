package print

import "github.com/hoopoe-agent/hoopoe/engine/event"

// projection turns the stream into output.
type projection interface {
	opened(v event.View)
	put(e event.Envelope)
	reply(text string) // of a slash command
	finish()           // nothing comes after it
}
