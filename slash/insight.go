package slash

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// runContext shows what fills the context window.
func runContext(ctx context.Context, c Call) (Result, error) {
	f, err := c.Session.Fill(ctx)
	if err != nil {
		return Result{}, err
	}
	return reply("%s", fillText(f))
}

// barCells is the length of the longest bar.
const barCells = 20

func fillText(f engine.Fill) string {
	sum, longest := 0, 1
	for _, p := range f.Parts {
		sum += p.Tokens
		longest = max(longest, p.Tokens)
	}
	used := f.Used
	if used < 0 {
		used = sum
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s tokens in the context", Count(used))
	if f.Window > 0 {
		fmt.Fprintf(&b, ", %d%% of %s", used*100/f.Window, Count(f.Window))
	}
	if f.Limit > 0 {
		fmt.Fprintf(&b, "; compaction begins at %s", Count(f.Limit))
	}
	b.WriteString("\n\nBy estimate:\n")
	rows := make([][2]string, len(f.Parts))
	for i, p := range f.Parts {
		name := sanitize.Line(p.Name)
		if p.Count > 1 {
			name += fmt.Sprintf(" (%d)", p.Count)
		}
		bar := strings.Repeat("█", (p.Tokens*barCells+longest-1)/longest)
		rows[i] = [2]string{name, fmt.Sprintf("%7s  %s", Count(p.Tokens), bar)}
	}
	b.WriteString(columns(rows))
	return b.String()
}

// Count writes a number of tokens short: 950, 12.3k, 1.05M.
func Count(n int) string {
	switch {
	case n >= 1_000_000:
		return trimZeros(float64(n)/1e6) + "M"
	case n >= 1000:
		return trimZeros(float64(n)/1e3) + "k"
	}
	return fmt.Sprint(n)
}

func trimZeros(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", f), "0"), ".")
}

// usageDays is how far back /usage looks.
const usageDays = 30

// tally adds up what answers have used, by one thing.
type tally struct {
	order []string
	sums  map[string]message.Usage
}

func (t *tally) add(key string, u message.Usage) {
	if t.sums == nil {
		t.sums = map[string]message.Usage{}
	}
	if _, ok := t.sums[key]; !ok {
		t.order = append(t.order, key)
	}
	t.sums[key] = t.sums[key].Add(u)
}

func (t *tally) total() (u message.Usage) {
	for _, sum := range t.sums {
		u = u.Add(sum)
	}
	return u
}

// runUsage shows tokens and cost of this session, and of all by model, folder's
// session and day.
func (o sessions) runUsage(ctx context.Context, c Call) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	since := o.Now().AddDate(0, 0, -usageDays)
	var models, days tally
	err = o.Library.Spending(ctx, since, func(s session.Spending) {
		models.add(s.Provider+"/"+s.Model, s.Usage)
		days.add(s.At.In(o.Now().Location()).Format(time.DateOnly), s.Usage)
	})
	if err != nil {
		return Result{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "This session: %s", usageText(v.Usage.Total))
	if len(models.order) > 0 {
		fmt.Fprintf(&b, "\nLast %d days, all sessions: %s", usageDays, usageText(models.total()))
		slices.SortFunc(models.order, func(x, y string) int {
			a, b := models.sums[x], models.sums[y]
			return cmp.Or(cmp.Compare(b.Cost.Total, a.Cost.Total), cmp.Compare(b.TotalTokens, a.TotalTokens), cmp.Compare(x, y))
		})
		slices.SortFunc(days.order, func(x, y string) int { return cmp.Compare(y, x) })
		fmt.Fprintf(&b, "\n\nBy model:\n%s\n\nBy day:\n%s", models.text(), days.text())
	}
	return reply("%s", b.String())
}

// usageRows bounds each list of /usage.
const usageRows = 15

func (t *tally) text() string {
	var rows [][2]string
	for i, key := range t.order {
		if i == usageRows {
			rows = append(rows, [2]string{fmt.Sprintf("and %d more", len(t.order)-i), ""})
			break
		}
		rows = append(rows, [2]string{sanitize.Line(key), usageText(t.sums[key])})
	}
	return columns(rows)
}

func usageText(u message.Usage) string {
	text := fmt.Sprintf("%s in, %s out", Count(u.Input+u.CacheRead+u.CacheWrite), Count(u.Output))
	if u.CacheRead > 0 {
		text += fmt.Sprintf(", %s of it cached", Count(u.CacheRead))
	}
	return text + fmt.Sprintf(", $%.2f", u.Cost.Total)
}
