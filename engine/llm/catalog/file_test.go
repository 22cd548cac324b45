package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// theirs is a file as other agents of the family write it.
const theirs = `{
  "$schema": "https://example.test/models.schema.json",
  "providers": {
    "lab": {
      "baseUrl": "http://lab.test:9000/v1", "apiKey": "$LAB_KEY", "api": "openai-completions", "authHeader": true,
      "headers": {"X-Team": "TEAM", "X-Plain": "plain"},
      "compat": {"supportsStore": false, "routing": {"order": ["a"], "only": ["b"]}},
      "models": [
        {"id": "deep/seek:7b"},
        {"id": "big", "name": "Big", "api": "anthropic-messages", "reasoning": true, "input": ["text", "image"],
         "cost": {"input": 1.5, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}, "contextWindow": 200000, "maxTokens": 64000,
         "headers": {"X-Plain": "!secret"}, "novel": [1],
         "compat": {"supportsStore": true, "routing": {"only": ["c"]}, "reasoningEffortMap": {"xhigh": "max"}}}
      ]
    },
    "anthropic": {
      "baseUrl": "https://proxy.test", "headers": {"X-Proxy": "1"},
      "models": [{"id": "claude-next", "contextWindow": 500000}, {"id": "claude-haiku-4-5", "name": "My Haiku"}],
      "modelOverrides": {
        "claude-opus-5": {"name": "Opus by proxy", "cost": {"output": 20}, "contextWindow": 300000, "headers": {"X-Beta": "on"}},
        "claude-gone": {"name": "nobody"}
      }
    },
    "openai": {"apiKey": "OPENAI_WORK_KEY"},
    "shed": {"baseUrl": "http://shed.test/v1", "api": "openai-completions", "auth": "none", "models": [{"id": "tool"}]},
    "empty": {"baseUrl": "http://empty.test/v1"},
    "gate": {"baseUrl": "http://gate.test/v1", "api": "openai-completions", "headers": {"authorization": "$GATE"}, "models": [{"id": "g"}]},
    "bare": {"baseUrl": "http://bare.test/v1", "api": "openai-completions", "headers": {"X-Team": "a"}, "models": [{"id": "b"}]}
  }
}`

func parsed(t *testing.T, src string) *File {
	t.Helper()
	f, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func find(t *testing.T, c *Catalog, ref string) llm.Model {
	t.Helper()
	m, _, err := c.Find(ref)
	if err != nil || m.Ref() != ref {
		t.Fatalf("%s: found %s, %v", ref, m.Ref(), err)
	}
	return m
}

func TestFile(t *testing.T) {
	c := New(Options{File: parsed(t, theirs), Speaks: func(string) bool { return true }})

	plain := find(t, c, "lab/deep/seek:7b")
	if plain.Name != "deep/seek:7b" || plain.API != "openai-completions" || plain.BaseURL != "http://lab.test:9000/v1" || plain.Reasoning ||
		!slices.Equal(plain.Input, []string{"text"}) || plain.Cost != (llm.Price{}) || plain.ContextWindow != 128000 || plain.MaxTokens != 16384 ||
		string(plain.Compat) != `{"supportsStore": false, "routing": {"order": ["a"], "only": ["b"]}}` {
		t.Errorf("defaults: %+v %s", plain, plain.Compat)
	}
	big := find(t, c, "lab/big")
	if big.Name != "Big" || big.API != "anthropic-messages" || !big.Reasoning || !big.Images() || big.ContextWindow != 200000 || big.MaxTokens != 64000 ||
		big.Cost != (llm.Price{Input: 1.5, Output: 2, CacheRead: 0.1}) || big.Clamp(llm.XHigh) != llm.XHigh ||
		string(big.Compat) != `{"reasoningEffortMap":{"xhigh":"max"},"routing":{"only":["c"],"order":["a"]},"supportsStore":true}` {
		t.Errorf("%+v %s", big, big.Compat)
	}
	if big.Headers != nil {
		t.Errorf("headers that aren't resolved are in the row: %v", big.Headers)
	}
	if m := find(t, c, "anthropic/claude-next"); m.API != "anthropic-messages" || m.BaseURL != "https://proxy.test" || m.ContextWindow != 500000 {
		t.Errorf("an addition: %+v", m)
	}
	if m := find(t, c, "anthropic/claude-haiku-4-5"); m.Name != "My Haiku" || m.ContextWindow != 128000 || m.Reasoning {
		t.Errorf("a replacement: %+v", m)
	}
	opus := find(t, c, "anthropic/claude-opus-5")
	if opus.Name != "Opus by proxy" || opus.BaseURL != "https://proxy.test" || opus.Cost != (llm.Price{Input: 5, Output: 20, CacheRead: 0.5, CacheWrite: 6.25}) ||
		opus.ContextWindow != 300000 || opus.MaxTokens != 128000 {
		t.Errorf("an override: %+v", opus)
	}
	if m := find(t, c, "openai/gpt-5"); m.BaseURL != "https://api.openai.com/v1" {
		t.Errorf("a provider with a key alone: %+v", m)
	}
	if p := c.Models("empty"); p != nil {
		t.Errorf("a provider without models: %v", p)
	}
}

// The user's own providers stand among the others in the order of choice.
func TestFileOrder(t *testing.T) {
	c := New(Options{File: parsed(t, theirs)})
	var ids []string
	for _, p := range c.Providers() {
		ids = append(ids, p.ID)
	}
	if !slices.Equal(ids[:3], []string{"anthropic", "openai", "google"}) || ids[len(ids)-1] != "offline" ||
		!slices.IsSorted(ids[3:len(ids)-1]) || !slices.Contains(ids, "lab") {
		t.Errorf("%v", ids)
	}
}

func TestFileKeys(t *testing.T) {
	speaks := func(api string) bool { return api == "openai-completions" || api == "openai-responses" }
	c := New(Options{File: parsed(t, theirs), Speaks: speaks})
	for ref, want := range map[string]string{
		"lab/deep/seek:7b": "", "shed/tool": "", "openai/gpt-5": "", "gate/g": "",
		"bare/b":                         "no key",
		"lab/big":                        "unspoken",
		"anthropic/claude-opus-5":        "unspoken",
		"groq/" + c.Models("groq")[0].ID: "no key",
	} {
		err := c.Usable(find(t, c, ref))
		var unspoken *UnspokenError
		var missing *MissingKeyError
		got := fmt.Sprint(err)
		switch {
		case err == nil:
			got = ""
		case errors.As(err, &unspoken):
			got = "unspoken"
		case errors.As(err, &missing):
			got = "no key"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	var refs []string
	for _, m := range c.Available() {
		refs = append(refs, m.Ref())
	}
	if !slices.Contains(refs, "lab/deep/seek:7b") || !slices.Contains(refs, "shed/tool") || slices.Contains(refs, "lab/big") {
		t.Errorf("available: %v", refs)
	}
	// A provider of the file counts as one with a key when a model is chosen.
	only := New(Options{File: parsed(t, strings.Replace(theirs, `"apiKey": "OPENAI_WORK_KEY"`, `"authHeader": false`, 1)), Speaks: speaks})
	if choice, err := only.Start(Wishes{}); err != nil || choice.Model.Ref() != "gate/g" {
		t.Errorf("starts with %s, %v", choice.Model.Ref(), err)
	}
}

func TestAccess(t *testing.T) {
	c := New(Options{File: parsed(t, theirs)})
	vault := map[string]string{"$LAB_KEY": "k1", "TEAM": "a-team", "!secret": "s", "OPENAI_WORK_KEY": "k2"}
	asked := 0
	resolve := func(_ context.Context, text string) (string, error) {
		asked++
		if v, ok := vault[text]; ok {
			return v, nil
		}
		return text, nil
	}
	for ref, want := range map[string]struct {
		key     string
		headers map[string]string
	}{
		"lab/deep/seek:7b":        {"k1", map[string]string{"Authorization": "Bearer k1", "X-Team": "a-team", "X-Plain": "plain"}},
		"lab/big":                 {"k1", map[string]string{"Authorization": "Bearer k1", "X-Team": "a-team", "X-Plain": "s"}},
		"anthropic/claude-opus-5": {"", map[string]string{"X-Proxy": "1", "X-Beta": "on"}},
		"anthropic/claude-next":   {"", map[string]string{"X-Proxy": "1"}},
		"openai/gpt-5":            {"k2", map[string]string{}},
		"google/gemini-2.5-pro":   {"", map[string]string{}},
	} {
		a := c.Access(find(t, c, ref))
		if asked > 0 {
			t.Fatal("a secret was looked up before it was needed")
		}
		key, ok, err := a.Key(t.Context(), resolve)
		if err != nil || key != want.key || ok != (want.key != "") {
			t.Errorf("%s: key %q, %v, %v", ref, key, ok, err)
		}
		headers, err := a.Headers(t.Context(), key, resolve)
		if err != nil || !maps.Equal(headers, want.headers) {
			t.Errorf("%s: headers %v, %v", ref, headers, err)
		}
		asked = 0
	}

	broken := func(context.Context, string) (string, error) { return "", errors.New("the variable is not set") }
	a := c.Access(find(t, c, "lab/big"))
	if _, _, err := a.Key(t.Context(), broken); err == nil || err.Error() != "models.json: providers.lab.apiKey: the variable is not set" {
		t.Error(err)
	}
	if _, err := a.Headers(t.Context(), "k", broken); err == nil || !strings.HasPrefix(err.Error(), "models.json: providers.lab.headers.X-") {
		t.Error(err)
	}
	forged := func(context.Context, string) (string, error) { return "a\r\nX-Evil: 1", nil }
	if _, err := a.Headers(t.Context(), "k", forged); err == nil || strings.Contains(err.Error(), "Evil") {
		t.Error(err)
	}
}

// E-2: an error says where, what was wanted, and no value.
func TestFileProblems(t *testing.T) {
	const head, tail = `{"providers":{"lab":{"baseUrl":"http://lab.test","api":"x","models":[{"id":"ok"},`, `]}}}`
	for _, c := range []struct{ src, want string }{
		{"{\n  \"providers\": {\n    oops\n}}", "line 3, column 5: the JSON is damaged"},
		{`{"providers":{}`, "line 1, column 15: the JSON is damaged"},
		{`[]`, "want a JSON object with providers in it"},
		{`{"providers":[]}`, "providers: want an object"},
		{`{"providers":{"lab":7}}`, "providers.lab: want an object"},
		{`{"providers":{"":{}}}`, `providers."": the id is empty`},
		{`{"providers":{"a/b":{}}}`, "providers.a/b: the id holds a slash or a control character"},
		{`{"providers":{"a\u001b[2J":{}}}`, `providers."a\x1b[2J": the id holds a slash or a control character`},
		{`{"providers":{"offline":{}}}`, "providers.offline: this provider is built in and can't be changed"},
		{`{"providers":{"lab":{"baseUrl":"ftp://secret"}}}`, "providers.lab.baseUrl: want a URL that begins with http:// or https://"},
		{`{"providers":{"lab":{"apiKey":["secret"]}}}`, "providers.lab.apiKey: want a text"},
		{`{"providers":{"lab":{"authHeader":"secret"}}}`, "providers.lab.authHeader: want true or false"},
		{`{"providers":{"lab":{"headers":{"X Y":"secret"}}}}`, `providers.lab.headers."X Y": this can't be the name of a header`},
		{`{"providers":{"lab":{"headers":{"X":{"secret":1}}}}}`, "providers.lab.headers.X: want a text"},
		{`{"providers":{"lab":{"compat":"secret"}}}`, "providers.lab.compat: want an object"},
		{`{"providers":{"lab":{"models":{}}}}`, "providers.lab.models: want a list"},
		{`{"providers":{"lab":{"models":[{"id":"a"}]}}}`, "providers.lab.models[0].api: missing, here or at the provider\nproviders.lab.models[0].baseUrl: missing at the provider, which isn't one that is built in"},
		{`{"providers":{"google":{"modelOverrides":{"m":{"maxTokens":0}}}}}`, "providers.google.modelOverrides.m.maxTokens: want a whole number of tokens above 0"},
		{head + `7` + tail, "providers.lab.models[1]: want an object"},
		{head + `null` + tail, "providers.lab.models[1]: want an object"},
		{head + `{"name":"x"}` + tail, "providers.lab.models[1].id: the id is empty"},
		{head + `{"id":"ok"}` + tail, "providers.lab.models[1]: an earlier model has the same id"},
		{head + `{"id":"a","input":["text","smell"]}` + tail, `providers.lab.models[1].input: want a list of "text" and "image"`},
		{head + `{"id":"a","input":"text"}` + tail, "providers.lab.models[1].input: want a list of texts"},
		{head + `{"id":"a","cost":{"input":"secret"}}` + tail, "providers.lab.models[1].cost.input: want a number"},
		{head + `{"id":"a","cost":{"input":-1}}` + tail, "providers.lab.models[1].cost.input: want a price of 0 or more"},
		{head + `{"id":"a","contextWindow":1.5}` + tail, "providers.lab.models[1].contextWindow: want a whole number of tokens above 0"},
		{head + `{"id":"a","contextWindow":1e30}` + tail, "providers.lab.models[1].contextWindow: want a whole number of tokens above 0"},
		{head + strings.Repeat(`7,`, 14) + `7` + tail, "providers.lab.models[10]: want an object\nand 5 more"},
	} {
		file, err := Parse([]byte(c.src))
		if err == nil || !strings.HasSuffix(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.60s…\n%v, want\n%s", c.src, err, c.want)
		}
		if file == nil {
			t.Fatalf("%s: no file", c.src)
		}
		// What is sound beside it stays.
		if strings.HasPrefix(c.src, head) && find(t, New(Options{File: file}), "lab/ok").API != "x" {
			t.Errorf("%s: the sound model is gone", c.src)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "models.json")
	if f, err := ReadFile(path); err != nil || len(f.providers) > 0 {
		t.Errorf("no file: %v, %v", f, err)
	}
	for src, want := range map[string]string{
		theirs: "", " \n": "", "{}": "", `{"providers":null}`: "",
		"{":                              path + ": line 1, column 1: the JSON is damaged",
		strings.Repeat(" ", fileLimit+1): path + ": the file has more than the 4194304 bytes that it may have",
	} {
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := ReadFile(path)
		if got := fmt.Sprint(err); f == nil || got != want && (want != "" || err != nil) {
			t.Errorf("%.20q: %s, want %s", src, got, want)
		}
	}
	if f, err := ReadFile(dir); err == nil || f == nil {
		t.Errorf("a folder: %v, %v", f, err)
	}
}

// FuzzParse: any file is either refused or gives models that can be used.
func FuzzParse(f *testing.F) {
	f.Add([]byte(theirs))
	f.Add([]byte(`{"providers":{"a":{"baseUrl":"http://x","api":"y","models":[{"id":"m","compat":{"reasoningEffortMap":7},"reasoning":true}]}}}`))
	f.Add([]byte(`{"providers":{"google":{"compat":{"a":{"b":{}}},"modelOverrides":{"gemini-2.5-pro":{"compat":{"a":null}}}}}}`))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, problems, _ := parse(data)
		for _, p := range problems {
			if at := offset(data, p.steps); at < 0 || at > len(data) {
				t.Errorf("%v is at %d of %d", p, at, len(data))
			}
		}
		c := New(Options{File: file})
		for id := range file.providers {
			for _, m := range c.Models(id) {
				if m.ID == "" || m.Name == "" || m.API == "" || m.BaseURL == "" || m.ContextWindow <= 0 || m.MaxTokens <= 0 || len(m.Input) == 0 || m.Cost.Input < 0 {
					t.Errorf("%+v", m)
				}
				if m.Compat != nil && !json.Valid(m.Compat) {
					t.Errorf("compat %q", m.Compat)
				}
				c.Access(m)
			}
		}
	})
}

func TestAdd(t *testing.T) {
	c := New(anthropicOnly())
	find(t, c, "offline/guide") // it has an index now
	c.Add()
	c.Add(local("qwen3:4b"), local("phi"))
	small := local("qwen3:4b")
	small.ContextWindow = 4096
	c.Add(small, llm.Model{Provider: "anthropic", ID: "claude-opus-5", Name: "Mine"})
	if m := find(t, c, "ollama/qwen3:4b"); m.ContextWindow != 4096 {
		t.Errorf("the later one: %+v", m)
	}
	if m := find(t, c, "anthropic/claude-opus-5"); m.Name != "Mine" || c.Usable(m) != nil {
		t.Errorf("%+v", m)
	}
	if got := len(c.Models("ollama")); got != 2 {
		t.Errorf("%d local models", got)
	}
	all := c.Available()
	if all[len(all)-1].Ref() != "offline/guide" || all[len(all)-2].Provider != "ollama" {
		t.Error("the guide isn't last, after the local models")
	}
}

// Local servers are found while the catalogue is in use.
func TestAddConcurrently(t *testing.T) {
	c := New(anthropicOnly())
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() { c.Add(local(fmt.Sprint("m", i))) })
		group.Go(func() { c.Find("claude"); c.Available(); c.Usable(local("m1")) })
	}
	group.Wait()
	if got := len(c.Models("ollama")); got != 4 {
		t.Errorf("%d models", got)
	}
}
