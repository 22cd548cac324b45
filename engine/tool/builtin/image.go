package builtin

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif" // decoder
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decoder

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Bounds of an image that goes to a model as it is, and of one that is
// decoded at all: a small file can hold an enormous picture.
const (
	maxSide    = 2000
	maxEncoded = 5 << 20 // bytes of base64
	maxPixels  = 64 << 20
)

// imageKind tells an image by its first bytes; "" for anything else.
func imageKind(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "gif"
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "webp"
	}
	return ""
}

type imageDetails struct {
	Path   string `json:"path"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

func readImage(ctx context.Context, c tool.Call, t target, data []byte, kind string) (tool.Result, error) {
	size := tool.Size(int64(len(data)))
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return tool.Result{}, fmt.Errorf("%s looks like a %s image (%s) but is damaged: %w", t.shown, kind, size, err)
	}
	details := imageDetails{t.abs, config.Width, config.Height}
	about := fmt.Sprintf("%s: %s image, %dx%d, %s", t.shown, kind, config.Width, config.Height, size)
	if !c.Env.Images {
		return result(about+". The current model takes no images.", details), nil
	}
	if config.Width <= maxSide && config.Height <= maxSide && encodedSize(data) <= maxEncoded {
		return withImage(about, data, kind, details), nil
	}
	if config.Width*config.Height > maxPixels {
		return tool.Result{}, fmt.Errorf("%s is too large to be shown; make it smaller with bash", about)
	}
	picture, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return tool.Result{}, fmt.Errorf("%s is damaged: %w", t.shown, err)
	}
	for side := maxSide; side >= 250; side /= 2 {
		if err := ctx.Err(); err != nil {
			return tool.Result{}, err
		}
		small := scale(picture, side)
		out, outKind, err := encodeImage(small, kind == "jpeg")
		if err != nil {
			return tool.Result{}, fmt.Errorf("encode %s: %w", t.shown, err)
		}
		if encodedSize(out) <= maxEncoded {
			about += fmt.Sprintf(", shown at %dx%d", small.Bounds().Dx(), small.Bounds().Dy())
			return withImage(about, out, outKind, details), nil
		}
	}
	return tool.Result{}, fmt.Errorf("%s can't be made small enough to be shown", about)
}

func withImage(about string, data []byte, kind string, details imageDetails) tool.Result {
	r := result(about, details)
	r.Content = append(r.Content, message.ImageOf(base64.StdEncoding.EncodeToString(data), "image/"+kind))
	return r
}

func encodedSize(data []byte) int { return base64.StdEncoding.EncodedLen(len(data)) }

// scale shrinks a picture so that no side is over side pixels. What is
// transparent becomes white: JPEG would make it black.
func scale(p image.Image, side int) image.Image {
	w, h := p.Bounds().Dx(), p.Bounds().Dy()
	longest := max(w, h)
	if longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(out, out.Bounds(), p, p.Bounds(), draw.Over, nil)
	return out
}

// encodeImage takes PNG, which keeps the text of screenshots sharp, unless the
// picture is a photograph: it came as JPEG, or PNG makes it large.
func encodeImage(p image.Image, photo bool) (data []byte, kind string, err error) {
	var out bytes.Buffer
	if !photo {
		fast := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := fast.Encode(&out, p); err != nil {
			return nil, "", err
		}
		if out.Len() <= maxEncoded/8 {
			return out.Bytes(), "png", nil
		}
		out.Reset()
	}
	if err := jpeg.Encode(&out, p, &jpeg.Options{Quality: 85}); err != nil {
		return nil, "", err
	}
	return out.Bytes(), "jpeg", nil
}
