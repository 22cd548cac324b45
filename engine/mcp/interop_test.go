package mcp

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// TestInterop talks to the reference servers as published. They come
// from the npm registry, so it runs only where HOOPOE_INTEROP=1 asks for it.
// HOOPOE_INTEROP_DIR names a folder that keeps them from one run to the next.
func TestInterop(t *testing.T) {
	if testing.Short() || os.Getenv("HOOPOE_INTEROP") != "1" {
		t.Skip("set HOOPOE_INTEROP=1 to talk to servers from the npm registry")
	}
	bin := filepath.Join(installServers(t), "node_modules", "@modelcontextprotocol")
	everything := filepath.Join(bin, "server-everything", "dist", "index.js")
	files := filepath.Join(bin, "server-filesystem", "dist", "index.js")
	t.Run("filesystem", func(t *testing.T) { interopFiles(t, files) })
	t.Run("everything over stdio", func(t *testing.T) {
		interopEverything(t, Server{Name: "everything", Command: "node", Args: []string{everything, "stdio"}})
	})
	t.Run("everything over HTTP", func(t *testing.T) {
		interopEverything(t, Server{Name: "everything", URL: serveEverything(t, everything)})
	})
	t.Run("the program", func(t *testing.T) { interopBinary(t, files, everything) })
}

// installServers installs the pinned packages and returns their folder.
func installServers(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if keep := os.Getenv("HOOPOE_INTEROP_DIR"); keep != "" {
		dir = filepath.Join(keep, "mcp")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	fresh := true
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "interop", "mcp", name))
		if err != nil {
			t.Fatal(err)
		}
		old, _ := os.ReadFile(filepath.Join(dir, name))
		fresh = fresh && string(old) == string(data)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); fresh && err == nil {
		return dir
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return dir
}

func interopFiles(t *testing.T, script string) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("remember the milk\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m, notices := manage(t, Options{Dir: dir, Servers: []Server{{Name: "files", Command: "node", Args: []string{script, dir}}}})
	m.Start(t.Context())
	if s := m.Status()[0]; s.State != Ready || s.Tools < 10 {
		t.Fatalf("%+v, %s", s, notices)
	}
	if k := find(t, m, "mcp__files__write_file").Spec().Kind; k != tool.Other {
		t.Errorf("writing is of the kind %s", k)
	}
	if k := find(t, m, "mcp__files__read_text_file").Spec().Kind; k != tool.Read {
		t.Errorf("reading is of the kind %s", k)
	}
	path := strconv.Quote(filepath.Join(dir, "note.txt"))
	for _, c := range []struct{ tool, args, want, err string }{
		{"list_directory", `{"path":` + strconv.Quote(dir) + `}`, "[FILE] note.txt", ""},
		{"read_text_file", `{"path":` + path + `}`, "remember the milk", ""},
		{"write_file", `{"path":` + path + `,"content":"done"}`, "Successfully wrote", ""},
		{"read_text_file", `{"path":` + path + `}`, "done", ""},
		{"read_text_file", `{"path":"/etc/passwd"}`, "Access denied", errTool.Error()},
		{"read_text_file", `{}`, "", "arguments of mcp__files__read_text_file don't fit"},
	} {
		expect(t, m, "mcp__files__"+c.tool, c.args, c.want, c.err)
	}
}

func expect(t *testing.T, m *Manager, name, args, want, fail string) {
	t.Helper()
	res, err := run(t.Context(), t, m, name, args, nil)
	if text := message.Text(res.Content); !strings.Contains(text, want) || !strings.Contains(errorText(err), fail) || (err == nil) != (fail == "") {
		t.Errorf("%s %s: %q, %v", name, args, text, err)
	}
}

func interopEverything(t *testing.T, s Server) {
	var asked Elicitation
	m, notices := manage(t, Options{
		Servers: []Server{s}, Roots: func() []string { return []string{"/w/project"} },
		Elicit: func(_ context.Context, e Elicitation) (Reply, error) {
			asked = e
			return answerAll(e)
		},
	})
	m.Start(t.Context())
	if s := m.Status()[0]; s.State != Ready || s.Tools < 10 || s.Prompts < 3 || !s.Resources {
		t.Fatalf("%+v, %s", s, notices)
	}
	// Some tools come when the server has learned what the client can do.
	eventually(t, "the tool that asks is there", func() bool {
		for _, x := range m.Tools() {
			if strings.HasSuffix(x.Spec().Name, "trigger-elicitation-request") {
				return true
			}
		}
		return false
	})
	const everything = "mcp__everything__"
	expect(t, m, everything+"echo", `{"message":"hi there"}`, "Echo: hi there", "")
	expect(t, m, everything+"get-sum", `{"a":"2","b":40}`, "42", "")
	expect(t, m, everything+"get-structured-content", `{"location":"Chicago"}`, "temperature", "")
	expect(t, m, everything+"get-roots-list", `{}`, "file:///w/project", "")
	expect(t, m, everything+"get-resource-links", `{"count":2}`, "[resource ", "")
	expect(t, m, everything+"trigger-elicitation-request", `{}`, "accept", "")
	if len(asked.Fields) < 10 || !asked.Fields[0].Required {
		t.Errorf("asked %+v", asked)
	}
	res, err := run(t.Context(), t, m, everything+"get-tiny-image", `{}`, nil)
	if err != nil || len(res.Content) != 3 || res.Content[1].Type != message.ImageBlock {
		t.Errorf("%+v, %v", res.Content, err)
	}
	var steps []string
	if _, err := run(t.Context(), t, m, everything+"trigger-long-running-operation", `{"duration":0.3,"steps":3}`, func(s string) { steps = append(steps, s) }); err != nil || len(steps) == 0 || steps[0] != "1 of 3" {
		t.Errorf("progress %q, %v", steps, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := run(ctx, t, m, everything+"trigger-long-running-operation", `{"duration":600,"steps":6000}`, func(string) { cancel() }); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	expect(t, m, ResourceTool, `{}`, "demo://resource/", "")
	blocks, err := m.Prompt(t.Context(), "everything", "args-prompt", map[string]string{"city": "Lima"}, true)
	if err != nil || !strings.Contains(message.Text(blocks), "Lima") {
		t.Errorf("%+v, %v", blocks, err)
	}
}

// answerAll fills a form with its defaults, and what has none with a name.
func answerAll(e Elicitation) (Reply, error) {
	reply := Reply{Action: Accept, Values: map[string]any{}}
	for _, f := range e.Fields {
		text := f.Default
		if text == "" && f.Required {
			text = "Ada"
		}
		v, err := f.Value(text)
		if err != nil {
			return Reply{}, err
		}
		reply.Values[f.Name] = v
	}
	return reply, nil
}

// serveEverything runs the server on a free port of the loopback.
func serveEverything(t *testing.T, script string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	c := exec.CommandContext(t.Context(), "node", script, "streamableHttp")
	c.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	c.WaitDelay = time.Second
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // after the context has ended it
	eventually(t, "the server listens", func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
}
