//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// model is the mock's name, and key what it takes for a key.
const (
	model = "mock-model"
	key   = "sk-mock-0123456789"
)

// peer is a program and what it needs to talk to the mock. What a peer can't do
// is nil.
type peer struct {
	name    string
	program string // a path, or a name to look for
	wire    mockserver.Wire

	// configure writes the files of its home.
	configure func(*place) error
	env       func(*place) []string

	read, shell *mockserver.Call // one call of each; the text "true" runs nothing

	print func(prompt string) []string
	// hosts are the ways of serving other programs, by what they speak.
	hosts map[string]host
	chat  *chat
	// long writes a session of n messages and returns the arguments that go on
	// with it: to print an answer to "go", and in the chat.
	long func(p *place, n int) (print, chat []string, err error)
}

// host is a mode for other programs.
type host struct {
	program  string // if it isn't the peer's own
	args     []string
	protocol protocol
}

// chat is the screen.
type chat struct {
	args []string
	// ready is a word that is on the screen once there is a prompt.
	ready string
}

// programs lists what has to be installed.
func (p peer) programs() []string {
	list := []string{p.program}
	for _, h := range p.hosts {
		if h.program != "" {
			list = append(list, h.program)
		}
	}
	return list
}

// rivals lists all that can be measured, in the order of the columns.
func rivals() []peer {
	return []peer{pi(), omp(), crush(), codex(), claude(), gemini(), opencode()}
}

// place is where a peer runs: a home, a folder to work in and the mock.
type place struct {
	home, dir, url string
	path           string // PATH
}

// newPlace makes the folders and configures the peer.
func newPlace(folder, url, path string, p peer) (*place, error) {
	name := strings.ToLower(p.name)
	w := &place{home: filepath.Join(folder, name, "home"), dir: filepath.Join(folder, name, "project"), url: url, path: path}
	for _, d := range []string{w.home, filepath.Join(w.home, "tmp"), w.dir} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	notes := strings.Repeat("a line of the file that is read\n", 60)
	if err := os.WriteFile(filepath.Join(w.dir, "notes.txt"), []byte(notes), 0o644); err != nil {
		return nil, err
	}
	return w, p.configure(w)
}

// write writes a file below the home.
func (w *place) write(name, text string) error {
	path := filepath.Join(w.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

type object = map[string]any

// writeJSON writes a file below the home.
func (w *place) writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return w.write(name, string(text))
}

// closed is where whatever isn't for the mock is sent: nothing listens there.
const closed = "http://127.0.0.1:9"

// command is a process of the peer, not started. Of our own environment it gets
// nothing.
func (w *place) command(p peer, program string, args ...string) *exec.Cmd {
	if found, err := lookPath(program, w.path); err == nil {
		program = found
	}
	c := exec.Command(program, args...)
	c.Dir = w.dir
	c.Env = []string{
		"HOME=" + w.home, "PATH=" + w.path, "TMPDIR=" + filepath.Join(w.home, "tmp"), "PWD=" + w.dir,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "SHELL=/bin/sh", "USER=bench",
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
		"HTTP_PROXY=" + closed, "HTTPS_PROXY=" + closed, "http_proxy=" + closed, "https_proxy=" + closed,
		"DO_NOT_TRACK=1",
	}
	if p.env != nil {
		c.Env = append(c.Env, p.env(w)...)
	}
	return c
}

// searchPath is PATH with the folders of HOOPOE_PEERS before it.
func searchPath(peers, path string) string {
	if peers == "" {
		return path
	}
	return peers + string(os.PathListSeparator) + path
}

// lookPath finds a program in a list of folders.
func lookPath(program, path string) (string, error) {
	if strings.ContainsRune(program, filepath.Separator) {
		return program, nil
	}
	for _, folder := range filepath.SplitList(path) {
		file := filepath.Join(folder, program)
		if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return filepath.Abs(file)
		}
	}
	return "", fmt.Errorf("%s is not installed", program)
}

// number is a version in what a program says of itself.
var number = regexp.MustCompile(`\d+\.\d+(\.\d+)?(-[0-9A-Za-z.]+)?`)

// version asks a peer for its version.
func (b *bench) version(ctx context.Context, p peer, w *place) (string, error) {
	if _, err := lookPath(p.program, w.path); err != nil {
		return "", err
	}
	r, err := b.run1(ctx, w.command(p, p.program, "--version"))
	if err != nil {
		return "", err
	}
	v := number.FindString(r.output)
	if v == "" {
		return "", errors.New("--version names no version: " + firstLine(r.output))
	}
	return v, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
