package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

func (p *program) manApp() *cli.App {
	return p.app(&cli.App{
		Name:      "hoopoe man",
		Usage:     "the manual page",
		UsageText: `hoopoe man                               print the manual page, for packages: hoopoe man > hoopoe.1`,
		Action: func(c *cli.Context) error {
			if words, literals := arguments(c.Args().Slice()); len(words)+len(literals) > 1 {
				return usagef(`"man" takes nothing more; a text for the model goes after -p`)
			}
			_, err := fmt.Fprint(p.stdout, p.manual(version()))
			return err
		},
	})
}

// manual is the page in the language of roff, made of the tables that the command
// line is read by.
func (p *program) manual(version string) string {
	var m roff
	m.line(`.TH HOOPOE 1 "" "Hoopoe %s" "User Commands"`, version)
	chat := p.chatApp()
	m.section("Name")
	m.line(`hoopoe \- %s`, escape(chat.Usage))
	m.section("Synopsis")
	calls, _ := usagesOf(chat)
	m.calls(calls)
	m.section("Description")
	m.text("Hoopoe is a coding agent: a model that reads and changes files and runs commands, as far as you let it.")
	m.text("Without flags it opens the chat about the current folder. Without a key for a model a guide answers that is built in and needs no network.")
	m.section("Options")
	m.flags(chat, nil)
	m.section("Commands")
	for _, s := range subcommands() {
		if s.hidden {
			continue
		}
		app := s.app(p)
		m.line(".SS %s", escape(s.name))
		m.text(strings.ToUpper(app.Usage[:1]) + app.Usage[1:] + ".")
		calls, rest := usagesOf(app)
		m.calls(calls)
		m.text(strings.Join(rest, "\n"))
		told := []string{"help"}
		if s.name == "acp" {
			m.text("It takes the options above too, but for those that the editor decides itself.")
			for _, f := range chat.Flags {
				told = append(told, f.Names()[0])
			}
		}
		m.flags(app, told)
	}
	m.section("Exit status")
	m.tagged("0", "It did what it was asked.")
	m.tagged("1", "It failed; the reason is on standard error.")
	m.tagged("2", "The command line can't be used.")
	m.tagged("128 and more", "It was ended by the signal of that number less 128.")
	m.section("Environment")
	for _, v := range variables() {
		m.tagged(v.form, v.about)
	}
	m.section("Files")
	m.text("\"hoopoe config path\" lists them as they are on this machine. They follow the XDG base folders on every system.")
	for _, f := range []usage{
		{"$XDG_CONFIG_HOME/hoopoe", "settings.json, models.json, keybindings.json, AGENTS.md, themes, commands, skills, agents, rules, extensions (~/.config/hoopoe)"},
		{"$XDG_DATA_HOME/hoopoe", "sessions and saved keys (~/.local/share/hoopoe)"},
		{"$XDG_STATE_HOME/hoopoe", "approvals, trust, history, logs (~/.local/state/hoopoe)"},
		{"$XDG_CACHE_HOME/hoopoe", "what may be deleted at any time (~/.cache/hoopoe)"},
		{".hoopoe, .mcp.json", "of a project, read once you trust its folder"},
	} {
		m.tagged(f.form, f.about)
	}
	m.section("See also")
	m.text("https://github.com/hoopoe-agent/hoopoe")
	return m.String()
}

// variables are the environment's that count beside the keys of providers.
func variables() []usage {
	return []usage{
		{"HOOPOE_DIR", "keeps all files in this folder"},
		{"HOOPOE_OFFLINE", "1 opens no connection, as --offline"},
		{"HOOPOE_REMOTE_TOKEN", "the token of --remote"},
		{"HOOPOE_RPC_DIALECT", "the dialect of --mode rpc"},
		{"ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ...", "keys; \"hoopoe models\" tells the variable of each provider"},
		{"VISUAL, EDITOR", "the editor for prompts and settings"},
		{"NO_COLOR", "if set, no colours are used"},
		{"XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME", "where files are"},
	}
}

// roff writes the language of manual pages.
type roff struct{ strings.Builder }

func (m *roff) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *roff) section(title string) { m.line(".SH %s", strings.ToUpper(title)) }

// text writes the paragraphs of a text.
func (m *roff) text(text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			m.line(".PP\n%s", escape(strings.ReplaceAll(paragraph, "\n", " ")))
		}
	}
}

func (m *roff) tagged(tag, about string) { m.line(".TP\n.B %s\n%s", escape(tag), escape(about)) }

func (m *roff) calls(calls []usage) {
	for _, c := range calls {
		m.tagged(c.form, c.about)
	}
}

// flags writes those that help shows and that weren't told before, by group.
func (m *roff) flags(app *cli.App, told []string) {
	group := ""
	for _, c := range groupsOf(app) {
		name := strings.TrimSuffix(c.Name(), ":")
		for _, f := range c.Flags() {
			doc, ok := f.(cli.DocGenerationFlag)
			if !ok || slices.Contains(told, f.Names()[0]) {
				continue
			}
			_, value, _ := strings.Cut(doc.GetUsage(), "`")
			value, _, _ = strings.Cut(value, "`")
			if name != group && name != "" && name != "Flags" {
				group = name
				m.line(".PP\n.I %s", escape(group))
			}
			m.tagged(spelled(f, value), strings.ReplaceAll(doc.GetUsage(), "`", ""))
		}
	}
}

// groupsOf are an app's flags by category, in the order that help has.
func groupsOf(app *cli.App) []cli.VisibleFlagCategory {
	app.Setup()
	return app.VisibleFlagCategories()
}

// spelled is how a flag is written: its names, and its value's name.
func spelled(f cli.Flag, value string) string {
	var names []string
	for _, n := range slices.Backward(f.Names()) {
		if len(n) == 1 {
			names = append(names, "-"+n)
		} else {
			names = append(names, "--"+n)
		}
	}
	text := strings.Join(names, ", ")
	if value != "" {
		text += " " + value
	}
	return text
}

// escape keeps roff from taking text for its own: backslashes, dashes that are to
// be copied, and what begins a request.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "…", "...").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
