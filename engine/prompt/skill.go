package prompt

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// Bounds of skills.
const (
	skillFile      = "SKILL.md"
	maxSkill       = 256 << 10 // bytes of one file
	maxSkills      = 300
	maxSkillName   = 64   // bytes
	maxDescription = 1024 // characters that the model sees of one
	// Of many skills each gets less: this many characters are shared out, with
	// a least share that still says what a skill is for.
	maxDescriptions = 12 << 10
	minDescription  = 100
)

// Skill is a file with instructions for one kind of task. The model sees its
// name, description and path, and reads it at need; a user calls it by name.
type Skill struct {
	Name        string
	Description string // one line
	Path        string // of SKILL.md
	Source      string // of the folder it is from
	Family      string // likewise

	Hint          string // what arguments it takes
	License       string
	Compatibility string            // what it needs of its surroundings
	Metadata      map[string]string // of the author
	// AllowedTools is what the author proposes. It allows nothing: that is up
	// to the user's permissions.
	AllowedTools []string

	UserOnly  bool // not offered to the model (disable-model-invocation)
	ModelOnly bool // not offered to the user (user-invocable: false)
}

// Skills reads the skills of all folders. Of two with one name the first
// counts.
func Skills(folders []Folder) ([]Skill, []Notice) {
	l := newLoader()
	var skills []Skill
	for _, f := range folders {
		l.walk(f, skillFile, func(rel, path string) {
			if filepath.Base(path) != skillFile || len(skills) > maxSkills {
				return
			}
			s, ok := l.skill(f, path)
			if ok && len(skills) == maxSkills {
				l.notice(path, "not used: there are more than %d skills", maxSkills)
				return
			}
			if ok {
				skills = append(skills, s)
			}
		})
	}
	return skills, l.notices
}

func (l *loader) skill(f Folder, path string) (Skill, bool) {
	text, ok := l.text(f, path, maxSkill)
	if !ok {
		return Skill{}, false
	}
	fields, _, err := FrontMatter(text)
	if err != nil {
		l.notice(path, "not used: %v", err)
		return Skill{}, false
	}
	s := Skill{
		Name: fields.Text("name"), Description: fields.Text("description"), Path: path, Source: f.Source, Family: f.Family,
		Hint: fields.Text("argument-hint"), License: fields.Text("license"), Compatibility: fields.Text("compatibility"),
		Metadata: fields.Map("metadata"), AllowedTools: fields.Words("allowed-tools"),
		UserOnly: fields.Bool("disable-model-invocation", false), ModelOnly: !fields.Bool("user-invocable", true),
	}
	if s.Description == "" {
		l.notice(path, "not used: its front matter has no description")
		return s, false
	}
	if !l.name(&s, filepath.Base(filepath.Dir(path))) {
		return s, false
	}
	return s, l.claim(s.Name, path, text)
}

// name settles what a skill is called: what it says itself, else its folder.
func (l *loader) name(s *Skill, folder string) bool {
	switch {
	case s.Name == "":
		s.Name = folder
	case !isSkillName(s.Name):
		l.notice(s.Path, "the name %q can't be typed; the folder's name is taken", cut(s.Name, maxSkillName))
		s.Name = folder
	case s.Name != folder:
		l.notice(s.Path, "it calls itself %s, other than its folder; /skill:%s calls it", s.Name, s.Name)
	}
	if !isSkillName(s.Name) {
		l.notice(s.Path, "not used: a skill's name has up to %d letters, digits, '-', '_' and '.' only", maxSkillName)
		return false
	}
	return true
}

// isSkillName reports whether name can be typed after "/skill:".
func isSkillName(name string) bool {
	return len(name) <= maxSkillName && isCommandName(name) && !strings.Contains(name, ":")
}

// Expand returns the prompt for a call of the skill by the user. The file is
// read anew. Arguments stand in for $ARGUMENTS, else they follow.
func (s Skill) Expand(arguments string) (string, error) {
	text, err := readText(s.Path, maxSkill)
	if err != nil {
		return "", fmt.Errorf("read the skill %s: %s: %w", s.Name, s.Path, err)
	}
	_, body, err := FrontMatter(text)
	if err != nil {
		return "", fmt.Errorf("read the skill %s: %s: %w", s.Name, s.Path, err)
	}
	arguments = strings.TrimSpace(arguments)
	// The other placeholders of templates occur in code that skills quote.
	body, filled, err := fill(body, arguments)
	if err != nil {
		return "", err
	}
	body = strings.ReplaceAll(strings.TrimSpace(body), "</skill>", `<\/skill>`)
	out := fmt.Sprintf("<skill name=%q path=%q>\nRelative paths in this text start from %s.\n\n%s\n</skill>", s.Name, s.Path, filepath.Dir(s.Path), body)
	if !filled && arguments != "" {
		out += "\n\n" + arguments
	}
	return out, nil
}

// fill puts the arguments in place of $ARGUMENTS.
func fill(text, arguments string) (out string, filled bool, err error) {
	const sign = "$ARGUMENTS"
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, sign)
		b.WriteString(before)
		switch {
		case !found:
			return b.String(), filled, nil
		case continues(after):
			b.WriteString(sign)
		default:
			b.WriteString(arguments)
			filled = true
		}
		if text = after; b.Len()+len(text) > maxExpanded {
			return "", false, errTooLarge()
		}
	}
}

// skillSection lists the skills that the model may use.
func skillSection(skills []Skill) string {
	var listed []Skill
	for _, s := range skills {
		if !s.UserOnly {
			listed = append(listed, s)
		}
	}
	if len(listed) == 0 {
		return ""
	}
	limit := min(maxDescription, max(minDescription, maxDescriptions/len(listed)))
	var b strings.Builder
	b.WriteString("# Skills\nEach skill is a file of instructions for one kind of task, from the user or the project. When a task fits a description, read that file first and follow it; relative paths in it start from its folder.\n\n<skills>\n")
	for _, s := range listed {
		fmt.Fprintf(&b, "<skill name=\"%s\" path=\"%s\">%s</skill>\n", escaped(s.Name), escaped(s.Path), escaped(cut(s.Description, limit)))
	}
	b.WriteString("</skills>")
	return b.String()
}

// escaped makes a text safe between tags and in attributes.
func escaped(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(visible(s))
}

// visible makes a text one line without characters that don't show.
func visible(s string) string {
	return oneLine(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s))
}

// cut shortens a text to so many characters.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}
