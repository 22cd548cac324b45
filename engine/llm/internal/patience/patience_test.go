package patience

import (
	"net/http"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestAfter(t *testing.T) {
	for name, tt := range map[string]struct {
		header, value string
		want          time.Duration
		ok            bool
	}{
		"seconds":      {"Retry-After", "7", 7 * time.Second, true},
		"fraction":     {"Retry-After", "1.5", 1500 * time.Millisecond, true},
		"milliseconds": {"Retry-After-Ms", "250", 250 * time.Millisecond, true},
		"date":         {"Retry-After", "Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second, true},
		"past date":    {"Retry-After", "Sun, 01 Mar 2026 11:00:00 GMT", 0, true},
		"negative":     {"Retry-After", "-5", 0, true},
		"endless":      {"Retry-After", "1e300", Longest, true},
		"no number":    {"Retry-After", "NaN", 0, true},
		"rubbish":      {"Retry-After", "soon", 0, false},
		"nothing":      {"X", "1", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := After(http.Header{tt.header: {tt.value}}, noon); got != tt.want || ok != tt.ok {
				t.Errorf("%v, %v; want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestReset(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-3": 0, "12": 12 * time.Second, "1m2s": 62 * time.Second, "1e300": Longest, "9000h": Longest,
		"1772366430": 30 * time.Second, "1772366430000": 30 * time.Second, "2026-03-01T12:00:30Z": 30 * time.Second,
	} {
		if got := Reset(value, noon); got != want {
			t.Errorf("Reset(%q) = %v, want %v", value, got, want)
		}
	}
}

func FuzzWaits(f *testing.F) {
	f.Add("1", "2026-03-01T12:00:30Z")
	f.Fuzz(func(t *testing.T, after, reset string) {
		d, _ := After(http.Header{"Retry-After": {after}}, noon)
		for _, got := range []time.Duration{d, Reset(reset, noon)} {
			if got < 0 || got > Longest {
				t.Fatalf("a wait of %v", got)
			}
		}
	})
}
