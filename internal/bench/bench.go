//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hoopoe-agent/hoopoe/internal/bench/report"
)

// bench is one run.
type bench struct {
	options
	folder string
	stage  *stage
	log    io.Writer
}

// entrant is a peer that takes part.
type entrant struct {
	peer
	place *place
	// chatless is why its chat shows no prompt: it isn't waited for again.
	chatless error
}

// run has all that are installed do all works. The peers take turns within each
// repetition, so that the machine's mood is the same for all.
func (b *bench) run(ctx context.Context, list []work, rivals []peer) (report.Results, error) {
	defer sweep(b.folder)
	list, err := b.chosen(list)
	if err != nil {
		return report.Results{}, err
	}
	results := report.Results{
		Date: time.Now().Format(time.DateOnly), Runs: b.runs,
		Machine: fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
	}
	entrants, err := b.enter(ctx, &results, rivals)
	if err != nil {
		return report.Results{}, err
	}
	for _, w := range list {
		begun := time.Now()
		rows := b.do(ctx, w, entrants)
		if err := context.Cause(ctx); err != nil {
			return report.Results{}, err
		}
		results.Rows = append(results.Rows, rows...)
		fmt.Fprintf(b.log, "%-14s %.1f s\n", w.id, time.Since(begun).Seconds())
	}
	return results, nil
}

// chosen picks the works of -only.
func (b *bench) chosen(list []work) ([]work, error) {
	for _, id := range b.only {
		if !slices.ContainsFunc(list, func(w work) bool { return w.id == id }) {
			return nil, fmt.Errorf("there is no work %q: -list names them", id)
		}
	}
	return slices.DeleteFunc(list, func(w work) bool { return len(b.only) > 0 && !slices.Contains(b.only, w.id) }), nil
}

// enter finds the peers and has each say hello once, which no figure has in it:
// what a first start does to an empty home is done then.
func (b *bench) enter(ctx context.Context, results *report.Results, all []peer) ([]*entrant, error) {
	for _, name := range b.peers {
		if !slices.ContainsFunc(all, func(p peer) bool { return strings.EqualFold(p.name, name) }) {
			return nil, fmt.Errorf("there is no rival %q: -list names them", name)
		}
	}
	var entrants []*entrant
	for i, p := range append([]peer{hoopoe(b.program)}, all...) {
		if i > 0 && len(b.peers) > 0 && !slices.ContainsFunc(b.peers, func(n string) bool { return strings.EqualFold(p.name, n) }) {
			continue
		}
		e, version, err := b.introduce(ctx, p)
		switch {
		case err == nil:
			entrants = append(entrants, e)
			results.Peers = append(results.Peers, report.Peer{Name: p.name, Version: version})
		case i == 0:
			return nil, fmt.Errorf("our own binary: %w", err)
		default:
			results.Absent = append(results.Absent, report.Peer{Name: p.name, Reason: reason(err, b.folder)})
			fmt.Fprintf(b.log, "%s takes no part: %v\n", p.name, err)
		}
	}
	return entrants, nil
}

func (b *bench) introduce(ctx context.Context, p peer) (*entrant, string, error) {
	w, err := newPlace(b.folder, b.stage.url(), b.path, p)
	if err != nil {
		return nil, "", err
	}
	version, err := b.version(ctx, p, w)
	if err != nil {
		return nil, "", err
	}
	e := &entrant{peer: p, place: w}
	b.stage.play(says("Hello, ", hello, "."))
	if _, err := b.prints(ctx, e, e.print("hello"), hello); err != nil {
		return nil, "", fmt.Errorf("it doesn't answer: %w", err)
	}
	return e, version, nil
}

// do has all peers do a work as often as they may, and makes its rows.
func (b *bench) do(ctx context.Context, w work, entrants []*entrant) []report.Row {
	runs := b.runs
	if w.most > 0 {
		runs = min(runs, w.most)
	}
	samples := make([]map[string][]float64, len(entrants))
	failed := make([]error, len(entrants))
	spent := make([]time.Duration, len(entrants))
	for range runs {
		for i, e := range entrants {
			if failed[i] != nil || spent[i] > b.budget || ctx.Err() != nil {
				continue
			}
			begun := time.Now()
			f, err := w.do(ctx, b, e)
			spent[i] += time.Since(begun)
			if err != nil {
				failed[i] = err
				if !errors.Is(err, errCannot) {
					fmt.Fprintf(b.log, "%s, %s: %v\n", e.name, w.id, err)
				}
				continue
			}
			if samples[i] == nil {
				samples[i] = map[string][]float64{}
			}
			for q, v := range f {
				samples[i][q] = append(samples[i][q], v)
			}
		}
	}
	return rows(w, entrants, samples, failed)
}

func rows(w work, entrants []*entrant, samples []map[string][]float64, failed []error) []report.Row {
	var out []report.Row
	for _, q := range w.quantities {
		row := report.Row{
			Work: w.title, Quantity: q, Unit: units[q], Goal: w.goals[q], Short: slices.Contains(w.short, q), Cells: map[string]report.Cell{},
		}
		for i, e := range entrants {
			switch {
			case failed[i] != nil && !errors.Is(failed[i], errCannot):
				row.Cells[e.name] = report.Cell{Reason: reason(failed[i], e.place.home)}
			case len(samples[i][q]) > 0:
				row.Cells[e.name] = report.Summarize(samples[i][q])
			}
		}
		if len(row.Cells) > 0 { // not every system tells everything
			out = append(out, row)
		}
	}
	return out
}

// reason is an error in one line, without what a rival may have put into it:
// escapes, and the temporary folder.
func reason(err error, folder string) string {
	text := strings.ReplaceAll(err.Error(), folder, "…")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}
