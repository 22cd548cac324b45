package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTrust(t *testing.T) {
	p, folder := testPaths(t), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	for _, step := range []Trust{Trusted, Distrusted, TrustUnknown} {
		if err := p.SetTrust(t.Context(), link, step); err != nil {
			t.Fatal(err)
		}
		if got, err := p.Trust(folder); got != step || err != nil {
			t.Errorf("got %v, %v, want %v", got, err, step)
		}
		if got, err := p.Trust(filepath.Join(folder, "below")); got != TrustUnknown || err != nil {
			t.Errorf("trust was inherited: %v, %v", got, err)
		}
	}
}

func TestRules(t *testing.T) {
	p, a, b := testPaths(t), t.TempDir(), t.TempDir()
	var wg sync.WaitGroup
	for _, rule := range []string{"bash(git status)", "bash(go test *)", "bash(git status)"} {
		wg.Go(func() {
			if err := p.AddRule(t.Context(), a, Allow, rule); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := p.AddRule(t.Context(), a, Deny, "bash(rm *)"); err != nil {
		t.Fatal(err)
	}
	got, err := p.Rules(a)
	if err != nil || len(got.Allow) != 2 || !reflect.DeepEqual(got.Deny, []string{"bash(rm *)"}) {
		t.Errorf("rules %+v, %v", got, err)
	}
	if got, err := p.Rules(b); err != nil || !reflect.DeepEqual(got, Rules{}) {
		t.Errorf("another folder has %+v, %v", got, err)
	}
	for e, rules := range map[Effect][]string{Allow: got.Allow, Deny: got.Deny} {
		for _, rule := range rules {
			if err := p.RemoveRule(t.Context(), a, e, rule); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, err := p.Rules(a); err != nil || len(got.Allow)+len(got.Deny) > 0 {
		t.Errorf("left %+v, %v", got, err)
	}
	if err := p.AddRule(t.Context(), a, "maybe", "x"); err == nil || !strings.Contains(err.Error(), "maybe") {
		t.Errorf("unknown effect: %v", err)
	}
}

// E-1, E-2: damaged state is reported with its file and never overwritten.
func TestDamagedState(t *testing.T) {
	p := testPaths(t)
	path := filepath.Join(p.State, "trust.json")
	put(t, path, `{"/x": tru`)
	if _, err := p.Trust("/x"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Trust: %v", err)
	}
	if err := p.SetTrust(t.Context(), "/x", Trusted); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("SetTrust: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != `{"/x": tru` {
		t.Errorf("the file is now %q", got)
	}
	put(t, path, "null")
	if err := p.SetTrust(t.Context(), "/x", Trusted); err != nil {
		t.Errorf("null document: %v", err)
	}
}

func TestHistory(t *testing.T) {
	p := testPaths(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	remember := func(text string) {
		t.Helper()
		if err := p.Remember(t.Context(), Past{At: at, Folder: "/w", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	texts := func(limit int) []string {
		t.Helper()
		past, err := p.History(limit)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, one := range past {
			if !one.At.Equal(at) || one.Folder != "/w" {
				t.Errorf("entry %+v", one)
			}
			out = append(out, one.Text)
		}
		return out
	}

	remember("one")
	remember("two\nlines")
	remember("")
	remember(strings.Repeat("x", entryBytes+1))
	if got := texts(10); !reflect.DeepEqual(got, []string{"one", "two\nlines"}) {
		t.Errorf("got %q", got)
	}

	// A crash in the middle of a line costs that line only.
	path := p.history()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, string(whole)+`{"text":"torn`)
	remember("three")
	if got := texts(10); !reflect.DeepEqual(got, []string{"one", "two\nlines", "three"}) {
		t.Errorf("after a torn line: %q", got)
	}
	if got := texts(1); !reflect.DeepEqual(got, []string{"three"}) {
		t.Errorf("limit: %q", got)
	}
}

func TestHistoryStaysBounded(t *testing.T) {
	p := testPaths(t)
	const n = 2 * historyBytes / 30000
	for i := range n {
		if err := p.Remember(t.Context(), Past{Text: strconv.Itoa(i) + strings.Repeat(" ", 30000)}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(p.history())
	if err != nil || info.Size() > historyBytes {
		t.Fatalf("%v, %v", info.Size(), err)
	}
	past, err := p.History(n)
	if err != nil || len(past) == 0 {
		t.Fatal(err)
	}
	for i, one := range past {
		if want := strconv.Itoa(n - len(past) + i); strings.TrimSpace(one.Text) != want {
			t.Fatalf("entry %d is %q, want %s", i, strings.TrimSpace(one.Text), want)
		}
	}
}

// A pipe or device in a document's place is an error, not a wait.
func TestStateThatIsNoFile(t *testing.T) {
	p := Paths{State: t.TempDir()}
	if err := os.Mkdir(filepath.Join(p.State, "trust.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(p.State, "permissions.json")); err != nil {
		t.Skip(err)
	}
	if _, err := p.Trust("/x"); err == nil {
		t.Error("a folder was read")
	}
	if _, err := p.Rules("/x"); err == nil {
		t.Error("a device was read")
	}
}
