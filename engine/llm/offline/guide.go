package offline

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// SummaryMarker begins the system prompt of a request for a hand-over summary.
// The guide answers such a request with a digest of the conversation.
const SummaryMarker = "You write hand-over summaries"

// Options of the guide. The zero value answers at once.
type Options struct {
	// Pace is the wait before each piece of text; 0 for none.
	Pace time.Duration
	// Sleep waits for d or until ctx ends; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration)
	// Connect says how to connect a language model, as Markdown in a language:
	// en, ar or zh. Nil when this build can't.
	Connect func(language string) string
}

// New returns the guide.
func New(opts Options) llm.Provider {
	if opts.Sleep == nil {
		opts.Sleep = sleep
	}
	return guide{opts}
}

type guide struct{ opts Options }

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Stream answers a request: a sentence and tool calls, or a report.
func (g guide) Stream(ctx context.Context, req llm.Request) llm.Stream {
	return func(yield func(llm.Part) bool) {
		w := answer.New(ctx, req, yield)
		if ctx.Err() != nil {
			w.Finish("", message.Usage{}, nil)
			return
		}
		r := respond(req, g.opts.Connect)
		usage := message.Usage{Input: inputTokens(req), Output: tokens(r.text)}
		for _, c := range r.calls {
			usage.Output += tokens(string(c.Arguments))
		}
		if g.text(ctx, w, r.text) {
			for _, c := range r.calls {
				if !g.stream(ctx, w, c, string(c.Arguments)) {
					break
				}
			}
		}
		w.Finish("", usage, nil)
	}
}

func (g guide) text(ctx context.Context, w *answer.Writer, text string) bool {
	return text == "" || g.stream(ctx, w, message.Block{Type: message.TextBlock}, text)
}

func (g guide) stream(ctx context.Context, w *answer.Writer, b message.Block, text string) bool {
	index, ok := w.Open(b)
	for ok && text != "" {
		if g.opts.Pace > 0 {
			g.opts.Sleep(ctx, g.opts.Pace)
		}
		n := wordEnd(text)
		ok = w.Delta(index, text[:n])
		text = text[n:]
	}
	return ok && w.Close(index, "")
}

// maxPiece is where a word is cut that has no blanks, as in Chinese.
const maxPiece = 24 // bytes

// wordEnd returns the length of the first word of s with the blanks after it.
func wordEnd(s string) int {
	blank := false
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			blank = true
		case blank || i >= maxPiece:
			return i
		}
	}
	return len(s)
}

func respond(req llm.Request, connect func(string) string) reply {
	if strings.HasPrefix(strings.TrimSpace(req.System), SummaryMarker) {
		return reply{text: digest(req.Messages)}
	}
	t := newTurn(req)
	t.connect = connect
	if text := t.perform(); t.reply.text == "" && len(t.reply.calls) == 0 {
		t.reply.text = strings.TrimRight(text, "\n")
	}
	return t.reply
}

// tokens is a rough count: four bytes of Latin text, or one character of
// another script and a half.
func tokens(s string) int {
	if s == "" {
		return 0
	}
	return max(1, (utf8.RuneCountInString(s)+len(s))/8)
}

func inputTokens(req llm.Request) int {
	n := tokens(req.System)
	for _, m := range req.Messages {
		for _, b := range m.Content {
			n += tokens(b.Text) + tokens(string(b.Arguments))
		}
		n += tokens(m.Summary)
	}
	for _, t := range req.Tools {
		n += tokens(t.Description) + tokens(string(t.Parameters))
	}
	return n
}
