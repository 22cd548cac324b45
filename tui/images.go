package tui

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/picture"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

const (
	// maxImage bounds the bytes of an image that is taken along.
	maxImage = 64 << 20
	// maxDrop bounds a paste that may be the paths of dropped files.
	maxDrop = 8 << 10
	// maxDropped bounds how many files are taken at once.
	maxDropped = 20
)

// attachedImage is a picture that models accept.
type attachedImage struct {
	name string
	data []byte
	mime string
}

// imagesMsg brings images for the prompt. If the text of a paste was no paths
// of images after all, it is pasted.
type imagesMsg struct {
	images []attachedImage
	pasted string
}

// pasteImage takes the clipboard's image.
func (a *app) pasteImage() tea.Cmd {
	if a.o.Clipboard == nil {
		a.hint = "The clipboard can't be read here"
		return nil
	}
	return func() tea.Msg {
		data, _, err := a.o.Clipboard.Image(a.ctx)
		if err == nil {
			var one attachedImage
			if one, err = fitted(a.ctx, "", data); err == nil {
				return imagesMsg{images: []attachedImage{one}}
			}
		}
		return failedMsg{"paste an image", err}
	}
}

// dropped takes a paste that is the paths of images, as terminals type the
// names of files that are dropped on them.
func (a *app) dropped(text string) (cmd tea.Cmd, ok bool) {
	paths := dropPaths(text)
	if len(paths) == 0 {
		return nil, false
	}
	cwd := a.view.Cwd
	return func() tea.Msg {
		var images []attachedImage
		for _, path := range paths {
			if !filepath.IsAbs(path) {
				path = filepath.Join(cwd, path)
			}
			one, err := readImage(a.ctx, path)
			if err != nil {
				return imagesMsg{pasted: text}
			}
			images = append(images, one)
		}
		return imagesMsg{images: images}
	}, true
}

func readImage(ctx context.Context, path string) (attachedImage, error) {
	info, err := os.Stat(path)
	if err != nil {
		return attachedImage{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxImage {
		return attachedImage{}, fmt.Errorf("%s is no image of at most %d MB", path, maxImage>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return attachedImage{}, err
	}
	return fitted(ctx, filepath.Base(path), data)
}

// fitted makes a picture small enough for a model.
func fitted(ctx context.Context, name string, data []byte) (attachedImage, error) {
	p, err := picture.Measure(data)
	if err == nil {
		p, err = picture.Fit(ctx, p)
	}
	if err != nil {
		return attachedImage{}, err
	}
	return attachedImage{name, p.Data, "image/" + p.Kind}, nil
}

// dropPaths reads paths of images from a paste: each in quotes, with escaped
// blanks, as a file URL, or as it is. None comes back if there is anything else.
func dropPaths(text string) []string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxDrop {
		return nil
	}
	if named(text) && !strings.ContainsAny(text, "\n\r\\'\"") && !strings.HasPrefix(text, "file:") {
		return []string{text} // a path with blanks, as some terminals type it
	}
	words := shellWords(text)
	for i, word := range words {
		if rest, ok := strings.CutPrefix(word, "file://"); ok {
			path, err := url.PathUnescape(strings.TrimPrefix(rest, "localhost"))
			if err != nil {
				return nil
			}
			words[i] = path
		}
		if !named(words[i]) {
			return nil
		}
	}
	if len(words) > maxDropped {
		return nil
	}
	return words
}

// named reports whether a path has the name of an image.
func named(path string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}, strings.ToLower(filepath.Ext(path)))
}

// shellWords splits at blanks as a shell does, with quotes and backslashes. A
// backslash before a letter or a digit is part of a Windows path.
func shellWords(text string) []string {
	var words []string
	var b strings.Builder
	quote, in := rune(0), false
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == '\\' && i+1 < len(runes) && strings.ContainsRune(" \\'\"()[]{}&;!$`*?#~<>|,", runes[i+1]):
			i++
			b.WriteRune(runes[i])
			in = true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if in {
				words = append(words, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteRune(r)
			in = true
		}
	}
	if in {
		words = append(words, b.String())
	}
	return words
}

// images takes them along with the prompt.
func (a *app) images(msg imagesMsg) tea.Cmd {
	if msg.pasted != "" {
		a.editor.Paste(msg.pasted)
		return a.complete()
	}
	for i, one := range msg.images {
		if i > 0 {
			a.editor.Insert(" ")
		}
		a.editor.Attach(one.name, one.data, one.mime)
	}
	if a.session != nil && !a.view.Model.Images {
		a.hint = "This model can't see images"
	}
	return a.complete()
}

// blocks are the attachments as the model gets them.
func blocks(files []editor.Attachment) []message.Block {
	var list []message.Block
	for _, f := range files {
		list = append(list, message.ImageOf(base64.StdEncoding.EncodeToString(f.Data), f.MIME))
	}
	return list
}

var imageLabel = regexp.MustCompile(`\[Image [0-9]+\]`)

// labelled makes a message one to be edited: its images get labels that none of
// the others has, in the places of those that they had, else at the end.
func labelled(m message.Message, others []editor.Attachment) (text string, files []editor.Attachment) {
	text = m.Text()
	taken := func(label string) bool {
		return slices.ContainsFunc(slices.Concat(others, files), func(f editor.Attachment) bool { return f.Label == label })
	}
	for _, b := range m.Content {
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if b.Type != message.ImageBlock || err != nil {
			continue
		}
		n := 1
		for taken(fmt.Sprintf("[Image %d]", n)) {
			n++
		}
		files = append(files, editor.Attachment{Label: fmt.Sprintf("[Image %d]", n), MIME: b.MimeType, Data: data})
	}
	next := 0
	text = imageLabel.ReplaceAllStringFunc(text, func(was string) string {
		if next == len(files) {
			return was
		}
		next++
		return files[next-1].Label
	})
	for _, f := range files[next:] {
		text = strings.TrimLeft(text+" "+f.Label, " ")
	}
	return text, files
}
