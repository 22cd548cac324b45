package mockserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// paths end the address of each wire.
var paths = map[Wire]string{
	Anthropic: "/v1/messages", Completions: "/v1/chat/completions", Responses: "/v1/responses", Google: "/v1beta/models/m:streamGenerateContent",
}

func serve(t *testing.T, answer Answer) (*Server, string) {
	t.Helper()
	s := New(func(Request) Answer { return answer })
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %s", url, r.Status, err, text)
	}
	return string(text)
}

// What is prepared is what would be written.
func TestPreparedAnswers(t *testing.T) {
	answer := Answer{Text: strings.SplitAfter(strings.Repeat("a word ", 20_000), " "), Calls: []Call{{ID: "c", Item: "i", Name: "read", Arguments: `{}`}}}
	for _, wire := range Wires() {
		t.Run(string(wire), func(t *testing.T) {
			_, written := serve(t, answer)
			s, prepared := serve(t, answer.Prepare(wire))
			s.Forget = true
			a, b := post(t, written+paths[wire], `{"stream":true}`), post(t, prepared+paths[wire], `{"stream":true}`)
			if a != b || len(a) < 200_000 {
				t.Errorf("%d bytes written, %d prepared", len(a), len(b))
			}
			if len(s.Requests()) != 0 {
				t.Error("a request was kept")
			}
		})
	}
}

func TestWholeAnswers(t *testing.T) {
	_, url := serve(t, Answer{Text: []string{"two ", "words"}, Calls: []Call{{ID: "c", Item: "i", Name: "read", Arguments: `{"path":"a"}`}}})
	for _, wire := range Wires() {
		t.Run(string(wire), func(t *testing.T) {
			path := strings.Replace(paths[wire], "streamG", "g", 1)
			for _, body := range []string{`{}`, `{"stream":false}`} {
				got := post(t, url+path, body)
				if !strings.Contains(got, `"two words"`) || !strings.Contains(got, `"read"`) || strings.Contains(got, "data:") {
					t.Errorf("%s: %s", body, got)
				}
			}
		})
	}
}

func TestAsides(t *testing.T) {
	s, url := serve(t, Answer{})
	for _, path := range []string{"/v1/messages/count_tokens", "/v1beta/models/m:countTokens"} {
		if got := post(t, url+path, strings.Repeat("1234", 10)); !strings.Contains(got, "okens\":11") {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, path := range []string{"/v1/models", "/v1beta/models"} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(text), `"m"`) && !strings.Contains(string(text), `"models/m"`) {
			t.Errorf("%s: %s, %v", path, text, err)
		}
	}
	if len(s.Requests()) != 0 {
		t.Error("asides are no requests to the model")
	}
}

func TestReadRequests(t *testing.T) {
	for _, c := range []struct {
		wire    Wire
		body    string
		results int
		tools   bool
	}{
		{Anthropic, `{"messages":[{"content":[{"type":"tool_result"},{"type":"tool_result"}]}],"tools":[{}]}`, 2, true},
		{Anthropic, `{"messages":[{"content":"\"type\":\"tool_result\""}],"tools":[]}`, 0, false},
		{Completions, `{"messages":[{"role":"tool"},{"role":"user"}]}`, 1, false},
		{Responses, `{"input":[{"type":"function_call_output"},{"type":"custom_tool_call_output"}],"tools":[{}]}`, 2, true},
		{Google, `{"contents":[{"parts":[{"functionResponse":{}}]}],"tools":[{}]}`, 1, true},
		{Google, ``, 0, false},
	} {
		r := Request{Wire: c.wire, Body: []byte(c.body)}
		if r.Results() != c.results || r.OffersTools() != c.tools {
			t.Errorf("%s %s: %d results, tools %t", c.wire, c.body, r.Results(), r.OffersTools())
		}
	}
}

// Clients merge what has one id.
func TestAnswersHaveTheirOwnIDs(t *testing.T) {
	_, url := serve(t, Answer{Text: []string{"hi"}})
	for _, wire := range Wires() {
		answers := []string{post(t, url+paths[wire], `{"stream":true}`), post(t, url+paths[wire], `{"stream":true}`)}
		if slices.Contains(answers[:1], answers[1]) {
			t.Errorf("%s: twice the same: %s", wire, answers[0])
		}
	}
}
