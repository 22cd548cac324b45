package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func TestBill(t *testing.T) {
	p := Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	u := p.Bill(message.Usage{Input: 1_000_000, Output: 2_000_000, CacheRead: 10_000_000, CacheWrite: 4_000_000})
	if u.Cost != (message.Cost{Input: 3, Output: 30, CacheRead: 3, CacheWrite: 15, Total: 51}) {
		t.Errorf("cost %+v", u.Cost)
	}
	if u.TotalTokens != 17_000_000 {
		t.Errorf("total %d", u.TotalTokens)
	}
	// A provider that counts for itself is believed.
	if u := p.Bill(message.Usage{Input: 1, TotalTokens: 9}); u.TotalTokens != 9 {
		t.Errorf("total %d", u.TotalTokens)
	}
}

// Headers may hold keys: they never reach a wire of ours.
func TestModelJSON(t *testing.T) {
	data, err := json.Marshal(Model{ID: "m", Provider: "p", Input: []string{"text"}, Headers: map[string]string{"X-Key": "secret"}, Levels: []Level{High}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"m","name":"","api":"","provider":"p","baseUrl":"","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":0,"maxTokens":0}`
	if string(data) != want {
		t.Errorf("model as JSON:\n%s\nwant\n%s", data, want)
	}
	if strings.Contains(string(data), "secret") {
		t.Error("a header leaked")
	}
}

func TestImages(t *testing.T) {
	if (Model{Input: []string{"text"}}).Images() || !(Model{Input: []string{"text", "image"}}).Images() {
		t.Error("images are told wrong")
	}
}
