package compact

import (
	"encoding/json"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// details are stored with a compaction entry, as the protocol family does.
type details struct {
	ReadFiles     []string `json:"readFiles"`
	ModifiedFiles []string `json:"modifiedFiles"`
}

// Details lists the files that the summarised messages touched, as JSON, and
// the same as text to append to the summary.
func Details(messages []message.Message) (raw json.RawMessage, text string) {
	read, modified := Files(messages)
	raw, _ = json.Marshal(details{ReadFiles: orEmpty(read), ModifiedFiles: orEmpty(modified)})
	if len(read) > 0 {
		text += "\n\n<read-files>\n" + strings.Join(read, "\n") + "\n</read-files>"
	}
	if len(modified) > 0 {
		text += "\n\n<modified-files>\n" + strings.Join(modified, "\n") + "\n</modified-files>"
	}
	return raw, text
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func pathOf(arguments json.RawMessage) string {
	var a struct{ Path string }
	_ = json.Unmarshal(arguments, &a)
	return a.Path
}
