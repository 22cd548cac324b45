package catalog

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// embedded reads the provider lines of the table and leaves the models for
// later. The environment may say where a provider is. The format is described where the table is made, in internal/gen; a
// test reads all of it, so that a damaged table can't ship.
func embedded(table string, getenv func(string) string) []shelf {
	var shelves []shelf
	for block := range strings.SplitSeq(strings.TrimSuffix(table, "\n"), "\n\n") {
		head, rows, _ := strings.Cut(block, "\n")
		f := strings.Split(head, "\t")
		if len(f) != 7 {
			continue
		}
		p := Provider{ID: f[0], Name: f[1], API: f[2], BaseURL: f[3], KeyEnv: f[4], BaseURLEnv: f[5], DefaultModel: f[6]}
		if p.BaseURLEnv != "" {
			p.BaseURL = cmp.Or(strings.TrimSpace(getenv(p.BaseURLEnv)), p.BaseURL)
		}
		shelves = append(shelves, shelf{Provider: p, models: sync.OnceValue(func() []llm.Model { return parseRows(p, rows) })})
	}
	return shelves
}

func parseRows(p Provider, rows string) []llm.Model {
	models := make([]llm.Model, 0, strings.Count(rows, "\n")+1)
	for row := range strings.SplitSeq(rows, "\n") {
		if f := strings.Split(row, "\t"); len(f) == 10 {
			models = append(models, parseRow(p, f))
		}
	}
	return models
}

func parseRow(p Provider, f []string) llm.Model {
	m := llm.Model{
		ID: f[0], Name: f[1], API: p.API, Provider: p.ID, BaseURL: p.BaseURL,
		ContextWindow: integer(f[2]), MaxTokens: integer(f[3]),
		Reasoning: strings.Contains(f[4], "r"), Input: []string{"text"},
		Cost: llm.Price{Input: decimal(f[6]), Output: decimal(f[7]), CacheRead: decimal(f[8]), CacheWrite: decimal(f[9])},
	}
	if strings.Contains(f[4], "i") {
		m.Input = append(m.Input, "image")
	}
	if f[5] != "" {
		m.Levels, m.Compat = parseLevels(f[5])
	}
	if strings.Contains(f[4], "t") {
		m.Compat = merge(m.Compat, json.RawMessage(`{"thinkingRequired":true}`))
	}
	return m
}

// parseLevels reads "low,high,xhigh=max": a level with another name on the
// wire goes into the compatibility map that the adapters read.
func parseLevels(s string) (levels []llm.Level, compat json.RawMessage) {
	for word := range strings.SplitSeq(s, ",") {
		level, wire, renamed := strings.Cut(word, "=")
		levels = append(levels, llm.Level(level))
		if renamed {
			compat = json.RawMessage(`{"reasoningEffortMap":{"` + level + `":"` + wire + `"}}`)
		}
	}
	return levels, compat
}

func integer(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func decimal(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}
