package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// W-10: /remote shares the chat's session, for this machine alone unless it is
// told otherwise, and takes it away again.
func TestShare(t *testing.T) {
	home, cwd := t.TempDir(), t.TempDir()
	p := &program{environ: append(os.Environ(), "HOOPOE_DIR="+home, "HOOPOE_OFFLINE=1"), now: time.Now, stderr: os.Stderr}
	e, _ := p.newEngine(cwd, settings{})
	session, _, err := e.Open(t.Context(), engine.OpenOptions{Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close(t.Context())
	share := p.share(e, settings{}, cwd)
	defer share.close()
	commands := p.chatCommands(e, "", share)
	run := func(text string) string {
		t.Helper()
		r, err := commands.Dispatch(t.Context(), session, slash.Terminal|slash.Replaceable|slash.Dialogs, text)
		if err != nil || !r.Handled {
			t.Fatal(r, err)
		}
		return r.Reply
	}
	if got := run("/remote off"); !strings.Contains(got, "isn't shared") {
		t.Error(got)
	}
	told := run("/remote")
	link := regexp.MustCompile(`http://127\.0\.0\.1:\d+/#token=([\w-]{43})&session=([\w-]+)`).FindString(told)
	if link == "" || !strings.Contains(told, "▀") || !strings.Contains(told, "/remote lan") {
		t.Fatalf("told %s", told)
	}
	if again := run("/remote"); again != told {
		t.Errorf("told again %s", again)
	}
	at, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) (int, string) {
		t.Helper()
		client := http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
		r, err := client.Get("http://" + at.Host + path)
		if err != nil {
			return 0, ""
		}
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(body)
	}
	if status, body := get("/"); status != 200 || !strings.Contains(body, "app.js") {
		t.Errorf("the page: %d %s", status, body)
	}
	if got := run("/remote off"); !strings.Contains(got, "no longer shared") {
		t.Error(got)
	}
	if status, _ := get("/"); status != 0 {
		t.Errorf("after the end: %d", status)
	}
	v, err := session.View(t.Context())
	if err != nil || v.State != "idle" {
		t.Errorf("the chat's session: %v, %v", v.State, err)
	}
	if told := run("/remote lan"); strings.Contains(told, "127.0.0.1") && !strings.Contains(told, "Whoever has the link") {
		t.Errorf("in the network: %s", told)
	}
	if _, err := commands.Dispatch(t.Context(), session, slash.Terminal|slash.Replaceable|slash.Dialogs, "/remote nonsense"); err == nil || !strings.Contains(err.Error(), "this is no address") {
		t.Errorf("a bad address: %v", err)
	}
}
