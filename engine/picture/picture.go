// Package picture makes images fit what models accept: it tells their kind,
// and shrinks what is too large.
//
//	bytes ─▶ Kind ─▶ Fit ─▶ bytes of at most 2000 pixels a side and 5 MB encoded
package picture

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decoder
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decoder
)

// Bounds of an image that goes to a model as it is, and of one that is
// decoded at all: a small file can hold an enormous picture.
const (
	maxSide    = 2000
	maxEncoded = 5 << 20 // bytes of base64
	maxPixels  = 64 << 20
)

// ErrTooLarge is wrapped for a picture that can't be made to fit.
var ErrTooLarge = errors.New("too large to be shown")

// Kind tells an image by its first bytes: png, jpeg, gif or webp, the kinds
// that models take; "" for anything else.
func Kind(data []byte) string {
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

// Picture is an image with its size in pixels.
type Picture struct {
	Data          []byte
	Kind          string
	Width, Height int
}

// Measure reads the size of an image without decoding it.
func Measure(data []byte) (Picture, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Picture{}, fmt.Errorf("the image is damaged: %w", err)
	}
	return Picture{data, Kind(data), config.Width, config.Height}, nil
}

// Fit returns p, or a smaller version of it that models accept.
func Fit(ctx context.Context, p Picture) (Picture, error) {
	if p.Width <= maxSide && p.Height <= maxSide && encodedSize(p.Data) <= maxEncoded {
		return p, nil
	}
	if p.Width*p.Height > maxPixels {
		return Picture{}, ErrTooLarge
	}
	whole, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		return Picture{}, fmt.Errorf("the image is damaged: %w", err)
	}
	for side := maxSide; side >= 250; side /= 2 {
		if err := ctx.Err(); err != nil {
			return Picture{}, err
		}
		small := scale(whole, side)
		data, kind, err := encodeImage(small, p.Kind == "jpeg")
		if err != nil {
			return Picture{}, fmt.Errorf("encode the smaller image: %w", err)
		}
		if encodedSize(data) <= maxEncoded {
			return Picture{data, kind, small.Bounds().Dx(), small.Bounds().Dy()}, nil
		}
	}
	return Picture{}, ErrTooLarge
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
