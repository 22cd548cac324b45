package builtin

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/picture"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

type imageDetails struct {
	Path   string `json:"path"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

func readImage(ctx context.Context, c tool.Call, t target, data []byte, kind string) (tool.Result, error) {
	size := tool.Size(int64(len(data)))
	p, err := picture.Measure(data)
	if err != nil {
		return tool.Result{}, fmt.Errorf("%s looks like a %s image (%s): %w", t.shown, kind, size, err)
	}
	details := imageDetails{t.abs, p.Width, p.Height}
	about := fmt.Sprintf("%s: %s image, %dx%d, %s", t.shown, kind, p.Width, p.Height, size)
	if !c.Env.Images {
		return result(about+". The current model takes no images.", details), nil
	}
	fit, err := picture.Fit(ctx, p)
	switch {
	case errors.Is(err, picture.ErrTooLarge):
		return tool.Result{}, fmt.Errorf("%s is %w; make it smaller with bash", about, err)
	case err != nil:
		return tool.Result{}, fmt.Errorf("%s: %w", t.shown, err)
	case fit.Width != p.Width || fit.Height != p.Height:
		about += fmt.Sprintf(", shown at %dx%d", fit.Width, fit.Height)
	}
	r := result(about, details)
	r.Content = append(r.Content, message.ImageOf(base64.StdEncoding.EncodeToString(fit.Data), "image/"+fit.Kind))
	return r, nil
}
