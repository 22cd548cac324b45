package style

import "strings"

// TitleRoom is what a rule of so many columns leaves for its title.
func TitleRoom(width int) int { return max(width-6, 1) }

// Rule is a line across the screen with a title in it, which is cut to
// TitleRoom, and with a note at its end where there is room for one; whole says
// that the note is there, or that there is none.
func (s Styles) Rule(title, note string, width int) (row string, whole bool) {
	width = max(width, 1)
	line := func(n int) string { return s.Border.Render(strings.Repeat("─", max(n, 0))) }
	left, taken := "", 0
	if title != "" {
		title = Cut(title, TitleRoom(width))
		left, taken = line(2)+" "+s.Bold.With(s.Accent).Render(title)+" ", Width(title)+4
	}
	end := ""
	if n := Width(note) + 4; note != "" && taken+n < width {
		end, taken = " "+s.Muted.Render(note)+" "+line(2), taken+n
	}
	return Cut(left+line(width-taken)+end, width), note == "" || end != ""
}
