// Package jsonl frames JSON values as lines: one value, one line, one '\n'.
//
// Session files and the line protocols stand on it. Bytes flow
//
//	io.Reader ─▶ Reader.Next ─▶ Line ─▶ the caller's decoder
//	value ─▶ Marshal ─▶ one terminated line ─▶ the caller's single write
//
// Only '\n' ends a line. U+2028, U+2029, U+0085, a lone '\r' and a form feed
// are data when read; U+2028 and U+2029 are never written raw, so that readers
// which do treat them as line ends agree with us on where a line stops.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// bufferSize suits both pipes (64 KiB is the usual pipe capacity) and files.
const bufferSize = 64 << 10

// keepSize is the largest line buffer kept between lines: one huge line must
// not pin its memory for the life of a connection.
const keepSize = 1 << 20

// Line is one line of input without its terminator.
type Line struct {
	// Data is the line without '\n' and without one '\r' before it. It is valid
	// until the next call of Next.
	Data []byte
	// Offset is the position of the line's first byte, counted from where the
	// Reader started.
	Offset int64
	// Terminated reports whether the line ended in '\n'. Only the last line can
	// lack it; in a session file that is the mark of a torn write.
	Terminated bool
}

// TooLongError says that a line exceeded the Reader's limit. The line has been
// skipped: the next call of Next returns the line after it.
type TooLongError struct {
	Offset int64 // position of the line's first byte
	Limit  int   // bytes
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("line at byte %d is longer than %d bytes", e.Offset, e.Limit)
}

// Reader takes lines from an io.Reader. It is not safe for concurrent use.
type Reader struct {
	r      *bufio.Reader
	limit  int
	offset int64
	long   []byte // holds a line that didn't fit the bufio buffer
	err    error  // sticky: what ended the input
}

// NewReader returns a Reader on r. A limit above 0 is the most bytes a line may
// have before its '\n'; 0 means no limit.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, bufferSize), limit: limit}
}

// Offset returns the position after the last line that Next has taken.
func (r *Reader) Offset() int64 { return r.offset }

// Next returns the next line that isn't blank. At the end of the input it
// returns io.EOF; a read error is returned once the bytes before it have been
// handed out as an unterminated line. After a *TooLongError reading goes on.
func (r *Reader) Next() (Line, error) {
	for r.err == nil {
		line, err := r.line()
		if err != nil {
			return Line{}, err
		}
		if len(bytes.TrimSpace(line.Data)) > 0 {
			return line, nil
		}
	}
	return Line{}, r.err
}

// line reads up to the next '\n' or to the end of the input, blank or not.
func (r *Reader) line() (Line, error) {
	if cap(r.long) > keepSize {
		r.long = nil
	}
	r.long = r.long[:0]
	start, size := r.offset, 0
	var data []byte
	for {
		piece, err := r.r.ReadSlice('\n')
		r.offset += int64(len(piece))
		size += len(piece)
		// One byte more than the limit is kept, for a terminator.
		fits := r.limit <= 0 || size <= r.limit+1
		if fits && errors.Is(err, bufio.ErrBufferFull) || len(r.long) > 0 {
			if fits {
				r.long = append(r.long, piece...)
			}
			data = r.long
		} else {
			data = piece
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		r.err = err
		break
	}
	line := Line{Data: data, Offset: start}
	body := size
	if r.err == nil {
		line.Terminated = true
		line.Data = bytes.TrimSuffix(bytes.TrimSuffix(data, []byte{'\n'}), []byte{'\r'})
		body--
	}
	if r.limit > 0 && body > r.limit {
		return Line{}, &TooLongError{Offset: start, Limit: r.limit}
	}
	return line, nil
}

// The separators that JSON allows raw in strings and that JavaScript and
// Python's splitlines take for line ends.
var separators = strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`)

// Marshal returns v as one line: compact JSON in valid UTF-8, without HTML
// escaping, with U+2028 and U+2029 escaped, ended by '\n'.
func Marshal(v any) ([]byte, error) {
	line, err := encode(v)
	if err != nil {
		return nil, fmt.Errorf("encode a JSON line: %w", err)
	}
	// Strings come out escaped already; raw messages and custom marshallers can
	// bring in separators and broken UTF-8. In valid JSON both occur only inside
	// strings, where replacing them is safe.
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	if bytes.Contains(line, []byte("\xE2\x80\xA8")) || bytes.Contains(line, []byte("\xE2\x80\xA9")) {
		line = []byte(separators.Replace(string(line)))
	}
	return line, nil
}

// Value returns v as compact JSON without HTML escaping, to stand within a line.
func Value(v any) (json.RawMessage, error) {
	line, err := encode(v)
	return bytes.TrimSuffix(line, []byte{'\n'}), err
}

// encode writes v and a line end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
