package mcp

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What comes too fast is left out, but not the last of it.
func TestProgressPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &link{tokens: map[string]*progress{}}
		var got []string
		signs := 0
		token, done := l.follow(func() { signs++ }, func(text string) { got = append(got, text) })
		report := func(n float64) { l.report(&sdk.ProgressNotificationParams{ProgressToken: token, Progress: n}) }
		for n := range 100 {
			report(float64(n))
		}
		time.Sleep(showEvery)
		synctest.Wait()
		report(100)
		time.Sleep(10 * showEvery)
		synctest.Wait()
		report(101)
		report(102)
		done()
		report(103)
		time.Sleep(showEvery)
		synctest.Wait()
		if want := []string{"0", "99", "100", "101"}; !slices.Equal(got, want) || signs != 103 {
			t.Errorf("shown %q after %d signs", got, signs)
		}
	})
}

func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		n    sdk.ProgressNotificationParams
		want string
	}{
		{sdk.ProgressNotificationParams{Progress: 0.5}, "0.5"},
		{sdk.ProgressNotificationParams{Progress: 3, Total: 10}, "3 of 10"},
		{sdk.ProgressNotificationParams{Progress: 3, Total: 10, Message: "a\nb\x1b[2J"}, "a b (3 of 10)"},
	} {
		if got := progressText(&c.n); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
