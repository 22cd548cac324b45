package session

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// crashEnv holds the session's path in a process that is there to be killed.
const crashEnv = "SESSION_CRASH_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashEnv); path != "" {
		appendForever(path)
		return
	}
	os.Exit(m.Run())
}

// appendForever appends numbered messages and says after each that it is
// written, until the process is killed.
func appendForever(path string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	var d *Document
	var err error
	if info, statErr := os.Stat(path); statErr == nil && info.Size() > 0 {
		d, _, err = Open(path, Options{Locks: filepath.Dir(path)})
	} else {
		d, err = New(Options{Path: path, Locks: filepath.Dir(path)})
	}
	fail(err)
	for n := len(d.Context().Messages); ; n++ {
		_, err := d.Append(user(fmt.Sprintf("%d %s", n, strings.Repeat("x", n*7919%20_000))))
		fail(err)
		fmt.Println(n)
	}
}

// E-1: a process may be killed at any point; what it said was written is.
func TestKilledWhileAppending(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	said := -1
	for round := range 12 {
		said = max(said, runAndKill(t, path, 1+rand.IntN(60)))
		d, notices, err := Open(path, Options{Locks: filepath.Dir(path)})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if len(notices) > 1 {
			t.Errorf("round %d: %v", round, notices)
		}
		messages := d.Context().Messages
		if len(messages) <= said {
			t.Fatalf("round %d: %d messages, but number %d was written", round, len(messages), said)
		}
		for i, m := range messages {
			if number, _, _ := strings.Cut(m.Text(), " "); number != strconv.Itoa(i) {
				t.Fatalf("round %d: message %d is number %s", round, i, number)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// runAndKill lets a process append that many messages, kills it in the next
// one and returns the last number it said.
func runAndKill(t *testing.T, path string, messages int) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last := -1
	lines := bufio.NewScanner(out)
	for seen := 0; lines.Scan(); seen++ {
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			last = n
		}
		if seen == messages {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	return last
}
