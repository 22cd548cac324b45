package clipboard

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const png = "\x89PNG\r\n\x1a\nrest"

// desktop is a machine that has some programs; out says what each writes.
func desktop(os string, env map[string]string, out map[string]string) (c Clipboard, calls *[]string) {
	calls = &[]string{}
	return Clipboard{
		OS: os, Getenv: func(name string) string { return env[name] },
		Look: func(name string) (string, error) {
			if _, ok := out[name]; ok {
				return "/bin/" + name, nil
			}
			return "", errors.New("not found")
		},
		Run: func(_ context.Context, input, name string, args ...string) ([]byte, error) {
			*calls = append(*calls, name+" "+strings.Join(args, " ")+"<"+input)
			if out[name] == "fail" {
				return nil, errors.New("exit status 1")
			}
			return []byte(out[name]), nil
		},
	}, calls
}

func TestCopy(t *testing.T) {
	wayland, x11 := map[string]string{"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, map[string]string{"DISPLAY": ":0"}
	for _, test := range []struct {
		name, os string
		env      map[string]string
		programs []string
		want     string
	}{
		{"macOS", "darwin", nil, []string{"pbcopy"}, "pbcopy <text"},
		{"Wayland", "linux", wayland, []string{"wl-copy", "xclip"}, "wl-copy <text"},
		{"Wayland without its program", "linux", wayland, []string{"xclip"}, "xclip -selection clipboard -in<text"},
		{"X11", "linux", x11, []string{"xsel", "wl-copy"}, "xsel --clipboard --input<text"},
		{"WSL", "linux", map[string]string{"WSL_DISTRO_NAME": "Debian"}, []string{"clip.exe"}, "clip.exe <text"},
		{"no desktop", "linux", nil, []string{"xclip", "wl-copy"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := map[string]string{}
			for _, name := range test.programs {
				out[name] = ""
			}
			c, calls := desktop(test.os, test.env, out)
			err := c.Copy(t.Context(), "text")
			if test.want == "" {
				if !errors.Is(err, ErrNone) || len(*calls) > 0 {
					t.Errorf("error %v, ran %q", err, *calls)
				}
				return
			}
			if err != nil || !slices.Equal(*calls, []string{test.want}) {
				t.Errorf("error %v, ran %q; want %q", err, *calls, test.want)
			}
		})
	}
}

func TestImage(t *testing.T) {
	apple := fmt.Sprintf("«data PNGf%s»\n", strings.ToUpper(hex.EncodeToString([]byte(png))))
	x11 := map[string]string{"DISPLAY": ":0"}
	for _, test := range []struct {
		name, os string
		env, out map[string]string
		err      error
	}{
		{"pngpaste", "darwin", nil, map[string]string{"pngpaste": png}, nil},
		{"AppleScript", "darwin", nil, map[string]string{"pngpaste": "fail", "osascript": apple}, nil},
		{"AppleScript without an image", "darwin", nil, map[string]string{"osascript": "some text"}, ErrNoImage},
		{"X11", "linux", x11, map[string]string{"xclip": png}, nil},
		{"X11 with text", "linux", x11, map[string]string{"xclip": "text"}, ErrNoImage},
		{"Windows", "windows", nil, map[string]string{"powershell.exe": base64.StdEncoding.EncodeToString([]byte(png)) + "\r\n"}, nil},
		{"no program", "linux", x11, nil, ErrNone},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := desktop(test.os, test.env, test.out)
			data, mime, err := c.Image(t.Context())
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if err == nil && (string(data) != png || mime != "image/png") {
				t.Errorf("got %q of %s", data, mime)
			}
		})
	}
}
