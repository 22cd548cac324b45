package catalog

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
)

func anthropicOnly() Options {
	return Options{
		Keys:   func(p string) bool { return p == "anthropic" },
		Speaks: func(api string) bool { return api == "anthropic-messages" },
	}
}

func local(id string) llm.Model {
	return llm.Model{ID: id, Name: id, API: "openai-completions", Provider: "ollama", Input: []string{"text"}, ContextWindow: 32768}
}

// The whole table is well formed: it is generated, and a damaged line would
// be skipped in silence.
func TestTable(t *testing.T) {
	c := New(Options{})
	lines, models := strings.Count(table, "\n"), 0
	providers := c.Providers()
	for _, p := range providers[:len(providers)-1] {
		if p.ID == "" || p.Name == "" || p.API == "" {
			t.Errorf("provider %+v", p)
		}
		if _, ok := c.Default(p.ID); !ok {
			t.Errorf("%s has no default model", p.ID)
		}
		seen := map[string]bool{}
		for _, m := range c.Models(p.ID) {
			checkModel(t, m)
			if seen[m.ID] {
				t.Errorf("%s is there twice", m.Ref())
			}
			seen[m.ID] = true
			models++
		}
	}
	// Each block has one line of its own and, but for the last, an empty one.
	if want := lines - 2*(len(providers)-1) + 1; models != want {
		t.Errorf("%d models were read from %d lines, want %d", models, lines, want)
	}
	if len(providers) < 30 || models < 1000 {
		t.Errorf("%d providers with %d models", len(providers), models)
	}
}

func checkModel(t *testing.T, m llm.Model) {
	t.Helper()
	if m.ID == "" || m.Name == "" || m.ContextWindow <= 0 || m.MaxTokens <= 0 {
		t.Errorf("%+v", m)
	}
	if p := m.Cost; p.Input < 0 || p.Output < 0 || p.CacheRead < 0 || p.CacheRead > p.Input && p.Input > 0 {
		t.Errorf("%s costs %+v", m.Ref(), p)
	}
	if !m.Reasoning && len(m.Levels) > 0 {
		t.Errorf("%s doesn't reason and has levels %v", m.Ref(), m.Levels)
	}
	if !slices.IsSortedFunc(m.Levels, func(a, b llm.Level) int {
		return slices.Index(llm.AllLevels(), a) - slices.Index(llm.AllLevels(), b)
	}) || slices.Contains(m.Levels, llm.Off) {
		t.Errorf("%s has levels %v", m.Ref(), m.Levels)
	}
	for _, l := range m.Levels {
		if _, err := llm.ParseLevel(string(l)); err != nil {
			t.Errorf("%s: %v", m.Ref(), err)
		}
	}
	if m.Compat != nil && !json.Valid(m.Compat) {
		t.Errorf("%s has compat %s", m.Ref(), m.Compat)
	}
}

func TestProviderOrder(t *testing.T) {
	c := New(Options{Extra: []llm.Model{local("qwen3:4b")}})
	var ids []string
	for _, p := range c.Providers() {
		ids = append(ids, p.ID)
	}
	if !slices.Equal(ids[:3], []string{"anthropic", "openai", "google"}) {
		t.Errorf("first are %v", ids[:3])
	}
	rest := ids[3 : len(ids)-2]
	if !slices.IsSorted(rest) {
		t.Errorf("the others are not in order: %v", rest)
	}
	if end := ids[len(ids)-2:]; !slices.Equal(end, []string{"ollama", "offline"}) {
		t.Errorf("last are %v", end)
	}
}

func TestRow(t *testing.T) {
	c := New(Options{})
	m, _, err := c.Find("anthropic/claude-opus-5")
	if err != nil {
		t.Fatal(err)
	}
	if m.API != "anthropic-messages" || !m.Reasoning || !m.Images() || m.ContextWindow != 1_000_000 ||
		m.Cost != (llm.Price{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}) || m.BaseURL != "https://api.anthropic.com" {
		t.Errorf("%+v", m)
	}
	models := parseRows(Provider{ID: "p"}, "a\tA\t1\t2\tr\tlow,xhigh=max\t\t\t\t\nbroken\nb\tB\t1\t2\t\t\t\t\t\t\nc\tC\t1\t2\trt\t\t\t\t\t")
	if len(models) != 3 || string(models[2].Compat) != `{"thinkingRequired":true}` || string(models[0].Compat) != `{"reasoningEffortMap":{"xhigh":"max"}}` || models[1].Compat != nil {
		t.Errorf("%+v", models)
	}
}

func TestAvailable(t *testing.T) {
	only := New(Options{}).Available()
	if len(only) != 1 || only[0].Ref() != "offline/guide" {
		t.Errorf("without keys: %v", only)
	}
	noAdapter := New(Options{Keys: func(string) bool { return true }}).Available()
	if len(noAdapter) != 1 {
		t.Errorf("without adapters %d models are there", len(noAdapter))
	}
	opts := anthropicOnly()
	replaced := llm.Model{ID: "claude-opus-5", Name: "Mine", Provider: "anthropic", API: "anthropic-messages"}
	opts.Extra = []llm.Model{local("qwen3:4b"), replaced}
	all := New(opts).Available()
	if last := all[len(all)-1]; last.Ref() != "offline/guide" {
		t.Errorf("last is %s", last.Ref())
	}
	if all[0].Name != "Mine" || all[len(all)-2].Ref() != "ollama/qwen3:4b" {
		t.Errorf("first is %s, last but one %s", all[0].Name, all[len(all)-2].Ref())
	}
	count := 0
	for _, m := range all {
		if m.Ref() == replaced.Ref() {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%s is there %d times", replaced.Ref(), count)
	}
}

func TestFind(t *testing.T) {
	opts := anthropicOnly()
	opts.Extra = []llm.Model{local("qwen3:4b"), local("odd:high"), local("odd")}
	keyed, bare := New(opts), New(Options{})
	for _, c := range []struct {
		catalog *Catalog
		pattern string
		ref     string
		level   llm.Level
	}{
		{bare, "openai/gpt-5", "openai/gpt-5", ""},
		{bare, "gpt-5", "openai/gpt-5", ""},
		{bare, "GPT-5", "openai/gpt-5", ""},
		{bare, "OpenAI/GPT-5:High", "openai/gpt-5", llm.High},
		{bare, "gpt-5:off", "openai/gpt-5", llm.Off},
		{bare, "openrouter/anthropic/claude-sonnet-4.6", "openrouter/anthropic/claude-sonnet-4.6", ""},
		{bare, "anthropic", "anthropic/claude-sonnet-4-6", ""},
		{bare, "guide", "offline/guide", ""},
		{bare, " offline ", "offline/guide", ""},
		{bare, "hoopoe guide", "offline/guide", ""},
		{keyed, "qwen3:4b", "ollama/qwen3:4b", ""},
		{keyed, "qwen3:4b:low", "ollama/qwen3:4b", llm.Low},
		{keyed, "odd:high", "ollama/odd:high", ""},
		{keyed, "odd:low", "ollama/odd", llm.Low},
		{keyed, "mythos", "anthropic/claude-mythos-5", ""},
		{keyed, "Mythos 5:medium", "anthropic/claude-mythos-5", llm.Medium},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			m, level, err := c.catalog.Find(c.pattern)
			if err != nil || m.Ref() != c.ref || level != c.level {
				t.Errorf("%s at %q, %v; want %s at %q", m.Ref(), level, err, c.ref, c.level)
			}
		})
	}
}

// E-2: an unknown model names what was meant.
func TestFindUnknown(t *testing.T) {
	c := New(Options{})
	for _, tt := range []struct {
		pattern, nearest string
		ambiguous        bool
	}{
		{"anthropic/claude-opsu-5", "anthropic/claude-opus-5", false},
		{"gpt5-codx", "openai/gpt-5-codex", false},
		{"giude", "offline/guide", false},
		{"", "", false},
		{strings.Repeat("x", 5000), "", false},
		{"claude-sonnet", "anthropic/claude-sonnet", true},
		{"qwen3:4b", "", false},
	} {
		_, _, err := c.Find(tt.pattern)
		var unknown *UnknownModelError
		if !errors.As(err, &unknown) {
			t.Fatalf("%q: %v", tt.pattern, err)
		}
		if ids := distinctIDs(unknown.Nearest); !unknown.Ambiguous && ids != len(unknown.Nearest) {
			t.Errorf("%.40q: one model at several providers: %v", tt.pattern, unknown.Nearest)
		}
		if len(unknown.Nearest) == 0 || !strings.Contains(strings.Join(unknown.Nearest, " "), tt.nearest) || unknown.Ambiguous != tt.ambiguous {
			t.Errorf("%.40q: %.200s", tt.pattern, err)
		}
	}
}

func distinctIDs(refs []string) int {
	ids := map[string]bool{}
	for _, ref := range refs {
		_, id, _ := strings.Cut(ref, "/")
		ids[fold(id)] = true
	}
	return len(ids)
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"gpt-5:high", "a/b/c", ":low", "/", "", "\xff", "نموذج"} {
		f.Add(s)
	}
	c := New(anthropicOnly())
	c.table, _, _ = strings.Cut(table, "\n\ngoogle\t")
	f.Fuzz(func(t *testing.T, pattern string) {
		m, level, err := c.Find(pattern)
		if err == nil && m.ID == "" {
			t.Fatal("no model and no error")
		}
		if level != "" {
			if _, err := llm.ParseLevel(string(level)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestStart(t *testing.T) {
	localModels := func() []llm.Model { return []llm.Model{local("qwen3:4b")} }
	unreached := func() []llm.Model {
		t.Error("local servers were asked although something else decided")
		return nil
	}
	everyKey := Options{Keys: func(string) bool { return true }}
	for _, c := range []struct {
		name    string
		opts    Options
		wishes  Wishes
		want    string
		level   llm.Level
		notices int
	}{
		{"nothing", Options{}, Wishes{}, "offline/guide", "", 0},
		{"a key without an adapter", everyKey, Wishes{}, "offline/guide", "", 0},
		{"a local server", everyKey, Wishes{Local: localModels}, "ollama/qwen3:4b", "", 0},
		{"no local server", Options{}, Wishes{Local: func() []llm.Model { return nil }}, "offline/guide", "", 0},
		{"a key", anthropicOnly(), Wishes{Local: unreached}, "anthropic/claude-sonnet-4-6", "", 0},
		{"the setting", anthropicOnly(), Wishes{Setting: "claude-opus-5:high", Local: unreached}, "anthropic/claude-opus-5", llm.High, 0},
		{"the session first", anthropicOnly(), Wishes{Session: "guide", Setting: "claude-opus-5"}, "offline/guide", "", 0},
		{"the agent first", anthropicOnly(), Wishes{Agent: "mythos", Session: "guide"}, "anthropic/claude-mythos-5", "", 0},
		{"the flag first", anthropicOnly(), Wishes{Flag: "guide", Agent: "mythos"}, "offline/guide", "", 0},
		{"a session whose key is gone", anthropicOnly(), Wishes{Session: "openai/gpt-5", Setting: "nothing-like-it"}, "anthropic/claude-sonnet-4-6", "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			choice, err := New(c.opts).Start(c.wishes)
			if err != nil || choice.Model.Ref() != c.want || choice.Level != c.level || len(choice.Notices) != c.notices {
				t.Errorf("%s at %q with %q, %v", choice.Model.Ref(), choice.Level, choice.Notices, err)
			}
		})
	}
}

func TestStartRefuses(t *testing.T) {
	var unknown *UnknownModelError
	if _, err := New(anthropicOnly()).Start(Wishes{Flag: "opsu"}); !errors.As(err, &unknown) {
		t.Errorf("unknown model: %v", err)
	}
	var missing *MissingKeyError
	opts := Options{Speaks: func(string) bool { return true }}
	if _, err := New(opts).Start(Wishes{Flag: "gpt-5"}); !errors.As(err, &missing) || !strings.Contains(err.Error(), "set OPENAI_API_KEY") {
		t.Errorf("no key: %v", err)
	}
	var unspoken *UnspokenError
	if _, err := New(Options{}).Start(Wishes{Agent: "gpt-5"}); !errors.As(err, &unspoken) || !strings.Contains(err.Error(), "openai-responses") {
		t.Errorf("no adapter: %v", err)
	}
}

// A service with an address for each user is named in the environment or the
// user's file; the environment wins over the list, the file over both.
func TestAddresses(t *testing.T) {
	file, err := Parse([]byte(`{"providers": {"openai": {"baseUrl": "https://file.test/v1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{}
	opts := Options{
		Keys: func(string) bool { return true }, Speaks: func(string) bool { return true },
		Getenv: func(name string) string { return set[name] }, File: file,
	}
	address := func(provider string) (string, error) {
		c := New(opts)
		m, ok := c.Default(provider)
		if !ok {
			t.Fatalf("no provider %s", provider)
		}
		return m.BaseURL, c.Usable(m)
	}
	var missing *MissingAddressError
	if got, err := address("azure"); got != "" || !errors.As(err, &missing) || !strings.Contains(err.Error(), "set AZURE_OPENAI_API_ENDPOINT") {
		t.Errorf("azure: %q, %v", got, err)
	}
	for _, name := range []string{"AZURE_OPENAI_API_ENDPOINT", "ANTHROPIC_API_ENDPOINT", "OPENAI_API_ENDPOINT"} {
		set[name] = "https://environment.test"
	}
	for provider, want := range map[string]string{
		"azure": "https://environment.test", "anthropic": "https://environment.test", "openai": "https://file.test/v1",
		"groq": "https://api.groq.com/openai/v1",
	} {
		if got, err := address(provider); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", provider, got, err, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"opus", "opsu", 2}, {"kitten", "sitting", 3}, {"مرحبا", "مرحب", 1}} {
		if got := distance([]rune(c.a), []rune(c.b), 100); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance([]rune(c.a), []rune(c.b), 1); got != min(c.want, 1) {
			t.Errorf("distance(%q, %q) below 1 = %d", c.a, c.b, got)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		if len(New(Options{}).Providers()) == 0 {
			b.Fatal("no providers")
		}
	}
}

func BenchmarkOneProvider(b *testing.B) {
	for b.Loop() {
		if len(New(Options{}).Models("anthropic")) == 0 {
			b.Fatal("no models")
		}
	}
}

func BenchmarkAllProviders(b *testing.B) {
	for b.Loop() {
		c, n := New(Options{}), 0
		for _, p := range c.Providers() {
			n += len(c.Models(p.ID))
		}
		if n < 1000 {
			b.Fatal("too few models")
		}
	}
}

func BenchmarkFindUnknown(b *testing.B) {
	c := New(Options{})
	for b.Loop() {
		if _, _, err := c.Find("claude-opsu-5"); err == nil {
			b.Fatal("found")
		}
	}
}

func TestGuideModel(t *testing.T) {
	m, ok := New(Options{}).Default("offline")
	if !ok || m.Name != "Hoopoe guide" || m.API != offline.API || m.ContextWindow != 200_000 || m.Reasoning {
		t.Errorf("%+v", m)
	}
}
