package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// Options are what the built-in commands need besides a session.
type Options struct {
	Library Library
	Now     func() time.Time
	// Keys keeps the keys of providers; nil where they can't be changed.
	Keys Keys
	// More lists the commands that a session adds, such as Added. It is called at
	// every use and has to be quick, so the caller keeps what it has read; nil adds
	// none.
	More func(ctx context.Context, s Session) []Command
	// Remote lets others see and steer the session over the network, as the
	// argument says, and tells how; nil where that can't be.
	Remote func(ctx context.Context, s Session, args string) (string, error)
}

// Builtins returns the commands that every Hoopoe has.
func Builtins(o Options) *Registry {
	var registry *Registry
	help := Command{
		Name: "help", Aliases: []string{"?"}, Summary: "List the commands", Source: "builtin",
		Run: func(ctx context.Context, c Call) (Result, error) {
			return Result{Handled: true, Reply: HelpText(registry.For(ctx, c.Session).Catalog(c.Caps))}, nil
		},
	}
	saved := sessions{o}
	commands := []Command{
		help,
		Command{Name: "model", Aliases: []string{"models"}, Args: "[provider/id]", Source: "builtin",
			Summary: "Show or choose the model", Complete: completeModel, Run: runModel},
		Command{Name: "thinking", Aliases: []string{"effort"}, Args: "[level]", Source: "builtin",
			Summary: "Show or choose how much the model thinks", Complete: completeThinking, Run: runThinking},
		Command{Name: "permissions", Aliases: []string{"approvals", "mode"}, Args: "[ask|edit|full|plan]", Source: "builtin",
			Summary: "Show or choose what runs without asking", Complete: completeMode, Run: runPermissions},
		Command{Name: "tools", Summary: "List the tools that the model can use", Source: "builtin", Run: runTools},
		Command{Name: "skills", Args: "[name]", Source: "builtin",
			Summary: "List the skills, or show one", Complete: completeSkills, Run: runSkills},
		Command{Name: "agents", Aliases: []string{"subagents"}, Args: "[name | stop number]", Source: "builtin",
			Summary: "List the sub-agents, or stop one that works", Complete: completeAgents, Run: runAgents},
		Command{Name: "mcp", Args: "[restart|enable|disable server]", Source: "builtin",
			Summary: "List the MCP servers, or restart one", Complete: completeServers, Run: runServers},
		Command{Name: "new", Aliases: []string{"clear"}, Needs: Replaceable, Source: "builtin",
			Summary: "Start a fresh session; the old one is kept", Run: runNew},
		Command{Name: "resume", Aliases: []string{"sessions"}, Args: "[id or words]", Needs: Replaceable, Source: "builtin",
			Summary: "Go back to an earlier session of this folder", Complete: saved.complete, Run: saved.run},
		Command{Name: "session", Aliases: []string{"status"}, Source: "builtin",
			Summary: "Show the session's file, model, tokens and cost", Run: runSession},
		Command{Name: "context", Summary: "Show what fills the context window", Source: "builtin", Run: runContext},
		Command{Name: "usage", Aliases: []string{"cost"}, Source: "builtin",
			Summary: "Show tokens and cost, by model and by day", Run: saved.runUsage},
		Command{Name: "history", Summary: "Show what was said", Source: "builtin", Run: runHistory},
		Command{Name: "config", Aliases: []string{"settings"}, Source: "builtin",
			Summary: "Show the settings that hold in this session", Run: runConfig},
		Command{Name: "name", Aliases: []string{"rename"}, Args: "[name]", Source: "builtin",
			Summary: "Name the session", Run: runName},
		Command{Name: "compact", Args: "[what to keep]", Source: "builtin",
			Summary: "Replace old messages by a summary", Run: runCompact},
		Command{Name: "export", Args: "[file.html|.md|.jsonl]", Source: "builtin",
			Summary: "Write the session to a file", Run: runExport},
		Command{Name: "extensions", Args: "[name]", Source: "builtin",
			Summary: "List the extensions, or show one", Complete: completeExtensions, Run: runExtensions},
		Command{Name: "reload", Summary: "Read skills, templates, rules, notes and extensions again", Source: "builtin", Run: runReload},
		Command{Name: "quit", Aliases: []string{"exit", "q"}, Needs: Terminal, Source: "builtin",
			Summary: "Leave; the session is kept", Run: runQuit},
	}
	commands = slices.Insert(commands, len(commands)-1, slices.Concat(branchCommands(), workCommands())...)
	if o.Keys != nil {
		commands = append(commands, logins{o.Keys}.commands()...)
	}
	if o.Remote != nil {
		commands = append(commands, remoteCommand(o.Remote))
	}
	registry = New(commands...)
	registry.more = o.More
	return registry
}

func reply(format string, args ...any) (Result, error) {
	return Result{Handled: true, Reply: fmt.Sprintf(format, args...)}, nil
}

// HelpText lists commands in two columns.
func HelpText(commands []Command) string {
	rows := make([][2]string, len(commands))
	for i, c := range commands {
		usage := "/" + c.Name
		if c.Args != "" {
			usage += " " + c.Args
		}
		text := brief(c.Summary)
		if len(c.Aliases) > 0 {
			text += " (also /" + strings.Join(c.Aliases, ", /") + ")"
		}
		rows[i] = [2]string{usage, text}
	}
	return columns(rows)
}

// brief cuts a summary that isn't ours to a line.
func brief(text string) string {
	const limit = 100
	if r := []rune(text); len(r) > limit {
		return strings.TrimRight(string(r[:limit-1]), " ") + "…"
	}
	return text
}

// maxColumn bounds the left column; a longer text there pushes its own line out.
const maxColumn = 40

// columns aligns pairs.
func columns(rows [][2]string) string {
	width := 0
	for _, r := range rows {
		if n := ansi.StringWidth(r[0]); n <= maxColumn {
			width = max(width, n)
		}
	}
	var b strings.Builder
	for i, r := range rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(padded(r[0], width) + "  " + r[1])
	}
	return b.String()
}

// choose opens a picker. It returns the index of the option that was taken,
// -1 when the user took none.
func choose(ctx context.Context, s Session, title, text string, options []string) int {
	a, answered := s.Ask(ctx, event.Question{Kind: event.AskSelect, Title: title, Message: text, Options: options})
	if !answered || a.Cancelled {
		return -1
	}
	return slices.Index(options, a.Value)
}

func runThinking(ctx context.Context, c Call) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	level := c.Args
	if level == "" {
		levels := v.Model.Levels
		if len(levels) < 2 {
			return reply("%s has no thinking levels.", v.Model.Name)
		}
		if !c.Caps.Has(Dialogs) {
			return reply("Thinking is %s. Choose with /thinking %s.", v.Thinking, strings.Join(levels, "|"))
		}
		i := choose(ctx, c.Session, "Thinking (now "+v.Thinking+")", "", levels)
		if i < 0 {
			return reply("")
		}
		level = levels[i]
	}
	parsed, err := llm.ParseLevel(level)
	if err != nil {
		return Result{}, err
	}
	set, err := c.Session.SetThinking(ctx, parsed)
	if err != nil {
		return Result{}, err
	}
	if set != parsed {
		return reply("Thinking is now %s: %s has no level %s.", set, v.Model.Name, parsed)
	}
	return reply("Thinking is now %s.", set)
}

func completeThinking(ctx context.Context, s Session, prefix string) []string {
	v, err := s.View(ctx)
	if err != nil {
		return nil
	}
	return beginning(v.Model.Levels, prefix)
}

func beginning(values []string, prefix string) []string {
	var found []string
	for _, v := range values {
		if strings.HasPrefix(v, prefix) {
			found = append(found, v)
		}
	}
	return found
}

// modes are the permission modes, from the strictest to none.
func modes() [][2]string {
	return [][2]string{
		{"plan", "reads only, changes nothing"},
		{"ask", "reads in the workspace; asks before edits and commands"},
		{"edit", "edits in the workspace; asks before commands"},
		{"full", "asks nothing"},
	}
}

func runPermissions(ctx context.Context, c Call) (Result, error) {
	mode := strings.ToLower(c.Args)
	if mode == "" {
		v, err := c.Session.View(ctx)
		if err != nil {
			return Result{}, err
		}
		options := make([]string, len(modes()))
		for i, m := range modes() {
			options[i] = fmt.Sprintf("%-4s  %s", m[0], m[1])
			if m[0] == v.Mode {
				options[i] += " (now)"
			}
		}
		if !c.Caps.Has(Dialogs) {
			return reply("%s\n\nChoose with /permissions mode.", strings.Join(options, "\n"))
		}
		i := choose(ctx, c.Session, "What runs without asking", "", options)
		if i < 0 {
			return reply("")
		}
		mode = modes()[i][0]
	}
	if err := c.Session.SetMode(ctx, mode); err != nil {
		return Result{}, err
	}
	return reply("The permission mode is now %s.", mode)
}

func completeMode(_ context.Context, _ Session, prefix string) []string {
	var names []string
	for _, m := range modes() {
		names = append(names, m[0])
	}
	return beginning(names, prefix)
}

func runTools(_ context.Context, c Call) (Result, error) {
	tools := c.Session.Tools()
	if len(tools) == 0 {
		return reply("The model has no tools.")
	}
	rows := make([][2]string, len(tools))
	for i, t := range tools {
		first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
		rows[i] = [2]string{t.Name, first}
	}
	return reply("%s", columns(rows))
}

func runNew(ctx context.Context, c Call) (Result, error) {
	cancelled, err := c.Session.NewDocument(ctx, engine.NewDocumentOptions{})
	if err != nil {
		return Result{}, err
	}
	if cancelled {
		return reply("An extension kept the session.")
	}
	return reply("")
}

func runName(ctx context.Context, c Call) (Result, error) {
	name := c.Args
	if name == "" {
		v, err := c.Session.View(ctx)
		switch {
		case err != nil:
			return Result{}, err
		case c.Caps.Has(Dialogs):
		case v.Name == "":
			return reply("The session has no name. Give it one with /name text.")
		default:
			return reply("The session's name is %s.", v.Name)
		}
		a, answered := c.Session.Ask(ctx, event.Question{Kind: event.AskInput, Title: "Name of the session", Prefill: v.Name})
		name = strings.TrimSpace(a.Value)
		if !answered || a.Cancelled || name == "" {
			return reply("")
		}
	}
	if err := c.Session.Rename(ctx, name); err != nil {
		return Result{}, err
	}
	return reply("The session has its name.")
}

func runCompact(ctx context.Context, c Call) (Result, error) {
	r, err := c.Session.Compact(ctx, c.Args)
	if err != nil {
		return Result{}, err
	}
	return reply("Older messages were replaced by a summary; the context had %d tokens before.", r.TokensBefore)
}

func runExport(ctx context.Context, c Call) (Result, error) {
	written, err := c.Session.Export(ctx, c.Args)
	if err != nil {
		return Result{}, err
	}
	return reply("Wrote %s.", written)
}

func runQuit(context.Context, Call) (Result, error) {
	return Result{Handled: true, Quit: true}, nil
}

func runSession(ctx context.Context, c Call) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	file := v.File
	if file == "" {
		file = "none: in memory"
	}
	rows := [][2]string{{"id", v.SessionID}, {"file", file}}
	if v.Name != "" {
		rows = append(rows, [2]string{"name", v.Name})
	}
	if name, description := c.Session.Agent(); name+description != "" {
		rows = append(rows, [2]string{"agent", strings.TrimPrefix(strings.TrimSuffix(name+": "+brief(description), ": "), ": ")})
	}
	u := v.Usage.Total
	rows = append(rows,
		[2]string{"folder", v.Cwd},
		[2]string{"model", v.Model.Provider + "/" + v.Model.ID},
		[2]string{"thinking", v.Thinking},
		[2]string{"permissions", v.Mode},
		[2]string{"messages", fmt.Sprint(len(v.Messages))},
		[2]string{"context", contextText(v.Usage)},
		[2]string{"tokens", fmt.Sprintf("%d in, %d out, %d from the cache, %d to the cache", u.Input, u.Output, u.CacheRead, u.CacheWrite)},
		[2]string{"cost", fmt.Sprintf("$%.4f", u.Cost.Total)},
	)
	return reply("%s", columns(rows))
}

func contextText(u event.UsageChanged) string {
	used := "unknown"
	if u.ContextTokens >= 0 {
		used = fmt.Sprint(u.ContextTokens)
	}
	if u.ContextWindow <= 0 {
		return used + " tokens"
	}
	return fmt.Sprintf("%s of %d tokens", used, u.ContextWindow)
}
