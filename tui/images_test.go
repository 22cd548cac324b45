//go:build unix

package tui

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func pixel(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (f *fakeSession) sentImages() []message.Block {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.images
}

// An image of the clipboard goes with the prompt as a block, in its place.
func TestPasteImage(t *testing.T) {
	d := &desk{image: pixel(t)}
	s, f := start(t, 80, 16, Options{Clipboard: d})
	s.typed("look at \x16") // Ctrl+V
	s.see("› look at [Image 1]")
	f.mu.Lock()
	f.refuse = errors.New("no room")
	f.mu.Unlock()
	s.typed("\r")
	s.see("was not sent: no room", "› look at [Image 1]")
	f.mu.Lock()
	f.refuse = nil
	f.mu.Unlock()
	s.typed(" please\r")
	s.wait("prompt", f.did(":look at [Image 1] please"))
	got := f.sentImages()
	if len(got) != 1 || got[0].MimeType != "image/png" || got[0].Data != base64.StdEncoding.EncodeToString(d.image) {
		t.Errorf("sent %d images: %+v", len(got), got)
	}
	d.mu.Lock()
	d.image = nil
	d.mu.Unlock()
	s.typed("\x16")
	s.see("Paste an image: the clipboard holds no image")
}

// A dropped file that is an image becomes an attachment; anything else is text.
func TestDropImage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my picture.png")
	if err := os.WriteFile(path, pixel(t), 0o600); err != nil {
		t.Fatal(err)
	}
	s, f := start(t, 100, 16, Options{})
	s.typed("\x1b[200~'" + path + "'\x1b[201~")
	s.see("[Image 1]")
	s.typed("\r")
	s.wait("prompt", f.did(":[Image 1]"))
	s.typed("\x1b[200~/nowhere/shot.png\x1b[201~")
	s.see("› /nowhere/shot.png")
}

func TestDropPaths(t *testing.T) {
	for in, want := range map[string][]string{
		"/tmp/a.png":                      {"/tmp/a.png"},
		"/tmp/my shot.png":                {"/tmp/my shot.png"},
		`/tmp/my\ shot.PNG`:               {"/tmp/my shot.PNG"},
		`'/tmp/it'\''s.jpg' "/tmp/b.gif"`: {"/tmp/it's.jpg", "/tmp/b.gif"},
		"file:///tmp/my%20shot.webp\r\n":  {"/tmp/my shot.webp"},
		"/tmp/a.png\n/tmp/b.jpeg":         {"/tmp/a.png", "/tmp/b.jpeg"},
		`C:\Users\me\a.png`:               {`C:\Users\me\a.png`},
		"see /tmp/a.txt":                  nil,
		"":                                nil,
		"/tmp/a.png and more":             nil,
	} {
		if got := dropPaths(in); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// The queue can be taken back and edited while the work goes on, images too.
func TestDequeue(t *testing.T) {
	s, f := start(t, 80, 16, Options{})
	working(s, f)
	m := message.NewUser("look [Image 1]")
	m.Content = append(m.Content, message.ImageOf(base64.StdEncoding.EncodeToString(pixel(t)), "image/png"))
	f.mu.Lock()
	f.queue = []event.Queued{{ID: "1", Delivery: "steer", Message: m}, {ID: "2", Delivery: "followUp", Message: m}}
	f.mu.Unlock()
	f.publish(event.QueueChanged{Queue: f.queue})
	s.see("next: look [Image 1]")
	s.typed("\x1b[1;3A") // Alt+Up
	s.see("› look [Image 1]", "  look [Image 2]", "Working")
	f.publish(event.QueueChanged{})
	s.gone("next:")
	s.typed("\r")
	s.wait("prompt", f.did("steer:look [Image 1]\n\nlook [Image 2]"))
	if n := len(f.sentImages()); n != 2 {
		t.Errorf("%d images went along", n)
	}
}
