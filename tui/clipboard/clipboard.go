// Package clipboard reaches the clipboard of the desktop through the programs
// that are there for it:
//
//	text ──▶ pbcopy · wl-copy · xclip · xsel · clip.exe
//	image ◀── pngpaste, osascript · wl-paste · xclip · powershell.exe
//
// It is the second way beside the terminal's own (OSC 52), which not every
// terminal has, and which can't bring images.
package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/picture"
)

// ErrNone is for a machine without a program for its clipboard.
var ErrNone = errors.New("there is no program for the clipboard here: install wl-clipboard or xclip")

// ErrNoImage is for a clipboard that holds something else.
var ErrNoImage = errors.New("the clipboard holds no image")

const (
	// patience bounds how long such a program may take: one that waits for a
	// desktop that has gone does so for ever.
	patience = 3 * time.Second
	// maxImage bounds the bytes of an image.
	maxImage = 64 << 20
)

// Clipboard is the desktop's, by the environment that Getenv tells of. The
// zero value knows no desktop but that of macOS and Windows.
type Clipboard struct {
	// Getenv looks a variable up; nil: there are none.
	Getenv func(string) string
	// OS is a name of runtime.GOOS; "" is this machine's.
	OS string
	// Look finds a program, as exec.LookPath does, which nil stands for.
	Look func(name string) (string, error)
	// Run runs a program with an input and returns what it writes; nil runs it.
	Run func(ctx context.Context, input string, name string, args ...string) ([]byte, error)
}

// tool is one program and what it is called with.
type tool struct {
	name string
	args []string
}

// Copy puts text into the clipboard.
func (c Clipboard) Copy(ctx context.Context, text string) error {
	t, ok := c.first(c.copiers())
	if !ok {
		return ErrNone
	}
	if _, err := c.run(ctx, text, t); err != nil {
		return fmt.Errorf("copy with %s: %w", t.name, err)
	}
	return nil
}

// copiers are the programs that take text, the best first.
func (c Clipboard) copiers() []tool {
	switch c.os() {
	case "darwin":
		return []tool{{"pbcopy", nil}}
	case "windows":
		return []tool{{"clip.exe", nil}}
	}
	var list []tool
	if c.env("WAYLAND_DISPLAY") != "" {
		list = append(list, tool{"wl-copy", nil})
	}
	if c.env("DISPLAY") != "" {
		list = append(list, tool{"xclip", []string{"-selection", "clipboard", "-in"}}, tool{"xsel", []string{"--clipboard", "--input"}})
	}
	if c.env("WSL_DISTRO_NAME") != "" {
		list = append(list, tool{"clip.exe", nil})
	}
	return list
}

// Image returns the image in the clipboard and its kind as a MIME type.
func (c Clipboard) Image(ctx context.Context) (data []byte, mime string, err error) {
	found := false
	for _, r := range c.readers() {
		if !c.has(r.name) {
			continue
		}
		found = true
		out, err := c.run(ctx, "", r.tool)
		if err != nil || len(out) > maxImage {
			continue // says that there is none of this kind, each in its own way
		}
		if data, err = r.decode(out); err != nil {
			continue
		}
		if kind := picture.Kind(data); kind != "" {
			return data, "image/" + kind, nil
		}
	}
	if !found {
		return nil, "", ErrNone
	}
	return nil, "", ErrNoImage
}

// reader is a program that writes an image, in a way of its own.
type reader struct {
	tool
	decode func([]byte) ([]byte, error)
}

func plain(b []byte) ([]byte, error) { return b, nil }

// readers are the programs that bring an image, the best first.
func (c Clipboard) readers() []reader {
	windows := reader{tool{"powershell.exe", []string{"-NoProfile", "-NonInteractive", "-STA", "-Command", windowsImage}}, ofBase64}
	switch c.os() {
	case "darwin":
		return []reader{
			{tool{"pngpaste", []string{"-"}}, plain},
			{tool{"osascript", []string{"-e", "the clipboard as «class PNGf»"}}, ofAppleScript},
		}
	case "windows":
		return []reader{windows}
	}
	var list []reader
	for _, mime := range []string{"image/png", "image/jpeg", "image/webp", "image/gif"} {
		if c.env("WAYLAND_DISPLAY") != "" {
			list = append(list, reader{tool{"wl-paste", []string{"--no-newline", "--type", mime}}, plain})
		}
		if c.env("DISPLAY") != "" {
			list = append(list, reader{tool{"xclip", []string{"-selection", "clipboard", "-target", mime, "-out"}}, plain})
		}
	}
	if c.env("WSL_DISTRO_NAME") != "" {
		list = append(list, windows)
	}
	return list
}

const windowsImage = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing; ` +
	`$i = [System.Windows.Forms.Clipboard]::GetImage(); if ($i -eq $null) { exit 1 }; ` +
	`$m = New-Object System.IO.MemoryStream; $i.Save($m, [System.Drawing.Imaging.ImageFormat]::Png); ` +
	`[Convert]::ToBase64String($m.ToArray())`

func ofBase64(b []byte) ([]byte, error) {
	return base64.StdEncoding.DecodeString(string(bytes.TrimSpace(b)))
}

// ofAppleScript reads how that language writes bytes: «data PNGf89504E…».
func ofAppleScript(b []byte) ([]byte, error) {
	_, digits, ok := strings.Cut(string(b), "PNGf")
	if !ok {
		return nil, ErrNoImage
	}
	digits, _, _ = strings.Cut(digits, "»")
	return hex.DecodeString(strings.TrimSpace(digits))
}

func (c Clipboard) first(list []tool) (tool, bool) {
	i := slices.IndexFunc(list, func(t tool) bool { return c.has(t.name) })
	if i < 0 {
		return tool{}, false
	}
	return list[i], true
}

func (c Clipboard) has(name string) bool {
	look := c.Look
	if look == nil {
		look = exec.LookPath
	}
	_, err := look(name)
	return err == nil
}

func (c Clipboard) os() string {
	if c.OS == "" {
		return runtime.GOOS
	}
	return c.OS
}

func (c Clipboard) env(name string) string {
	if c.Getenv == nil {
		return ""
	}
	return c.Getenv(name)
}

func (c Clipboard) run(ctx context.Context, input string, t tool) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.Run != nil {
		return c.Run(ctx, input, t.name, t.args...)
	}
	cmd := exec.CommandContext(ctx, t.name, t.args...)
	cmd.Stdin = strings.NewReader(input)
	cmd.WaitDelay = patience
	if input != "" { // one that serves the text goes on and would keep a pipe open
		return nil, cmd.Run()
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	data, readErr := io.ReadAll(io.LimitReader(out, maxImage+1))
	if len(data) > maxImage {
		cancel()
	}
	return data, errors.Join(readErr, cmd.Wait())
}
