// Gen writes the catalogue's models.tsv from the data of charm.land/catwalk.
// It is a module of its own so that catwalk, which parses all of its data at
// start, never becomes a dependency of the product.
//
//	catwalk's providers ─▶ rename, map, normalise ─▶ models.tsv
//
// The file holds one block per provider, blocks parted by an empty line, fields
// by tabs. The first line of a block is the provider:
//
//	id, name, API, base URL, key variable, base URL variable, default model
//
// and each line after it a model:
//
//	id, name, context window, output limit, flags (r reasons, i sees images,
//	t must think: a budget of 0 is refused),
//	thinking levels (a level that goes by another name on the wire is level=name),
//	price of input, output, cache read and cache write in dollars per million tokens
package main

import (
	"cmp"
	"flag"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", "models.tsv", "file to write")
	flag.Parse()
	if err := os.WriteFile(*out, []byte(table(embedded.GetAll())), 0o644); err != nil {
		log.Fatal(err)
	}
}

func table(providers []catwalk.Provider) string {
	slices.SortFunc(providers, func(a, b catwalk.Provider) int {
		return cmp.Or(rank(providerID(a))-rank(providerID(b)), strings.Compare(providerID(a), providerID(b)))
	})
	var blocks []string
	for _, p := range providers {
		if len(p.Models) == 0 {
			continue
		}
		lines := []string{header(p)}
		seen := map[string]bool{}
		for _, m := range p.Models {
			if !seen[m.ID] {
				lines = append(lines, row(m))
			}
			seen[m.ID] = true
		}
		blocks = append(blocks, strings.Join(lines, "\n"))
	}
	return strings.Join(blocks, "\n\n") + "\n"
}

// rank puts the providers that most people have a key for first.
func rank(id string) int {
	i := slices.Index([]string{"anthropic", "openai", "google"}, id)
	if i < 0 {
		return 3
	}
	return i
}

func providerID(p catwalk.Provider) string {
	if p.ID == catwalk.InferenceProviderGemini {
		return "google"
	}
	return string(p.ID)
}

func header(p catwalk.Provider) string {
	id := providerID(p)
	base, baseEnv := p.APIEndpoint, ""
	if env, ok := strings.CutPrefix(base, "$"); ok {
		base, baseEnv = publicEndpoint(id), env
	}
	return fields(id, p.Name, api(p, id), base, strings.TrimPrefix(p.APIKey, "$"), baseEnv, defaultModel(p))
}

func publicEndpoint(id string) string {
	switch id {
	case "anthropic":
		return "https://api.anthropic.com"
	case "openai":
		return "https://api.openai.com/v1"
	case "google":
		return "https://generativelanguage.googleapis.com/v1beta"
	}
	return ""
}

// api names the wire family. Only OpenAI itself is sure to serve responses.
func api(p catwalk.Provider, id string) string {
	switch p.Type {
	case catwalk.TypeAnthropic:
		return "anthropic-messages"
	case catwalk.TypeGoogle:
		return "google-generative-ai"
	case catwalk.TypeVertexAI:
		return "google-vertex"
	case catwalk.TypeAzure:
		return "azure-openai-responses"
	case catwalk.TypeBedrock:
		return "bedrock-converse-stream"
	case catwalk.TypeOpenAI:
		if id == "openai" {
			return "openai-responses"
		}
	}
	return "openai-completions"
}

func defaultModel(p catwalk.Provider) string {
	if slices.ContainsFunc(p.Models, func(m catwalk.Model) bool { return m.ID == p.DefaultLargeModelID }) {
		return p.DefaultLargeModelID
	}
	return p.Models[0].ID
}

func row(m catwalk.Model) string {
	flags := ""
	if m.CanReason {
		flags += "r"
	}
	if m.SupportsImages {
		flags += "i"
	}
	if m.ID == "gemini-2.5-pro" { // the source doesn't tell
		flags += "t"
	}
	read, write := cachePrices(m)
	return fields(m.ID, m.Name, strconv.FormatInt(m.ContextWindow, 10), strconv.FormatInt(m.DefaultMaxTokens, 10),
		flags, levels(m), price(m.CostPer1MIn), price(m.CostPer1MOut), price(read), price(write))
}

// levels maps the efforts of a model to ours. A model whose highest effort is
// called max, without an xhigh below it, gets it as xhigh.
func levels(m catwalk.Model) string {
	if !m.CanReason {
		return ""
	}
	var out []string
	for _, level := range []string{"minimal", "low", "medium", "high", "xhigh"} {
		switch {
		case slices.Contains(m.ReasoningLevels, level):
			out = append(out, level)
		case level == "xhigh" && slices.Contains(m.ReasoningLevels, "max"):
			out = append(out, "xhigh=max")
		}
	}
	return strings.Join(out, ",")
}

// cachePrices tells reading from writing. The source's two fields are filled
// in differently per provider; a read is always cheaper than plain input, and a
// write never costs more than twice as much.
func cachePrices(m catwalk.Model) (read, write float64) {
	a, b := m.CostPer1MInCached, m.CostPer1MOutCached
	low, high := min(a, b), max(a, b)
	switch {
	case low > 0:
		read = low
	case high < m.CostPer1MIn:
		read = high
	}
	if read != high && high <= 2*m.CostPer1MIn {
		write = high
	}
	return read, write
}

func price(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func fields(values ...string) string {
	for i, v := range values {
		values[i] = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, v))
	}
	return strings.Join(values, "\t")
}
