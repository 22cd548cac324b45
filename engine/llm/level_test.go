package llm

import (
	"slices"
	"testing"
)

func TestParseLevel(t *testing.T) {
	for _, l := range AllLevels() {
		if got, err := ParseLevel(string(l)); err != nil || got != l {
			t.Errorf("%s: %s, %v", l, got, err)
		}
	}
	if got, err := ParseLevel("XHigh"); err != nil || got != XHigh {
		t.Errorf("XHigh: %s, %v", got, err)
	}
	for _, s := range []string{"", "max", " high", "hi"} {
		if got, err := ParseLevel(s); err == nil {
			t.Errorf("%q is taken for %s", s, got)
		}
	}
}

func TestClamp(t *testing.T) {
	plain := Model{}
	usual := Model{Reasoning: true}
	upper := Model{Reasoning: true, Levels: []Level{High, XHigh}}
	gaps := Model{Reasoning: true, Levels: []Level{Low, High}}
	for _, c := range []struct {
		name  string
		model Model
		want  Level
		get   Level
	}{
		{"no reasoning", plain, High, Off},
		{"off stays off", usual, Off, Off},
		{"empty is off", usual, "", Off},
		{"as wanted", usual, Medium, Medium},
		{"above the highest", usual, XHigh, High},
		{"below the lowest", upper, Low, High},
		{"highest", upper, XHigh, XHigh},
		{"the one below a gap", gaps, Medium, Low},
		{"below a gap's lower end", gaps, Minimal, Low},
		{"over a gap", gaps, XHigh, High},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.model.Clamp(c.want); got != c.get {
				t.Errorf("Clamp(%q) = %q, want %q", c.want, got, c.get)
			}
		})
	}
}

func TestSupported(t *testing.T) {
	for _, c := range []struct {
		model Model
		want  []Level
	}{
		{Model{}, []Level{Off}},
		{Model{Levels: []Level{High}}, []Level{Off}},
		{Model{Reasoning: true}, []Level{Off, Minimal, Low, Medium, High}},
		{Model{Reasoning: true, Levels: []Level{Low, XHigh}}, []Level{Off, Low, XHigh}},
	} {
		if got := c.model.Supported(); !slices.Equal(got, c.want) {
			t.Errorf("%+v supports %v, want %v", c.model, got, c.want)
		}
		// Each supported level is its own clamp.
		for _, l := range c.model.Supported() {
			if got := c.model.Clamp(l); got != l {
				t.Errorf("%+v clamps %s to %s", c.model, l, got)
			}
		}
	}
}

// Asking a model twice must not let one answer change another.
func TestSupportedIsACopy(t *testing.T) {
	levels := make([]Level, 1, 8)
	levels[0] = Low
	m := Model{Reasoning: true, Levels: levels}
	a := m.Supported()
	a[0], a[1] = XHigh, XHigh
	if got := m.Supported(); !slices.Equal(got, []Level{Off, Low}) {
		t.Errorf("supported is now %v", got)
	}
}
