package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/internal/ignore"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// lineSearch finds lines in files. The result doesn't depend on timing: files are
// searched side by side and reported in the order of the walk.
//
//	walk ─▶ jobs ─▶ workers ─▶ each job's own channel ─▶ report, in order
type lineSearch struct {
	call    tool.Call
	pattern *regexp.Regexp
	needle  needle
	glob    *ignore.Glob
	context int
	limit   int
}

// fileHits are the matching lines of one file, at most limit+1 of them.
type fileHits struct {
	hits    []hit
	shown   map[int]string // the lines to show, by index; copies, so that the file can go
	skipped bool
	held    bool // by the user's rules
}

type hit struct {
	line int // counted from 0
	at   int // byte offset of the match in it
}

type job struct {
	path string
	done chan fileHits
}

// ahead is how many files may be searched before their turn in the report.
const ahead = 64

func (s *lineSearch) tree(ctx context.Context, t target) (findings, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue, inOrder := make(chan *job), make(chan *job, ahead)
	for range min(runtime.GOMAXPROCS(0), 8) {
		go func() {
			for j := range queue {
				j.done <- s.file(ctx, j.path)
			}
		}()
	}
	var complete bool
	var walkErr error
	go func() {
		defer close(inOrder)
		defer close(queue)
		w := ignore.Walker{FS: s.call.Env.Workspace, Root: t.abs}
		complete, walkErr = w.Walk(ctx, func(e ignore.Entry) error {
			if !e.Type().IsRegular() || s.glob != nil && !s.glob.Match(e.Rel) {
				return nil
			}
			j := &job{e.Path, make(chan fileHits, 1)}
			for _, c := range []chan *job{inOrder, queue} {
				select {
				case c <- j:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}()
	var r findings
	for j := range inOrder {
		select {
		case found := <-j.done:
			s.add(&r, j.path, found)
		case <-ctx.Done():
			return r, ctx.Err()
		}
		if r.full {
			return r, nil
		}
	}
	r.partial = !complete
	return r, walkErr
}

// one searches a single file, which is named by the model and therefore not
// passed over in silence.
func (s *lineSearch) one(ctx context.Context, t target) (findings, error) {
	var r findings
	data, err := s.call.Env.Workspace.ReadFile(ctx, t.abs, maxFile)
	if err != nil {
		return r, err
	}
	text, _, err := decodeText(data)
	if err != nil {
		return r, fmt.Errorf("%s is %w; search it with bash (grep -a, strings)", t.shown, err)
	}
	s.add(&r, t.abs, s.lines(text))
	return r, nil
}

func (s *lineSearch) file(ctx context.Context, path string) fileHits {
	if s.call.Env.Withheld != nil && s.call.Env.Withheld(path) {
		return fileHits{held: true}
	}
	data, err := s.call.Env.Workspace.ReadFile(ctx, path, maxGrepFile)
	if errors.Is(err, fs.ErrNotExist) {
		return fileHits{} // gone since the walk saw it
	}
	if err != nil {
		return fileHits{skipped: true}
	}
	if s.cantMatch(data) {
		return fileHits{}
	}
	text, _, err := decodeText(data)
	if err != nil {
		return fileHits{} // binary
	}
	return s.lines(text)
}

// cantMatch settles the common case without a copy: the needle isn't in a file
// that is stored as UTF-8.
func (s *lineSearch) cantMatch(data []byte) bool {
	utf16 := bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
	if s.needle.texts == nil || s.needle.fold || utf16 {
		return false
	}
	return !slices.ContainsFunc(s.needle.texts, func(text string) bool { return bytes.Contains(data, []byte(text)) })
}

// lines finds the lines that match by themselves: candidates come from looking
// for the needle, or from running the pattern over the whole text.
func (s *lineSearch) lines(text string) fileHits {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	seen := s.needle.in(text)
	var hits []hit
	number, from := 0, 0
	for from < len(text) && len(hits) <= s.limit {
		i := s.candidate(text, seen, from)
		if i < 0 {
			break
		}
		begin := from + strings.LastIndexByte(text[from:i], '\n') + 1
		end := len(text)
		if k := strings.IndexByte(text[begin:], '\n'); k >= 0 {
			end = begin + k
		}
		number += strings.Count(text[from:begin], "\n")
		if in := s.pattern.FindStringIndex(text[begin:end]); in != nil {
			hits = append(hits, hit{number, in[0]})
		}
		number++
		from = end + 1
	}
	if hits == nil {
		return fileHits{}
	}
	return fileHits{hits: hits, shown: s.show(strings.Split(strings.TrimSuffix(text, "\n"), "\n"), hits)}
}

// show collects the matching lines and those around them.
func (s *lineSearch) show(lines []string, hits []hit) map[int]string {
	shown := map[int]string{}
	for _, h := range hits {
		for i := max(h.line-s.context, 0); i <= min(h.line+s.context, len(lines)-1); i++ {
			if _, ok := shown[i]; !ok {
				shown[i] = strings.Clone(window(lines[i], 0))
			}
		}
		shown[h.line] = strings.Clone(window(lines[h.line], h.at))
	}
	return shown
}

// candidate returns where, at from or later, the next match may be; -1 for
// nowhere.
func (s *lineSearch) candidate(text string, seen *sight, from int) int {
	if s.needle.texts != nil {
		return seen.after(from)
	}
	loc := s.pattern.FindStringIndex(text[from:])
	if loc == nil || from+loc[0] == len(text) { // behind the last line
		return -1
	}
	return from + loc[0]
}

// add writes a file's matches to the report, as far as the limits allow.
func (s *lineSearch) add(r *findings, path string, f fileHits) {
	if f.skipped {
		r.skipped++
	}
	if f.held {
		r.held++
	}
	if len(f.hits) == 0 {
		return
	}
	r.files++
	name := shown(workspace.Display(s.call.Env.Workspace, path))
	matched := make(map[int]bool, len(f.hits))
	for _, h := range f.hits {
		matched[h.line] = true
	}
	next := 0 // first line that isn't written yet
	for _, h := range f.hits {
		if r.matches == s.limit || r.body.Len() > tool.MaxBytes {
			r.full = true
			return
		}
		r.matches++
		first := max(h.line-s.context, next)
		if s.context > 0 && r.body.Len() > 0 && (next == 0 || first > next) {
			r.body.WriteString("--\n")
		}
		for i := first; i <= h.line+s.context; i++ {
			line, ok := f.shown[i]
			if !ok || matched[i] && i > h.line {
				break // the file's end, or the next match's own turn
			}
			format := "%s-%d- %s\n"
			if matched[i] {
				format = "%s:%d: %s\n"
			}
			fmt.Fprintf(&r.body, format, name, i+1, line)
			next = i + 1
		}
	}
}

// window shortens a long line to the part around a match.
func window(line string, at int) string {
	line = strings.ToValidUTF8(line, "\ufffd")
	if utf8.RuneCountInString(line) <= maxGrepLine {
		return line
	}
	from := 0
	if at > maxGrepLine/2 {
		for from = min(at-maxGrepLine/4, len(line)); from > 0 && from < len(line) && !utf8.RuneStart(line[from]); {
			from--
		}
	}
	cut := []rune(line[from:])
	out := string(cut[:min(len(cut), maxGrepLine)])
	if from > 0 {
		out = "…" + out
	}
	if len(cut) > maxGrepLine {
		out += "…"
	}
	return out
}
