// Package patience reads how long a service asks to wait before the next
// request. Services agree on little more than the headers' names.
//
//	response headers ─▶ After, Reset ─▶ llm.Error.RetryAfter
package patience

import (
	"net/http"
	"strconv"
	"time"
)

// Longest is the longest wait that is believed: weekly limits are real.
const Longest = 30 * 24 * time.Hour

// After reads Retry-After-Ms and Retry-After: milliseconds, seconds or a date.
// ok is false when neither says anything.
func After(h http.Header, now time.Time) (wait time.Duration, ok bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000), true
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s), true
	}
	if at, err := http.ParseTime(value); err == nil {
		return Within(at.Sub(now)), true
	}
	return 0, false
}

// Reset reads when a limit ends: a duration such as 1m2s, seconds from now,
// the moment in Unix seconds or milliseconds, or a date. It is 0 when value
// says nothing.
func Reset(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		switch {
		case n > 1e11:
			return Within(time.UnixMilli(int64(min(n, 1e15))).Sub(now))
		case n > 1e8:
			return Within(time.Unix(int64(n), 0).Sub(now))
		}
		return seconds(n)
	}
	if d, err := time.ParseDuration(value); err == nil {
		return Within(d)
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return Within(at.Sub(now))
	}
	return 0
}

// Within keeps a wait between nothing and Longest.
func Within(d time.Duration) time.Duration { return min(max(d, 0), Longest) }

func seconds(n float64) time.Duration {
	if !(n > 0) { // NaN too
		return 0
	}
	return time.Duration(min(n, Longest.Seconds()) * float64(time.Second))
}
