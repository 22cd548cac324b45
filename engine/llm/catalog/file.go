package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
)

// What a model of the user's file is taken for where the file is silent.
const (
	defaultWindow = 128_000
	defaultOutput = 16_384
)

// fileLimit bounds the user's file, in bytes.
const fileLimit = 4 << 20

// File is the user's models.json: providers and models of his own, and changes
// of embedded ones. It is immutable.
type File struct {
	providers map[string]*fileProvider
}

// fileProvider is one entry of the file. Keys and header values are texts that
// say where the secret is; they are resolved when a request is made.
type fileProvider struct {
	baseURL, api string
	key          string
	keyless      bool // auth: none
	authHeader   bool
	headers      map[string]string
	compat       json.RawMessage
	models       []fileModel
	overrides    map[string]change
}

// fileModel is a whole model with the defaults filled in.
type fileModel struct {
	llm.Model
	headers map[string]string
}

// change holds what an override states; nil fields stay as they are.
type change struct {
	name                 *string
	reasoning            *bool
	input                []string
	cost                 priceChange
	contextWindow, limit *int
	headers              map[string]string
	compat               json.RawMessage
}

type priceChange struct{ input, output, cacheRead, cacheWrite *float64 }

// ReadFile reads a models.json. A file that doesn't exist is an empty one. See
// Parse for errors.
func ReadFile(path string) (*File, error) {
	data, err := readAll(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{}, nil
	}
	if err != nil {
		return &File{}, err
	}
	file, err := Parse(data)
	if err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// readAll reads what a file may have, and a byte more.
func readAll(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the models: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read the models: %w", err)
	}
	return data, nil
}

// Parse reads the JSON of a models.json, without comments. The file is never
// nil: with an error it holds what is sound. The error names each unsound field
// by its path and holds no values, which may be secrets.
func Parse(data []byte) (*File, error) {
	file, problems, err := parse(data)
	return file, errors.Join(err, report(problems))
}

func parse(data []byte) (*File, []Problem, error) {
	file := &File{providers: map[string]*fileProvider{}}
	if len(data) > fileLimit {
		return file, nil, fmt.Errorf("the file has more than the %d bytes that it may have", fileLimit)
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return file, nil, nil
	}
	var problems []Problem
	root, err := parseRoot(data, &problems)
	if err != nil {
		return file, nil, err
	}
	known := map[string]bool{}
	for _, s := range embedded(table, unset) {
		known[s.ID] = true
	}
	providers := root.object("providers")
	for _, id := range slices.Sorted(maps.Keys(providers.fields)) {
		if p, ok := parseProvider(providers.object(id), id, known[id]); ok {
			file.providers[id] = p
		}
	}
	return file, problems, nil
}

func parseProvider(o object, id string, known bool) (*fileProvider, bool) {
	if problem := badID(id); problem != "" {
		o.complain(problem)
		return nil, false
	}
	if id == offline.Provider {
		o.complain("this provider is built in and can't be changed")
		return nil, false
	}
	before := len(*o.problems)
	p := &fileProvider{headers: o.headers(), compat: o.raw("compat"), overrides: map[string]change{}}
	o.get("baseUrl", &p.baseURL)
	o.get("api", &p.api)
	o.get("apiKey", &p.key)
	o.get("authHeader", &p.authHeader)
	var auth string
	o.get("auth", &auth)
	p.keyless = auth == "none"
	if p.baseURL != "" && !isURL(p.baseURL) {
		o.complainOf("baseUrl", "want a URL that begins with http:// or https://")
	}
	if len(*o.problems) > before { // its models would be asked at a wrong place
		return nil, false
	}
	seen := map[string]bool{}
	for _, m := range o.list("models") {
		model, ok := parseModel(m, p, known)
		if ok && seen[model.ID] {
			m.complain("an earlier model has the same id")
		} else if ok {
			model.Provider = id
			seen[model.ID] = true
			p.models = append(p.models, model)
		}
	}
	overrides := o.object("modelOverrides")
	for _, model := range slices.Sorted(maps.Keys(overrides.fields)) {
		if c, ok := parseChange(overrides.object(model)); ok {
			p.overrides[model] = c
		}
	}
	return p, known || len(p.models) > 0
}

// parseModel reads a model. What neither it nor its provider states comes from
// the embedded provider later, if there is one.
func parseModel(o object, p *fileProvider, known bool) (fileModel, bool) {
	before := len(*o.problems)
	m := fileModel{Model: llm.Model{
		API: p.api, BaseURL: p.baseURL, Input: []string{"text"},
		ContextWindow: defaultWindow, MaxTokens: defaultOutput,
	}}
	o.get("id", &m.ID)
	if problem := badID(strings.ReplaceAll(m.ID, "/", "")); problem != "" {
		o.complainOf("id", problem)
	}
	m.Name = m.ID
	o.get("api", &m.API)
	o.get("baseUrl", &m.BaseURL)
	c, _ := parseChange(o)
	if !known && m.API == "" {
		o.complainOf("api", "missing, here or at the provider")
	}
	if !known && m.BaseURL == "" {
		o.complainOf("baseUrl", "missing at the provider, which isn't one that is built in")
	}
	if m.BaseURL != "" && !isURL(m.BaseURL) {
		o.complainOf("baseUrl", "want a URL that begins with http:// or https://")
	}
	m.Model, m.headers = c.apply(m.Model), c.headers
	return m, len(*o.problems) == before
}

func parseChange(o object) (change, bool) {
	before := len(*o.problems)
	c := change{headers: o.headers(), compat: o.raw("compat")}
	o.get("name", &c.name)
	o.get("reasoning", &c.reasoning)
	o.get("input", &c.input)
	for _, in := range c.input {
		if in != "text" && in != "image" {
			o.complainOf("input", `want a list of "text" and "image"`)
		}
	}
	cost := o.object("cost")
	cost.price("input", &c.cost.input)
	cost.price("output", &c.cost.output)
	cost.price("cacheRead", &c.cost.cacheRead)
	cost.price("cacheWrite", &c.cost.cacheWrite)
	o.count("contextWindow", &c.contextWindow)
	o.count("maxTokens", &c.limit)
	return c, len(*o.problems) == before
}

func badID(id string) string {
	switch {
	case strings.TrimSpace(id) == "":
		return "the id is empty"
	case strings.ContainsRune(id, '/') || strings.IndexFunc(id, unicode.IsControl) >= 0:
		return "the id holds a slash or a control character"
	}
	return ""
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
