package auth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// fixture is Keys over a folder, an environment and a table of commands.
type fixture struct {
	*Keys
	path string
	env  map[string]string
	runs int
	seen []string
}

func newFixture(t *testing.T, saved string) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{path: filepath.Join(dir, "data", "auth.json"), env: map[string]string{}}
	if saved != "" {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.path, []byte(saved), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.Keys = New(Options{
		Path: f.path, Lock: filepath.Join(dir, "auth.lock"),
		Getenv: func(name string) string { return f.env[name] },
		Run: func(_ context.Context, command string) (string, error) {
			f.runs++
			switch command {
			case "pass show key":
				return "from-command\n", nil
			case "two lines":
				return "a\nb\n", nil
			case "nothing":
				return "\n", nil
			}
			return "", errors.New("exit status 1")
		},
		Explicit: map[string]string{"flagged": "from-flag"},
		Found:    func(secret string) { f.seen = append(f.seen, secret) },
	})
	return f
}

func TestKey(t *testing.T) {
	for _, c := range []struct {
		name, saved, provider string
		env                   map[string]string
		want                  Key // zero: none
		says                  string
	}{
		{name: "none", provider: "openai"},
		{name: "flag before file and variable", saved: `{"flagged":{"type":"api_key","key":"x"}}`, provider: "flagged", env: map[string]string{"FLAGGED_API_KEY": "y"}, want: Key{"from-flag", "flag"}},
		{name: "file before variable", saved: `{"openai":{"type":"api_key","key":" literal-key "}}`, provider: "openai", env: map[string]string{"OPENAI_API_KEY": "y"}, want: Key{"literal-key", "auth.json"}},
		{name: "variable", saved: `{"openai":{"type":"api_key","key":"x"}}`, provider: "anthropic", env: map[string]string{"ANTHROPIC_API_KEY": "y\n"}, want: Key{"y", "$ANTHROPIC_API_KEY"}},
		{name: "blank variable is none", provider: "anthropic", env: map[string]string{"ANTHROPIC_API_KEY": " "}},
		{name: "first of two variables", provider: "google", env: map[string]string{"GOOGLE_API_KEY": "b", "GEMINI_API_KEY": "a"}, want: Key{"a", "$GEMINI_API_KEY"}},
		{name: "second of two variables", provider: "google", env: map[string]string{"GOOGLE_API_KEY": "b"}, want: Key{"b", "$GOOGLE_API_KEY"}},
		{name: "provider outside the table", provider: "my-co.ai", env: map[string]string{"MY_CO_AI_API_KEY": "z"}, want: Key{"z", "$MY_CO_AI_API_KEY"}},
		{name: "file names a variable", saved: `{"p":{"type":"api_key","key":"$MY_KEY"}}`, provider: "p", env: map[string]string{"MY_KEY": "v"}, want: Key{"v", "$MY_KEY"}},
		{name: "in braces", saved: `{"p":{"type":"api_key","key":"${MY_KEY}"}}`, provider: "p", env: map[string]string{"MY_KEY": "v"}, want: Key{"v", "$MY_KEY"}},
		{name: "bare name of a set variable", saved: `{"p":{"type":"api_key","key":"MY_KEY"}}`, provider: "p", env: map[string]string{"MY_KEY": "v"}, want: Key{"v", "$MY_KEY"}},
		{name: "bare name of no variable is literal", saved: `{"p":{"type":"api_key","key":"MY_KEY"}}`, provider: "p", want: Key{"MY_KEY", "auth.json"}},
		{name: "command", saved: `{"p":{"type":"api_key","key":"!pass show key"}}`, provider: "p", want: Key{"from-command", "!pass show key"}},
		{name: "other type is skipped", saved: `{"openai":{"type":"oauth","access":"t"}}`, provider: "openai", env: map[string]string{"OPENAI_API_KEY": "y"}, want: Key{"y", "$OPENAI_API_KEY"}},
		{name: "not an object is skipped", saved: `{"openai": 7}`, provider: "openai"},

		{name: "variable not set", saved: `{"p":{"type":"api_key","key":"$MY_KEY"}}`, provider: "p", says: "the environment variable MY_KEY is not set"},
		{name: "command fails", saved: `{"p":{"type":"api_key","key":"!broken"}}`, provider: "p", says: `the command "broken" failed: exit status 1`},
		{name: "command prints too much", saved: `{"p":{"type":"api_key","key":"!two lines"}}`, provider: "p", says: "must print the key and nothing else"},
		{name: "command prints nothing", saved: `{"p":{"type":"api_key","key":"!nothing"}}`, provider: "p", says: "must print the key and nothing else"},
		{name: "damaged file", saved: `{"p":{"type":"api_key","key":"s3cret`, provider: "p", says: "is damaged at byte 36"},
		{name: "file of another shape", saved: `["s3cret"]`, provider: "p", says: "is damaged: repair it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, c.saved)
			f.env = c.env
			got, ok, err := f.Key(t.Context(), c.provider)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("got %v, want %q", err, c.says)
				}
				return
			}
			if err != nil || got != c.want || ok != (c.want != Key{}) {
				t.Errorf("got %+v %v %v, want %+v", got, ok, err, c.want)
			}
			if f.Has(c.provider) != ok {
				t.Errorf("Has says %v", !ok)
			}
			if ok && (len(f.seen) == 0 || f.seen[len(f.seen)-1] != c.want.Value) {
				t.Errorf("the key was not reported for masking: %v", f.seen)
			}
		})
	}
}

func TestCommandRunsOnce(t *testing.T) {
	f := newFixture(t, "")
	for range 3 {
		if key, err := f.Resolve(t.Context(), "!pass show key"); err != nil || key.Value != "from-command" {
			t.Fatal(key, err)
		}
	}
	if f.runs != 1 {
		t.Errorf("the command ran %d times", f.runs)
	}
	if _, err := New(Options{}).Resolve(t.Context(), "!x"); err == nil || !strings.Contains(err.Error(), "not available here") {
		t.Errorf("without a runner: %v", err)
	}
}

func TestSetAndRemove(t *testing.T) {
	const foreign = `{"other":{"type":"oauth","refresh":"keep me"}}`
	f := newFixture(t, foreign)
	if err := os.Chmod(f.path, 0o644); err != nil {
		t.Fatal(err)
	}
	if w := f.Warning(); runtime.GOOS != "windows" && !strings.Contains(w, "chmod 600 "+f.path) {
		t.Errorf("warning %q", w)
	}
	var wg sync.WaitGroup
	for _, provider := range []string{"a", "b", "c"} {
		wg.Go(func() {
			if err := f.Set(t.Context(), provider, "key-"+provider+"\n"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if w := f.Warning(); w != "" {
		t.Errorf("after saving: %s", w)
	}
	if err := f.Remove(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Saved(); err != nil || !reflect.DeepEqual(got, []string{"a", "c"}) {
		t.Errorf("saved %v, %v", got, err)
	}
	if key, ok, err := f.Key(t.Context(), "c"); err != nil || !ok || key != (Key{"key-c", "auth.json"}) {
		t.Errorf("got %+v %v %v", key, ok, err)
	}
	if src, err := os.ReadFile(f.path); err != nil || !strings.Contains(string(src), "keep me") {
		t.Errorf("another program's entry is gone: %s %v", src, err)
	}
	if err := f.Set(t.Context(), "a", " "); err == nil {
		t.Error("an empty key was saved")
	}
}

func TestSetKeepsDamagedFile(t *testing.T) {
	f := newFixture(t, `{"a":`)
	if err := f.Set(t.Context(), "b", "k"); err == nil {
		t.Error("a damaged file was overwritten")
	}
	if src, _ := os.ReadFile(f.path); string(src) != `{"a":` {
		t.Errorf("the file is now %q", src)
	}
}

func TestSetBesideTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "auth.json")
	k := New(Options{Path: path, Getenv: func(string) string { return "" }})
	if err := k.Set(t.Context(), "x", "y"); err != nil {
		t.Fatal(err)
	}
	if key, ok, err := k.Key(t.Context(), "x"); err != nil || !ok || key.Value != "y" {
		t.Errorf("got %+v %v %v", key, ok, err)
	}
}

func TestWithoutFile(t *testing.T) {
	k := New(Options{Getenv: func(string) string { return "" }})
	if _, ok, err := k.Key(t.Context(), "x"); ok || err != nil {
		t.Errorf("Key: %v %v", ok, err)
	}
	if err := k.Set(t.Context(), "x", "y"); err == nil || !strings.Contains(err.Error(), "no home folder for keys") {
		t.Errorf("Set: %v", err)
	}
}

func TestVariables(t *testing.T) {
	for provider, want := range map[string]string{
		"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "google": "GEMINI_API_KEY GOOGLE_API_KEY", "gemini": "GEMINI_API_KEY GOOGLE_API_KEY",
		"groq": "GROQ_API_KEY", "openrouter": "OPENROUTER_API_KEY", "xai": "XAI_API_KEY", "mistral": "MISTRAL_API_KEY", "deepseek": "DEEPSEEK_API_KEY",
		"cerebras": "CEREBRAS_API_KEY", "azure": "AZURE_OPENAI_API_KEY", "huggingface": "HF_TOKEN HUGGINGFACE_API_KEY",
	} {
		if got := strings.Join(Variables(provider), " "); got != want {
			t.Errorf("%s: %s, want %s", provider, got, want)
		}
	}
}
