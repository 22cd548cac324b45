// Package slash is the one list of slash commands, for every face.
//
//	typed text ─▶ Registry.Dispatch ─▶ Result{Handled, Reply}   the command ran
//	                               ├─▶ Result{Text}             send this to the model
//	                               └─▶ *UnknownError            no such command
//
// A command says what it needs of a face; each face lists and runs all that it
// can serve, by that alone. Commands speak through the methods of Session and
// through questions, so /model opens a picker in the chat and takes its
// argument where nothing can be shown. Dispatch blocks as long as the command
// does: a face calls it off its own loop.
package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Needs are abilities of a face, as a set.
type Needs uint8

const (
	// Terminal: somebody sits at the face, which can be left.
	Terminal Needs = 1 << iota
	// Replaceable: the face's session may take another document.
	Replaceable
	// Dialogs: the face shows select and input questions.
	Dialogs
)

// Has reports whether n includes all of want.
func (n Needs) Has(want Needs) bool { return n&want == want }

// Command is one slash command.
type Command struct {
	Name    string
	Aliases []string
	Summary string // one line, no full stop
	Args    string // for people: "[name]"; empty when there are none
	Source  string // builtin, prompt, skill or extension
	Needs   Needs  // without them the command is neither listed nor run
	// Complete lists values for the argument typed so far; nil when there are
	// none to offer.
	Complete func(ctx context.Context, s Session, prefix string) []string
	Run      func(ctx context.Context, c Call) (Result, error)
}

// Names are the command's name and its aliases.
func (c Command) Names() []string { return append([]string{c.Name}, c.Aliases...) }

// Call is one use of a command.
type Call struct {
	Session Session
	Caps    Needs  // of the face
	Args    string // what followed the name, trimmed
}

// Result says what a face does next.
type Result struct {
	// Handled is false when Text is to be sent to the model.
	Handled bool
	Text    string
	// Reply is shown to the user; it may have many lines and be empty.
	Reply string
	// Quit asks the face to end.
	Quit bool
}

// UnknownError is returned for a text that looks like a command and is none.
// The chat refuses it; every other face sends Result.Text as it is.
type UnknownError struct {
	Name    string   // without the slash
	Nearest []string // names that were likely meant
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("there is no command /%s", e.Name)
	if len(e.Nearest) > 0 {
		text += "; did you mean /" + strings.Join(e.Nearest, " or /") + "?"
	}
	return text + ` Start with "//" to send the text as it is`
}

// Registry holds the commands. It is immutable and safe for concurrent use.
type Registry struct{ commands []Command }

// New returns a registry of the given commands. A name or alias that an
// earlier command has already taken is dropped from the later one.
func New(commands ...Command) *Registry {
	taken := map[string]bool{}
	r := &Registry{}
	for _, c := range commands {
		if c.Name == "" || taken[c.Name] || c.Run == nil {
			continue
		}
		c.Aliases = slices.DeleteFunc(slices.Clone(c.Aliases), func(a string) bool { return taken[a] })
		for _, name := range c.Names() {
			taken[name] = true
		}
		r.commands = append(r.commands, c)
	}
	return r
}

// Catalog lists the commands that a face with these abilities can run, in
// order of registration.
func (r *Registry) Catalog(caps Needs) []Command {
	var list []Command
	for _, c := range r.commands {
		if caps.Has(c.Needs) {
			list = append(list, c)
		}
	}
	return list
}

// Dispatch runs the command that text names, if it names one. A text that
// starts with a blank or with "//" is never a command. With an *UnknownError
// the result holds the text as it is.
func (r *Registry) Dispatch(ctx context.Context, s Session, caps Needs, text string) (Result, error) {
	name, args, ok := Split(text)
	if !ok {
		return Result{Text: literal(text)}, nil
	}
	c, err := r.find(name, caps)
	if err != nil {
		return Result{Text: text}, err
	}
	result, err := c.Run(ctx, Call{Session: s, Caps: caps, Args: args})
	if err != nil {
		return Result{Handled: true}, fmt.Errorf("/%s: %w", c.Name, err)
	}
	return result, nil
}

// Complete lists what may follow in a text that starts with a slash: names of
// commands, or values for the argument of a command. Each is a whole text to
// put in place of the one typed.
func (r *Registry) Complete(ctx context.Context, s Session, caps Needs, text string) []string {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return nil
	}
	name, argument, typed := strings.Cut(rest, " ")
	if !typed {
		return r.completeName(name, caps)
	}
	c, err := r.find(strings.ToLower(name), caps)
	if err != nil || c.Complete == nil {
		return nil
	}
	var texts []string
	for _, value := range c.Complete(ctx, s, strings.TrimLeft(argument, " ")) {
		texts = append(texts, "/"+c.Name+" "+value)
	}
	return texts
}

func (r *Registry) completeName(prefix string, caps Needs) []string {
	var texts []string
	for _, c := range r.Catalog(caps) {
		if slices.ContainsFunc(c.Names(), func(n string) bool { return strings.HasPrefix(n, prefix) }) {
			texts = append(texts, "/"+c.Name)
		}
	}
	return texts
}

// find looks a name up: exactly, else as the beginning of one command's names.
func (r *Registry) find(name string, caps Needs) (Command, error) {
	catalog := r.Catalog(caps)
	var begins []Command
	var all []string
	for _, c := range catalog {
		names := c.Names()
		if slices.Contains(names, name) {
			return c, nil
		}
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name) }) {
			begins = append(begins, c)
		}
		all = append(all, names...)
	}
	if len(begins) == 1 {
		return begins[0], nil
	}
	unknown := &UnknownError{Name: name}
	if len(begins) == 0 {
		unknown.Nearest = oncePerCommand(catalog, tool.Nearest(name, all, 5))
	}
	for _, c := range begins {
		unknown.Nearest = append(unknown.Nearest, c.Name)
	}
	return Command{}, unknown
}

// oncePerCommand keeps the first of the names that mean the same.
func oncePerCommand(commands []Command, names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		i := slices.IndexFunc(commands, func(c Command) bool { return slices.Contains(c.Names(), name) })
		again := seen[commands[i].Name]
		seen[commands[i].Name] = true
		return again
	})
}

// Split takes a text apart that has the form of a command: a slash, a name of
// letters, digits and "-_:.?", and the argument. A path such as /etc/hosts has
// another slash in its first word and so is no command.
func Split(text string) (name, args string, ok bool) {
	rest, found := strings.CutPrefix(text, "/")
	if !found {
		return "", "", false
	}
	end := strings.IndexAny(rest, " \t\r\n")
	if end < 0 {
		end = len(rest)
	}
	name = rest[:end]
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) }) {
		return "", "", false
	}
	return strings.ToLower(name), strings.TrimSpace(rest[end:]), true
}

// maxName bounds a command's name in bytes; anything longer is text.
const maxName = 64

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_:.?", r)
}

// literal takes off what kept a command's text from being read as one: a
// second slash or leading blanks. Any other text stays as it is.
func literal(text string) string {
	command := strings.TrimLeft(text, " \t")
	if strings.HasPrefix(text, "//") {
		command = text[1:]
	}
	if _, _, ok := Split(command); ok {
		return command
	}
	return text
}
