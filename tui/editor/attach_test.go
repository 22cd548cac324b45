package editor_test

import (
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

// labels are the labels of a submission's files.
func labels(s editor.Submission) string {
	var out []string
	for _, a := range s.Attachments {
		out = append(out, a.Label+"="+string(a.Data))
	}
	return strings.Join(out, " ")
}

// C-4: an image is one character of the prompt and goes with it.
func TestAttach(t *testing.T) {
	e, _ := newEditor()
	typeIn(e, "see ")
	if got := e.Attach("a\x1b[2J.png", []byte("A"), "image/png"); got != "[Image 1]" {
		t.Errorf("label %q", got)
	}
	typeIn(e, " and ")
	e.Attach("b.jpg", []byte("B"), "image/jpeg")
	e.Attach("c.pdf", []byte("C"), "application/pdf")
	s := e.Submission()
	if s.Text != "see [Image 1] and [Image 2][File 1]" || labels(s) != "[Image 1]=A [Image 2]=B [File 1]=C" {
		t.Errorf("%q with %s", s.Text, labels(s))
	}
	if a := s.Attachments[0]; a.Name != "a.png" || a.MIME != "image/png" {
		t.Errorf("%q, %q", a.Name, a.MIME)
	}
	press(e, "home", "ctrl+right", "right")
	if got := marked(e); !strings.HasPrefix(got, "see |[Image 1] and") {
		t.Errorf("%q", got)
	}
	press(e, "delete")
	if got := labels(e.Submission()); got != "[Image 2]=B [File 1]=C" {
		t.Errorf("after deleting a label: %s", got)
	}
	press(e, "ctrl+_")
	if got := labels(e.Submission()); got != "[Image 1]=A [Image 2]=B [File 1]=C" {
		t.Errorf("after undo: %s", got)
	}

	// Another editor gives text; the labels in it are still images.
	e.ReplaceAll("first [Image 2], then [Image 1], no [Image 7] [Image")
	if got := labels(e.Submission()); got != "[Image 2]=B [Image 1]=A" {
		t.Errorf("after ReplaceAll: %s", got)
	}
	press(e, "ctrl+_")
	if got := e.Value(); got != "see [Image 1] and [Image 2][File 1]" {
		t.Errorf("ReplaceAll undone: %q", got)
	}

	// A prompt that was not sent comes back whole.
	s = e.Submission()
	e.Reset()
	if e.Attach("", nil, "image/png"); labels(e.Submission()) != "[Image 1]=" {
		t.Error("numbers go on after Reset")
	}
	e.Restore(s)
	if got := e.Submission(); got.Text != s.Text || labels(got) != labels(s) {
		t.Errorf("restored %q with %s", got.Text, labels(got))
	}
	press(e, "backspace")
	if got := e.Value(); got != "see [Image 1] and [Image 2]" {
		t.Errorf("a restored label isn't one character: %q", got)
	}
	if got := e.Attach("", nil, "image/png"); got != "[Image 3]" {
		t.Errorf("label %q", got)
	}
}

// A label stays with its image on the way through the history and back.
func TestAttachmentInDraft(t *testing.T) {
	e, _ := newEditor("older")
	e.Attach("", []byte("A"), "image/png")
	press(e, "up", "down")
	if got := labels(e.Submission()); got != "[Image 1]=A" {
		t.Errorf("%q", got)
	}
	press(e, "ctrl+_")
	if !e.Empty() {
		t.Errorf("nothing to undo in the draft after a look at the history: %q", e.Value())
	}
}

// Ctrl+C on a prompt can be taken back.
func TestClear(t *testing.T) {
	e, _ := newEditor()
	typeIn(e, "precious words")
	e.Clear()
	if !e.Empty() {
		t.Errorf("left: %q", e.Value())
	}
	press(e, "ctrl+_")
	if got := marked(e); got != "precious words|" {
		t.Errorf("%q", got)
	}
	e.Reset()
	e.Clear()
	if press(e, "ctrl+_") != editor.Ignored {
		t.Error("clearing nothing is a step")
	}
}
