//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// The terminal's size.
const (
	columns = 200
	lines   = 50
)

// screen is a program on a pseudo-terminal that answers what programs ask
// terminals when they start.
type screen struct {
	*process
	pty   *os.File
	came  chan []byte
	seen  []byte // the end of what came
	bytes int64
}

// show starts a program on a terminal.
func show(c *exec.Cmd) (*screen, error) {
	f, err := pty.StartWithAttrs(c, &pty.Winsize{Rows: lines, Cols: columns}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		return nil, err
	}
	s := &screen{process: adopt(c), pty: f, came: make(chan []byte, 256)}
	go func() {
		defer close(s.came)
		for {
			buf := make([]byte, 64<<10)
			n, err := f.Read(buf)
			if err != nil {
				return // it has ended
			}
			s.came <- buf[:n]
		}
	}()
	return s, nil
}

func (s *screen) stop() {
	s.kill()
	s.pty.Close()
	for range s.came {
	}
}

func (s *screen) send(text string) error {
	_, err := s.pty.WriteString(text)
	return err
}

var errEnded = errors.New("the program has ended")

// next waits for something to come, or for the time to be over, and answers
// questions in it.
func (s *screen) next(ctx context.Context, over <-chan time.Time) (text []byte, more bool, err error) {
	select {
	case text, open := <-s.came:
		if !open {
			return nil, false, fmt.Errorf("%w: %s", errEnded, s.end())
		}
		s.bytes += int64(len(text))
		if s.seen = append(s.seen, text...); len(s.seen) > 2*kept {
			s.seen = append(s.seen[:0], s.seen[len(s.seen)-kept:]...)
		}
		return text, true, s.answer(text)
	case <-over:
		return nil, false, ctx.Err()
	case <-ctx.Done():
		return nil, false, fmt.Errorf("%w: the screen ends with %q", context.Cause(ctx), s.end())
	}
}

// until waits for a word in all that has come.
func (s *screen) until(ctx context.Context, word string) error {
	for !contains(ansi.Strip(string(s.seen)), word) {
		if _, _, err := s.next(ctx, nil); err != nil {
			return fmt.Errorf("no %q: %w", word, err)
		}
	}
	return nil
}

// sees waits for a text in something that comes from now on.
func (s *screen) sees(ctx context.Context, text string) error {
	for {
		got, _, err := s.next(ctx, nil)
		if err != nil || contains(ansi.Strip(string(got)), text) {
			return err
		}
	}
}

// read reads for a time.
func (s *screen) read(ctx context.Context, d time.Duration) error {
	for over := time.After(d); ; {
		if _, more, err := s.next(ctx, over); err != nil || !more {
			return err
		}
	}
}

// quiet waits until nothing has come for half a second, or for five seconds:
// some never rest.
func (s *screen) quiet(ctx context.Context) error {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		_, more, err := s.next(ctx, time.After(500*time.Millisecond))
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// end is the last of what was written, for messages.
func (s *screen) end() string {
	text := strings.Join(strings.Fields(ansi.Strip(string(s.seen))), " ")
	return strings.ToValidUTF8(text[max(0, len(text)-160):], "")
}

// questions are what programs ask a terminal, and what is answered: a terminal
// with colours and a dark background that knows no newer protocol.
var questions = []struct {
	ask    *regexp.Regexp
	answer string // $1 is the ask's group
}{
	{regexp.MustCompile(`\x1b\[0?c`), "\x1b[?62;22c"},
	{regexp.MustCompile(`\x1b\[>0?c`), "\x1b[>1;10;0c"},
	{regexp.MustCompile(`\x1b\[5n`), "\x1b[0n"},
	{regexp.MustCompile(`\x1b\[6n`), "\x1b[1;1R"},
	{regexp.MustCompile(`\x1b\[\?u`), "\x1b[?0u"},
	{regexp.MustCompile(`\x1b\[>0?q`), "\x1bP>|bench 1\x1b\\"},
	{regexp.MustCompile(`\x1b\[\?(\d+)\$p`), "\x1b[?${1};2$$y"},
	{regexp.MustCompile(`\x1b\]10;\?(?:\x07|\x1b\\)`), "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"},
	{regexp.MustCompile(`\x1b\]11;\?(?:\x07|\x1b\\)`), "\x1b]11;rgb:0000/0000/0000\x1b\\"},
	{regexp.MustCompile(`\x1b\[14t`), fmt.Sprintf("\x1b[4;%d;%dt", 16*lines, 8*columns)},
	{regexp.MustCompile(`\x1b\[16t`), "\x1b[6;16;8t"},
	{regexp.MustCompile(`\x1b\[18t`), fmt.Sprintf("\x1b[8;%d;%dt", lines, columns)},
}

// answer answers the questions in a piece of what a program writes.
func (s *screen) answer(text []byte) error {
	if replies := replies(string(text)); replies != "" {
		if err := s.send(replies); err != nil {
			return fmt.Errorf("answer as a terminal: %w", err)
		}
	}
	return nil
}

func replies(text string) string {
	var b []byte
	for _, q := range questions {
		for _, at := range q.ask.FindAllStringSubmatchIndex(text, -1) {
			b = q.ask.ExpandString(b, q.answer, text, at)
		}
	}
	return string(b)
}

func contains(text, word string) bool { return strings.Contains(text, word) }
