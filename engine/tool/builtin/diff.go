package builtin

import (
	"context"
	"fmt"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Bounds in bytes: of the texts that are compared, and of a diff that is kept
// in a result, which ends up in the session file.
const (
	maxCompared = 4 << 20
	maxKept     = 128 << 10
)

// change is what a tool did or would do to one file.
type change struct {
	Path         string `json:"path"`
	Diff         string `json:"diff"`
	FirstChanged int    `json:"firstChangedLine"`
	Added        int    `json:"added"`
	Removed      int    `json:"removed"`
	Created      bool   `json:"created,omitempty"`
	Truncated    bool   `json:"diffTruncated,omitempty"`
}

// compare describes the way from one text to another.
func compare(t target, from, to string) change {
	ch := change{Path: t.abs}
	if len(from)+len(to) > maxCompared {
		ch.Diff = fmt.Sprintf("--- %s\n+++ %s\n[%s become %s: too large to compare]\n",
			t.shown, t.shown, tool.Size(int64(len(from))), tool.Size(int64(len(to))))
		ch.FirstChanged, ch.Truncated = firstDifference(from, to), true
		return ch
	}
	ch.Diff = strings.ToValidUTF8(udiff.Unified(t.shown, t.shown, from, to), "\ufffd")
	ch.FirstChanged = firstDifference(from, to)
	body := false
	for line := range strings.Lines(ch.Diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case body && line[0] == '+':
			ch.Added++
		case body && line[0] == '-':
			ch.Removed++
		}
	}
	return ch
}

// kept returns the change with its diff bounded.
func (ch change) kept() change {
	kept, cut := tool.Head(ch.Diff, cutLines, maxKept)
	if cut.Short() {
		ch.Diff, ch.Truncated = kept, true
	}
	return ch
}

const cutLines = 1 << 20 // the bytes decide

// firstDifference is the first line, counted from 1, where the texts differ.
func firstDifference(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return 1 + strings.Count(a[:i], "\n")
}

// counts writes "+3 -1".
func (ch change) counts() string { return fmt.Sprintf("+%d -%d", ch.Added, ch.Removed) }

// previewed runs a planned change up to the point of writing.
func previewed[A any](planned func(context.Context, tool.Call, target, A) (plan, error), path func(A) string) func(context.Context, tool.Call, A) (string, error) {
	return func(ctx context.Context, c tool.Call, a A) (string, error) {
		t, err := resolve(c, path(a))
		if err != nil {
			return "", err
		}
		// Else it could see the file that another call has written, and not yet
		// the ledger.
		defer c.Env.Files.Lock(t.abs)()
		p, err := planned(ctx, c, t, a)
		if err != nil {
			return "", err
		}
		return p.change.Diff, nil
	}
}
