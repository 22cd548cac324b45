package report

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func at(n float64) *float64 { return &n }

// sample has every case of a cell, a goal and a verdict.
func sample() Results {
	cell := func(v ...float64) Cell { return Summarize(v) }
	return Results{
		Date: "2026-01-02", Machine: "4 cores, linux/amd64", Runs: 3,
		Peers:  []Peer{{Name: "Hoopoe", Version: "0.1.0"}, {Name: "pi", Version: "1.6.0"}, {Name: "Crush", Version: "2.0"}},
		Absent: []Peer{{Name: "omp", Reason: "omp is not installed"}},
		Rows: []Row{
			{Work: "print", Quantity: "wall", Unit: Milliseconds, Short: true, Goal: Goal{Times: 0.5, Of: "Crush"}, Cells: map[string]Cell{
				"Hoopoe": cell(20, 30, 25), "pi": cell(700, 1200, 710), "Crush": cell(100, 90, 110),
			}},
			{Work: "print", Quantity: "memory", Unit: Megabytes, Goal: Goal{Most: at(40)}, Cells: map[string]Cell{
				"Hoopoe": cell(41, 42, 41.5), "pi": cell(140), "Crush": {Reason: "no | end"},
			}},
			{Work: "idle", Quantity: "CPU", Unit: Milliseconds, Short: true, Goal: Goal{Times: 0.5, Of: "Codex", Most: at(0)}, Cells: map[string]Cell{
				"Hoopoe": cell(0, 0, 0), "pi": cell(0, 0, 0), "Crush": {Reason: "no | end"},
			}},
			{Work: "alone", Quantity: "wall", Unit: Milliseconds, Cells: map[string]Cell{"Hoopoe": cell(1, 2, 3)}},
		},
	}
}

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    Cell
	}{
		{[]float64{3}, Cell{N: 1, Median: 3, Min: 3, Max: 3}},
		{[]float64{3, 1}, Cell{N: 2, Median: 2, Min: 1, Max: 3}},
		{[]float64{9, 1, 4}, Cell{N: 3, Median: 4, Min: 1, Max: 9}},
		{[]float64{9, 1, 4, 6}, Cell{N: 4, Median: 5, Min: 1, Max: 9}},
	} {
		if got := Summarize(c.samples); got != c.want {
			t.Errorf("%v: %+v, not %+v", c.samples, got, c.want)
		}
	}
}

func TestJudge(t *testing.T) {
	r := sample()
	row := func(g Goal, ours, pi, crush float64) Row {
		cells := map[string]Cell{"Hoopoe": Summarize([]float64{ours})}
		if pi > 0 {
			cells["pi"] = Summarize([]float64{pi})
		}
		if crush > 0 {
			cells["Crush"] = Summarize([]float64{crush})
		}
		return Row{Unit: Milliseconds, Goal: g, Cells: cells}
	}
	for name, c := range map[string]struct {
		row  Row
		want Verdict
	}{
		"no goal":                      {row(Goal{}, 1, 2, 3), Open},
		"half of the best":             {row(Goal{Times: 0.5}, 1, 2, 3), Met},
		"more than half of the best":   {row(Goal{Times: 0.5}, 1.1, 2, 9), Missed},
		"half of one":                  {row(Goal{Times: 0.5, Of: "Crush"}, 1, 0.1, 2), Met},
		"one that wasn't there":        {row(Goal{Times: 0.5, Of: "Crush"}, 1, 100, 0), Open},
		"one of no column":             {row(Goal{Times: 0.5, Of: "Codex"}, 1, 100, 100), Open},
		"a limit":                      {row(Goal{Most: at(1)}, 1, 0, 0), Met},
		"above a limit":                {row(Goal{Most: at(1)}, 1.01, 0, 0), Missed},
		"a limit that nobody else has": {row(Goal{Most: at(1), Times: 0.5}, 1, 0, 0), Open},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.Judge(c.row); got != c.want {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Milliseconds, 1234, "1.23 s"}, {Milliseconds, 999, "999 ms"}, {Milliseconds, 12.34, "12.3 ms"}, {Milliseconds, 1.234, "1.23 ms"},
		{Milliseconds, 0, "0 ms"}, {Megabytes, 1234, "1234 MB"}, {Megabytes, 0.5, "0.50 MB"},
	} {
		if got := c.unit.Format(c.v); got != c.want {
			t.Errorf("%v %s: %q, not %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestDocuments(t *testing.T) {
	for name, text := range map[string]string{"document.golden": sample().Document(), "short.golden": sample().Short()} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(string(want), "\r\n", "\n"); got != text {
				t.Errorf("got\n%s\nwant\n%s", text, got)
			}
		})
	}
}

func TestEmbed(t *testing.T) {
	got, err := Embed("before\n"+Begin+"\nold\n"+End+"\nafter\n", "new\n\n")
	if want := "before\n" + Begin + "\nnew\n" + End + "\nafter\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, document := range []string{"", Begin, End, End + Begin} {
		if got, err := Embed(document, "new"); err == nil {
			t.Errorf("%q became %q", document, got)
		}
	}
}

func TestReadWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	if err := sample().Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"", "{}", `{"peers":[{"name":"a"}],"rowz":1}`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "results.json") {
			t.Errorf("%q was read: %v", text, err)
		}
	}
}

// Requirement C-5: the figures that are published are those of one run.
func TestPublishedFigures(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	r, err := Read(filepath.Join(root, "testdata", "bench", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(path ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(data), "\r\n", "\n")
	}
	if read("testdata", "bench", "results.md") != r.Document() {
		t.Error("results.md isn't of results.json: run make bench-peers")
	}
	readme := read("README.md")
	if !strings.Contains(readme, Begin) {
		return // it shows no figures
	}
	want, err := Embed(readme, r.Short())
	if err != nil {
		t.Fatal(err)
	}
	if readme != want {
		t.Error("the README's figures aren't of results.json: run go run ./internal/bench -render README.md")
	}
}
