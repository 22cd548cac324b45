package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/command"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
)

const (
	groupRun     = "General:"
	groupRPC     = "With --mode rpc:"
	groupModel   = "Model and tools:"
	groupSession = "Sessions:"

	groupExtensions = "Extensions:"
)

// chatFlags are those of the chat, of print and of --mode rpc.
func chatFlags() []cli.Flag {
	return append(remoteFlags(), []cli.Flag{
		&cli.BoolFlag{DisableDefaultText: true, Name: "print", Aliases: []string{"p"}, Category: groupRun, Usage: "do one task, print the answer and leave"},
		&cli.StringFlag{Name: "mode", Category: groupRun, Usage: "`MODE` is text or json (one event a line) to print, rpc to serve another program, acp an editor"},
		&cli.StringFlag{Name: "cwd", Category: groupRun, Usage: "work in this `FOLDER`"},
		&cli.StringFlag{Name: "permissions", Category: groupRun, Usage: "what runs unasked: `MODE` is plan, ask, edit or full (default: ask; full with --mode rpc)"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "approve", Aliases: []string{"a"}, Category: groupRun, Usage: "trust the project's own settings for this run"},
		&cli.StringFlag{Name: "theme", Category: groupRun, Usage: "the chat's colours: `NAME` is a theme's, auto, dark or light"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "inline", Category: groupRun, Usage: "keep the chat in the normal screen, with the terminal's own scrollback"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "accessible", Category: groupRun, Usage: "chat in plain lines with numbered choices, for screen readers"},
		&cli.StringFlag{Name: "max-turns", Category: groupRun, Usage: "stop after `N` model calls"},
		&cli.StringFlag{Name: "max-cost", Category: groupRun, Usage: "stop when `DOLLARS` are spent"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "offline", Category: groupRun, Usage: "open no connection (also: HOOPOE_OFFLINE=1)"},

		&cli.StringFlag{Name: "model", Category: groupModel, Usage: "`PROVIDER/ID`, a part of it, or script/FILE; \":level\" sets the thinking"},
		&cli.StringFlag{Name: "agent", Category: groupModel, Usage: "be the agent of this `FILE` (YAML, JSON, TypeScript or JavaScript) or folder"},
		&cli.StringFlag{Name: "api-key", Category: groupModel, Usage: "`KEY` for the provider of --model, for this run"},
		&cli.StringFlag{Name: "thinking", Category: groupModel, Usage: "`LEVEL` is off, minimal, low, medium, high or xhigh"},
		&cli.StringFlag{Name: "system-prompt", Category: groupModel, Usage: "use this `TEXT` or file in place of our own"},
		&cli.StringFlag{Name: "append-system-prompt", Category: groupModel, Usage: "add this `TEXT` or file to the system prompt"},
		&cli.StringFlag{Name: "tools", Category: groupModel, Usage: "offer only these tools: `LIST`, for instance read,grep,ls"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "no-tools", Category: groupModel, Usage: "offer no tools"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "no-mcp", Category: groupModel, Usage: "use no MCP servers"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "no-skills", Category: groupModel, Usage: "use no skills"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "no-prompt-templates", Category: groupModel, Usage: "use no prompt templates"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "no-rules", Category: groupModel, Usage: "use no rules"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "no-context-files", Category: groupModel, Usage: "read no AGENTS.md or CLAUDE.md"},

		&cli.BoolFlag{DisableDefaultText: true, Name: "continue", Aliases: []string{"c"}, Category: groupSession, Usage: "go on with this folder's latest session"},
		&cli.StringFlag{Name: "resume", Aliases: []string{"r"}, Category: groupSession, Usage: "go on with the session named by `[ID|FILE|WORDS]`; the chat lets you pick"},
		&cli.StringFlag{Name: "session", Category: groupSession, Usage: "use this session `FILE`; made if it isn't there"},
		&cli.StringFlag{Name: "fork", Category: groupSession, Usage: "go on in a copy of a session, `ID or FILE`"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "no-session", Category: groupSession, Usage: "keep nothing on disk"},
		&cli.StringFlag{Name: "session-dir", Category: groupSession, Usage: "keep sessions in this `FOLDER`"},

		&cli.GenericFlag{Name: "extension", Aliases: []string{"e"}, Value: &texts{}, Category: groupExtensions, Usage: "load the extension in this `FILE` or folder; may be given again"},
		&cli.GenericFlag{Name: "hook", Value: &texts{}, Category: groupExtensions, Usage: "run a command at an event: `EVENT[:TOOL]=COMMAND`; may be given again"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "no-extensions", Category: groupExtensions, Usage: "load no extensions but those of --extension"},
		&cli.GenericFlag{Name: strayFlag, Value: &texts{}, Hidden: true},

		&cli.StringFlag{Name: "rpc-dialect", Category: groupRPC, Usage: "`DIALECT` is default or pi (also: HOOPOE_RPC_DIALECT=pi)"},
		&cli.StringFlag{Name: "rpc-updates", Category: groupRPC, Usage: "`KIND` is full, each with the whole answer so far, or delta"},

		&cli.BoolFlag{DisableDefaultText: true, Name: "version", Aliases: []string{"v"}, Category: groupRun, Usage: "print the version"},
	}...)
}

// settings are the flags of chatFlags and hostFlags, checked.
type settings struct {
	print                             bool
	json, text, rpc, acp              bool // --mode was given
	cwd, permissions, model, thinking string
	systemPrompt, appendSystemPrompt  string
	tools                             []string
	noTools, approve, version         bool
	noSkills, noTemplates, noRules    bool
	noContextFiles, noMCP             bool
	maxTurns                          int
	maxCost                           float64
	agent                             string
	spec                              *spec.Agent     // of agent, once it was read
	with                              []ext.Extension // that came with it
	extensions, extensionArgs         []string
	hooks                             []command.Hook
	noExtensions                      bool
	apiKey                            string
	theme                             string // "": as the settings say
	inline, accessible                bool
	offline                           bool
	quiet                             bool // asks no server of this machine

	resumeLatest bool // --continue
	resume       bool // --resume, with resumeQuery or bare
	resumeQuery  string
	sessionFile  string
	fork         string
	noSession    bool
	sessionDir   string

	remote remoteSettings

	// Of --mode rpc.
	dialect   string // "": not given
	deltas    bool
	provider  string
	name      string   // of the session
	models    []string // to cycle through
	sessionID string   // of a new session
	warnings  []string // about what is no reason to refuse a host
}

// readSettings checks what was given; every error is the command line's.
func readSettings(c *cli.Context) (settings, error) {
	s := settings{
		print: c.Bool("print"), version: c.Bool("version"),
		cwd: c.String("cwd"), permissions: c.String("permissions"),
		model: c.String("model"), thinking: c.String("thinking"),
		systemPrompt: c.String("system-prompt"), appendSystemPrompt: c.String("append-system-prompt"),
		agent: c.String("agent"), apiKey: c.String("api-key"), theme: c.String("theme"), inline: c.Bool("inline"), accessible: c.Bool("accessible"), offline: c.Bool("offline"),
		noTools: c.Bool("no-tools"), approve: c.Bool("approve"),
		noSkills: c.Bool("no-skills"), noTemplates: c.Bool("no-prompt-templates"), noRules: c.Bool("no-rules"), noContextFiles: c.Bool("no-context-files"), noMCP: c.Bool("no-mcp"),
		resumeLatest: c.Bool("continue"), resume: c.IsSet("resume"), resumeQuery: c.String("resume"),
		sessionFile: c.String("session"), fork: c.String("fork"),
		noSession: c.Bool("no-session"), sessionDir: c.String("session-dir"),
		noExtensions: c.Bool("no-extensions"), extensions: textsOf(c, "extension"), extensionArgs: textsOf(c, strayFlag),
	}
	for _, name := range []string{"cwd", "model", "session", "fork", "session-dir", "tools", "api-key", "agent", "theme"} {
		if c.IsSet(name) && strings.TrimSpace(c.String(name)) == "" {
			return s, usagef("--%s needs a value", name)
		}
	}
	if err := s.setRemote(c); err != nil {
		return s, err
	}
	if err := s.setMode(c); err != nil {
		return s, err
	}
	if err := s.setValues(c); err != nil {
		return s, err
	}
	if err := s.setHooks(textsOf(c, "hook")); err != nil {
		return s, err
	}
	if err := s.checkTogether(); err != nil {
		return s, err
	}
	if s.rpc {
		s.setHost(c)
	}
	if s.apiKey != "" && s.keyOwner() == "" {
		return s, usagef("--api-key needs --model PROVIDER/ID, to know whose key it is")
	}
	return s, nil
}

// keyOwner is the provider that --api-key is for.
func (s settings) keyOwner() string {
	provider, _, ok := strings.Cut(s.model, "/")
	if s.provider == "" && ok {
		return provider
	}
	return s.provider
}

func (s *settings) setMode(c *cli.Context) error {
	switch mode := c.String("mode"); {
	case !c.IsSet("mode"):
	case mode == "text":
		s.text = true
	case mode == "json":
		s.json = true
	case mode == "rpc":
		s.rpc = true
	case mode == "acp":
		s.acp = true
	default:
		return usagef("unknown mode %q: --mode is text, json, rpc or acp", mode)
	}
	for _, f := range []struct{ name, plain, other string }{{"rpc-dialect", "default", "pi"}, {"rpc-updates", "full", "delta"}} {
		value := c.String(f.name)
		switch {
		case c.IsSet(f.name) && !s.rpc:
			return usagef("--%s goes with --mode rpc", f.name)
		case c.IsSet(f.name) && value != f.plain && value != f.other:
			return usagef("--%s is %s or %s, not %q", f.name, f.plain, f.other, value)
		}
	}
	s.dialect, s.deltas = c.String("rpc-dialect"), c.String("rpc-updates") == "delta"
	return nil
}

func (s *settings) setValues(c *cli.Context) error {
	if c.IsSet("thinking") {
		level, err := llm.ParseLevel(s.thinking)
		switch {
		case err == nil:
		case s.rpc:
			s.warnings = append(s.warnings, "--thinking: "+err.Error())
		default:
			return usagef("--thinking: %v", err)
		}
		s.thinking = string(level)
	}
	if modes := []string{"plan", "ask", "edit", "full"}; c.IsSet("permissions") && !slices.Contains(modes, s.permissions) {
		return usagef("unknown permission mode %q: --permissions is plan, ask, edit or full", s.permissions)
	}
	if c.IsSet("max-turns") {
		n, err := strconv.Atoi(c.String("max-turns"))
		if err != nil || n < 1 {
			return usagef("--max-turns is a whole number from 1, not %q", c.String("max-turns"))
		}
		s.maxTurns = n
	}
	if c.IsSet("max-cost") {
		f, err := strconv.ParseFloat(strings.TrimPrefix(c.String("max-cost"), "$"), 64)
		if err != nil || !(f > 0 && f < 1e9) {
			return usagef("--max-cost is an amount of dollars above 0, such as 1.50, not %q", c.String("max-cost"))
		}
		s.maxCost = f
	}
	for _, name := range strings.Split(c.String("tools"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.tools = append(s.tools, name)
		}
	}
	return nil
}

// checkTogether refuses flags that contradict each other.
func (s *settings) checkTogether() error {
	var source []string
	for _, f := range []struct {
		given bool
		name  string
	}{
		{s.resumeLatest, "--continue"}, {s.resume, "--resume"}, {s.sessionFile != "", "--session"},
		{s.fork != "", "--fork"}, {s.noSession, "--no-session"},
	} {
		if f.given {
			source = append(source, f.name)
		}
	}
	if len(source) > 1 {
		return usagef("%s and %s contradict each other; give one of them", source[0], source[1])
	}
	if err := s.checkRemote(); err != nil {
		return err
	}
	if (s.rpc || s.acp) && s.print {
		return usagef("--mode rpc or acp and --print contradict each other; give one of them")
	}
	if s.noTools && len(s.tools) > 0 && !s.rpc {
		return usagef("--tools and --no-tools contradict each other; give one of them")
	}
	return nil
}
