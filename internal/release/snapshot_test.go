//go:build snapshot && unix

// The test of a release that was built: make snapshot runs it. It needs ruby and
// dpkg-deb.
package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// dist is the folder of a release's files, which "make snapshot" makes.
func dist(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HOOPOE_DIST")
	if dir == "" {
		t.Fatal("HOOPOE_DIST isn't set: make snapshot builds a release and tests it")
	}
	return dir
}

func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %q, %v; want one", pattern, files, err)
	}
	return files[0]
}

// manual lists the pages of the manual and their pictures.
func manual(t *testing.T) (files []string) {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	for _, pattern := range []string{"docs/*.md", "docs/images/*.png"} {
		found, err := fs.Glob(root, pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	return files
}

// beside are the files of every archive, without the program and the manual.
var beside = []string{
	"CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "THIRD_PARTY_NOTICES.txt",
	"completions/_hoopoe", "completions/hoopoe.bash", "completions/hoopoe.fish", "completions/hoopoe.ps1", "hoopoe.1",
	"schemas/agent.schema.json", "schemas/keybindings.schema.json", "schemas/models.schema.json", "schemas/settings.schema.json", "schemas/theme.schema.json",
}

// C-5: an archive for each system, with all that belongs to it.
func TestSnapshotArchives(t *testing.T) {
	dir := dist(t)
	for _, system := range systems {
		for _, arch := range []string{"amd64", "arm64"} {
			t.Run(system+"/"+arch, func(t *testing.T) {
				program, names := "hoopoe", []string(nil)
				if system == "windows" {
					program = "hoopoe.exe"
					names = zipNames(t, one(t, dir, "hoopoe_*_windows_"+arch+".zip"))
				} else {
					names = tarNames(t, one(t, dir, "hoopoe_*_"+system+"_"+arch+".tar.gz"), "")
				}
				slices.Sort(names)
				want := append(append(slices.Clone(beside), manual(t)...), program)
				slices.Sort(want)
				if !slices.Equal(names, want) {
					t.Errorf("holds\n%q\nwant\n%q", names, want)
				}
			})
		}
	}
}

func zipNames(t *testing.T, path string) (names []string) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	return names
}

// tarNames lists a tar.gz and unpacks it into a folder, unless that is "".
func tarNames(t *testing.T, path, into string) (names []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if into == "" || !filepath.IsLocal(h.Name) {
			continue
		}
		file := filepath.Join(into, h.Name)
		data, err := io.ReadAll(r)
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, h.FileInfo().Mode())); err != nil {
			t.Fatal(err)
		}
	}
}

// The sums are right, and the bill and the schemas are among them.
func TestSnapshotChecksums(t *testing.T) {
	dir := dist(t)
	list, err := os.ReadFile(filepath.Join(dir, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hoopoe.cdx.json", "settings.schema.json", ".deb", ".rpm", ".apk", "darwin_arm64.tar.gz"} {
		if !strings.Contains(string(list), want+"\n") {
			t.Errorf("no sum of %s", want)
		}
	}
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) { // those beside the archives stay where they were made
			data, err = os.ReadFile(filepath.Join(dir, "..", "release", name))
		}
		if errors.Is(err, os.ErrNotExist) {
			data, err = os.ReadFile(filepath.Join(dir, "..", "release", "schemas", name))
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
			t.Errorf("the sum of %s is wrong", name)
		}
	}
}

// What the program says that it links is what the bill tells.
func TestSnapshotBill(t *testing.T) {
	dir := dist(t)
	data, err := os.ReadFile(filepath.Join(dir, "..", "release", "hoopoe.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	programs := programsIn(t, dir)
	linked := map[string]bool{}
	for _, path := range programs {
		out, err := exec.CommandContext(t.Context(), "go", "version", "-m", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) >= 3 && f[0] == "dep" {
				linked[f[1]+" "+f[2]] = true
				if !slices.ContainsFunc(b.Components, func(c component) bool { return c.Name == f[1] && c.Version == f[2] }) {
					t.Errorf("%s links %s %s, the bill doesn't tell", filepath.Base(filepath.Dir(path)), f[1], f[2])
				}
			}
		}
	}
	for _, c := range b.Components {
		if !linked[c.Name+" "+c.Version] {
			t.Errorf("the bill tells of %s %s, nothing links it", c.Name, c.Version)
		}
	}
}

// maxProgram is the size that no program may have, in bytes.
const maxProgram = 75_000_000

func TestSnapshotSizes(t *testing.T) {
	for _, path := range programsIn(t, dist(t)) {
		if info, err := os.Stat(path); err != nil || info.Size() >= maxProgram {
			t.Errorf("%s has %.1f MB, more than %d; %v", filepath.Base(filepath.Dir(path)), float64(info.Size())/1e6, maxProgram/1_000_000, err)
		}
	}
}

// programsIn are the programs that were built, one for each target.
func programsIn(t *testing.T, dir string) []string {
	t.Helper()
	programs, err := filepath.Glob(filepath.Join(dir, "hoopoe_*", "hoopoe*"))
	if err != nil || len(programs) != 2*len(systems) {
		t.Fatalf("%q, %v", programs, err)
	}
	return programs
}

// The cask and the manifest are of use: Ruby reads the one, JSON is the other.
func TestSnapshotManifests(t *testing.T) {
	dir := dist(t)
	cask := one(t, dir, "homebrew/Casks/hoopoe.rb")
	text, err := os.ReadFile(cask)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`cask "hoopoe" do`, `binary "hoopoe"`, `manpage "hoopoe.1"`, "bash_completion", "zsh_completion", "fish_completion", "com.apple.quarantine", "darwin_arm64", "linux_amd64"} {
		if !bytes.Contains(text, []byte(want)) && !bytes.Contains(text, []byte(strings.ReplaceAll(want, "darwin_arm64", "on_arm"))) {
			t.Errorf("the cask lacks %q:\n%s", want, text)
		}
	}
	var manifest struct {
		Architecture map[string]struct{ URL, Hash string }
	}
	data, err := os.ReadFile(one(t, dir, "scoop/hoopoe.json"))
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil || len(manifest.Architecture) != 2 || manifest.Architecture["64bit"].Hash == "" {
		t.Errorf("the manifest of Scoop: %v, %s", err, data)
	}
	t.Run("ruby", func(t *testing.T) {
		if out, err := exec.CommandContext(t.Context(), "ruby", "-c", cask).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// The program of the archive works in each face.
func TestSnapshotRuns(t *testing.T) {
	root := t.TempDir()
	tarNames(t, one(t, dist(t), fmt.Sprintf("hoopoe_*_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)), root)
	faces(t, filepath.Join(root, "hoopoe"))
}

// The Debian package is whole, and its program works.
func TestSnapshotDebian(t *testing.T) {
	dir := dist(t)
	root := t.TempDir()
	deb := one(t, dir, "*_"+runtime.GOARCH+".deb")
	if out, err := exec.CommandContext(t.Context(), "dpkg-deb", "-x", deb, root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{
		"share/bash-completion/completions/hoopoe", "share/zsh/vendor-completions/_hoopoe", "share/fish/vendor_completions.d/hoopoe.fish",
		"share/man/man1/hoopoe.1.gz", "share/hoopoe/schemas/settings.schema.json", "share/doc/hoopoe/copyright", "share/doc/hoopoe/THIRD_PARTY_NOTICES.txt",
	} {
		if info, err := os.Stat(filepath.Join(root, "usr", name)); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	list, err := exec.CommandContext(t.Context(), "dpkg-deb", "-c", deb).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "d") && !strings.HasPrefix(line, "drwxr-xr-x root/root ") {
			t.Errorf("a folder that not everybody may enter: %s", line)
		}
	}
	out, err := exec.CommandContext(t.Context(), "dpkg-deb", "-f", deb, "Package", "Maintainer", "Version").Output()
	if err != nil || !strings.Contains(string(out), "Package: hoopoe\n") {
		t.Errorf("%s, %v", out, err)
	}
	faces(t, filepath.Join(root, "usr", "bin", "hoopoe"))
}

// faces starts the program in each of its faces.
func faces(t *testing.T, program string) {
	for _, c := range []struct {
		name  string
		args  []string
		stdin string
		want  string
	}{
		{"version", []string{"--version"}, "", "."},
		{"print", []string{"-p", "what can you do?"}, "", "guide"},
		{"rpc", []string{"--mode", "rpc", "--no-session"}, `{"id":"a","type":"get_state"}` + "\n", `"command":"get_state","success":true`},
		{"acp", []string{"acp"}, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n", `"protocolVersion":1`},
		{"completion", []string{"__complete", "+sess"}, "", "sessions\t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := start(t, program, c.args...)
			run.Stdin = strings.NewReader(c.stdin)
			out, err := run.Output()
			if err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	t.Run("remote", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		run := start(t, program, "--remote", "127.0.0.1:0")
		stdout, err := run.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = run.Process.Kill(); _ = run.Wait() }()
		line, err := bufio.NewReader(stdout).ReadString('\n')
		address, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
		if err != nil || !ok {
			t.Fatalf("it says %q, %v", line, err)
		}
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at.Host+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK || string(body) != "ok\n" {
			t.Errorf("%s, %v: %.300s", answer.Status, err, body)
		}
	})
}

// start is the program with a home of its own.
func start(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir = t.TempDir()
	c.Env = []string{"HOME=" + t.TempDir(), "HOOPOE_OFFLINE=1", "PATH=" + os.Getenv("PATH")}
	c.WaitDelay = 10 * time.Second
	return c
}
