package client_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// The client knows every event of the reference, and has a shape for it.
func TestReference(t *testing.T) {
	reference, err := os.ReadFile("../PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{}
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		events := c.Subscribe()
		events.Next(t.Context()) // ready
		for line := range strings.Lines(string(reference)) {
			line, ok := strings.CutPrefix(strings.TrimSpace(line), "< {")
			if !ok {
				continue
			}
			var head struct {
				Type string `json:"type"`
			}
			if json.Unmarshal([]byte("{"+line), &head) != nil || head.Type == "response" || strings.HasPrefix(head.Type, "host_tool") {
				continue
			}
			f.say("{" + line)
			e, err := events.Next(t.Context())
			if err != nil || e.Data == nil {
				t.Errorf("%+v, %v: {%s", e.Data, err, line)
			}
			checked[head.Type] = true
		}
	})
	if len(checked) < 15 {
		t.Errorf("the reference shows only %d types of events", len(checked))
	}
}
