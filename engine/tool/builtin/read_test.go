package builtin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString("line " + marshal(i) + "\n")
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name, content, args, want string
		errs                      []string
	}{
		{name: "whole", content: "a\nb\n", want: "a\nb\n"},
		{name: "no newline at the end", content: "a\nb", want: "a\nb"},
		{name: "part", content: numbered(9), args: `,"offset":3,"limit":2`, want: "line 3\nline 4\n\n[Lines 3-4 of 9. To read on, use offset 5.]"},
		{name: "up to the end", content: numbered(4), args: `,"offset":4`, want: "line 4\n"},
		{name: "limit over the end", content: numbered(2), args: `,"limit":99`, want: "line 1\nline 2\n"},
		{name: "numbers that mean nothing", content: "a\n", args: `,"offset":0,"limit":-1`, want: "a\n"},
		{name: "offset at the limit of int", content: "a\n", args: `,"offset":9223372036854775807,"limit":9223372036854775807`, errs: []string{"past the end"}},
		{name: "past the end", content: numbered(4), args: `,"offset":5`, errs: []string{"f has 4 lines; offset 5 is past the end"}},
		{name: "empty", content: "", want: "[f is empty]"},
		{name: "one newline", content: "\n", want: "\n"},
		{name: "CRLF", content: "a\r\nb\r\n", want: "a\nb\n"},
		{name: "BOM", content: "\ufeffa\n", want: "a\n"},
		{name: "UTF-16 little", content: "\xff\xfe\x31\x06\n\x00", want: "\u0631\n"},
		{name: "UTF-16 big", content: "\xfe\xff\x65\xe5", want: "日"},
		{name: "Latin-1", content: "caf\xe9\n", want: "caf\ufffd\n"},
		{name: "binary", content: "\x7fELF\x00\x01", errs: []string{"f (6 bytes) is a binary file", "bash"}},
		{name: "long line", content: strings.Repeat("é", 2500) + "\nb\n", want: strings.Repeat("é", 2000) + "… [500 more characters]\nb\n"},
		{name: "a first line over the cap", content: strings.Repeat("x", 200_000), want: strings.Repeat("x", 2000) + "… [198000 more characters]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": tt.content})
			args := `{"path":"f"` + tt.args + `}`
			if tt.errs != nil {
				b.fails(Read(), args, tt.errs...)
				return
			}
			if got := b.text(Read(), args); got != tt.want {
				t.Errorf("got  %.200q\nwant %.200q", got, tt.want)
			}
			if tt.content != "" && b.content("f") != tt.content {
				t.Error("reading changed the file")
			}
		})
	}
}

func TestReadCaps(t *testing.T) {
	b := newBench(t, map[string]string{"long": numbered(5000), "wide": strings.Repeat(strings.Repeat("x", 999)+"\n", 100), "d/x": ""})
	got := b.text(Read(), `{"path":"long"}`)
	holds(t, got, "line 2000\n\n[Lines 1-2000 of 5000. To read on, use offset 2001.]")
	got = b.text(Read(), `{"path":"wide"}`)
	if len(got) > 52_000 {
		t.Errorf("%d bytes", len(got))
	}
	holds(t, got, "[Lines 1-51 of 100. To read on, use offset 52.]")
	b.fails(Read(), `{"path":"d"}`, "d is a folder; list it with ls")
	if f, err := os.Create(b.path("huge")); err != nil || f.Truncate(100<<20) != nil || f.Close() != nil {
		t.Skip("no sparse files here")
	}
	b.fails(Read(), `{"path":"huge"}`, "huge has 100.0 MB, more than the 32.0 MB", "grep", "sed -n")
}

func drawing(w, h int, noise bool) image.Image {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 1))
	for i := range p.Pix {
		if noise || i%4 == 3 {
			p.Pix[i] = uint8(r.Uint32()) | 0x80
		}
	}
	p.Set(0, 0, color.White)
	return p
}

func encoded(t *testing.T, p image.Image, asJPEG bool) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	if asJPEG {
		err = jpeg.Encode(&b, p, &jpeg.Options{Quality: 100})
	} else {
		err = (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadImage(t *testing.T) {
	small := encoded(t, drawing(30, 20, false), false)
	for _, tt := range []struct {
		name, content, about, kind string
		w, h                       int
	}{
		{"as it is", small, "pic: png image, 30x20,", "image/png", 30, 20},
		{"jpeg", encoded(t, drawing(30, 20, true), true), "pic: jpeg image, 30x20,", "image/jpeg", 30, 20},
		{"too wide", encoded(t, drawing(4000, 10, false), false), "4000x10", "image/png", 2000, 5},
		{"a photo that is too wide", encoded(t, drawing(3000, 30, true), true), "shown at 2000x20", "image/jpeg", 2000, 20},
		{"too many bytes", encoded(t, drawing(1100, 950, true), false), "1100x950", "image/jpeg", 1100, 950},
		{"webp", "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00", "webp image, 1x1", "image/webp", 1, 1},
		{"gif", "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;", "gif image, 1x1", "image/gif", 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"pic": tt.content})
			r, err := b.run(Read(), `{"path":"pic"}`)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, r.Content[0].Text, tt.about)
			if len(r.Content) != 2 || r.Content[1].Type != message.ImageBlock || r.Content[1].MimeType != tt.kind {
				t.Fatalf("content: %d blocks, %s", len(r.Content), r.Content[1].MimeType)
			}
			if len(r.Content[1].Data) > 5<<20 {
				t.Errorf("%d bytes", len(r.Content[1].Data))
			}
			raw, err := base64.StdEncoding.DecodeString(r.Content[1].Data)
			if err != nil {
				t.Fatal(err)
			}
			config, _, err := image.DecodeConfig(bytes.NewReader(raw))
			if err != nil || config.Width != tt.w || config.Height != tt.h {
				t.Errorf("%dx%d, %v", config.Width, config.Height, err)
			}
		})
	}
	b := newBench(t, map[string]string{"pic": small, "bad": small[:20], "worse": small[:60]})
	b.env.Images = false
	r, err := b.run(Read(), `{"path":"pic"}`)
	if err != nil || len(r.Content) != 1 {
		t.Fatalf("%v, %v", r, err)
	}
	holds(t, r.Content[0].Text, "takes no images", "30x20")
	b.fails(Read(), `{"path":"bad"}`, "is damaged")
}

// A few bytes can claim an enormous picture.
func TestReadImageBomb(t *testing.T) {
	bomb := []byte(encoded(t, drawing(2, 2, false), false))
	copy(bomb[16:24], "\x00\x01\x86\xa0\x00\x01\x86\xa0") // 100000x100000
	b := newBench(t, map[string]string{"bomb": string(bomb)})
	_, err := b.run(Read(), `{"path":"bomb"}`)
	if err == nil {
		t.Fatal("decoded")
	}
}

func TestWrite(t *testing.T) {
	for _, tt := range []struct{ name, before, content, after, says string }{
		{"new", "", "a\nb\n", "a\nb\n", "Created f (2 lines)."},
		{"replaced", "x\ny\n", "x\nz\n", "x\nz\n", "Replaced f (2 lines, +1 -1)."},
		{"same", "x\n", "x\n", "x\n", "f already has this content."},
		{"CRLF is kept", "x\r\ny\r\n", "z\ny\n", "z\r\ny\r\n", "Replaced f (2 lines, +1 -1)."},
		{"BOM is kept", "\ufeffx\n", "y\n", "\ufeffy\n", "Replaced f (1 line, +1 -1)."},
		{"BOM isn't doubled", "\ufeffx\n", "\ufeffy\n", "\ufeffy\n", "Replaced f (1 line, +1 -1)."},
		{"UTF-16 is kept", "\xfe\xff\x00x", "日", "\xfe\xff\x65\xe5", "Replaced f (1 line, +1 -1)."},
		{"binary", "\x00\x01", "a\n", "a\n", "Replaced f (1 line)."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			if tt.before != "" {
				b.plant("f", tt.before)
			}
			args := `{"path":"f","content":` + marshal(tt.content) + `}`
			diff, err := b.preview(Write(), args)
			if err != nil || (diff == "") != (tt.name == "same") {
				t.Errorf("preview %q, %v", diff, err)
			}
			r, err := b.run(Write(), args)
			if err != nil {
				t.Fatal(err)
			}
			if got := message.Text(r.Content); got != tt.says {
				t.Errorf("says %q", got)
			}
			if got := b.content("f"); got != tt.after {
				t.Errorf("got %q, want %q", got, tt.after)
			}
			var d change
			if err := json.Unmarshal(r.Details, &d); err != nil || d.Created != (tt.before == "") || d.Diff != diff {
				t.Errorf("details %s, %v", r.Details, err)
			}
		})
	}
	b := newBench(t, map[string]string{"d/x": ""})
	b.text(Write(), `{"path":"new/deep/f","content":"x"}`)
	if b.content("new/deep/f") != "x" {
		t.Error("parents")
	}
	b.fails(Write(), `{"path":"d","content":"x"}`, "d is a folder")
	b.fails(Write(), `{"path":"d/x/y","content":"x"}`, "d/x/y")
}

// A diff that would swell the session file is cut; the file isn't.
func TestWriteLarge(t *testing.T) {
	b := newBench(t, map[string]string{"f": numbered(15_000)})
	content := strings.ReplaceAll(numbered(15_000), "line", "Line")
	r, err := b.run(Write(), `{"path":"f","content":`+marshal(content)+`}`)
	if err != nil {
		t.Fatal(err)
	}
	var d change
	if err := json.Unmarshal(r.Details, &d); err != nil || !d.Truncated || len(d.Diff) > maxKept || d.Added != 15_000 {
		t.Errorf("truncated %v, %d bytes, +%d, %v", d.Truncated, len(d.Diff), d.Added, err)
	}
	if b.content("f") != content {
		t.Error("content")
	}
	content = strings.Repeat(content, 20)
	b.text(Write(), `{"path":"f","content":`+marshal(content)+`}`)
	if b.content("f") != content {
		t.Error("content")
	}
}
