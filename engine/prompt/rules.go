package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/rule"
)

// Bounds of rules.
const (
	maxRules  = 300
	maxAlways = 32 << 10 // bytes of all texts in the system prompt
	maxListed = 200      // characters of what is said about another
)

// Rules reads the rules of all folders: Markdown files, .md or .mdc, whose
// front matter says when they count. A file without any, as several programs
// have them, always counts. Of two with one name the first counts.
//
//	description      for the list that the model sees
//	globs, paths     the files that the rule is about
//	alwaysApply      true puts the text into the system prompt
//	condition        regular expressions that a stream is watched for; such a
//	                 rule isn't in the system prompt
//	scope            where they are looked for, see rule.New
//	interruptMode    always, prose-only, tool-only or never
//	trigger          of Windsurf: always_on, glob, model_decision or manual
func Rules(folders []Folder) ([]rule.Rule, []Notice) {
	l := &rulebook{loader: newLoader()}
	for _, f := range folders {
		if info, err := os.Stat(f.Path); err == nil && info.Mode().IsRegular() {
			l.add(f, strings.TrimPrefix(filepath.Base(f.Path), "."), f.Path)
			continue
		}
		l.walk(f, "", func(rel, path string) {
			ext := filepath.Ext(rel)
			if ext == ".md" || ext == ".mdc" {
				l.add(f, strings.TrimSuffix(rel, ext), path)
			}
		})
	}
	return l.rules, l.notices
}

type rulebook struct {
	*loader
	rules  []rule.Rule
	always int // bytes
	full   bool
}

func (l *rulebook) add(f Folder, name, path string) {
	if l.full {
		return
	}
	text, ok := l.text(f, path, maxFile)
	if !ok {
		return
	}
	r, err := parseRule(text)
	r.Name, r.Path, r.Source, r.Family = name, path, f.Source, f.Family
	if err == nil && r.Content == "" && r.Streams() {
		err = fmt.Errorf("it has a condition, but no text to tell the model")
	}
	switch {
	case err != nil:
		l.notice(path, "not used: %v", err)
		return
	case r.Content == "" || !l.claim(name, path, text):
		return
	case len(l.rules) == maxRules:
		l.full = true
		l.notice(path, "not used: there are more than %d rules", maxRules)
		return
	}
	if r.Always && !r.Streams() {
		l.bound(&r)
	}
	l.rules = append(l.rules, r)
}

// bound keeps the texts in the system prompt to a size; a rule beyond it is
// listed.
func (l *rulebook) bound(r *rule.Rule) {
	if l.always+len(r.Content) <= maxAlways {
		l.always += len(r.Content)
		return
	}
	l.notice(r.Path, "listed, not quoted: the rules that always apply are longer than %d KiB together", maxAlways>>10)
	r.Always = false
	if r.Description == "" {
		r.Description = firstLine(r.Content)
	}
}

// parseRule reads a rule file. The error says why it can't be used.
func parseRule(text string) (rule.Rule, error) {
	fields, body, err := FrontMatter(text)
	if err != nil {
		return rule.Rule{}, err
	}
	r := rule.Rule{
		Content: strings.TrimSpace(body), Description: fields.Text("description"),
		Globs: append(fields.Patterns("globs"), fields.Patterns("paths")...), Scopes: fields.Words("scope"),
		Always: fields.Bool("alwaysApply", len(fields) == 0),
	}
	for _, key := range []string{"condition", "ttsr_trigger", "ttsrTrigger"} {
		r.Conditions = append(r.Conditions, fields.Strings(key)...)
	}
	switch fields.Text("trigger") {
	case "always_on":
		r.Always = true
	case "manual":
		r.Description, r.Globs = "", nil
	}
	if r.Interrupt, err = rule.ParseMode(fields.Text("interruptMode")); err != nil {
		return r, err
	}
	return rule.New(r)
}

// ruleSection quotes the rules that always apply and lists those that say what
// they are about.
func ruleSection(rules []rule.Rule) string {
	var quoted, listed strings.Builder
	for _, r := range rules {
		switch {
		case r.Streams():
		case r.Always:
			text := strings.ReplaceAll(r.Content, "</rule", `<\/rule`)
			fmt.Fprintf(&quoted, "\n\n<rule name=\"%s\" path=\"%s\">\n%s\n</rule>", escaped(r.Name), escaped(r.Path), text)
		case len(r.Globs) > 0 || r.Description != "":
			listed.WriteString("\n- " + visible(r.Path))
			if len(r.Globs) > 0 {
				listed.WriteString(" (" + visible(cut(strings.Join(r.Globs, ", "), maxListed)) + ")")
			}
			if r.Description != "" {
				listed.WriteString(": " + visible(cut(r.Description, maxListed)))
			}
		}
	}
	if listed.Len() > 0 {
		return quoted.String() + "\n\nThese files have rules for some of the work. Read one before you do what it is about:" + listed.String()
	}
	return quoted.String()
}
