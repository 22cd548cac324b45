// Package mockserver stands in for the services of all wires in tests.
//
//	request ─▶ Server ─▶ Request (wire, key, body) ─▶ the test's function ─▶ Answer
//	client ◀─ the wire's events ◀──────────────────────────────────────────────┘
//
// The events have the form that the vendors' API references give for streams.
// A client that asks for no stream gets one object; models and counts of tokens
// are answered without asking the test.
//
// Benchmarks prepare their answers, so that the server takes next to nothing of
// the machine, and keep no requests.
package mockserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Wire is the name of an API in the catalogue.
type Wire string

// The wires that the server speaks.
const (
	Anthropic   Wire = "anthropic-messages"
	Completions Wire = "openai-completions"
	Responses   Wire = "openai-responses"
	Google      Wire = "google-generative-ai"
)

// model is the only one there is.
const model = "m"

// Wires lists all.
func Wires() []Wire { return []Wire{Anthropic, Completions, Responses, Google} }

// Request is what a client sent.
type Request struct {
	Wire Wire
	// Number counts the requests from 0.
	Number int
	// Key is the API key, however the wire carries it.
	Key  string
	Body []byte
}

// Answer is what the model says, in this order, or how the service fails.
type Answer struct {
	// Status other than 0 and 200 refuses the request, with Message.
	Status     int
	Message    string
	RetryAfter string // header of a refusal

	Thinking  string // one delta
	Signature string // of the thinking, in the wire's own form
	Text      []string
	Calls     []Call

	// Pause is the time before each delta of the text.
	Pause time.Duration
	// Cut drops the connection after the text's first delta.
	Cut bool
	// Hang sends nothing after the text until the client leaves.
	Hang bool
	// Garbage is written after the text as it is, where an event should be.
	Garbage string

	encoded []byte // the whole stream, of Prepare
}

// Call is a tool call.
type Call struct {
	// ID may be empty on Google's wire. Item is the call's item on the wire of
	// responses.
	ID, Item, Name string
	Arguments      string // JSON
	Signature      string // Google's
}

// Server answers requests of every wire. It is an http.Handler.
type Server struct {
	// Forget keeps no requests: they may be hundreds of megabytes. To be set
	// before the first.
	Forget bool

	answer func(Request) Answer
	mu     sync.Mutex
	count  int
	got    []Request
	left   chan struct{}
}

// New returns a server that answers what answer says. Requests are answered
// one after the other or at once, as they come.
func New(answer func(Request) Answer) *Server {
	return &Server{answer: answer, left: make(chan struct{}, 1)}
}

// Requests lists what came so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.got...)
}

// Left receives when a client has left an answer that hangs, once if several
// did before anybody looked.
func (s *Server) Left() <-chan struct{} { return s.left }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wire, streams, ok := wireOf(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		aside(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	req := s.keep(Request{Wire: wire, Key: keyOf(r.Header), Body: body})
	a := s.answer(req)
	if a.Status != 0 && a.Status != http.StatusOK {
		refuse(w, wire, a)
		return
	}
	if !streams || wire != Google && unstreamed(body) {
		whole(w, wire, req.Number, a)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if a.encoded != nil {
		play(w, a.encoded)
		return
	}
	s.write(r, &events{w: w, flush: w.(http.Flusher).Flush, number: req.Number}, wire, a)
}

func (s *Server) keep(r Request) Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Number = s.count
	s.count++
	if !s.Forget {
		s.got = append(s.got, r)
	}
	return r
}

func (s *Server) write(r *http.Request, e *events, wire Wire, a Answer) {
	e.answer(wire, a, func(delta func(string)) {
		for i, text := range a.Text {
			if a.Pause > 0 {
				e.flush()
				select {
				case <-time.After(a.Pause):
				case <-r.Context().Done():
					return
				}
			}
			delta(text)
			if a.Cut && i == 0 {
				e.flush()
				panic(http.ErrAbortHandler)
			}
		}
		if a.Hang {
			e.flush()
			<-r.Context().Done()
			select {
			case s.left <- struct{}{}:
			default: // nobody has looked since the last one
			}
			panic(http.ErrAbortHandler)
		}
		if a.Garbage != "" {
			e.flush()
			_, _ = io.WriteString(e.w, a.Garbage) // the client may have left
		}
	})
}

// wireOf reads a path, whatever stands before its end. On Google's wire it also
// says whether the answer is to be a stream.
func wireOf(path string) (wire Wire, streams, ok bool) {
	for suffix, wire := range map[string]Wire{
		"/messages": Anthropic, "/chat/completions": Completions, "/responses": Responses, ":streamGenerateContent": Google,
	} {
		if strings.HasSuffix(path, suffix) {
			return wire, true, true
		}
	}
	return Google, false, strings.HasSuffix(path, ":generateContent")
}

func keyOf(h http.Header) string {
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key"} {
		if key := h.Get(name); key != "" {
			return key
		}
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

// refuse answers with an error in the wire's form.
func refuse(w http.ResponseWriter, wire Wire, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	w.WriteHeader(a.Status)
	names := errorNames[a.Status]
	var body any
	switch wire {
	case Anthropic:
		body = object{"type": "error", "error": object{"type": names.anthropic, "message": a.Message}}
	case Google:
		body = object{"error": object{"code": a.Status, "status": names.google, "message": a.Message}}
	default:
		body = object{"error": object{"type": names.openai, "message": a.Message, "code": nil, "param": nil}}
	}
	_ = json.NewEncoder(w).Encode(body) // the client may have left
}

// errorNames are what the services call an error in its body.
var errorNames = map[int]struct{ anthropic, openai, google string }{
	http.StatusUnauthorized:        {"authentication_error", "invalid_request_error", "UNAUTHENTICATED"},
	http.StatusTooManyRequests:     {"rate_limit_error", "requests", "RESOURCE_EXHAUSTED"},
	http.StatusInternalServerError: {"api_error", "server_error", "INTERNAL"},
	529:                            {"overloaded_error", "server_error", "UNAVAILABLE"},
}

type object = map[string]any

// events writes server-sent events. Errors of the connection show as the end
// of the request's context.
type events struct {
	w      io.Writer
	flush  func()
	number int // of the request
}

// id is unique among the answers of a server.
func (e *events) id(kind string) string { return fmt.Sprintf("%s_%d", kind, e.number) }

// answer writes one with the pieces of its text as say gives them.
func (e *events) answer(wire Wire, a Answer, say func(delta func(string))) {
	d := dialects[wire](e)
	d.begin()
	if a.Thinking != "" {
		d.thinking(a.Thinking, a.Signature)
	}
	if len(a.Text) > 0 {
		d.text(say)
	}
	for i, c := range a.Calls {
		d.call(i, c)
	}
	d.end(len(a.Calls) > 0)
	e.flush()
}

// event sends one; without a name only the data.
func (e *events) event(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("encode a test's answer: %v", err))
	}
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", text)
}
