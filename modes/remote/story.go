package remote

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// story turns the events of one request's run into its frames. It does no I/O.
// In stream mode the chunks, joined, are the text that the other mode sends as
// one.
type story struct {
	stream bool

	texts   []passage // of finished answers, and of the one in progress
	chunked int       // passages of which chunks are out
	failed  *toolFailure
	calls   map[string]json.RawMessage // arguments of the calls in progress
	usage   message.Usage
	broken  string // why the prompt couldn't start
	ended   bool
}

// passage is the text of one message.
type passage struct {
	id   string
	text string // when the message has ended
	open bool   // chunks of it are out
	// rest is the beginning of a character, kept back from the chunks.
	rest string
}

// toolFailure is a failed call that nothing was said about yet.
type toolFailure struct {
	name, text string
	arguments  json.RawMessage
}

func newStory(stream bool) *story {
	return &story{stream: stream, calls: map[string]json.RawMessage{}}
}

// event returns the frames of one event. ended is set with the last.
func (s *story) event(ev event.Event) []frame {
	switch e := ev.(type) {
	case event.MessageDelta:
		if s.stream && e.Block == message.TextBlock {
			return s.say(e.ID, e.Delta())
		}
	case event.MessageEnded:
		return s.message(e)
	case event.MessageRemoved:
		s.remove(e.ID)
	case event.ToolStarted:
		s.calls[e.CallID] = arguments(e.Arguments)
		if s.stream {
			return []frame{{kind: kindCall, value: toolCall{e.Name, s.calls[e.CallID]}}}
		}
	case event.ToolEnded:
		return s.toolEnded(e)
	case event.PromptFailed:
		s.broken = e.Error
	case event.RunSettled:
		s.ended = true
		return s.end(e)
	}
	return nil
}

// say sends a piece of an answer's text, never half a character. A blank line
// parts it from the answer before.
func (s *story) say(id, text string) []frame {
	p := s.passage(id)
	text = p.rest + text
	whole := len(text) - unfinished(text)
	text, p.rest = text[:whole], text[whole:]
	if text == "" {
		return nil
	}
	s.failed = nil
	if !p.open {
		p.open = true
		if s.chunked++; s.chunked > 1 {
			text = gap + text
		}
	}
	return chunks(text)
}

// unfinished is how many bytes at the end are the beginning of a character.
func unfinished(text string) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if utf8.RuneStart(text[len(text)-n]) {
			if utf8.FullRuneInString(text[len(text)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

const gap = "\n\n"

// chunks cuts a text into frames.
func chunks(text string) []frame {
	var frames []frame
	for len(text) > 0 {
		n := min(len(text), maxChunk)
		for n < len(text) && n > 1 && !utf8.RuneStart(text[n]) {
			n--
		}
		frames = append(frames, frame{kind: kindStream, chunk: []byte(text[:n])})
		text = text[n:]
	}
	return frames
}

func (s *story) passage(id string) *passage {
	for i := range s.texts {
		if s.texts[i].id == id {
			return &s.texts[i]
		}
	}
	s.texts = append(s.texts, passage{id: id})
	return &s.texts[len(s.texts)-1]
}

func (s *story) message(e event.MessageEnded) []frame {
	switch m := e.Message; {
	case m.Role == message.ToolResult && m.ToolName == "ask" && !m.IsError:
		// The question is the answer, until the model goes on.
		p := s.passage(e.ID)
		p.text = m.Text()
		if s.stream && p.text != "" {
			return s.say(e.ID, p.text)
		}
	case m.Role == message.Assistant:
		s.usage = s.usage.Add(m.Usage)
		p := s.passage(e.ID)
		if p.text = m.Text(); p.text != "" {
			s.failed = nil
		}
		if s.stream && !p.open && p.text != "" { // it came without deltas
			return s.say(e.ID, p.text)
		}
	}
	return nil
}

// remove forgets a message that counts no more. What was sent of it as chunks
// can't be taken back.
func (s *story) remove(id string) {
	for i, p := range s.texts {
		if p.id == id {
			s.texts = append(s.texts[:i], s.texts[i+1:]...)
			return
		}
	}
}

func (s *story) toolEnded(e event.ToolEnded) []frame {
	args := s.calls[e.CallID]
	delete(s.calls, e.CallID)
	text := message.Text(e.Content)
	s.failed = nil
	if e.IsError {
		s.failed = &toolFailure{e.Name, excerpt(text, 16<<10), args}
	}
	if !s.stream {
		return nil
	}
	return []frame{{kind: kindResult, value: toolResult{e.Name, result{excerpt(text, maxChunk), e.IsError}}}}
}

// end is the one frame that closes the request.
func (s *story) end(e event.RunSettled) []frame {
	used := usageOf(s.usage)
	problem := s.problem(e)
	switch {
	case problem != "":
		f := failure(problem)
		f.usage = used
		return []frame{f}
	case s.stream && e.Aborted:
		return []frame{{kind: kindComplete, value: complete{nil, true}}}
	case s.stream:
		return []frame{{kind: kindComplete, value: complete{used, false}}}
	}
	f := textFrame(s.text())
	if f.usage = used; e.Aborted {
		f.usage = nil
	}
	return []frame{f}
}

// problem says why the request failed, "" if it didn't.
func (s *story) problem(e event.RunSettled) string {
	text := s.broken
	if text == "" {
		text = e.Error
	}
	switch {
	case e.Aborted:
		return ""
	case s.broken != "" || e.Reason == message.Error:
		return processing(text)
	case e.Reason == message.StepLimit || e.Reason == message.Budget:
		return "timeout_error: " + text
	case e.Reason == message.Refusal && s.text() == "":
		if text == "" {
			text = "the provider refused to answer"
		}
		return processing(text)
	case s.failed != nil:
		return toolError(*s.failed)
	}
	return ""
}

func processing(text string) string {
	if text == "" {
		text = "the model gave no answer"
	}
	return "Processing error: " + text
}

// toolError is the structured error of a request that ends on a failed call.
func toolError(f toolFailure) string {
	type details struct {
		Tool      string          `json:"tool"`
		Error     string          `json:"error"`
		Arguments json.RawMessage `json:"arguments"`
	}
	args := f.arguments
	if len(args) == 0 {
		args = json.RawMessage("null")
	}
	return string(encoded(struct {
		Type    string  `json:"type"`
		Message string  `json:"message"`
		Details details `json:"details"`
	}{"tool_execution_error", fmt.Sprintf("Tool '%s' execution failed", f.name), details{f.name, f.text, args}}))
}

func (s *story) text() string {
	var texts []string
	for _, p := range s.texts {
		if p.text != "" {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, gap)
}
