package tui

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

const (
	on    = "on"
	off   = "off"
	unset = "not set"
)

func onOff(yes bool) string {
	if yes {
		return on
	}
	return off
}

// shown is a value of the files as people read it.
func shown(value string) string {
	switch text, isText := asText(value); {
	case !isText:
		return value
	case text == "":
		return unset
	default:
		return text
	}
}

// asText is the string that a value of the files is.
func asText(value string) (text string, isText bool) {
	isText = json.Unmarshal([]byte(value), &text) == nil
	return text, isText
}

// next is the value step places on, round and round; "" where there is no
// choice.
func (s setting) next(step int) string {
	n, at := len(s.values), slices.Index(s.values, s.value)
	switch {
	case n == 0:
		return ""
	case at < 0 && step < 0:
		at = 0
	}
	return s.values[(at+step+n)%n]
}

// switched holds for what is on or off.
func (s setting) switched() bool { return slices.Equal(s.values, []string{on, off}) }

// written holds for what people write the value of.
func (s setting) written() bool {
	return len(s.values) == 0 && (s.form.Kind == config.Number || s.form.Kind == config.Text)
}

// changes reports whether it can be changed from here, be it by opening the file.
func (s setting) changes() bool {
	return len(s.values) > 0 || s.open != nil || s.written() || s.file.Place != nil
}

// text is the value that is to be changed by writing.
func (s setting) text() string {
	text, isText := asText(s.file.Value)
	if !isText {
		text = s.file.Value
	}
	return strings.TrimSpace(sanitize.Line(text))
}

// live reports whether a change holds at once.
func (s setting) live() bool { return s.set != nil || s.local != nil }

// standard is the value that holds where no file has the key.
func (s setting) standard() string {
	if s.form.Kind == config.Switch {
		return onOff(s.form.Default == "true")
	}
	return shown(s.form.Default)
}

// clears reports whether the user's file has a value that can be taken away.
func (s setting) clears() bool { return s.key != "" && s.file.From != "" && s.file.From == s.file.File }

// save makes one of the values hold, and keeps it where it has a key.
func (s setting) save(ctx context.Context, o *Options, to string) error {
	if s.set != nil {
		if err := s.set(ctx, to); err != nil {
			return err
		}
	}
	if s.switched() {
		return s.keep(ctx, o, to == on)
	}
	return s.keep(ctx, o, to)
}

// clear goes back to the default and takes the key out of the user's file.
func (s setting) clear(ctx context.Context, o *Options) error {
	if s.set != nil {
		if err := s.set(ctx, s.standard()); err != nil {
			return err
		}
	}
	return s.keep(ctx, o, nil)
}

// keep has the user's file say a value; nil takes the key out.
func (s setting) keep(ctx context.Context, o *Options, value any) error {
	if s.key == "" || o.Save == nil {
		return nil
	}
	return o.Save(ctx, s.key, value)
}

// read is the value that a text stands for; with none it is nil, the default.
func (s setting) read(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	return config.Written(s.key, text)
}

// more is what there is to say of a setting.
func (s setting) more(home string) string {
	switch {
	case s.key == "":
		return s.about
	case s.file.From == "":
		return strings.TrimPrefix(s.about+"\n"+s.key+", not set: the default", "\n")
	}
	return strings.TrimPrefix(s.about+"\n"+s.key+", from "+shortPath(s.file.From, "", home), "\n")
}

// goes tells where a change goes, and when it holds.
func (s setting) goes(home string) string {
	var parts []string
	if s.key != "" && s.file.File != "" {
		parts = append(parts, "It goes to "+shortPath(s.file.File, "", home)+".")
	}
	switch {
	case s.overruled():
		parts = append(parts, "Here "+s.winner(home)+" wins over it.")
	case !s.live() && s.key != "":
		parts = append(parts, "It holds from the next start on.")
	}
	return strings.Join(parts, " ")
}

// overruled reports whether another file than the user's own says what holds.
func (s setting) overruled() bool {
	return s.key != "" && s.file.File != "" && s.file.From != "" && s.file.From != s.file.File
}

// winner is that file.
func (s setting) winner(home string) string { return shortPath(s.file.From, "", home) }

// changed is what to say when a change has been kept; "" where it can be seen.
func (s setting) changed(home string) string {
	switch {
	case s.overruled():
		return "Saved, but here " + s.winner(home) + " wins"
	case !s.live() && s.key != "":
		return "Saved; it holds from the next start on"
	}
	return ""
}
