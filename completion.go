package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// completing is the first word by which a shell's script asks what may stand at
// the cursor. The words up to the cursor follow, the last behind a "+", so that
// an empty one survives every shell.
//
// The answer has a line for each candidate: the text, a tab, what it is. A text
// that ends with "/" or "=" goes on. ":files" and ":folders" leave the rest to the
// shell.
const completing = "__complete"

func (p *program) completionApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe completion",
		Usage: "complete words and flags in a shell",
		UsageText: `hoopoe completion bash                   print the script; in ~/.bashrc: source <(hoopoe completion bash)
hoopoe completion zsh                    in ~/.zshrc, below compinit: source <(hoopoe completion zsh)
hoopoe completion fish                   into ~/.config/fish/completions/hoopoe.fish
hoopoe completion powershell             in $PROFILE: hoopoe completion powershell | Out-String | Invoke-Expression`,
		Action: p.completion,
	})
}

// completion prints a shell's script.
func (p *program) completion(c *cli.Context) error {
	args := following(c)
	if len(args) != 1 {
		return usagef("\"completion\" needs the name of a shell: %s", strings.Join(shells(), ", "))
	}
	script, ok := shellScript(args[0])
	if !ok {
		return usagef("%q is none of the shells: %s", args[0], strings.Join(shells(), ", "))
	}
	_, err := fmt.Fprint(p.stdout, script)
	return err
}

// candidate is a text that may stand at the cursor.
type candidate struct{ text, about string }

// cursor is a command line up to the cursor.
type cursor struct {
	p       *program
	command subcommand // without a name it is the chat
	app     *cli.App   // whose flags count
	words   []string   // before the cursor that are no flags, without the command
	text    bool       // words are text for the model
	literal bool       // "--" came before
	flag    string     // whose value is at the cursor, "" for none
	at      string     // what the word at the cursor begins with
}

// complete answers a shell. It opens no connection and changes nothing.
func (p *program) complete(args []string) error {
	last := len(args) - 1
	if last < 0 || !strings.HasPrefix(args[last], "+") {
		return usagef("the words to complete are missing")
	}
	var b strings.Builder
	for _, c := range p.cursorAt(args[:last], args[last][1:]).candidates() {
		fmt.Fprintf(&b, "%s\t%s\n", oneField(c.text), oneField(c.about))
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// oneField is text without tabs, line ends and controls.
func oneField(text string) string { return strings.ReplaceAll(sanitize.Line(text), "\t", " ") }

// cursorAt reads the words before the cursor. The line isn't finished, so nothing
// in it is refused.
func (p *program) cursorAt(before []string, at string) cursor {
	c := cursor{p: p, app: p.chatApp(), at: at}
	table := tableOf(allFlags())
	for i := 0; i < len(before); i++ {
		word := before[i]
		if word == "--" {
			c.literal = true
			return c
		}
		if !looksLikeFlag(word) {
			c.add(word)
			continue
		}
		name, _, given := strings.Cut(word, "=")
		spec, known := table.lookup(name)
		c.text = c.text || spec.name == "print" || spec.name == "remote"
		switch {
		case !known || given || spec.arity == noValue:
		case i+1 < len(before):
			if table.isValue(spec.arity, before[i+1]) {
				i++
			}
		case spec.arity == oneValue || !strings.HasPrefix(at, "-"):
			c.flag = spec.name
		}
	}
	return c
}

// add takes a word that is no flag: the first may be a command.
func (c *cursor) add(word string) {
	if command, ok := subcommandOf(word); ok && !c.text && c.command.name == "" && len(c.words) == 0 {
		c.command, c.app = command, command.app(c.p)
		return
	}
	c.words = append(c.words, word)
}

// candidates are what may stand at the cursor.
func (c cursor) candidates() []candidate {
	name, value, given := strings.Cut(c.at, "=")
	switch {
	case c.literal:
		return nil
	case c.flag != "":
		return c.values(c.flag, "", c.at)
	case given && strings.HasPrefix(name, "--"):
		spec, _ := tableOf(c.app.Flags).lookup(name)
		return c.values(spec.name, name+"=", value)
	case strings.HasPrefix(c.at, "-"):
		return c.flags()
	case strings.HasPrefix(c.at, "@"):
		return c.mentions()
	case c.command.name == "":
		return c.commands()
	}
	if o := c.command.args[""]; o != nil {
		return o.from(c)
	}
	if len(c.words) == 0 {
		return offer(cursor.verbs).from(c)
	}
	return c.command.args[c.words[0]].from(c)
}

// values are those of a flag, behind what stands before them in the word. In a
// list, only what follows the last comma counts.
func (c cursor) values(flag, prefix, begun string) []candidate {
	if flag == "tools" || flag == "models" {
		at := strings.LastIndexByte(begun, ',') + 1
		prefix, begun = prefix+begun[:at], begun[at:]
	}
	c.at = begun
	found := flagOffers()[flag].from(c)
	for i := range found {
		if !strings.HasPrefix(found[i].text, ":") {
			found[i].text = prefix + found[i].text
		}
	}
	return found
}

// flags are the long names of those that help shows.
func (c cursor) flags() []candidate {
	found := []candidate{{"--help", "show how to call it"}}
	for _, f := range c.app.VisibleFlags() {
		if about, ok := f.(cli.DocGenerationFlag); ok {
			found = append(found, candidate{"--" + f.Names()[0], strings.ReplaceAll(about.GetUsage(), "`", "")})
		}
	}
	return starting(c.at, found)
}

// commands are the first words that mean more than text.
func (c cursor) commands() []candidate {
	if c.text || len(c.words) > 0 {
		return nil
	}
	var found []candidate
	for _, s := range subcommands() {
		if !s.hidden {
			found = append(found, candidate{s.name, s.app(c.p).Usage})
		}
	}
	return starting(c.at, found)
}

// verbs are the second words of a command.
func (c cursor) verbs() []candidate {
	var found []candidate
	for _, v := range c.command.verbs(c.app) {
		found = append(found, candidate{v.form, v.about})
	}
	return found
}

// starting keeps the candidates that begin so, and what is the shell's to find.
func starting(begun string, all []candidate) []candidate {
	return slices.DeleteFunc(all, func(c candidate) bool {
		return !strings.HasPrefix(c.text, begun) && !strings.HasPrefix(c.text, ":")
	})
}
