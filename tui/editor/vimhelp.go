package editor

import "github.com/hoopoe-agent/hoopoe/tui/keymap"

// VimHelp is the help on vim's keys. They are no actions of the table and
// can't be changed.
func VimHelp() keymap.Section {
	return keymap.Section{Title: "Vim's keys", Rows: []keymap.Row{
		{Keys: "Esc, i I a A o O", Text: "commands; writing"},
		{Keys: "h j k l, 0 ^ $, gg G", Text: "characters and rows; ends of the line; lines"},
		{Keys: "w b e ge, W B E", Text: "words, and what has blanks around it"},
		{Keys: "f F t T, ; , %", Text: "to a character, again; the other bracket"},
		{Keys: "d c y + motion, object", Text: "cut, change, copy: dw, c$, yap"},
		{Keys: "dd cc yy, D C Y, x X s S", Text: "the same for lines, line ends, characters"},
		{Keys: "iw aW ip i\" a( i[ a{ i<", Text: "objects: word, paragraph, inside or with marks"},
		{Keys: "p P, J ~ r", Text: "put; join, case, replace"},
		{Keys: "v V, o", Text: "select characters, lines; the other end"},
		{Keys: "u, Ctrl+R, .", Text: "undo, redo, the last change again"},
		{Keys: "2, 10 …", Text: "how often, before a command or motion"},
	}}
}
