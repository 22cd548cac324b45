package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

func (p *program) configApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe config",
		Usage: "settings and the other files",
		UsageText: `hoopoe config [path] [NAME]              list the files and folders; "+" marks those that are there
hoopoe config show [KEY]                 the settings that hold in this folder, and where each is from
hoopoe config edit [NAME]                open settings, models or keybindings in your editor, then check it
hoopoe config schema [NAME]              print the JSON schema of settings, models, keybindings, theme or agent
hoopoe config check [FILE ...]           tell what is wrong with your files and this project's, or with these

VISUAL or EDITOR names the editor.`,
		Action: p.config,
	})
}

// config carries out one of the sub-commands.
func (p *program) config(c *cli.Context) error {
	args, cwd, e, err := p.subcommand(c, settings{offline: true})
	if err != nil {
		return err
	}
	verb, name := "path", ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	if len(args) > 0 {
		name = args[0]
	}
	if len(args) > 1 && verb != "check" {
		return usagef("\"config %s\" takes one name, not %q", verb, strings.Join(args, " "))
	}
	switch verb {
	case "path":
		return p.configPaths(sitesOf(e.Paths(), cwd), name)
	case "show":
		return p.configShow(c.Context, e, cwd, name)
	case "edit":
		return p.configEdit(c.Context, e, cwd, cmp.Or(name, "settings"))
	case "schema":
		return p.configSchema(cmp.Or(name, "settings"))
	case "check":
		return p.configCheck(c.Context, checker{p, e, cwd}, args)
	}
	return usagef(`"config" is followed by path, show, edit, schema or check; a text for the model goes after -p`)
}

// configPaths lists the places, or prints the path of one of them.
func (p *program) configPaths(sites []site, name string) error {
	if name != "" {
		i := slices.IndexFunc(sites, func(s site) bool { return s.Name == name })
		switch {
		case i < 0:
			return usagef("there is no file called %q%s", name, among(fileNames()...).hint(name))
		case sites[i].Path == "":
			return config.ErrNoHome
		}
		_, err := fmt.Fprintln(p.stdout, sites[i].Path)
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	for _, s := range sites {
		fmt.Fprintf(w, "%s %s\t%s\n", sign(s.There), s.Name, sanitize.Line(cmp.Or(s.Path, "no home folder")))
	}
	return w.Flush()
}

func sign(yes bool) string {
	if yes {
		return "+"
	}
	return "-"
}

// configShow prints settings by their dotted names: all, or those below a name.
func (p *program) configShow(ctx context.Context, e *engine.Engine, cwd, under string) error {
	keys := slices.DeleteFunc(config.Keys(), func(key string) bool {
		return under != "" && key != under && !strings.HasPrefix(key, under+".")
	})
	if len(keys) == 0 {
		return usagef("there is no setting called %q%s", under, among(settingNames()...).hint(under))
	}
	all, problems, err := settingsOf(ctx, e, cwd, false)
	for _, problem := range problems {
		p.warn(problem.Error())
	}
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	for _, s := range all {
		if slices.Contains(keys, s.Key) {
			fmt.Fprintf(w, "%s\t%s\t%s\n", s.Key, sanitize.Line(s.Value), sanitize.Line(cmp.Or(s.From, "default")))
		}
	}
	return w.Flush()
}

// settingsOf lists the settings that hold in a folder, which the user may have
// approved for this run.
func settingsOf(ctx context.Context, e *engine.Engine, cwd string, approved bool) ([]tui.Setting, []config.Problem, error) {
	trust, _ := e.Paths().Trust(cwd)
	c, problems, err := config.Load(ctx, config.LoadOptions{Paths: e.Paths(), Project: cwd, Trusted: approved || trust == config.Trusted})
	if err != nil {
		return nil, problems, err
	}
	values, err := flat(c.Settings)
	if err != nil {
		return nil, problems, err
	}
	var list []tui.Setting
	own := e.Paths().Settings()
	for _, key := range config.Keys() {
		list = append(list, tui.Setting{
			Key: key, Value: values[key], From: c.Origin(key), File: own, About: config.About(key),
			Place: func() (string, int, error) { return placeOf(cmp.Or(c.Origin(key), own), key) },
		})
	}
	return list, problems, nil
}

// placeOf is where a key is changed in a settings file, which is begun if it isn't
// there.
func placeOf(path, key string) (string, int, error) {
	if path == "" {
		return "", 0, config.ErrNoHome
	}
	text, err := config.Starter()
	if err == nil {
		err = writeNew(path, text)
	}
	if err != nil {
		return "", 0, err
	}
	line, err := config.Line(path, key)
	if p, ok := errors.AsType[config.Problem](err); ok {
		line, err = p.Line, nil // it is opened where it is damaged
	}
	return path, line, err
}

// flat is the settings as JSON, each by its dotted name. Of servers only the names
// are told: what starts them may hold secrets.
func flat(s config.Settings) (map[string]string, error) {
	servers := map[string]json.RawMessage{}
	if len(s.MCPServers) > 0 {
		if err := json.Unmarshal(s.MCPServers, &servers); err != nil {
			return nil, fmt.Errorf("read the servers of the settings: %w", err)
		}
	}
	for name := range servers {
		servers[name] = json.RawMessage(`"…"`)
	}
	var err error
	if s.MCPServers, err = json.Marshal(servers); err != nil {
		return nil, err
	}
	whole, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("show the settings: %w", err)
	}
	values := map[string]string{}
	for _, key := range config.Keys() {
		at := json.RawMessage(whole)
		for part := range strings.SplitSeq(key, ".") {
			var inside map[string]json.RawMessage
			if err := json.Unmarshal(at, &inside); err != nil {
				return nil, fmt.Errorf("show %s: %w", key, err)
			}
			at = inside[part]
		}
		if values[key] = string(at); string(at) == "null" { // a list that nobody has set
			values[key] = "[]"
		}
	}
	return values, nil
}

// settingNames are the dotted names of settings and of their groups.
func settingNames() []string {
	var names []string
	for _, key := range config.Keys() {
		if group, _, nested := strings.Cut(key, "."); nested && !slices.Contains(names, group) {
			names = append(names, group)
		}
		names = append(names, key)
	}
	return names
}

// editable are the files that can be opened by name.
func editable() []string { return []string{"settings", "models", "keybindings"} }

// configEdit opens a file in the user's editor, made with something to begin with
// when it isn't there, and tells what is wrong with it afterwards.
func (p *program) configEdit(ctx context.Context, e *engine.Engine, cwd, name string) error {
	var path string
	text, err := []byte(nil), error(nil)
	switch name {
	case "settings":
		path = e.Paths().Settings()
		text, err = config.Starter()
	case "models":
		path, text = e.Paths().Models(), []byte("{\n  \"providers\": {}\n}\n")
	case "keybindings":
		path, text = e.Paths().KeyBindings(), []byte("{\n  // Keys for actions of the chat, such as \"undo\": [\"ctrl+z\"].\n  // \"hoopoe config schema keybindings\" tells all actions and their keys.\n}\n")
	default:
		return usagef("%q is none of the files to edit: %s", name, strings.Join(editable(), ", "))
	}
	if err != nil {
		return err
	}
	if path == "" {
		return config.ErrNoHome
	}
	visual, err := p.visual()
	if err != nil {
		return err
	}
	if err := writeNew(path, text); err != nil {
		return err
	}
	editor := visual.Command(ctx, path, 0)
	editor.Env, editor.Stdin, editor.Stdout, editor.Stderr = p.environ, p.stdin, p.stdout.file, p.stderr
	if err := editor.Run(); err != nil {
		return fmt.Errorf("the editor %s: %w", visual, err)
	}
	return p.configCheck(ctx, checker{p, e, cwd}, []string{path})
}

// visual is the user's editor, else the one that the system has.
func (p *program) visual() (tui.Visual, error) {
	if v := tui.FindVisual(p.getenv); v != "" {
		return v, nil
	}
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	if _, err := exec.LookPath(usual); err != nil {
		return "", errors.New("no editor: set EDITOR to the command of one")
	}
	return tui.Visual(usual), nil
}

// writeNew writes a file that isn't there yet.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder for settings: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	return nil
}

// schema is a JSON schema for editors.
type schema struct {
	name string
	text func() []byte
}

func schemas() []schema {
	return []schema{
		{"settings", config.Schema}, {"models", catalog.Schema}, {"keybindings", keymap.Schema}, {"theme", themes.Schema}, {"agent", spec.Schema},
	}
}

func schemaNames() []string {
	var names []string
	for _, s := range schemas() {
		names = append(names, s.name)
	}
	return names
}

func (p *program) configSchema(name string) error {
	for _, s := range schemas() {
		if s.name == name {
			_, err := p.stdout.Write(s.text())
			return err
		}
	}
	return usagef("there is no schema called %q%s", name, among(schemaNames()...).hint(name))
}

// hint names what was probably meant, or all that there is.
func (o offer) hint(given string) string {
	var names []string
	for _, c := range o(cursor{}) {
		names = append(names, c.text)
	}
	if near := tool.Nearest(given, names, 1); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return "; there are " + strings.Join(names, ", ")
}
