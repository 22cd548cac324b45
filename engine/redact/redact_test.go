package redact

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// Test keys are put together at run time, so that no scanner takes this file
// for a leak.
var body = strings.Repeat("a1B2c3D4", 5)

func TestShapes(t *testing.T) {
	jwt := "eyJ" + body + "." + body + "." + body
	for _, c := range []struct{ name, text, want string }{
		{"anthropic", "key sk-ant-" + body + " refused", "key sk-ant-[redacted] refused"},
		{"openai", "sk-proj-" + body, "sk-proj-[redacted]"},
		{"openai, old", "sk-" + body + "!", "sk-[redacted]!"},
		{"google", "?key=AIza" + body + "&x=1", "?key=AIza[redacted]&x=1"},
		{"groq, xai", "gsk_" + body + " xai-" + body, "gsk_[redacted] xai-[redacted]"},
		{"github", "git clone with ghp_" + body, "git clone with ghp_[redacted]"},
		{"header", "Authorization: Bearer " + body, "Authorization: Bearer [redacted]"},
		{"header in JSON", `{"authorization":"Basic dXNlcg==","a":1}`, `{"authorization":"Basic [redacted]","a":1}`},
		{"vendor header", "x-api-key: abcd1234", "x-api-key: [redacted]"},
		{"JSON field", `{"api_key": "abcd1234", "id": 1}`, `{"api_key": "[redacted]", "id": 1}`},
		{"environment", "MY_SERVICE_TOKEN=abc/def= next", "MY_SERVICE_TOKEN=[redacted] next"},
		{"address", "https://joe:hunter2@example.org/x", "https://joe:[redacted]@example.org/x"},
		{"signed token", "t=" + jwt + ".", "t=eyJ[redacted]."},
		{"private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----"},
		{"cut private key", "-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----[redacted]"},
		{"two in a line", "sk-" + body + " and sk-" + body, "sk-[redacted] and sk-[redacted]"},

		{"no key: words", "the task-management of risk-free bearers", "the task-management of risk-free bearers"},
		{"no key: commit", "commit 3f786850e387550fdab836ed7e6dc881de23001b", "commit 3f786850e387550fdab836ed7e6dc881de23001b"},
		{"no key: address", "http://127.0.0.1:8080/a@b", "http://127.0.0.1:8080/a@b"},
		{"no key: tokens", "tokens: 1234, max_tokens=4096", "tokens: 1234, max_tokens=4096"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r Redactor
			got := r.String(c.text)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if again := r.String(got); again != got {
				t.Errorf("masking twice gives %s", again)
			}
		})
	}
}

func TestKnownSecrets(t *testing.T) {
	r := New("correct-horse", "correct-horse-battery", "short", " padded-secret\n", "")
	got := r.String("correct-horse-battery, correct-horse, short, padded-secret")
	if want := "[redacted], [redacted], short, [redacted]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			r.Add(fmt.Sprintf("secret-number-%d", i))
			if got := r.String("correct-horse"); got != Mask {
				t.Errorf("while adding: %s", got)
			}
		})
	}
	wg.Wait()
	if got := r.String("secret-number-3"); got != Mask {
		t.Errorf("added later: %s", got)
	}
}

func TestError(t *testing.T) {
	r := New("correct-horse")
	if r.Error(nil) != nil {
		t.Error("nil became an error")
	}
	plain := errors.New("plain")
	if r.Error(plain) != plain {
		t.Error("an error without secrets was wrapped")
	}
	err := r.Error(fmt.Errorf("key correct-horse: %w", fs.ErrNotExist))
	if err.Error() != "key [redacted]: file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestHandler(t *testing.T) {
	var out bytes.Buffer
	r := New("correct-horse")
	log := slog.New(r.Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})))
	log = log.With("with", "correct-horse").WithGroup("g")
	log.Info("message correct-horse", "n", 7, "text", "correct-horse", "token", "x", "err", errors.New("bad correct-horse"),
		slog.Group("inner", "API_KEY", "y", "list", []string{"correct-horse"}))
	log.Debug("not enabled")
	want := `level=INFO msg="message [redacted]" with=[redacted] g.n=7 g.text=[redacted] g.token=[redacted] g.err="bad [redacted]" g.inner.API_KEY=[redacted] g.inner.list=[[redacted]]` + "\n"
	if out.String() != want {
		t.Errorf("got  %s\nwant %s", out.String(), want)
	}
}

func FuzzString(f *testing.F) {
	f.Add("Authorization: Bearer abc", "secret-value")
	f.Add("-----BEGIN PRIVATE KEY-----", "xxxxxxxx")
	f.Add("https://a:b@c", "")
	f.Fuzz(func(t *testing.T, text, secret string) {
		r := New(secret)
		r.String(text)
		s := strings.TrimSpace(secret)
		if len(s) < shortest || strings.Contains(s, "redact") {
			return // not masked, or part of the mask itself
		}
		if got := r.String("<" + s + ">" + s); strings.Contains(got, s) {
			t.Errorf("secret %q is in %q", s, got)
		}
	})
}

func BenchmarkString(b *testing.B) {
	r := New("correct-horse-battery", "another-long-secret")
	line := "level=INFO msg=\"request done\" status=200 url=https://api.example.org/v1/messages tokens=1234 model=some/model-4 "
	text := strings.Repeat(line, 10<<10/len(line))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.String(text)
	}
}
