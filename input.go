package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/picture"
)

// What is read for a prompt, in bytes. Images are shrunk to what models take.
const (
	maxText  = 1 << 20
	maxImage = 32 << 20
)

// prompt is what the command line and stdin give to work on.
type prompt struct {
	text   string
	blocks []message.Block // files, images and stdin that go with the text
}

// source is where a prompt is read from.
type source struct {
	cwd      string    // "@file" is relative to it
	stdin    io.Reader // nil: not read
	stillOff func()    // told when stdin has given nothing for a while
	patience time.Duration
}

// read collects the prompt. stdin is the prompt itself when there is no other
// text, else it goes with it.
func (s source) read(words, literals []string) (prompt, error) {
	p := prompt{text: promptText(words, literals)}
	for _, w := range words {
		if !isFile(w) {
			continue
		}
		block, err := s.file(w[1:])
		if err != nil {
			return prompt{}, err
		}
		p.blocks = append(p.blocks, block)
	}
	if s.stdin == nil {
		return p, nil
	}
	data, err := s.readStdin()
	if err != nil {
		return prompt{}, fmt.Errorf("read stdin: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return p, nil
	}
	block, err := attach("stdin", data)
	switch {
	case err != nil:
		return prompt{}, err
	case block.Type == message.TextBlock && strings.TrimSpace(p.text) == "":
		p.text = strings.TrimSpace(string(data))
	default:
		p.blocks = append(p.blocks, block)
	}
	return p, nil
}

// empty reports whether there is nothing to send.
func (p prompt) empty() bool { return strings.TrimSpace(p.text) == "" && len(p.blocks) == 0 }

// file reads one "@file" argument, or the lines of one: "@file:10-40". A file
// whose own name ends so comes first.
func (s source) file(name string) (message.Block, error) {
	data, err := s.contents(name)
	if errors.Is(err, os.ErrNotExist) {
		if path, from, to, ok := cutLines(name); ok {
			if whole, err := s.contents(path); err == nil {
				return attachLines(name, whole, from, to)
			}
		}
		return message.Block{}, fmt.Errorf("@%s: there is no such file (text that begins with \"@\" goes after \"--\")", name)
	}
	if err != nil {
		return message.Block{}, fmt.Errorf("@%s: %w", name, err)
	}
	return attach(name, data)
}

// contents reads a file, of one that is too large the beginning and a byte more
// than is taken.
func (s source) contents(name string) ([]byte, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.cwd, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("this is a folder; name its path in the text and the agent will look into it")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxImage+1))
}

// cutLines reads "path:10", "path:10-" and "path:10-40", as the chat's
// completion writes them.
func cutLines(name string) (path string, from, to int, ok bool) {
	i := max(strings.LastIndexByte(name, ':'), 0)
	first, last, through := strings.Cut(strings.TrimPrefix(name[i:], ":"), "-")
	from, err := strconv.Atoi(first)
	to = from
	switch {
	case through && last == "":
		to = math.MaxInt
	case through && err == nil:
		to, err = strconv.Atoi(last)
	}
	return name[:i], from, to, i > 0 && err == nil
}

// attachLines makes a block of some lines of a file.
func attachLines(name string, whole []byte, from, to int) (message.Block, error) {
	lines := bytes.SplitAfter(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n"))
	if from < 1 || from > to || from > len(lines) {
		return message.Block{}, fmt.Errorf("@%s: there are no such lines; the file has %d", name, len(lines))
	}
	return attach(name, bytes.Join(lines[from-1:min(to, len(lines))], nil))
}

// attach makes a block of a file: an image, or text wrapped with its name.
func attach(name string, data []byte) (message.Block, error) {
	if picture.Kind(data) != "" {
		if len(data) > maxImage {
			return message.Block{}, fmt.Errorf("%s: the image is too large (at most %d MB)", name, maxImage>>20)
		}
		return attachImage(name, data)
	}
	if len(data) > maxText {
		return message.Block{}, fmt.Errorf("%s: too long for a prompt (at most %d KB of text); name its path in the text and the agent will read what it needs", name, maxText>>10)
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return message.Block{}, fmt.Errorf("%s: this is neither UTF-8 text nor an image (png, jpeg, gif, webp)", name)
	}
	tag := fmt.Sprintf("<file path=\"%s\">\n%s", html.EscapeString(name), data)
	if !bytes.HasSuffix(data, []byte("\n")) {
		tag += "\n"
	}
	return message.TextOf(tag + "</file>"), nil
}

// attachImage makes a picture small enough for a model.
func attachImage(name string, data []byte) (message.Block, error) {
	p, err := picture.Measure(data)
	if err == nil {
		p, err = picture.Fit(context.Background(), p)
	}
	if err != nil {
		return message.Block{}, fmt.Errorf("%s: %w", name, err)
	}
	return message.ImageOf(base64.StdEncoding.EncodeToString(p.Data), "image/"+p.Kind), nil
}

// readStdin reads to the end, bounded. Whoever keeps a pipe open without
// writing is told why nothing happens.
func (s source) readStdin() ([]byte, error) {
	if s.stillOff != nil {
		waiting := time.AfterFunc(s.patience, s.stillOff)
		defer waiting.Stop()
	}
	return io.ReadAll(io.LimitReader(s.stdin, maxImage+1))
}
