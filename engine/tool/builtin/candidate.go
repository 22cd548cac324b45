package builtin

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Bounds of the search for what a model may have meant.
const (
	maxScanned   = 100_000 // lines of the file
	maxWanted    = 200     // lines of the pattern
	maxVotes     = 8       // of one line, for that many places
	maxAlike     = 20_000  // lines of the file that are compared by likeness
	maxLineBytes = 400     // of a line that is compared by likeness
	maxQuoted    = 2000    // bytes of the quoted candidate
	minLikeness  = 0.45
)

// candidate describes the place in content that is most like old, "" when
// nothing is.
func candidate(content, old string) string {
	lines, wanted := comparable(content, maxScanned), comparable(old, maxWanted)
	first, likeness := byEqualLines(lines, wanted)
	if likeness == 0 {
		first, likeness = byLikeness(lines, wanted)
	}
	if likeness == 0 {
		return ""
	}
	last := min(first+len(wanted), len(lines))
	first = max(first, 0)
	same := last-first == len(wanted)
	for i := first; same && i < last; i++ {
		same = lines[i] == wanted[i-first]
	}
	raw := strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n")
	quoted, cut := tool.Head(strings.Join(raw[first:last], "\n"), len(wanted), maxQuoted)
	where := fmt.Sprintf("lines %d-%d", first+1, last)
	if last == first+1 {
		where = fmt.Sprintf("line %d", last)
	}
	about := ""
	if same {
		about = ", which differ only in blanks or indentation"
	}
	note := ""
	if cut.Short() {
		note = "\n[cut]"
	}
	return fmt.Sprintf("The nearest text is at %s%s:\n%s%s", where, about, quoted, note)
}

// comparable returns the lines of s without indentation and typography.
func comparable(s string, limit int) []string {
	lines := strings.SplitN(canonical(strings.TrimSuffix(s, "\n"), typography, false).text, "\n", limit+1)
	lines = lines[:min(len(lines), limit)]
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// byEqualLines lets every line that both have vote for where the pattern would
// begin; long lines weigh more. first may be negative.
func byEqualLines(lines, wanted []string) (first, votes int) {
	at := map[string][]int{}
	for k, w := range wanted {
		if w != "" && len(at[w]) < maxVotes {
			at[w] = append(at[w], k)
		}
	}
	score := map[int]int{}
	for i, line := range lines {
		for _, k := range at[line] {
			begin := i - k
			score[begin] += len(line)
			if s := score[begin]; s > votes || s == votes && begin < first {
				first, votes = begin, s
			}
		}
	}
	return first, votes
}

// byLikeness finds the line most like the longest one of the pattern.
func byLikeness(lines, wanted []string) (first, percent int) {
	longest := 0
	for k, w := range wanted {
		if len(w) > len(wanted[longest]) {
			longest = k
		}
	}
	size := len(wanted[longest])
	want := pairs(wanted[longest])
	best := minLikeness
	for i, line := range lines[:min(len(lines), maxAlike)] {
		if 3*len(line) < size || len(line) > 3*size {
			continue // can't be like it
		}
		if l := likeness(want, pairs(line)); l > best {
			first, best, percent = i-longest, l, int(100*l)
		}
	}
	return first, percent
}

// pairs counts the neighbouring bytes of a line.
func pairs(s string) map[[2]byte]int {
	s = s[:min(len(s), maxLineBytes)]
	m := make(map[[2]byte]int, len(s))
	for i := 1; i < len(s); i++ {
		m[[2]byte{s[i-1], s[i]}]++
	}
	return m
}

// likeness is the share of pairs that two lines have in common, 0 to 1.
func likeness(a, b map[[2]byte]int) float64 {
	both, all := 0, 0
	for p, n := range a {
		both += min(n, b[p])
		all += n
	}
	for _, n := range b {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(both) / float64(all)
}
