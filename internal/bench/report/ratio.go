package report

import (
	"cmp"
	"fmt"
	"slices"
)

// Ratio is our figure in parts of a rival's.
type Ratio struct {
	Times float64
	Of    string // the rival's name
}

// best is the rival with the least median in a row; false if there is none.
func (r Results) best(row Row) (string, bool) {
	var names []string
	for _, p := range r.Peers[1:] {
		if c, ok := row.Cells[p.Name]; ok && c.N > 0 {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return slices.MinFunc(names, func(a, b string) int {
		return cmp.Compare(row.Cells[a].Median, row.Cells[b].Median)
	}), true
}

// ours is our own cell; false if there is no figure.
func (r Results) ours(row Row) (Cell, bool) {
	c := row.Cells[r.Peers[0].Name]
	return c, c.N > 0
}

// Best is the ratio of ours to the best rival's; false where there is none, or
// where the best is nothing at all.
func (r Results) Best(row Row) (Ratio, bool) {
	name, ok := r.best(row)
	if !ok {
		return Ratio{}, false
	}
	return r.ratio(row, name)
}

func (r Results) ratio(row Row, rival string) (Ratio, bool) {
	ours, ok := r.ours(row)
	theirs := row.Cells[rival]
	if !ok || theirs.N == 0 || theirs.Median <= 0 {
		return Ratio{}, false
	}
	return Ratio{ours.Median / theirs.Median, rival}, true
}

// Verdict of a goal.
type Verdict string

// The verdicts; the last where a figure is missing, or no goal is set.
const (
	Met    Verdict = "met"
	Missed Verdict = "missed"
	Open   Verdict = ""
)

// Judge says whether ours is at its goal. A goal of a rival that took no part
// stays open: another one can't stand for it.
func (r Results) Judge(row Row) Verdict {
	ours, ok := r.ours(row)
	if !ok || row.Goal == (Goal{}) {
		return Open
	}
	if row.Goal.Most != nil && ours.Median > *row.Goal.Most {
		return Missed
	}
	if row.Goal.Times == 0 {
		return Met
	}
	ratio, ok := r.Best(row)
	if row.Goal.Of != "" {
		ratio, ok = r.ratio(row, row.Goal.Of)
	}
	switch {
	case !ok:
		return Open
	case ratio.Times > row.Goal.Times:
		return Missed
	}
	return Met
}

// text of a goal: "0.5x Crush, under 40 MB".
func (g Goal) text(unit Unit) string {
	var times, most string
	if g.Times != 0 {
		times = fmt.Sprintf("%gx %s", g.Times, cmp.Or(g.Of, "the best"))
	}
	if g.Most != nil {
		most = "at most " + unit.Format(*g.Most)
		if *g.Most == 0 {
			most = "none"
		}
	}
	if times != "" && most != "" {
		return times + ", " + most
	}
	return times + most
}
