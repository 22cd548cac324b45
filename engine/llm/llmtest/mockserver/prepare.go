package mockserver

import (
	"bytes"
	"net/http"
)

// Prepare encodes an answer for one wire, so that to send it costs no more than
// to copy it. Its pauses and faults are left out. All sendings have one id.
func (a Answer) Prepare(wire Wire) Answer {
	var b bytes.Buffer
	e := &events{w: &b, flush: func() {}}
	e.answer(wire, a, func(delta func(string)) {
		for _, text := range a.Text {
			delta(text)
		}
	})
	a.encoded = b.Bytes()
	return a
}

// piece is what play sends at once, as a fast service does.
const piece = 32 << 10

// play sends an encoded stream: its first event alone, as it comes before the
// model has said anything.
func play(w http.ResponseWriter, stream []byte) {
	n := bytes.Index(stream, []byte("\n\n")) + 2
	for len(stream) > 0 {
		if _, err := w.Write(stream[:n]); err != nil {
			return // the client left
		}
		w.(http.Flusher).Flush()
		stream = stream[n:]
		n = min(piece, len(stream))
	}
}
