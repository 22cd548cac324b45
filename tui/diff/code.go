package diff

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/syntax"
)

// folded replaces unchanged lines that are far from any change by one line
// that counts them. It doesn't pay for fewer than three.
func folded(lines []line, context int) []line {
	out := make([]line, 0, len(lines))
	for i := 0; i < len(lines); {
		if lines[i].kind != kindContext {
			out = append(out, lines[i])
			i++
			continue
		}
		end := i
		for end < len(lines) && lines[end].kind == kindContext {
			end++
		}
		head, tail := i+context, end-context
		if i == 0 || lines[i-1].kind == kindHunk || lines[i-1].kind == kindFile {
			head = i
		}
		if end == len(lines) || lines[end].kind == kindHunk || lines[end].kind == kindFile {
			tail = end
		}
		if tail-head < 3 {
			out = append(out, lines[i:end]...)
		} else {
			out = append(out, lines[i:head]...)
			out = append(out, line{kind: kindFold, hidden: tail - head, text: fmt.Sprintf("⋯ %d unchanged lines", tail-head)})
			out = append(out, lines[tail:end]...)
		}
		i = end
	}
	return out
}

// colour gives the lines of files their code's colours. The old and the new
// side of a hunk are coloured apart, each as if it were the whole file.
func colour(lines []line, p *syntax.Painter, name string) {
	for i := 0; i < len(lines); {
		if lines[i].kind == kindFile {
			if path, ok := strings.CutPrefix(lines[i].text, "+++ "); ok && path != "/dev/null" {
				name, _, _ = strings.Cut(path, "\t")
			}
			i++
			continue
		}
		end := i + 1
		for end < len(lines) && lines[end].kind != kindFile && lines[end].kind != kindHunk {
			end++
		}
		side(lines[i:end], p, name, kindRemoved)
		side(lines[i:end], p, name, kindAdded)
		i = end
	}
}

// side colours the unchanged lines and those of one kind.
func side(lines []line, p *syntax.Painter, name string, kind kind) {
	var at []int
	var code strings.Builder
	for i, l := range lines {
		if l.kind == kind || l.kind == kindContext {
			at = append(at, i)
			code.WriteString(l.text + "\n")
		}
	}
	if len(at) == 0 {
		return
	}
	for k, painted := range p.File(strings.TrimSuffix(code.String(), "\n"), name) {
		lines[at[k]].code = painted
	}
}
