//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// skill writes a skill below root.
func (p *place) skill(root, name, description, text string) {
	p.t.Helper()
	path := filepath.Join(root, "skills", name, "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("---\nname: "+name+"\n"+description+"\n---\n"+text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

const skilled = `-- turn --
times: always
on: Use pdftk on form.pdf.
-- text --
The form is filled.
-- turn --
times: always
on: Use the style.
-- text --
The style is used.
-- turn --
times: always
on: begin
-- call bash --
{"command": "until [ -e go ]; do sleep 0.05; done"}
-- turn --
times: always
-- text --
A whole answer
`

// Skills in the chat: a folder that has nothing else is asked about, once; the
// popup offers them as they are on disk, bad ones are told, and a call of one
// goes to the model, also while it works.
func TestChatSkills(t *testing.T) {
	p := newPlace(t)
	p.skill(filepath.Join(p.dir, ".claude"), "pdf", "description: Work on PDF files\nargument-hint: <file>", "Use pdftk on $ARGUMENTS.")
	p.skill(filepath.Join(p.home, ".agents"), "broken", "name: nothing", "x")
	model := p.script("skilled", skilled)
	s, c := p.chat(model, "--permissions", "full")
	s.see("Trust this folder?", ".claude/skills")
	s.answer("y", "Trust this folder?")
	s.see("broken/SKILL.md: not used")
	s.keys("/skill:")
	s.see("› /skill:pdf", "<file>  Work on PDF files")
	s.keys("\r")
	s.see("› /skill:pdf ")
	s.keys("form.pdf\r")
	s.see("The form is filled.")
	s.keys("begin\r")
	s.see("until [ -e go ]")
	p.skill(filepath.Join(p.home, ".agents"), "style", "description: How we write", "Use the style.")
	s.keys("/reload\r")
	s.see("2 skills, 0 templates")
	s.keys("/skill:st")
	s.see("How we write")
	s.keys("\r")
	s.see(`next: <skill name="style"`)
	p.file("go", "")
	s.see("The style is used.")
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s, c = p.chat(model, "hello")
	s.see("A whole answer")
	if strings.Contains(s.text(), "Trust this folder?") {
		t.Error("the folder is asked about again")
	}
	s.keys("/skills\r")
	s.see("Work on PDF files", "How we write")
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
