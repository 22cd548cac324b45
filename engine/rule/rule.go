package rule

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// Mode says which matches stop the model at once; the others are told to it
// after its answer.
type Mode string

// The modes of interruption.
const (
	Always    Mode = "always"
	ProseOnly Mode = "prose-only" // matches in text and thinking
	ToolOnly  Mode = "tool-only"  // matches in tool calls
	Never     Mode = "never"
)

// ParseMode reads a mode; "" is "", which leaves it to the settings.
func ParseMode(s string) (Mode, error) {
	m := Mode(strings.ToLower(strings.TrimSpace(s)))
	if m != "" && !slices.Contains([]Mode{Always, ProseOnly, ToolOnly, Never}, m) {
		return "", fmt.Errorf("unknown interruptMode %q: use always, prose-only, tool-only or never", s)
	}
	return m, nil
}

// interrupts reports whether a match in such a source stops the model.
func (m Mode) interrupts(s Source) bool {
	switch m {
	case Never:
		return false
	case ProseOnly:
		return s != Tool
	case ToolOnly:
		return s == Tool
	}
	return true
}

// Rule is something the user wants the model to keep to.
type Rule struct {
	Name        string // unique among the rules of a session
	Path        string // of its file
	Content     string // what the model is told, Markdown
	Description string // one line
	Globs       []string
	Always      bool     // the content belongs into the system prompt
	Conditions  []string // regular expressions (RE2); any of them breaks the rule
	Scopes      []string // where conditions count; empty: see New
	Interrupt   Mode     // "" leaves it to the settings
	Source      string   // "user" or "project"
	Family      string   // whose rules folder it is from: "hoopoe", "cursor" ...
}

// Streams reports whether the rule is one for a Watcher: it then stays out of
// the system prompt.
func (r Rule) Streams() bool { return len(r.Conditions) > 0 }

// Bounds of one rule. A program is what a regular expression compiles to.
const (
	maxConditions = 64
	maxCondition  = 4 << 10 // bytes
	maxProgram    = 4000    // instructions of all conditions together
)

// New completes a rule as it stands in a file, or says why it can't be used.
//
// A condition that looks like a file pattern (*.rs, src/**) becomes the scopes
// tool:edit(...) and tool:write(...); with no other condition any such call
// matches. Without scopes a rule watches text and the arguments of every tool,
// or the tools alone when it has globs, since a text is about no file.
func New(r Rule) (Rule, error) {
	if len(r.Conditions) > maxConditions {
		return r, fmt.Errorf("it has %d conditions, the limit is %d", len(r.Conditions), maxConditions)
	}
	streams := r.Streams()
	r.Scopes = slices.Clone(r.Scopes)
	r.Conditions = slices.DeleteFunc(slices.Clone(r.Conditions), func(c string) bool {
		if !looksLikeGlob(c) {
			return false
		}
		r.Scopes = append(r.Scopes, "tool:edit("+c+")", "tool:write("+c+")")
		return true
	})
	if streams && len(r.Conditions) == 0 {
		r.Conditions = []string{".*"}
	}
	if _, err := compile(r); err != nil {
		return r, err
	}
	return r, nil
}

// looksLikeGlob tells a file pattern from a regular expression: stars where
// only a pattern has them, and nothing that only an expression has.
func looksLikeGlob(s string) bool {
	if s == "" || strings.ContainsAny(s, `\^$()+| `+"\t") {
		return false
	}
	return s[0] == '*' || strings.Contains(s, "**") || strings.Contains(s, "/*")
}

// compiled is a rule that is ready to watch.
type compiled struct {
	Rule
	scopes  []scope
	globs   []*glob
	machine *machine // nil when the rule has no condition
}

func compile(r Rule) (*compiled, error) {
	c := &compiled{Rule: r}
	for _, text := range r.Scopes {
		s, err := parseScope(text)
		if err != nil {
			return nil, err
		}
		c.scopes = append(c.scopes, s)
	}
	if len(c.scopes) == 0 {
		c.scopes = []scope{{source: Tool}}
		if len(r.Globs) == 0 {
			c.scopes = append(c.scopes, scope{source: Text})
		}
	}
	for _, pattern := range r.Globs {
		g, err := compileGlob(pattern)
		if err != nil {
			return nil, fmt.Errorf("globs: %q: %w", pattern, err)
		}
		c.globs = append(c.globs, g)
	}
	if !r.Streams() {
		return c, nil
	}
	var parts []string
	for _, text := range r.Conditions {
		if err := checkCondition(text); err != nil {
			return nil, fmt.Errorf("condition %s: %w", brief(text), err)
		}
		parts = append(parts, "(?:"+text+")")
	}
	var err error
	c.machine, err = newMachine(strings.Join(parts, "|"))
	if err != nil {
		return nil, fmt.Errorf("condition %s: %w", brief(r.Conditions[0]), err)
	}
	return c, nil
}

func checkCondition(text string) error {
	if len(text) > maxCondition {
		return fmt.Errorf("it is longer than %d bytes", maxCondition)
	}
	if strings.ContainsRune(text, '\b') {
		return errors.New(`it holds a backspace; YAML makes one of \b in double quotes, use single quotes`)
	}
	_, err := regexp.Compile(text)
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err
	}
	why := string(bad.Code)
	switch {
	case foreign(text):
		why = "look-ahead, look-behind and back-references of JavaScript don't exist in Hoopoe's regular expressions (RE2)"
	case strings.HasPrefix(bad.Expr, `\u`):
		why = `write \x{00e9} for \u00e9; the syntax is RE2`
	case bad.Expr != "":
		why += " " + strconv.Quote(bad.Expr)
	}
	return errors.New(why)
}

// foreign reports whether an expression that doesn't compile holds something
// that JavaScript has and RE2 doesn't.
func foreign(text string) bool {
	for _, sign := range []string{"(?=", "(?!", "(?<=", "(?<!", `\k<`} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '\\' {
			if '1' <= text[i+1] && text[i+1] <= '9' {
				return true
			}
			i++
		}
	}
	return false
}

// brief quotes a condition for a message of one line.
func brief(text string) string {
	const limit = 60
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "…"
	}
	return strconv.Quote(text)
}
