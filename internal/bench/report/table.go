package report

import (
	"fmt"
	"math"
	"strings"
)

// Unit is what a row's figures are in.
type Unit string

// The units.
const (
	Milliseconds Unit = "ms"
	Megabytes    Unit = "MB" // of 1,000,000 bytes on a wire, of 1<<20 in memory
)

// Format writes a figure with as many digits as mean something.
func (u Unit) Format(v float64) string {
	switch {
	case u == Milliseconds && v >= 1000:
		return fmt.Sprintf("%.2f s", v/1000)
	case v == 0 || math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f %s", v, u)
	case math.Abs(v) >= 10:
		return fmt.Sprintf("%.1f %s", v, u)
	}
	return fmt.Sprintf("%.2f %s", v, u)
}

// Document is all there is, in Markdown.
func (r Results) Document() string {
	var b strings.Builder
	b.WriteString("# Beside the rivals\n\n")
	fmt.Fprintf(&b, "%s, %s. Medians of %d runs, in brackets the least and the most; * marks fewer runs.\n\n", r.Date, r.Machine, r.Runs)
	for i, p := range r.Peers {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Name + " " + p.Version)
	}
	b.WriteString(".\n\n")
	for _, p := range r.Absent {
		fmt.Fprintf(&b, "- %s took no part: %s\n", p.Name, p.Reason)
	}
	if len(r.Absent) > 0 {
		b.WriteString("\n")
	}
	head := []string{"work", "quantity"}
	for _, p := range r.Peers {
		head = append(head, p.Name)
	}
	var rows [][]string
	work := ""
	for _, row := range r.Rows {
		cells := []string{row.Work, row.Quantity}
		if row.Work == work {
			cells[0] = ""
		}
		work = row.Work
		for _, p := range r.Peers {
			cells = append(cells, r.cell(row, p.Name))
		}
		cells = append(cells, r.times(row), row.Goal.text(row.Unit), string(r.Judge(row)))
		rows = append(rows, cells)
	}
	writeTable(&b, append(head, "ours / best", "goal", ""), rows)
	b.WriteString(r.reasons())
	return b.String()
}

// cell shows a figure with its range.
func (r Results) cell(row Row, peer string) string {
	c := row.Cells[peer]
	if c.N == 0 {
		return "–"
	}
	text := row.Unit.Format(c.Median)
	if c.N > 1 {
		text += fmt.Sprintf(" (%s–%s)", number(row.Unit, c.Min), number(row.Unit, c.Max))
	}
	if c.N < r.Runs {
		text += " *"
	}
	return text
}

// number is a figure without its unit, except where that isn't the row's.
func number(u Unit, v float64) string { return strings.TrimSuffix(u.Format(v), " "+string(u)) }

func (r Results) times(row Row) string {
	ratio, ok := r.Best(row)
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.2fx %s", ratio.Times, ratio.Of)
}

// reasons lists why a figure is missing, where somebody should have had one.
func (r Results) reasons() string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, row := range r.Rows {
		for _, p := range r.Peers {
			reason := row.Cells[p.Name].Reason
			line := fmt.Sprintf("- %s, %s: %s\n", p.Name, row.Work, reason)
			if reason != "" && !seen[line] {
				seen[line] = true
				b.WriteString(line)
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nNot measured:\n\n" + b.String()
}

func writeTable(b *strings.Builder, head []string, rows [][]string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, cells := range rows {
		for i, c := range cells {
			cells[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(c)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}
