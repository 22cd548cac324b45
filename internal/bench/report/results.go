package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Results is one run of all works.
type Results struct {
	// Date is that of the run, YYYY-MM-DD.
	Date string `json:"date"`
	// Machine says what the ratios may depend on: cores and platform.
	Machine string `json:"machine"`
	// Runs is how often each work was to be done.
	Runs int `json:"runs"`
	// Peers are the columns, ours first.
	Peers []Peer `json:"peers"`
	// Absent are the rivals that took no part.
	Absent []Peer `json:"absent,omitempty"`
	Rows   []Row  `json:"rows"`
}

// Peer is a program and its version, or why it took no part.
type Peer struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Row is one quantity of one work.
type Row struct {
	Work     string `json:"work"`
	Quantity string `json:"quantity"`
	Unit     Unit   `json:"unit"`
	Goal     Goal   `json:"goal"`
	// Short rows are those of the README.
	Short bool            `json:"short,omitempty"`
	Cells map[string]Cell `json:"cells"` // by the peer's name
}

// Goal is what we want of our own figure.
type Goal struct {
	// Times is the most that ours may be, in parts of the rival's; 0 is no goal.
	Times float64 `json:"times,omitempty"`
	// Of is that rival; without a name it is the best of them.
	Of string `json:"of,omitempty"`
	// Most is the most that ours may be, in the row's unit; nil is no goal.
	Most *float64 `json:"most,omitempty"`
}

// Cell is one peer's figure in a row.
type Cell struct {
	N      int     `json:"n,omitempty"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	// Reason is why there is no figure.
	Reason string `json:"reason,omitempty"`
}

// Summarize makes a cell of samples, of which there is at least one.
func Summarize(samples []float64) Cell {
	s := slices.Sorted(slices.Values(samples))
	n := len(s)
	return Cell{N: n, Median: (s[(n-1)/2] + s[n/2]) / 2, Min: s[0], Max: s[n-1]}
}

// Read reads the file that Write wrote.
func Read(path string) (Results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Results{}, fmt.Errorf("read the results: %w; make bench-peers writes them", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var r Results
	if err := d.Decode(&r); err != nil {
		return Results{}, fmt.Errorf("read the results %s: %w", path, err)
	}
	if len(r.Peers) == 0 {
		return Results{}, fmt.Errorf("read the results %s: no peers", path)
	}
	return r, nil
}

// Write writes the results where Read reads them.
func (r Results) Write(path string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return nil
}
