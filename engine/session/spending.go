package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Spending is what one answer of a saved session has used.
type Spending struct {
	At              time.Time
	Provider, Model string
	Usage           message.Usage
}

// ReadSpending calls each with the usage of every answer in a session's file
// and in those of its sub-agents, whatever the branch. Lines that can't be read
// are passed over.
func ReadSpending(path string, each func(Spending)) error {
	if err := readSpending(path, each); err != nil {
		return err
	}
	below, _ := filepath.Glob(filepath.Join(globQuote(strings.TrimSuffix(path, ".jsonl")), "subagents", "*.jsonl"))
	for _, sub := range below {
		if err := readSpending(sub, each); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// mark is in the line of every answer.
var mark = []byte(`"assistant"`)

func readSpending(path string, each func(Spending)) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	lines := jsonl.NewReader(f, 0)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read session %s: %w", path, err)
		case bytes.Contains(line.Data, mark):
			spendingOf(line.Data, each)
		}
	}
}

func spendingOf(line []byte, each func(Spending)) {
	var e struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Message   struct {
			Role     string        `json:"role"`
			Provider string        `json:"provider"`
			Model    string        `json:"model"`
			Usage    message.Usage `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &e) != nil || e.Type != "message" || e.Message.Role != "assistant" {
		return
	}
	each(Spending{At: e.Timestamp, Provider: e.Message.Provider, Model: e.Message.Model, Usage: e.Message.Usage})
}
