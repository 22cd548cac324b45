package bundle

import (
	"bytes"
	_ "embed"
	"strings"
)

//go:embed regexp.js
var regexpSource string

// withRegExp gives a script that makes regular expressions a RegExp that knows
// what people write. It fits into the first line, so that the source map holds.
func withRegExp(code []byte) []byte {
	rest, found := bytes.CutPrefix(code, []byte(opening))
	if !found || !bytes.Contains(rest, []byte("RegExp")) {
		return code
	}
	var line strings.Builder
	for l := range strings.Lines(regexpSource) {
		line.WriteString(strings.TrimSpace(l))
		line.WriteByte(' ')
	}
	return append([]byte(opening+" "+line.String()), rest...)
}
