package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/term"
	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/auth"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/redact"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// keyCheckTime bounds the request that checks a key.
const keyCheckTime = 30 * time.Second

func (p *program) loginApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe login",
		Usage: "save the key of a provider",
		UsageText: `hoopoe login [PROVIDER]                  ask for the key, check it by one small request, save it
... | hoopoe login PROVIDER              the same with the key on stdin

Instead of a key, $NAME names a variable and !command a command that prints it.`,
		Flags:  offlineFlag("save the key unchecked"),
		Action: p.login,
	})
}

func (p *program) logoutApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe logout",
		Usage: "forget saved keys",
		UsageText: `hoopoe logout                            list the providers with a saved key
hoopoe logout PROVIDER                   forget that key`,
		Flags:  offlineFlag("open no connection; it never does"),
		Action: p.logout,
	})
}

// login saves a key. Ctrl+C at a prompt must give the terminal back its echo.
func (p *program) login(c *cli.Context) error {
	ctx, stop := withSignals(c.Context, os.Exit)
	defer stop()
	e, args, err := p.modelsEngine(c)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		return usagef("\"login\" takes one provider; a text for the model goes after -p")
	}
	var provider catalog.Provider
	if len(args) == 1 {
		provider, err = findProvider(e.Providers(), args[0])
	} else {
		provider, err = p.chooseProvider(ctx, e.Providers())
	}
	if err != nil {
		return err
	}
	key, err := p.readKey(ctx, provider)
	if err != nil {
		return err
	}
	note, err := checkKey(ctx, e, provider, key)
	if err != nil {
		return err
	}
	if note != "" {
		p.warn(note)
	}
	if err := e.Keys().Set(ctx, provider.ID, key); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "the key for %s is saved in %s\n", sanitize.Line(provider.Name), sanitize.Line(e.Paths().Auth()))
	return err
}

// checkKey refuses a key that the service refuses, or that names a place where
// there is none. Any other failure says nothing about the key and is but a note.
func checkKey(ctx context.Context, e *engine.Engine, provider catalog.Provider, key string) (note string, err error) {
	if e.Offline() {
		return "", nil
	}
	found, err := e.Keys().Resolve(ctx, key)
	if err != nil {
		return "", fmt.Errorf("the key is not saved: %w", err)
	}
	asking, cancel := context.WithTimeout(ctx, keyCheckTime)
	defer cancel()
	err = redact.New(key, found.Value).Error(e.CheckKey(asking, provider.ID, key))
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err == nil:
		return "", nil
	case llm.KindOf(err) == llm.Auth:
		return "", fmt.Errorf("the key is not saved, since %s refuses it: %w (--offline saves it unchecked)", provider.Name, err)
	}
	return fmt.Sprintf("the key could not be checked: %v", err), nil
}

// savedKeys are the keys as the chat's commands change them.
type savedKeys struct {
	p *program
	e *engine.Engine
}

func (k savedKeys) Providers() []slash.Provider {
	saved, _ := k.e.Keys().Saved() // what can't be read is told when a key is needed
	var list []slash.Provider
	for _, one := range k.e.Providers() {
		if takesKey(one) {
			list = append(list, slash.Provider{ID: one.ID, Name: one.Name, Saved: slices.Contains(saved, one.ID)})
		}
	}
	return list
}

func (k savedKeys) Save(ctx context.Context, id, key string) (told string, err error) {
	provider, err := findProvider(k.e.Providers(), id)
	if err != nil {
		return "", err
	}
	if key, err = cleanKey(key); err != nil {
		return "", err
	}
	note, err := checkKey(ctx, k.e, provider, key)
	if err != nil {
		return "", err
	}
	if err := k.e.Keys().Set(ctx, provider.ID, key); err != nil {
		return "", err
	}
	told = fmt.Sprintf("The key for %s is saved in %s.", sanitize.Line(provider.Name), sanitize.Line(k.e.Paths().Auth()))
	if note != "" {
		told += " But " + note + "."
	}
	return told, nil
}

func (k savedKeys) Forget(ctx context.Context, id string) error { return k.e.Keys().Remove(ctx, id) }

// logout forgets a key.
func (p *program) logout(c *cli.Context) error {
	e, args, err := p.modelsEngine(c)
	if err != nil {
		return err
	}
	saved, err := e.Keys().Saved()
	switch {
	case err != nil:
		return err
	case len(args) > 1:
		return usagef("\"logout\" takes one provider")
	case len(args) == 0 && len(saved) == 0:
		p.warn("no key is saved")
		return nil
	case len(args) == 0:
		_, err = fmt.Fprintln(p.stdout, sanitize.Text(strings.Join(saved, "\n")))
		return err
	case !slices.Contains(saved, args[0]):
		text := fmt.Sprintf("no key for %q is saved", args[0])
		if len(saved) > 0 {
			text += "; there are keys for " + strings.Join(saved, ", ")
		}
		return errors.New(text)
	}
	provider := args[0]
	if err := e.Keys().Remove(c.Context, provider); err != nil {
		return err
	}
	if e.Keys().Has(provider) {
		p.warn("a variable still gives a key: " + strings.Join(auth.Variables(provider), " or "))
	}
	_, err = fmt.Fprintf(p.stdout, "the key for %s is forgotten\n", sanitize.Line(provider))
	return err
}

// findProvider finds a provider by its id, or its name as people write it.
func findProvider(providers []catalog.Provider, word string) (catalog.Provider, error) {
	var ids []string
	for _, p := range providers {
		if !takesKey(p) {
			continue
		}
		if strings.EqualFold(p.ID, word) || strings.EqualFold(p.Name, word) {
			return p, nil
		}
		ids = append(ids, p.ID)
	}
	text := fmt.Sprintf("there is no provider %q that takes a key", word)
	if near := tool.Nearest(word, ids, 3); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return catalog.Provider{}, usageError{text + " (\"hoopoe models\" lists them)"}
}

// takesKey holds for a provider whose API this program speaks; the guide has
// none.
func takesKey(p catalog.Provider) bool { return adapters()[p.API] != nil }

// chooseProvider asks by number or name.
func (p *program) chooseProvider(ctx context.Context, all []catalog.Provider) (catalog.Provider, error) {
	if !p.terminals.in || !p.terminals.err {
		return catalog.Provider{}, usagef("\"login\" needs a provider where nobody can choose one: hoopoe login PROVIDER")
	}
	providers := slices.DeleteFunc(slices.Clone(all), func(p catalog.Provider) bool { return !takesKey(p) })
	for i, one := range providers {
		fmt.Fprintf(p.stderr, "%3d  %-18s %s\n", i+1, sanitize.Line(one.ID), sanitize.Line(one.Name))
	}
	fmt.Fprint(p.stderr, "Provider (number or name): ")
	answer, err := interruptible(ctx, func() (string, error) {
		line, err := bufio.NewReader(io.LimitReader(p.stdin, maxKey)).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return strings.TrimSpace(line), err
	})
	if err == nil && answer == "" {
		err = errors.New("no provider was chosen")
	}
	if err != nil {
		return catalog.Provider{}, err
	}
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(providers) {
		return providers[n-1], nil
	}
	return findProvider(all, answer)
}

// maxKey bounds what is read as a key, in bytes.
const maxKey = 64 << 10

// readKey reads the key: unseen from a terminal, else all of stdin.
func (p *program) readKey(ctx context.Context, provider catalog.Provider) (string, error) {
	read := func() (string, error) {
		data, err := io.ReadAll(io.LimitReader(p.stdin, maxKey+1))
		return string(data), err
	}
	if p.terminals.in {
		fd := p.stdin.Fd()
		before, err := term.GetState(fd)
		if err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		fmt.Fprintf(p.stderr, "Key for %s (it is not shown): ", sanitize.Line(provider.Name))
		defer func() {
			_ = term.Restore(fd, before) // a signal may have left the echo off
			fmt.Fprintln(p.stderr)
		}()
		read = func() (string, error) {
			data, err := term.ReadPassword(fd)
			return string(data), err
		}
	}
	text, err := interruptible(ctx, read)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the key: %w", err)
	}
	return cleanKey(text)
}

// cleanKey refuses what can't be a key.
func cleanKey(text string) (string, error) {
	key := strings.TrimSpace(text)
	odd := func(r rune) bool { return r <= ' ' || r > unicode.MaxASCII || unicode.IsControl(r) }
	if strings.HasPrefix(key, "!") { // a command
		odd = unicode.IsControl
	}
	switch {
	case key == "":
		return "", errors.New("no key was given; nothing is saved")
	case len(text) > maxKey || strings.ContainsFunc(key, odd):
		return "", errors.New("this is no key: it must be one word without blanks; nothing is saved")
	}
	return key, nil
}

// interruptible runs a read that can't be interrupted, and leaves it behind
// when the context ends.
func interruptible(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
