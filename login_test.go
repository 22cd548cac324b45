//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

const testKey = "sk-test-0123456789abcdef"

// service answers every request with a status and counts them. The user's
// models.json puts it in Anthropic's place.
func service(t *testing.T, p *place, status int) *atomic.Int32 {
	t.Helper()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		key := r.Header.Get("X-Api-Key")
		if status != http.StatusOK {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"type":"error","error":{"type":"some_error","message":"about the key %s"}}`, key)
			return
		}
		if key != testKey {
			t.Errorf("the key is %q", key)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`,
			`{"type":"message_stop"}`,
		} {
			kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type":"`), `"`)
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, event)
		}
	}))
	t.Cleanup(s.Close)
	dir := filepath.Join(p.home, ".config/hoopoe")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := fmt.Sprintf(`{"providers": {"anthropic": {"baseUrl": %q}}}`, s.URL)
	if err := os.WriteFile(filepath.Join(dir, "models.json"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return &asked
}

func (p *place) saved() string {
	data, _ := os.ReadFile(filepath.Join(p.home, ".local/share/hoopoe/auth.json"))
	return string(data)
}

// A key is checked by one request, and what the service says decides.
func TestLoginChecksTheKey(t *testing.T) {
	for _, c := range []struct {
		name, flag   string
		status, code int
		asked        int32
		saved        bool
		says         string
	}{
		{name: "accepted", status: 200, asked: 1, saved: true},
		{name: "refused", status: 401, asked: 1, code: 1, says: "the key is not saved, since Anthropic refuses it"},
		{name: "broken", status: 500, asked: 1, saved: true, says: "the key could not be checked"},
		{name: "offline", flag: "--offline", status: 401, saved: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			asked := service(t, p, c.status)
			args := []string{"login", "anthropic"}
			if c.flag != "" {
				args = append(args, c.flag)
			}
			cmd := p.command(args...)
			cmd.Env = append(cmd.Env, "HOOPOE_OFFLINE=")
			cmd.Stdin = strings.NewReader(testKey + "\n")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if code := exitOf(t, cmd.Run()); code != c.code || asked.Load() != c.asked {
				t.Errorf("exit code %d after %d requests: %s", code, asked.Load(), &out)
			}
			if strings.Contains(out.String(), testKey) || !strings.Contains(out.String(), c.says) {
				t.Errorf("it says %q, want %q and no key", &out, c.says)
			}
			if got := strings.Contains(p.saved(), testKey); got != c.saved {
				t.Errorf("saved: %v, want %v", got, c.saved)
			}
			if !c.saved {
				return
			}
			info, err := os.Stat(filepath.Join(p.home, ".local/share/hoopoe/auth.json"))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("auth.json: %v, %v", info, err)
			}
		})
	}
}

// typist sits at a process's terminal.
type typist struct {
	t    *testing.T
	tty  *os.File
	seen strings.Builder
}

// until reads on until the terminal shows a text.
func (s *typist) until(text string) {
	s.t.Helper()
	buf := make([]byte, 1024)
	for !strings.Contains(s.seen.String(), text) {
		n, err := s.tty.Read(buf)
		s.seen.Write(buf[:n])
		if err != nil {
			s.t.Fatalf("no %q: %v after %q", text, err, s.seen.String())
		}
	}
}

func state(t *testing.T, tty *os.File) *term.State {
	t.Helper()
	s, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// changes waits until the terminal is not as before: its echo goes right after
// the prompt.
func changes(t *testing.T, tty *os.File, before *term.State) {
	t.Helper()
	for end := time.Now().Add(guard); reflect.DeepEqual(state(t, tty), before); {
		if time.Now().After(end) {
			t.Fatal("the echo stays on")
		}
		runtime.Gosched()
	}
}

// On a terminal the provider is chosen from a list, and the key isn't shown.
func TestLoginOnATerminal(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("login")
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	before := state(t, tty)
	s := &typist{t: t, tty: tty}
	s.until("Provider (number or name): ")
	if !strings.Contains(s.seen.String(), "  2  openai") || strings.Contains(s.seen.String(), "bedrock") {
		t.Errorf("the list is %q", s.seen.String())
	}
	fmt.Fprint(tty, "2\n")
	s.until("Key for OpenAI (it is not shown): ")
	changes(t, tty, before)
	fmt.Fprint(tty, testKey+"\n")
	rest, _ := io.ReadAll(tty) // ends with EIO when the other side is closed
	if code := exitOf(t, cmd.Wait()); code != 0 || strings.Contains(string(rest), testKey) || !strings.Contains(string(rest), "is saved") {
		t.Errorf("exit code %d, the terminal shows %q", code, rest)
	}
	if !strings.Contains(p.saved(), testKey) || !strings.Contains(p.saved(), `"openai"`) {
		t.Error("the key is not saved")
	}
}

// A signal at the prompt saves nothing and gives the echo back.
func TestLoginInterrupted(t *testing.T) {
	p := newPlace(t)
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	before := state(t, theirs)
	cmd := p.command("login", "openai")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &typist{t: t, tty: ours}
	s.until("not shown): ")
	changes(t, theirs, before)
	_ = cmd.Process.Signal(syscall.SIGINT)
	if code := exitOf(t, cmd.Wait()); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if !reflect.DeepEqual(state(t, theirs), before) {
		t.Error("the terminal is not as it was")
	}
	if p.saved() != "" {
		t.Error("something is saved")
	}
}
