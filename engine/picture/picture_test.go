package picture

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"testing"
)

func drawn(t *testing.T, w, h int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFit(t *testing.T) {
	for name, tt := range map[string]struct{ w, h, fitW, fitH int }{
		"fits": {30, 20, 30, 20}, "wide": {4000, 100, 2000, 50}, "tall": {1, 3000, 1, 2000},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Measure(drawn(t, tt.w, tt.h))
			if err != nil || p.Kind != "png" || p.Width != tt.w {
				t.Fatalf("%s %dx%d, %v", p.Kind, p.Width, p.Height, err)
			}
			fit, err := Fit(t.Context(), p)
			if err != nil || fit.Width != tt.fitW || fit.Height != tt.fitH {
				t.Errorf("%dx%d, %v; want %dx%d", fit.Width, fit.Height, err, tt.fitW, tt.fitH)
			}
			if again, err := Measure(fit.Data); err != nil || again.Width != fit.Width {
				t.Errorf("the result has %d columns, %v", again.Width, err)
			}
		})
	}
}

func TestHostilePictures(t *testing.T) {
	if _, err := Measure([]byte("\x89PNG\r\n\x1a\n")); err == nil {
		t.Error("a header alone was measured")
	}
	if _, err := Fit(t.Context(), Picture{Data: drawn(t, 1, 1), Kind: "png", Width: 60_000, Height: 60_000}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a picture that claims to be enormous: %v", err)
	}
	if Kind([]byte("RIFF....WEBP")) != "webp" || Kind([]byte("GIF")) != "" {
		t.Error("kinds")
	}
}
