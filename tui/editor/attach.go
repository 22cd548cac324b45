package editor

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Attachment is a file that goes with the prompt, such as a pasted image.
type Attachment struct {
	Label string // its place in the text: "[Image 1]"
	Name  string // of the file, for people; may be empty
	MIME  string
	Data  []byte
}

// Submission is what the editor holds: the text with every paste in full, and
// the files whose labels are in it, in the order of their first labels.
type Submission struct {
	Text        string
	Attachments []Attachment
}

// Attach puts a label for a file at the caret and returns it. The label moves
// and goes as one character; without it the file isn't sent. The data are kept
// as they are and must not be changed.
func (e *Editor) Attach(name string, data []byte, mime string) string {
	what := "File"
	if strings.HasPrefix(mime, "image/") {
		what = "Image"
	}
	label := ""
	for n := 1; ; n++ {
		label = fmt.Sprintf("[%s %d]", what, n)
		if _, taken := e.files[label]; !taken {
			break
		}
	}
	e.hold(Attachment{Label: label, Name: sanitize.Line(name), MIME: mime, Data: data})
	e.did(commandNone)
	e.insert([][]cell{{e.files[label]}})
	e.did(commandNone)
	return label
}

func (e *Editor) hold(a Attachment) {
	if e.files == nil {
		e.files = map[string]cell{}
	}
	e.files[a.Label] = cell{text: a.Label, held: &held{text: a.Label, file: &a}, width: style.Width(a.Label)}
}

// Submission returns what is to be sent.
func (e *Editor) Submission() Submission {
	s := Submission{Text: e.Value()}
	seen := map[*Attachment]bool{}
	for _, line := range e.buf.lines {
		for _, c := range line {
			if c.held != nil && c.held.file != nil && !seen[c.held.file] {
				seen[c.held.file] = true
				s.Attachments = append(s.Attachments, *c.held.file)
			}
		}
	}
	return s
}

// Restore brings a submission back that could not be sent.
func (e *Editor) Restore(s Submission) {
	e.Reset()
	for _, a := range s.Attachments {
		e.hold(a)
	}
	e.SetValue(s.Text)
}

// segment cuts text into cells. The labels of files that are at hand become
// cells again, as after the text was changed in another editor.
func (e *Editor) segment(text string) [][]cell {
	if len(e.files) == 0 {
		return segment(text)
	}
	lines := [][]cell{nil}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			lines = append(lines, nil)
		}
		lines[i] = e.labelled(line)
	}
	return lines
}

func (e *Editor) labelled(line string) []cell {
	var cells []cell
	done := 0
	for i := 0; i < len(line); i++ {
		if line[i] != '[' {
			continue
		}
		end := strings.IndexByte(line[i:], ']')
		if end < 0 {
			break
		}
		if c, ok := e.files[line[i:i+end+1]]; ok {
			cells = append(append(cells, clusters(line[done:i])...), c)
			done = i + end + 1
			i += end
		}
	}
	return append(cells, clusters(line[done:])...)
}
