// Package slash is the one list of slash commands, for every face.
//
//	typed text ─▶ Registry.Dispatch ─▶ Result{Handled, Reply}   the command ran
//	                               ├─▶ Result{Text}             send this to the model
//	                               └─▶ *UnknownError            no such command
//
// Commands come from two places: those of every Hoopoe, and those that a
// session adds by its folder, settings and servers (templates, skills,
// extensions, MCP prompts). Registry.For joins them; the built-in ones win, but
// for those that only stand for a text (/review, /init): there the user's or the
// project's own text is the better one.
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
	"unicode"

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
	Source  string // builtin, prompt, skill, extension or mcp
	Needs   Needs  // without them the command is neither listed nor run
	// Path is the file that the command is from, "" if there is none, and
	// Location whose file that is: "user" or "project".
	Path, Location string
	// Complete lists values for the argument typed so far; nil when there are
	// none to offer.
	Complete func(ctx context.Context, s Session, prefix string) []string
	Run      func(ctx context.Context, c Call) (Result, error)
	// Expand returns the text that the command stands for and does nothing
	// else, so that it counts in queued messages too. Run may be nil then.
	Expand func(args string) (string, error)
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
	// Markdown says that Reply is Markdown, Diff that it begins with a unified
	// diff; else it is plain text with columns.
	Markdown, Diff bool
	// Edit is a text for the user to go on with, in the editor of a face that has
	// one. Copy is for the clipboard.
	Edit, Copy string
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
	text := "there is no command /" + e.Name
	if len(e.Nearest) > 0 {
		text += "; did you mean /" + strings.Join(e.Nearest, " or /") + "?"
	}
	return text + fmt.Sprintf(` ("//%s" sends it as text)`, e.Name)
}

// Registry holds the commands. It is immutable and safe for concurrent use.
type Registry struct {
	commands []Command
	more     func(ctx context.Context, s Session) []Command
	fixed    int // so many of the commands are not a session's
}

// New returns a registry of the given commands. A name or alias that an
// earlier command has already taken, in whatever case, is dropped from the
// later one, and so is a name that nobody could type.
func New(commands ...Command) *Registry {
	r := &Registry{commands: distinct(commands)}
	r.fixed = len(r.commands)
	return r
}

func distinct(commands []Command) []Command {
	taken := map[string]bool{}
	free := func(name string) bool { return !taken[strings.ToLower(name)] && typeable(name) }
	var list []Command
	for _, c := range commands {
		if !free(c.Name) || c.Run == nil && c.Expand == nil {
			continue
		}
		if c.Run == nil {
			c.Run = c.expand
		}
		c.Aliases = slices.DeleteFunc(slices.Clone(c.Aliases), func(a string) bool { return !free(a) })
		for _, name := range c.Names() {
			taken[strings.ToLower(name)] = true
		}
		list = append(list, c)
	}
	return list
}

func (c Command) expand(_ context.Context, call Call) (Result, error) {
	text, err := c.Expand(call.Args)
	return Result{Text: text}, err
}

// For returns the registry with the commands that the session adds.
func (r *Registry) For(ctx context.Context, s Session) *Registry {
	if r.more == nil {
		return r
	}
	more := r.more(ctx, s)
	if len(more) == 0 {
		return &Registry{commands: r.commands, fixed: r.fixed}
	}
	own := slices.DeleteFunc(slices.Clone(r.commands), func(c Command) bool {
		return c.Expand != nil && slices.ContainsFunc(more, func(m Command) bool { return strings.EqualFold(m.Name, c.Name) })
	})
	return &Registry{commands: distinct(slices.Concat(own, more)), fixed: len(own)}
}

// Catalog lists the commands that a face with these abilities can run, in
// order of registration. Those that a session adds are in the catalog of For.
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
	c, err := r.For(ctx, s).find(name, caps)
	if err != nil && r.more != nil { // it may be one of an extension that is being loaded
		s.AwaitExtensions(ctx)
		c, err = r.For(ctx, s).find(name, caps)
	}
	if err != nil {
		return Result{Text: text}, err
	}
	result, err := c.Run(ctx, Call{Session: s, Caps: caps, Args: args})
	if err != nil {
		return Result{Handled: true}, fmt.Errorf("/%s: %w", c.Name, err)
	}
	return result, nil
}

// Named returns the command that a face with these abilities can run and that
// has this whole name, for programs, which don't mistype. It waits for
// extensions that are being loaded before it says that there is none.
func (r *Registry) Named(ctx context.Context, s Session, caps Needs, name string) (Command, bool) {
	if name == "" {
		return Command{}, false
	}
	look := func() (Command, bool) {
		catalog := r.For(ctx, s).Catalog(caps)
		i := slices.IndexFunc(catalog, func(c Command) bool { return c.called(name) })
		if i < 0 {
			return Command{}, false
		}
		return catalog[i], true
	}
	c, ok := look()
	if !ok && r.more != nil {
		s.AwaitExtensions(ctx)
		c, ok = look()
	}
	return c, ok
}

// Expand returns what a queued message says: the text of the template or skill
// that it calls by its whole name. It runs no command; any other text comes
// back as Dispatch would send it.
func (r *Registry) Expand(ctx context.Context, s Session, text string) (string, error) {
	name, args, ok := Split(text)
	if !ok {
		return literal(text), nil
	}
	for _, c := range r.For(ctx, s).commands {
		if c.Expand == nil || !c.called(name) {
			continue
		}
		expanded, err := c.Expand(args)
		if err != nil {
			return "", fmt.Errorf("/%s: %w", c.Name, err)
		}
		return expanded, nil
	}
	return text, nil
}

// Complete lists what may follow in a text that starts with a slash: names of
// commands, or values for the argument of a command. Each is a whole text to
// put in place of the one typed.
func (r *Registry) Complete(ctx context.Context, s Session, caps Needs, text string) []string {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return nil
	}
	r = r.For(ctx, s)
	name, argument, typed := strings.Cut(rest, " ")
	if !typed {
		return r.completeName(name, caps)
	}
	c, err := r.find(name, caps)
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
		if c.begins(prefix) {
			texts = append(texts, "/"+c.Name)
		}
	}
	return texts
}

// called reports whether name is one of the command's.
func (c Command) called(name string) bool {
	return slices.ContainsFunc(c.Names(), func(n string) bool { return strings.EqualFold(n, name) })
}

// begins reports whether one of the command's names begins with prefix.
func (c Command) begins(prefix string) bool {
	prefix = strings.ToLower(prefix)
	return slices.ContainsFunc(c.Names(), func(n string) bool { return strings.HasPrefix(strings.ToLower(n), prefix) })
}

// find looks a name up: exactly, else as the beginning of the names of one
// command. What a session adds makes no shorthand of other commands ambiguous.
func (r *Registry) find(name string, caps Needs) (Command, error) {
	var fixed, begin, catalog []Command
	var all []string
	for i, c := range r.commands {
		switch {
		case !caps.Has(c.Needs):
			continue
		case c.called(name):
			return c, nil
		case c.begins(name):
			begin = append(begin, c)
			if i < r.fixed {
				fixed = append(fixed, c)
			}
		}
		catalog = append(catalog, c)
		all = append(all, c.Names()...)
	}
	if len(fixed) == 1 {
		return fixed[0], nil
	}
	if len(begin) == 1 {
		return begin[0], nil
	}
	unknown := &UnknownError{Name: name}
	if len(begin) == 0 {
		unknown.Nearest = oncePerCommand(catalog, tool.Nearest(name, all, maxNearest))
	}
	for _, c := range begin[:min(len(begin), maxNearest)] {
		unknown.Nearest = append(unknown.Nearest, c.Name)
	}
	return Command{}, unknown
}

// maxNearest bounds the names in an UnknownError.
const maxNearest = 5

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
// letters, digits and "-_:.?", in lower case, and the argument. A path such as /etc/hosts has
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
const maxName = 128

func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("-_:.?", r)
}

// typeable reports whether a text can call a command of that name.
func typeable(name string) bool {
	typed, args, ok := Split("/" + name)
	return ok && args == "" && typed == strings.ToLower(name)
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
