package markdown

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// tableWidth returns the columns that a table needs, or 0 if the text is not
// one table. Glamour stretches every table to the width it is given. The
// result is never too small: markup only makes cells shorter. Tables with
// links are left alone, since Glamour lists their addresses below.
func tableWidth(text string) int {
	if strings.Contains(text, "](") || strings.Contains(text, "://") || strings.Contains(text, "www.") {
		return 0
	}
	var cells []int // the widest of each column
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if !strings.Contains(line, "|") {
			return 0
		}
		row := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
		if strings.Trim(row, "-:| \t") == "" { // the line below the head
			continue
		}
		for i, cell := range strings.Split(row, "|") {
			if i == len(cells) {
				cells = append(cells, 0)
			}
			cells[i] = max(cells[i], style.Width(strings.TrimSpace(cell)))
		}
	}
	total := max(len(cells)-1, 0) // the lines between
	for _, n := range cells {
		total += n + 2
	}
	return total
}
