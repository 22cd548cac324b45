package keymap

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// modifiers in the order of a canonical key.
var modifiers = [...]string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// modifierNames are what people write for a modifier.
func modifier(name string) (string, bool) {
	switch name {
	case "control":
		name = "ctrl"
	case "option", "opt":
		name = "alt"
	case "cmd", "command", "win", "windows":
		name = "super"
	}
	return name, slices.Contains(modifiers[:], name)
}

// named are the keys with names, as the terminal layer calls them.
var named = [...]string{
	"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right", "begin", "insert", "delete",
	"pgup", "pgdown", "home", "end", "menu", "pause", "printscreen",
}

// special finds a named key by any of its names.
func special(name string) (string, bool) {
	switch name {
	case "escape":
		name = "esc"
	case "return":
		name = "enter"
	case "pageup":
		name = "pgup"
	case "pagedown", "pgdn":
		name = "pgdown"
	case "del":
		name = "delete"
	case "ins":
		name = "insert"
	case "clear":
		name = "begin"
	case "plus":
		return "+", true
	case "minus":
		return "-", true
	}
	if slices.Contains(named[:], name) {
		return name, true
	}
	var n int
	if _, err := fmt.Sscanf(name, "f%d", &n); err == nil && n >= 1 && n <= 63 && name == fmt.Sprintf("f%d", n) {
		return name, true
	}
	return "", false
}

// Parse reads a key as people write it and returns its canonical form: lower
// case, modifiers in one order, "ctrl+shift+-" as "ctrl+_".
func Parse(key string) (string, error) {
	rest := strings.ToLower(strings.TrimSpace(key))
	mods := map[string]bool{}
	for {
		head, tail, ok := strings.Cut(rest, "+")
		if !ok || head == "" || tail == "" { // "+" itself, or "ctrl++"
			break
		}
		mod, ok := modifier(head)
		if !ok {
			return "", fmt.Errorf("%q: %q is no modifier; there are ctrl, alt, shift, super, meta, hyper", key, head)
		}
		mods[mod] = true
		rest = tail
	}
	name, ok := special(rest)
	if !ok {
		r, n := utf8.DecodeRuneInString(rest)
		if n == 0 || n != len(rest) || !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return "", fmt.Errorf("%q: there is no key %q; write a character, f1 to f63, or one of %s", key, rest, strings.Join(named[:], ", "))
		}
		name = rest
	}
	return canonical(mods, name), nil
}

// shifted is what Shift makes of the signs of a US keyboard. A terminal with
// the old protocol sends the sign, one with the new the key and Shift.
const (
	plainSigns   = "`1234567890-=[]\\;',./"
	shiftedSigns = `~!@#$%^&*()_+{}|:"<>?`
)

func canonical(mods map[string]bool, name string) string {
	if mods["shift"] && len(name) == 1 {
		if i := strings.IndexByte(plainSigns, name[0]); i >= 0 {
			name = shiftedSigns[i : i+1]
		}
		if strings.Contains(shiftedSigns, name) {
			delete(mods, "shift")
		}
	}
	var b strings.Builder
	for _, m := range modifiers {
		if mods[m] {
			b.WriteString(m + "+")
		}
	}
	return b.String() + name
}

// Stroke returns the canonical form of a key that was pressed. With a keyboard
// of another script it is the key of the Latin layout, if the terminal tells.
func Stroke(k tea.KeyPressMsg) string {
	k.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	if k.Code > unicode.MaxASCII && unicode.IsPrint(k.Code) && k.BaseCode > ' ' && k.BaseCode <= unicode.MaxASCII {
		k.Code, k.ShiftedCode = k.BaseCode, 0
	}
	k.BaseCode = 0 // the library would rather name the key than what is on it
	if sign(k.ShiftedCode) && sign(k.Code) && k.Mod.Contains(tea.ModShift) {
		k.Code = k.ShiftedCode
		k.Mod &^= tea.ModShift
	}
	if unicode.IsUpper(k.Code) {
		k.Code = unicode.ToLower(k.Code)
		k.Mod |= tea.ModShift
	}
	if k.Mod.Contains(tea.ModShift) && k.Code <= unicode.MaxASCII && k.Code > ' ' {
		if i := strings.IndexByte(plainSigns, byte(k.Code)); i >= 0 {
			k.Code = rune(shiftedSigns[i])
		}
		if strings.ContainsRune(shiftedSigns, k.Code) {
			k.Mod &^= tea.ModShift
		}
	}
	return k.Keystroke()
}

// sign holds for the visible characters of ASCII that are no letters.
func sign(r rune) bool {
	return r > ' ' && r < 0x7f && !unicode.IsLetter(r)
}

// types reports whether a key by itself puts a character into the text.
func types(key string) bool {
	key = strings.TrimPrefix(key, "shift+")
	return key == "space" || utf8.RuneCountInString(key) == 1
}

// Label shows a canonical key as people read it: "Ctrl+Shift+P", "PgUp", "F2".
func Label(key string) string {
	var b strings.Builder
	for _, m := range modifiers {
		if rest, ok := strings.CutPrefix(key, m+"+"); ok {
			b.WriteString(strings.ToUpper(m[:1]) + m[1:] + "+")
			key = rest
		}
	}
	switch key {
	case "pgup":
		return b.String() + "PgUp"
	case "pgdown":
		return b.String() + "PgDn"
	}
	r, n := utf8.DecodeRuneInString(key)
	if n == len(key) && b.Len() == 0 {
		return key
	}
	return b.String() + string(unicode.ToUpper(r)) + key[n:]
}
