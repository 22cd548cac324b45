package web

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// Text is the body in UTF-8: by what the site says, by what the page itself
// says, else by what the bytes are. What can't be read becomes U+FFFD.
func (r *Response) Text() string {
	if r.utf8() {
		return strings.ToValidUTF8(strings.TrimPrefix(string(r.Body), "\ufeff"), "\uFFFD")
	}
	decoded, err := charset.NewReader(bytes.NewReader(r.Body), r.contentType)
	if err == nil {
		if text, err := io.ReadAll(io.LimitReader(decoded, 4*MaxBody)); err == nil {
			return strings.ToValidUTF8(strings.TrimPrefix(string(text), "\ufeff"), "\uFFFD")
		}
	}
	return strings.ToValidUTF8(string(r.Body), "\uFFFD")
}

// utf8 reports whether the body is UTF-8 and nothing says otherwise. Text of
// other encodings is hardly ever UTF-8 by chance, those of 7 bits aside.
func (r *Response) utf8() bool {
	body := r.Body
	if r.Cut { // perhaps in a character
		end := len(body) - 1
		for end > max(0, len(body)-utf8.UTFMax) && !utf8.RuneStart(body[end]) {
			end--
		}
		body = body[:max(0, end)]
	}
	return utf8.Valid(body) && !bytes.Contains(body, []byte{0x1b}) && bytes.IndexByte(body, 0) < 0
}
