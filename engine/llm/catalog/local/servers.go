package local

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ollamaWindow is what Ollama loads a model with on most machines, unless it
// is told otherwise.
const ollamaWindow = 4096

// ollama lists what was pulled. A loaded model's window is known; for another
// it is what the model's file or the environment asks for.
func (p probe) ollama(ctx context.Context) []sighting {
	type entry struct {
		Name       string  `json:"name"`
		RemoteHost string  `json:"remote_host"`
		Context    float64 `json:"context_length"`
	}
	var pulled, running struct {
		Models []entry `json:"models"`
	}
	if !p.get(ctx, "/api/tags", &pulled) {
		return nil
	}
	p.get(ctx, "/api/ps", &running)
	out := make([]sighting, 0, len(pulled.Models))
	for _, m := range pulled.Models[:min(len(pulled.Models), modelLimit)] {
		if !cleanID(m.Name) {
			continue
		}
		s := sighting{id: m.Name}
		if m.RemoteHost != "" {
			s.remote = host(m.RemoteHost)
		}
		for _, r := range running.Models {
			if r.Name == m.Name {
				s.loaded, s.window = true, tokens(r.Context)
			}
		}
		out = append(out, s)
	}
	p.details(ctx, out)
	return slices.DeleteFunc(out, func(s sighting) bool { return s.id == "" })
}

// details asks for each model, a few at a time. Models that only embed lose
// their id; where no answer comes in time, the defaults stand.
func (p probe) details(ctx context.Context, models []sighting) {
	const atOnce = 8
	var group sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i := range models {
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			p.show(ctx, &models[i])
		})
	}
	group.Wait()
}

func (p probe) show(ctx context.Context, s *sighting) {
	var info struct {
		Capabilities []string                   `json:"capabilities"`
		Parameters   string                     `json:"parameters"`
		ModelInfo    map[string]json.RawMessage `json:"model_info"`
	}
	p.post(ctx, "/api/show", map[string]string{"model": s.id}, &info)
	if len(info.Capabilities) > 0 && !slices.Contains(info.Capabilities, "completion") {
		s.id = ""
		return
	}
	s.vision = slices.Contains(info.Capabilities, "vision")
	s.thinking = slices.Contains(info.Capabilities, "thinking")
	most := 0 // what the model was made for
	for name, raw := range info.ModelInfo {
		var n float64
		if strings.HasSuffix(name, ".context_length") && json.Unmarshal(raw, &n) == nil {
			most = max(most, tokens(n))
		}
	}
	switch {
	case s.remote != "":
		s.window = most
	case s.window > 0:
	default:
		s.guessed = true
		s.window = numCtx(info.Parameters)
		if s.window == 0 {
			n, _ := strconv.ParseFloat(strings.TrimSpace(p.getenv("OLLAMA_CONTEXT_LENGTH")), 64)
			s.window = tokens(n)
		}
		if s.window == 0 {
			s.window = ollamaWindow
		}
		if most > 0 {
			s.window = min(s.window, most)
		}
	}
}

// numCtx finds the window in the parameters of a model's file, one a line.
func numCtx(parameters string) int {
	for line := range strings.Lines(parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n, _ := strconv.ParseFloat(f[1], 64)
			return tokens(n)
		}
	}
	return 0
}

// lmstudioWindow is what LM Studio loads a model with when a request asks for
// one that isn't loaded.
const lmstudioWindow = 4096

func (p probe) lmstudio(ctx context.Context) []sighting {
	var list struct {
		Data []struct {
			ID     string  `json:"id"`
			Type   string  `json:"type"`
			State  string  `json:"state"`
			Most   float64 `json:"max_context_length"`
			Loaded float64 `json:"loaded_context_length"`
		} `json:"data"`
	}
	if !p.get(ctx, "/api/v0/models", &list) {
		return p.compatible(ctx)
	}
	var out []sighting
	for _, m := range list.Data[:min(len(list.Data), modelLimit)] {
		if !cleanID(m.ID) || m.Type != "llm" && m.Type != "vlm" {
			continue
		}
		s := sighting{id: m.ID, vision: m.Type == "vlm", loaded: m.State == "loaded", window: tokens(m.Loaded)}
		if !s.loaded {
			s.guessed, s.window = true, lmstudioWindow
			if most := tokens(m.Most); most > 0 {
				s.window = min(s.window, most)
			}
		}
		out = append(out, s)
	}
	return out
}

// compatible reads the list that every server with OpenAI's wire has. vLLM puts
// the window there; llama.cpp has it among its properties.
func (p probe) compatible(ctx context.Context) []sighting {
	var list struct {
		Object string `json:"object"`
		Data   []struct {
			ID     string  `json:"id"`
			Window float64 `json:"max_model_len"`
		} `json:"data"`
	}
	// Any program may listen at such a port: it has to look like a model server.
	if !p.get(ctx, "/v1/models", &list) || list.Object != "list" {
		return nil
	}
	var out []sighting
	for _, m := range list.Data[:min(len(list.Data), modelLimit)] {
		if cleanID(m.ID) {
			out = append(out, sighting{id: m.ID, window: tokens(m.Window), loaded: true})
		}
	}
	if p.kind == LlamaCpp {
		for i := range out {
			p.properties(ctx, &out[i])
		}
	}
	return out
}

// properties asks llama.cpp for the window of a slot, which is what a
// conversation has. A server of many models isn't made to load one.
func (p probe) properties(ctx context.Context, s *sighting) {
	var props struct {
		Settings struct {
			Window float64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct {
			Vision bool `json:"vision"`
		} `json:"modalities"`
	}
	if p.get(ctx, "/props?autoload=false&model="+url.QueryEscape(s.id), &props) {
		s.vision = props.Modalities.Vision
		if n := tokens(props.Settings.Window); n > 0 {
			s.window = n
		}
	}
	var slots []struct {
		Window float64 `json:"n_ctx"`
	}
	if s.window == 0 && p.get(ctx, "/slots?autoload=false&model="+url.QueryEscape(s.id), &slots) && len(slots) > 0 {
		s.window = tokens(slots[0].Window)
	}
}

func (p probe) get(ctx context.Context, path string, into any) bool {
	return p.ask(ctx, http.MethodGet, path, nil, into)
}

func (p probe) post(ctx context.Context, path string, body, into any) bool {
	data, err := json.Marshal(body)
	return err == nil && p.ask(ctx, http.MethodPost, path, bytes.NewReader(data), into)
}

// answerLimit bounds an answer, in bytes.
const answerLimit = 4 << 20

// ask reports whether the server gave a JSON answer of the expected form.
func (p probe) ask(ctx context.Context, method, path string, body io.Reader, into any) bool {
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, body)
	if err != nil {
		return false
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false
	}
	return json.NewDecoder(io.LimitReader(resp.Body, answerLimit)).Decode(into) == nil
}
