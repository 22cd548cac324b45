package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func TestFolders(t *testing.T) {
	root := t.TempDir()
	home, tmp := filepath.Join(root, "home"), filepath.Join(root, "tmp")
	for _, dir := range []string{filepath.Join(home, "work", "x"), filepath.Join(tmp, "y")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for cwd, want := range map[string]string{
		filepath.Join(home, "work", "x"): "-work-x",
		home:                             "-",
		filepath.Join(tmp, "y"):          "-tmp-y",
		tmp:                              "-tmp",
		filepath.Join(root, "else"):      "",
	} {
		got := Folders("/s", cwd, home, tmp)
		if got[0] != filepath.Join("/s", FolderName(cwd)) {
			t.Errorf("%s: new sessions go to %s", cwd, got[0])
		}
		if last := filepath.Base(got[len(got)-1]); want != "" && last != want || want == "" && len(got) != 1 {
			t.Errorf("%s: also reads %v, want %q", cwd, got[1:], want)
		}
	}
	if got := FolderName("/home/u/my.app"); got != "--home-u-my.app--" {
		t.Errorf("folder %s", got)
	}
	if got := FolderName(`C:\Users\u`); got != "--C--Users-u--" {
		t.Errorf("folder %s", got)
	}
}

// The names of long paths are no longer than file systems take, whatever the
// script, and differ where the paths do.
func TestLongFolderNames(t *testing.T) {
	for _, part := range []string{"ascii/", "文件夹/"} {
		path := "/" + strings.Repeat(part, 100)
		one, other := FolderName(path+"a"), FolderName(path+"b")
		if len(one) > 255 || !utf8.ValidString(one) || one == other || !strings.HasSuffix(one, "--") {
			t.Errorf("%s and %s", one, other)
		}
		for _, dir := range Folders("/s", path, "/", "") {
			if len(filepath.Base(dir)) > 255 {
				t.Errorf("reads %s", dir)
			}
		}
	}
	if got := FolderName("/" + strings.Repeat("x", 251)); got != "--"+strings.Repeat("x", 251)+"--" {
		t.Errorf("what fits is %s", got)
	}
}

func TestFileName(t *testing.T) {
	at := time.Date(2026, 2, 16, 10, 20, 30, 0, time.UTC)
	if got := FileName(at, "1f9d2a6b9c0d1234"); got != "2026-02-16T10-20-30-000Z_1f9d2a6b9c0d1234.jsonl" {
		t.Error(got)
	}
	if got := FileName(at, "../../x y\x00"); strings.ContainsAny(got, "/. \x00") && got != "2026-02-16T10-20-30-000Z_------x-y-.jsonl" {
		t.Error(got)
	}
	id := sessionID(at, &counting{})
	if len(id) != 36 || id[14] != '7' || !strings.HasPrefix(id, fmt.Sprintf("%08x", at.UnixMilli()>>16)) {
		t.Errorf("id %s is no UUID of version 7", id)
	}
}

func TestListFindLatestDelete(t *testing.T) {
	o := testOptions(t)
	var paths []string
	for i, text := range []string{"fix the parser", "  write\n docs " + strings.Repeat("long ", 100), "fix the lexer"} {
		o.ID = fmt.Sprintf("%c%c-session", "aab"[i], "xyz"[i])
		d := mustNew(t, o)
		mustAppend(t, d, user(text))
		mustAppend(t, d, answer("ok"))
		if i == 2 {
			if _, err := d.SetName("Lexer"); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, d.File())
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(d.File(), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"notes.jsonl": "hello\n", "empty.jsonl": "", "readme.md": "x",
		"newer.jsonl": `{"type":"session","version":9,"id":"n"}` + "\n"} {
		if err := os.WriteFile(filepath.Join(o.Dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(o.Dir, "dir.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}

	all, err := List(o.Dir, filepath.Join(o.Dir, "missing"))
	if err != nil || len(all) != 3 {
		t.Fatalf("%v %+v", err, all)
	}
	if s := all[0]; s.ID != "bz-session" || s.Name != "Lexer" || s.Title != "fix the lexer" || s.Messages != 2 || s.More || s.Cwd != "/home/u/app" {
		t.Errorf("the newest is %+v", s)
	}
	if title := all[1].Title; !strings.HasPrefix(title, "write docs long") || len([]rune(title)) != titleRunes || !strings.HasSuffix(title, "…") {
		t.Errorf("title %q", title)
	}
	if latest, ok, err := Latest(o.Dir); err != nil || !ok || latest.Path != paths[2] {
		t.Errorf("latest %+v %t %v", latest, ok, err)
	}
	if _, ok, err := Latest(t.TempDir()); ok || err != nil {
		t.Errorf("latest of nothing: %t %v", ok, err)
	}

	for query, want := range map[string]string{"ax": paths[0], "ay-session": paths[1], "lexer": paths[2], "PARSER": paths[0], paths[1]: paths[1]} {
		if got, err := Find(query, o.Dir); err != nil || got.Path != want {
			t.Errorf("find %q: %s %v", query, got.Path, err)
		}
	}
	var ambiguous *AmbiguousError
	for _, query := range []string{"a", "fix the"} {
		if _, err := Find(query, o.Dir); !errors.As(err, &ambiguous) || len(ambiguous.Matches) != 2 {
			t.Errorf("find %q: %v", query, err)
		}
	}
	for _, query := range []string{"", "nothing like it"} {
		if _, err := Find(query, o.Dir); !errors.Is(err, ErrNotFound) {
			t.Errorf("find %q: %v", query, err)
		}
	}
	if _, err := Find(filepath.Join(o.Dir, "none.jsonl"), o.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("find a missing path: %v", err)
	}

	if err := os.WriteFile(paths[0]+".torn", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Delete(paths[0], filepath.Join(t.TempDir(), "locks")); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(paths[0] + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	notes := filepath.Join(o.Dir, "notes.jsonl")
	if err := Delete(notes, ""); !errors.Is(err, ErrNotSession) {
		t.Errorf("deleting what is no session: %v", err)
	}
	if read(t, notes) != "hello\n" {
		t.Error("a file that is no session was deleted")
	}
}

// The name of a long session is at its end, its title may be before an image.
func TestListLongFile(t *testing.T) {
	o := testOptions(t)
	d := mustNew(t, o)
	m := message.NewUser("what is \"this\"?", message.ImageOf(strings.Repeat("QUJD", 100_000), "image/png"))
	mustAppend(t, d, Entry{Message: &m})
	for range 20 {
		mustAppend(t, d, answer(strings.Repeat("long ", 10_000)))
	}
	if _, err := d.SetName("late"); err != nil {
		t.Fatal(err)
	}
	s, err := Summarize(d.File())
	if err != nil || s.Name != "late" || s.Title != `what is "this"?` || !s.More || s.Messages < 1 {
		t.Errorf("%v %+v", err, s)
	}
}

func TestAllFolders(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"--a--", "-tmp", "other"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got, err := AllFolders(root)
	if err != nil || len(got) != 2 {
		t.Errorf("%v %v", got, err)
	}
	if got, err := AllFolders(filepath.Join(root, "missing")); len(got) != 0 || err != nil {
		t.Errorf("%v %v", got, err)
	}
}

func TestBlobs(t *testing.T) {
	folder := t.TempDir()
	image := []byte("\x89PNG not really")
	sum := sha256.Sum256(image)
	good := hex.EncodeToString(sum[:])
	bad := strings.Repeat("0", 64)
	for name, content := range map[string][]byte{good: image, bad: image} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for ref, want := range map[string]string{
		blobPrefix + good:                    base64.StdEncoding.EncodeToString(image),
		blobPrefix + bad:                     blobPrefix + bad, // content of another sum
		blobPrefix + "../../etc/passwd":      blobPrefix + "../../etc/passwd",
		blobPrefix + strings.Repeat("1", 64): blobPrefix + strings.Repeat("1", 64), // missing
		"QUJD":                               "QUJD",
	} {
		o := testOptions(t)
		d := mustNew(t, o)
		m := message.NewUser("look", message.ImageOf(ref, "image/png"))
		mustAppend(t, d, Entry{Message: &m})
		again := mustOpen(t, d.File(), Options{Blobs: folder})
		if got := again.Context().Messages[0].Content[1].Data; got != want {
			t.Errorf("%s became %s, want %s", ref, got, want)
		}
		if got := mustOpen(t, d.File(), Options{}).Context().Messages[0].Content[1].Data; got != ref {
			t.Errorf("without a folder %s became %s", ref, got)
		}
	}
}
