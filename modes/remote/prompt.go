// The names that begin errors are the protocol's.
//
//lint:file-ignore ST1005 wire literals

package remote

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/picture"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Bounds of what comes with a prompt, decoded.
const (
	maxImage = 20 << 20
	maxFile  = 256 << 10 // of text
)

// promptOf makes the engine's prompt of a request.
func promptOf(ctx context.Context, r request) (engine.Input, error) {
	in := engine.Input{Source: engine.FromRPC, Once: once(r)}
	var texts []string
	if err := gather(ctx, r.input, &texts, &in.Images); err != nil {
		return in, err
	}
	in.Text = strings.Join(texts, "\n\n")
	if strings.TrimSpace(in.Text) == "" && len(in.Images) == 0 {
		return in, errors.New("the message is empty: send a text, an image or a file")
	}
	return in, nil
}

// once are the request's wishes. The server's permission mode stays the upper
// bound: asking more is granted, asking less isn't.
func once(r request) engine.Once {
	o := engine.Once{NoTools: !r.tools}
	if r.config.MaxTokens != nil {
		o.MaxTokens = int(*r.config.MaxTokens)
	}
	if r.config.Prompt != nil {
		o.Append = *r.config.Prompt
	}
	o.AskAll = r.config.Ask != nil && *r.config.Ask
	return o
}

func gather(ctx context.Context, in input, texts *[]string, blocks *[]message.Block) error {
	switch in := in.(type) {
	case textInput:
		*texts = append(*texts, string(in))
	case imageInput:
		data, err := decode(in.data, maxImage, "the image")
		if err != nil {
			return err
		}
		return attachImage(ctx, "the image", data, blocks)
	case fileInput:
		return attachFile(ctx, in, blocks)
	case multiInput:
		for _, part := range in {
			if err := gather(ctx, part, texts, blocks); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("Multi holds Text, Image, File and Multi, not %s", in.inputKind())
	}
	return nil
}

// decode reads base64 as clients write it: padded or not, in either alphabet,
// with or without the beginning of a data URL.
func decode(text string, most int, what string) ([]byte, error) {
	if strings.HasPrefix(text, "data:") {
		if _, rest, ok := strings.Cut(text, ","); ok {
			text = rest
		}
	}
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	if len(text)/4*3 > most {
		return nil, fmt.Errorf("%s is too large: at most %d KB", what, most>>10)
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	data, err := encoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not base64: %w", what, err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s is empty", what)
	}
	return data, nil
}

func attachImage(ctx context.Context, what string, data []byte, blocks *[]message.Block) error {
	if picture.Kind(data) == "" {
		return fmt.Errorf("%s is no picture that models take (png, jpeg, gif, webp)", what)
	}
	p, err := picture.Measure(data)
	if err == nil {
		p, err = picture.Fit(ctx, p)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	*blocks = append(*blocks, message.ImageOf(base64.StdEncoding.EncodeToString(p.Data), "image/"+p.Kind))
	return nil
}

// attachFile gives the model a file's content: it is a picture, or text. Its
// name is no path of ours; nothing is written.
func attachFile(ctx context.Context, in fileInput, blocks *[]message.Block) error {
	name := excerpt(sanitize.Line(in.filename), 200)
	what := fmt.Sprintf("the file %q", name)
	data, err := decode(in.data, maxImage, what)
	if err != nil {
		return err
	}
	if picture.Kind(data) != "" {
		return attachImage(ctx, what, data, blocks)
	}
	switch {
	case len(data) > maxFile:
		return fmt.Errorf("%s is too long for a message: at most %d KB of text", what, maxFile>>10)
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		return fmt.Errorf("%s is neither UTF-8 text nor a picture (png, jpeg, gif, webp)", what)
	}
	text := fmt.Sprintf("<file path=\"%s\">\n%s", html.EscapeString(name), data)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	*blocks = append(*blocks, message.TextOf(text+"</file>"))
	return nil
}
