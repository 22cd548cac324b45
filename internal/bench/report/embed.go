package report

import (
	"fmt"
	"strings"
)

// The markers between which Embed writes.
const (
	Begin = "<!-- bench-peers -->"
	End   = "<!-- /bench-peers -->"
)

// Short is the README's part: medians of the short rows.
func (r Results) Short() string {
	var b strings.Builder
	head := []string{""}
	for _, p := range r.Peers {
		head = append(head, strings.TrimSpace(p.Name+" "+p.Version))
	}
	var rows [][]string
	for _, row := range r.Rows {
		if !row.Short {
			continue
		}
		cells := []string{row.Work + ", " + row.Quantity}
		for i, p := range r.Peers {
			text := "–"
			if c := row.Cells[p.Name]; c.N > 0 {
				text = row.Unit.Format(c.Median)
			}
			if i == 0 {
				text = "**" + text + "**"
			}
			cells = append(cells, text)
		}
		rows = append(rows, append(cells, r.times(row)))
	}
	writeTable(&b, append(head, "ours / best rival"), rows)
	fmt.Fprintf(&b, "\nMedians of %d runs on one machine (%s), %s.\n", r.Runs, r.Machine, r.Date)
	return b.String()
}

// Embed replaces what stands between the markers of a document.
func Embed(document, part string) (string, error) {
	before, rest, ok1 := strings.Cut(document, Begin)
	_, after, ok2 := strings.Cut(rest, End)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("the document has no %s before a %s", Begin, End)
	}
	return before + Begin + "\n" + strings.Trim(part, "\n") + "\n" + End + after, nil
}
