package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// Kind is what a tool call does.
type Kind string

// The kinds. Other, the zero value too, could do anything.
const (
	KindRead    Kind = "read"
	KindEdit    Kind = "edit"
	KindExecute Kind = "execute"
	KindFetch   Kind = "fetch"
	KindThink   Kind = "think" // no effect outside the session: todos, questions
	KindOther   Kind = "other"
)

// Path is a file or folder that a call touches.
type Path struct {
	Path   string // absolute, symbolic links resolved; "" if it can't be told
	Text   string // as the command has it: shell.Target.Text; unused for other tools
	Write  bool
	Inside bool // inside the workspace
}

// Request is a tool call to judge.
type Request struct {
	Tool string
	Kind Kind
	// Paths are the files of the call. For a command they say where its
	// shell.Analysis.Targets are; one without Text is the folder it runs in.
	Paths   []Path
	Command *shell.Analysis // of a command; nil if it can't be parsed
	Text    string          // the call in short: the command, the URL
	// Claimed says that Kind is the word of an MCP server. It counts for plan mode,
	// which then asks; the rules and the other modes take the call for one that
	// could do anything.
	Claimed bool
	// Approve says that each call of the tool asks, whatever allows it.
	Approve bool
}

// Decision is the judgement of a request.
type Decision struct {
	Action Action
	// Reason says why, to the user or to the model; empty for Allow.
	Reason string
	// Parts are what needs approval, or what is denied.
	Parts []Part
	// Suggest are the rules that "always" would save. With them the same request
	// is allowed; where no rules of a sensible width would do, there are none.
	Suggest []Rule
	// Insists says that no mode and no rule would allow it unasked.
	Insists bool
}

// Part is a part of a request and why it isn't free.
type Part struct {
	Text string
	Why  string
}

// Options configure a Policy.
type Options struct {
	Mode Mode
	Root string // the workspace's folder; where relative patterns start
	Home string // what "~/" in patterns stands for; may be empty
	// Own are the folders of Hoopoe's settings and state, absolute, symbolic
	// links resolved. They are guarded, see guard.
	Own []string
	// Approve are the names of tools each call of which asks, whatever allows it.
	Approve []string
}

// Policy judges requests. It is immutable and safe for concurrent use.
type Policy struct {
	opts  Options
	rules []compiled
	bound *Policy // see Bounded
}

// compiled is a rule with its pattern taken apart in each way it may be read.
type compiled struct {
	Rule
	tool  glob
	whole bool   // every call
	exact bool   // these words and no more
	words []glob // as a command
	text  glob   // as a text
}

// New returns a policy.
func New(o Options, rules ...Rule) *Policy {
	return (&Policy{opts: o}).With(rules...)
}

// With returns a policy with more rules: those that a question saved, those of
// the session.
func (p *Policy) With(rules ...Rule) *Policy {
	next := &Policy{opts: p.opts, rules: slices.Clone(p.rules), bound: p.bound}
	for _, r := range rules {
		next.rules = append(next.rules, compile(r))
	}
	if p.bound != nil {
		next.bound = p.bound.With(rules...)
	}
	return next
}

// Without returns a policy that lacks a rule, as Rules tells it.
func (p *Policy) Without(rule Rule) *Policy {
	next := &Policy{opts: p.opts, bound: p.bound}
	next.rules = slices.DeleteFunc(slices.Clone(p.rules), func(c compiled) bool { return c.Rule == rule })
	if p.bound != nil {
		next.bound = p.bound.Without(rule)
	}
	return next
}

// Bounded returns a policy that allows what both allow, asks where one asks
// and denies where one denies. What is done to it later is done to both: a
// rule or a mode that the user decides on counts for either.
func (p *Policy) Bounded(by *Policy) *Policy {
	return &Policy{opts: p.opts, rules: p.rules, bound: by}
}

// WithMode returns a policy with the same rules and another mode.
func (p *Policy) WithMode(m Mode) *Policy {
	next := &Policy{opts: p.opts, rules: p.rules}
	next.opts.Mode = m
	if p.bound != nil {
		next.bound = p.bound.WithMode(m)
	}
	return next
}

// Mode returns the policy's mode, of two the tighter.
func (p *Policy) Mode() Mode {
	if p.bound != nil {
		return Tighter(p.opts.Mode, p.bound.Mode())
	}
	return p.opts.Mode
}

// Rules returns the policy's rules in the order they were given, then those
// that only its bound has.
func (p *Policy) Rules() []Rule {
	var rules []Rule
	for _, r := range p.rules {
		rules = append(rules, r.Rule)
	}
	if p.bound != nil {
		for _, r := range p.bound.Rules() {
			if !slices.Contains(rules, r) {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

func compile(r Rule) compiled {
	c := compiled{Rule: r, tool: newGlob(strings.ToLower(r.Tool)), text: newGlob(r.Pattern)}
	pattern, exact := strings.CutPrefix(r.Pattern, "=")
	if !exact {
		pattern = strings.TrimSuffix(pattern, ":*")
	}
	c.exact = exact
	c.words, _ = splitWords(pattern)
	c.whole = r.Pattern == "" || r.Pattern == "*" || r.Pattern == ":*"
	return c
}

// finding is one part of a request, with what the rules need to judge it.
type finding struct {
	Part
	tool    string
	within  string // the tool whose command this is a part of, if another
	kind    Kind
	match   func(*compiled) match // of a rule's pattern; nil if no pattern is about it
	outside bool                  // an allow rule needs a pattern to reach it
	free    bool                  // allowed where no rule speaks
	save    string                // the pattern that "always" saves; "" if none is sensible
	wide    bool                  // "always" saves a rule without a pattern
}

// Judge decides about a request.
func (p *Policy) Judge(req Request) Decision {
	d, asking := p.judge(req)
	if d.Action == Ask {
		d.Suggest = p.suggest(req, asking)
	}
	if p.bound != nil {
		d = stricter(d, p.bound.Judge(req))
	}
	if d.Action != Deny && (req.Approve || slices.Contains(p.opts.Approve, req.Tool)) {
		if d.Action == Allow {
			d.Parts = []Part{{cmp.Or(req.Text, req.Tool), "each call of this tool is to be approved"}}
			d.Action, d.Reason = Ask, reason("needs approval", d.Parts)
		}
		d.Suggest, d.Insists = nil, true
	}
	return d
}

// stricter returns the decision that leaves less room. Two questions become
// one, with the rules that answer both.
func stricter(a, b Decision) Decision {
	order := []Action{Allow, Ask, Deny}
	switch i, j := slices.Index(order, a.Action), slices.Index(order, b.Action); {
	case i > j:
		return a
	case j > i:
		return b
	}
	if len(a.Suggest) == 0 || len(b.Suggest) == 0 {
		a.Suggest = nil
		return a
	}
	for _, r := range b.Suggest {
		if !slices.Contains(a.Suggest, r) {
			a.Suggest = append(a.Suggest, r)
		}
	}
	return a
}

// judge decides and returns the findings that ask.
func (p *Policy) judge(req Request) (Decision, []finding) {
	if req.Kind == "" {
		req.Kind = KindOther
	}
	var asked, denied []Part
	var asking []finding
	for _, f := range p.findings(req) {
		switch action, why := p.weigh(f); action {
		case Deny:
			denied = append(denied, Part{f.Text, why})
		case Ask:
			asked = append(asked, Part{f.Text, why})
			asking = append(asking, f)
		}
	}
	switch {
	case len(denied) > 0:
		return Decision{Action: Deny, Reason: reason("denied", denied), Parts: denied}, nil
	case p.opts.Mode == ModePlan && changes(req):
		why := "plan mode is read-only: describe this step in the plan instead of taking it; only the user can switch the mode"
		return Decision{Action: Deny, Reason: why, Parts: []Part{{req.Text, why}}}, nil
	case len(asked) > 0:
		return Decision{Action: Ask, Reason: reason("needs approval", asked), Parts: asked}, asking
	}
	return Decision{Action: Allow}, nil
}

// changes reports requests that plan mode has no room for.
func changes(req Request) bool {
	if req.Command != nil || slices.ContainsFunc(req.Paths, func(p Path) bool { return p.Write }) {
		return true
	}
	return req.Kind != KindRead && req.Kind != KindThink && req.Kind != KindFetch
}

// What goes into a reason: so many parts, and so many bytes of each one's text.
const (
	maxReasons = 10
	maxReason  = 200
)

func reason(what string, parts []Part) string {
	var list []string
	for i, part := range parts {
		if i == maxReasons {
			list = append(list, fmt.Sprintf("and %d more", len(parts)-i))
			break
		}
		text := part.Text
		if len(text) > maxReason {
			text = strings.ToValidUTF8(text[:maxReason], "") + "…"
		}
		list = append(list, fmt.Sprintf("%s (%s)", text, part.Why))
	}
	return what + ": " + strings.Join(list, "; ")
}

// weigh judges one finding: deny over ask over allow over the mode.
func (p *Policy) weigh(f finding) (Action, string) {
	allowed, held := f.free || p.opts.Mode == ModeFull, ""
	for i := range p.rules {
		r := &p.rules[i]
		m := r.matches(f)
		switch {
		case m == no:
		case r.Action == Deny && m == yes:
			return Deny, fmt.Sprintf("the rule %s of %s denies it", r, r.Source)
		case p.opts.Mode == ModeFull: // only what is denied for certain counts
		case r.Action == Deny:
			held = fmt.Sprintf("the rule %s of %s could deny it", r, r.Source)
		case r.Action == Ask:
			held = fmt.Sprintf("the rule %s of %s asks for it", r, r.Source)
		case r.Action == Allow && m == yes:
			allowed = true
		}
	}
	switch {
	case held != "":
		return Ask, held
	case allowed:
		return Allow, ""
	}
	return Ask, f.Why
}

// matches says whether the rule is about the finding.
func (c *compiled) matches(f finding) match {
	switch {
	case c.whole && f.within != "" && c.tool.matches(strings.ToLower(f.within)):
		return yes
	case !c.tool.matches(strings.ToLower(f.tool)) && !c.tool.matches(string(f.kind)):
		return no
	case c.whole && c.Action == Allow && f.outside:
		return no
	case c.whole:
		return yes
	case f.match == nil:
		return no
	}
	return f.match(c)
}
