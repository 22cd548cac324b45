// Package builtin holds the tools every session has: read, write, edit, bash,
// grep, find, ls, todo, ask and task. One file each, with the text that the model
// sees in the .md file beside it.
//
//	arguments ─▶ Workspace.Resolve ─▶ FS / Exec of Call.Env ─▶ caps ─▶ Result{text, details}
//
// Nothing here touches the disk or starts a process but through Call.Env.
// web_fetch alone reaches the network; a session has it when the user says so.
// Describe names every path that Run would touch, because permission is given
// by it.
package builtin

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Standard returns all tools but ask, task and web_fetch, in the order in which a model sees them.
func Standard() []tool.Tool {
	return []tool.Tool{Read(), Write(), Edit(), Bash(), Grep(), Find(), Ls(), Todo()}
}

// result is text for the model with details for the faces.
func result(text string, details any) tool.Result {
	r := tool.TextResult(text)
	if raw, err := json.Marshal(details); err == nil {
		r.Details = raw
	}
	return r
}
