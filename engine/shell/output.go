package shell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

// collector takes a command's output in and keeps its tail. While nothing has
// been cut, tail is the whole output; at the moment the output outgrows a limit
// the whole goes to a spool file, and what follows is written to both.
// Memory is bounded by about twice maxBytes plus one chunk.
type collector struct {
	maxBytes, maxLines int
	spool              string        // folder; "" for none
	changed            chan struct{} // one slot: there is output not yet shown

	mu       sync.Mutex
	tail     []byte
	total    int
	newlines int
	file     *os.File
	path     string
	err      error // why the spool is missing or incomplete
}

func newCollector(maxBytes, maxLines int, spool string) *collector {
	return &collector{maxBytes: maxBytes, maxLines: maxLines, spool: spool, changed: make(chan struct{}, 1)}
}

func (c *collector) write(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tail = append(c.tail, p...)
	c.total += len(p)
	c.newlines += bytes.Count(p, []byte{'\n'})
	switch {
	case c.err != nil || c.spool == "":
	case c.file != nil:
		c.save(p)
	case c.over():
		c.open()
	}
	if len(c.tail) > 2*c.maxBytes && c.over() {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-c.maxBytes:]...)
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// lines counts an unterminated last line too.
func (c *collector) lines() int {
	if n := len(c.tail); n > 0 && c.tail[n-1] != '\n' {
		return c.newlines + 1
	}
	return c.newlines
}

func (c *collector) over() bool { return c.total > c.maxBytes || c.lines() > c.maxLines }

// open starts the spool file with all the output so far.
func (c *collector) open() {
	if err := os.MkdirAll(c.spool, 0o700); err != nil {
		c.err = fmt.Errorf("keep the whole output: %w", err)
		return
	}
	f, err := os.CreateTemp(c.spool, "output-*.log")
	if err != nil {
		c.err = fmt.Errorf("keep the whole output: %w", err)
		return
	}
	c.file, c.path = f, f.Name()
	c.save(c.tail)
}

// save appends to the spool file. After an error, a full disk say, the file
// holds the beginning of the output and err says so.
func (c *collector) save(p []byte) {
	if _, err := c.file.Write(p); err != nil {
		c.err = fmt.Errorf("keep the whole output: %w", err)
	}
}

func (c *collector) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = errors.Join(c.err, err)
}

func (c *collector) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return
	}
	if err := c.file.Close(); err != nil && c.err == nil {
		c.err = fmt.Errorf("keep the whole output: %w", err)
	}
	c.file = nil
	c.spool = "" // output of a process that outlived its end is dropped
}

// fill sets the output's part of a Result.
func (c *collector) fill(res *Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	res.Output = clean(lastLines(lastBytes(c.tail, c.maxBytes), c.maxLines))
	res.OutputBytes = len(res.Output)
	res.OutputLines = strings.Count(res.Output, "\n")
	if res.Output != "" && !strings.HasSuffix(res.Output, "\n") {
		res.OutputLines++
	}
	res.TotalBytes, res.TotalLines = c.total, c.lines()
	res.Truncated = c.over()
	res.FullOutputPath, res.SpoolErr = c.path, c.err
}

// text is the tail of what was collected.
func (c *collector) text() string {
	var res Result
	c.fill(&res)
	return res.Output
}

// lastBytes cuts b to its last limit bytes, from the start of a line if there
// is one, else from the start of a character.
func lastBytes(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	cutAtLine := b[len(b)-limit-1] == '\n'
	b = b[len(b)-limit:]
	if cutAtLine {
		return b
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i < len(b)-1 {
		return b[i+1:]
	}
	for len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	return b
}

// lastLines cuts b to its last limit lines.
func lastLines(b []byte, limit int) []byte {
	i := len(bytes.TrimSuffix(b, []byte{'\n'}))
	for range limit {
		if i = bytes.LastIndexByte(b[:i], '\n'); i < 0 {
			return b
		}
	}
	return b[i+1:]
}

// clean makes b valid UTF-8 and leaves of each line what a terminal would show
// last: a progress bar that was redrawn with '\r' keeps its final state.
func clean(b []byte) string {
	text := strings.ToValidUTF8(string(trimPartialRune(b)), "\uFFFD")
	if !strings.Contains(text, "\r") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}

// trimPartialRune drops the beginning of a character whose rest hasn't been
// read yet.
func trimPartialRune(b []byte) []byte {
	for n := 1; n <= min(utf8.UTFMax-1, len(b)); n++ {
		tail := b[len(b)-n:]
		if utf8.RuneStart(tail[0]) {
			if tail[0] >= utf8.RuneSelf && !utf8.FullRune(tail) {
				return b[:len(b)-n]
			}
			return b
		}
	}
	return b
}
