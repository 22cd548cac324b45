package themes

import (
	"reflect"
	"strconv"
	"strings"
)

// Reading is how well one colour can be read on what is behind it.
type Reading struct {
	Dark       bool   // of the dark variant
	Key        string // the colour's
	On         string // the key of what is behind it
	Text       string // the colours, in the form of Colors
	Background string
	Ratio      float64 // WCAG's contrast, 1 to 21; 0 where the terminal's user decides a colour
	Need       float64 // the least that will do
}

// OK reports whether the colour can be read. What the terminal's user decides
// can.
func (r Reading) OK() bool { return r.Ratio == 0 || r.Ratio >= r.Need }

// Where a theme leaves the terminal's background alone, its colours are judged
// on the usual background that makes it hardest: a pale dark one, a dim light
// one.
const (
	UsualDark  = "#282c34"
	UsualLight = "#f6f1e4"
)

// Readings judges all colours of the variants that the theme shows.
func (t Theme) Readings() []Reading {
	var list []Reading
	for _, dark := range []bool{true, false} {
		if c, shown := t.Variant(dark); shown == dark {
			list = append(list, c.readings(dark)...)
		}
	}
	return list
}

func (c Colors) readings(dark bool) []Reading {
	fields, t := fieldsOf(&c), reflect.TypeFor[Colors]()
	var list []Reading
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		need, err := strconv.ParseFloat(tag.Get("need"), 64)
		if err != nil {
			continue // it is behind others
		}
		key := tag.Get("json")
		on := strings.Fields(tag.Get("on"))
		if len(on) == 0 {
			on = []string{"background"}
		}
		for _, behind := range on {
			list = append(list, c.reading(dark, key, *fields[key], behind, *fields[behind], need))
		}
		for _, behind := range strings.Fields(tag.Get("also")) {
			list = append(list, c.reading(dark, key, *fields[key], behind, *fields[behind], min(need, 3)))
		}
	}
	return list
}

func (c Colors) reading(dark bool, key, text, on, background string, need float64) Reading {
	r := Reading{Dark: dark, Key: key, On: on, Text: text, Background: background, Need: need}
	if r.Background == "" {
		r.Background = c.Background
	}
	if r.Background == "" && dark {
		r.Background = UsualDark
	} else if r.Background == "" {
		r.Background = UsualLight
	}
	if r.Text == "" && key != "text" {
		r.Text = c.Text
	}
	front, ok := RGB(r.Text)
	behind, okBehind := RGB(r.Background)
	switch {
	case ok && okBehind:
		r.Ratio = Contrast(front, behind)
	case r.Text == "" && (c.Background != "" || background != ""):
		r.Ratio = 1 // the terminal's own text on a colour that it doesn't know
	}
	return r
}
