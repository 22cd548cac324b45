package permission

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// findings takes a request apart.
func (p *Policy) findings(req Request) []finding {
	switch {
	case req.Command != nil:
		return p.command(req)
	case req.Kind == KindExecute:
		return []finding{{Part: Part{req.Text, "what it runs can't be checked"}, tool: req.Tool, kind: req.Kind}}
	case len(req.Paths) > 0:
		var list []finding
		for _, path := range req.Paths {
			list = append(list, p.file(path, req.Tool, req.Kind, cmp.Or(path.Path, path.Text, req.Text, req.Tool)))
		}
		return list
	}
	f := finding{Part: Part{req.Text, "it isn't allowed yet"}, tool: req.Tool, kind: req.Kind}
	f.match = func(c *compiled) match { return c.describes(req.Text) }
	if req.Claimed {
		f.kind = KindOther
	}
	switch f.kind {
	case KindRead, KindThink:
		f.free = true
	case KindFetch:
		f.Why = "it reaches the network"
		f.save = site(req.Text)
		f.match = func(c *compiled) match { return c.reaches(req.Text) }
	case KindOther:
		f.wide = true
	}
	if f.Text == "" {
		f.Text = req.Tool
	}
	return []finding{f}
}

// describes matches a pattern with the text of a request.
func (c *compiled) describes(text string) match {
	if c.text.matches(text) || c.Action != Allow && c.text.fold().matches(strings.ToLower(text)) {
		return yes
	}
	return no
}

// reaches matches a pattern with a URL: one without a slash with its host,
// deny and ask rules with all of it too.
func (c *compiled) reaches(text string) match {
	byHost := !strings.Contains(c.Pattern, "/")
	if byHost && c.text.fold().matches(site(text)) {
		return yes
	}
	if byHost && c.Action == Allow {
		return no
	}
	return c.describes(text)
}

// file is the finding of one path of a tool or redirect. A path that is written
// is an edit, whatever the tool's kind.
func (p *Policy) file(path Path, tool string, kind Kind, text string) finding {
	if path.Write || kind == KindEdit {
		kind = KindEdit
		path.Write = true
	}
	located := filepath.IsAbs(path.Path) || strings.HasPrefix(path.Path, "/")
	path.Inside = path.Inside && located
	guard := ""
	if path.Write {
		guard = p.guard(path.Path)
	}
	f := finding{Part: Part{Text: text}, tool: tool, kind: kind, outside: !path.Inside || guard != ""}
	switch {
	case !located:
		f.Why = "where it is can't be told"
	case !path.Inside && path.Write:
		f.Why = "it writes outside the workspace"
	case !path.Inside:
		f.Why = "it reads outside the workspace"
	case guard != "":
		f.Why = fmt.Sprintf("what is in %s decides what programs run or what is allowed", guard)
	case path.Write:
		f.Why = "it changes a file"
	default:
		f.Why = "it reads a file"
	}
	switch kind {
	case KindEdit:
		f.free = path.Inside && guard == "" && p.opts.Mode == ModeEdit
	case KindRead, KindThink:
		f.free = path.Inside
	}
	where := place{p.opts.Root, p.opts.Home}
	f.match = func(c *compiled) match {
		switch {
		case !located || !where.covers(c.Pattern, path.Path, path.Inside, c.Action):
			return no
		case c.Action == Allow && !strings.Contains(strings.ToLower(c.Pattern), guard):
			return no
		}
		return yes
	}
	if located {
		f.save = where.pattern(path)
	}
	return f
}

// guard returns the guarded name that a path is or is in, in lower case, or "".
// Git runs what .git says, a file of servers names programs, and the settings and
// state of Hoopoe itself say what is allowed: whoever may edit the project's
// files may not edit those on the side. An allow rule reaches them only by their
// name.
func (p *Policy) guard(file string) string {
	file = strings.ToLower(path.Clean(filepath.ToSlash(file))) // file systems may fold case
	for _, dir := range p.opts.Own {
		dir = strings.ToLower(path.Clean(filepath.ToSlash(dir)))
		if _, ok := under(dir, file); ok {
			return path.Base(dir)
		}
	}
	rel, ok := under(strings.ToLower(path.Clean(filepath.ToSlash(p.opts.Root))), file)
	if !ok {
		rel = file // a further folder of the workspace, or outside
	}
	for name := range strings.SplitSeq(rel, "/") {
		// Windows takes all these for the name alone.
		name, _, _ = strings.Cut(name, ":")
		if name = strings.TrimRight(name, ". "); slices.Contains(guarded, name) {
			return name
		}
	}
	return ""
}

// guarded are the names that decide what programs run at the next start of
// Hoopoe, of git, of a shell, of another agent or of an editor.
var guarded = []string{
	".git", "git~1", ".gitconfig", ".hoopoe", "hoopoe~1", ".mcp.json", ".pi", ".omp", ".xcsh",
	".claude", ".codex", ".cursor", ".gemini", ".opencode", "opencode.json", "opencode.jsonc", ".crush.json", "crush.json",
	".vscode", ".idea", ".devcontainer",
	".ssh", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".envrc",
}

// command lists the findings of a command.
func (p *Policy) command(req Request) []finding {
	var list []finding
	a := req.Command
	add := func(text, why string, m func(*compiled) match) *finding {
		list = append(list, finding{Part: Part{text, why}, tool: req.Tool, kind: req.Kind, match: m})
		return &list[len(list)-1]
	}
	for _, c := range a.Calls {
		f := add(c.Text, "this command isn't allowed yet", func(r *compiled) match {
			if r.Action == Allow {
				return r.literally(c.Words)
			}
			return r.generously(c.Words)
		})
		f.save = sensible(c)
		if _, moves := c.Moves(); moves {
			f.free, f.Why = p.stays(req, c)
			f.save = ""
		} else {
			f.free = inert(c)
		}
	}
	for _, r := range a.Redirects {
		list = append(list, p.redirect(req, r))
	}
	for _, v := range a.Assigns {
		f := add(v.Text, fmt.Sprintf("it sets the variable %s, which can change what commands do", v.Name),
			func(r *compiled) match { return r.assignment(v) })
		f.free = v.Scope == shell.InLoop && isPlainLoop(v)
	}
	for _, u := range a.Unknowns {
		add(u.Text, u.Why, nil)
	}
	for _, dir := range req.Paths {
		if dir.Text == "" {
			list = append(list, p.file(dir, "read", KindRead, cmp.Or(dir.Path, req.Text)))
		}
	}
	return list
}

// inert reports commands that have no effect of their own: those that only
// change the flow of the script, and those that only run what is listed after
// them. A path in the name could be any program.
func inert(c shell.Call) bool {
	switch c.Name() {
	case "true", "false", ":", "exit", "break", "continue", "return", "wait":
		return true
	case "command", "builtin", "eval", "time", "timeout", "nice", "sh", "bash":
		return c.Wraps
	}
	return false
}

// isPlainLoop reports loop variables that no program looks at and that bring no
// options into commands. Environment variables that matter are in capitals, but
// for the proxies.
func isPlainLoop(v shell.Assign) bool {
	for _, hint := range []string{"--", " -", "'-", `"-`, `\`, "$'"} {
		if strings.Contains(v.Text, hint) {
			return false
		}
	}
	return v.Name == strings.ToLower(v.Name) && !strings.HasSuffix(v.Name, "_proxy")
}

// stays reports whether a change of directory is free: into the workspace, and
// by a path that can be told. Git runs programs that the folder it is in
// configures, so with git in the script only the root itself is free.
func (p *Policy) stays(req Request, c shell.Call) (bool, string) {
	dir, _ := c.Moves()
	at := slices.IndexFunc(req.Paths, func(path Path) bool { return path.Text == dir.Text })
	if dir.Kind != shell.Static || at < 0 || req.Paths[at].Path == "" {
		return false, "where it goes can't be told"
	}
	// The shell takes ".." back along a symbolic link; a second relative step
	// starts somewhere else than it was resolved from.
	if strings.Contains(dir.Text, "..") || !isAbs(dir.Text) && moves(req.Command) > 1 {
		return false, "where it goes can't be told"
	}
	if !req.Paths[at].Inside {
		return false, "it leaves the workspace"
	}
	usesGit := slices.ContainsFunc(req.Command.Calls, func(c shell.Call) bool {
		return strings.HasPrefix(path.Base(c.Name()), "git")
	})
	if usesGit && filepath.Clean(req.Paths[at].Path) != filepath.Clean(p.opts.Root) {
		return false, "git would follow the configuration of another folder"
	}
	return true, ""
}

func moves(a *shell.Analysis) int {
	n := 0
	for _, c := range a.Calls {
		if _, ok := c.Moves(); ok {
			n++
		}
	}
	return n
}

func isAbs(path string) bool { return strings.HasPrefix(path, "/") || filepath.IsAbs(path) }

// redirect is the finding of a file that the shell opens: a read or an edit of
// that file, for the rules about files.
func (p *Policy) redirect(req Request, r shell.Redirect) finding {
	path := Path{Write: r.Writes()}
	at := slices.IndexFunc(req.Paths, func(path Path) bool { return path.Text == r.Target.Text })
	known := r.Target.Kind == shell.Static && at >= 0
	if known && (isAbs(r.Target.Text) || moves(req.Command) == 0) {
		path.Path, path.Inside = req.Paths[at].Path, req.Paths[at].Inside
	}
	tool, kind := "read", KindRead
	if path.Write {
		tool, kind = "write", KindEdit
	}
	f := p.file(path, tool, kind, r.Text)
	f.save, f.within = "", req.Tool
	return f
}
