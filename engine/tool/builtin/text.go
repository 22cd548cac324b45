package builtin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
)

// encoding is how a text file stores characters. Bytes of a UTF-8 file that
// aren't UTF-8 pass through as they are.
type encoding struct {
	bom   string
	order byteOrder // of UTF-16, nil for UTF-8
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

var (
	errBinary   = errors.New("a binary file")
	errEncoding = errors.New("a UTF-16 file that isn't valid")
)

// sniffed is how far a file is searched for the NUL that makes it binary.
const sniffed = 8 << 10

// decodeText returns a file's text without its byte order mark, line endings
// as they are.
func decodeText(data []byte) (string, encoding, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return decode16(data[2:], encoding{"\xff\xfe", binary.LittleEndian})
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return decode16(data[2:], encoding{"\xfe\xff", binary.BigEndian})
	}
	if bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0 {
		return "", encoding{}, errBinary
	}
	var e encoding
	if rest, ok := bytes.CutPrefix(data, []byte("\ufeff")); ok {
		e.bom, data = "\ufeff", rest
	}
	return string(data), e, nil
}

func decode16(data []byte, e encoding) (string, encoding, error) {
	if len(data)%2 != 0 {
		return "", e, errEncoding
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = e.order.Uint16(data[2*i:])
	}
	text := string(utf16.Decode(units))
	if !bytes.Equal(e.encode(text)[2:], data) {
		return "", e, errEncoding // a lone surrogate: writing it back would lose it
	}
	return text, e, nil
}

// encode is the inverse of decodeText.
func (e encoding) encode(text string) []byte {
	out := []byte(e.bom)
	if e.order == nil {
		return append(out, text...)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = e.order.AppendUint16(out, unit)
	}
	return out
}

// crlf reports whether most line endings of text are CRLF.
func crlf(text string) bool {
	pairs := strings.Count(text, "\r\n")
	return pairs > 0 && 2*pairs >= strings.Count(text, "\n")
}

// withEndings gives text CRLF or LF line endings.
func withEndings(text string, crlf bool) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}
