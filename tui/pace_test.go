package tui

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// taker is a program that takes its own ticker, and ends.
type taker struct {
	pace    *pace
	program *tea.Program
}

func (t *taker) Init() tea.Cmd {
	t.pace.take(t.program)
	return tea.Quit
}
func (t *taker) Update(tea.Msg) (tea.Model, tea.Cmd) { return t, nil }
func (t *taker) View() tea.View                      { return tea.NewView("") }

// The library has its ticker where it is looked for.
func TestPaceFindsTheTicker(t *testing.T) {
	var out bytes.Buffer
	m := &taker{pace: &pace{}}
	m.program = tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(&out), tea.WithoutSignals(), tea.WithEnvironment([]string{"TERM=xterm"}))
	if _, err := m.program.Run(); err != nil {
		t.Fatal(err)
	}
	if m.pace.ticker == nil {
		t.Fatal("an idle chat costs CPU again: the library's ticker has another name")
	}
	m.pace.stop()
}

// The first frame after a pause is drawn at once, those that follow at a steady
// pace, a key's at once again; afterwards hardly anything happens.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := time.NewTicker(time.Hour)
		defer ticker.Stop()
		p := &pace{ticker: ticker}
		next := func(what string, want time.Duration) {
			t.Helper()
			before := time.Now()
			<-ticker.C
			if got := time.Since(before); got != want {
				t.Errorf("%s: the next look comes after %v, want %v", what, got, want)
			}
		}
		p.drawn(false)
		next("after a pause", soon)
		p.written()
		p.drawn(false)
		next("while it goes on", steady)
		p.drawn(true)
		next("after a key", soon)
		p.written()
		next("when nothing comes", steady)
		time.Sleep(restAfter)
		p.set(seldom) // from here on, not from the ticks that nobody took
		next("at rest", seldom)
		next("at rest", seldom)
		p.drawn(false)
		next("after a pause", soon)
		p.stop()
		p.drawn(true)
		p.written()
	})
}

// A rest begins by itself.
func TestPaceRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := time.NewTicker(time.Hour)
		defer ticker.Stop()
		p := &pace{ticker: ticker}
		p.drawn(false)
		p.written()
		looks := 0
		for until := time.Now().Add(10 * time.Second); time.Now().Before(until); looks++ {
			<-ticker.C
		}
		if looks > 20 {
			t.Errorf("%d looks in ten seconds without a change", looks)
		}
		p.stop()
	})
}
