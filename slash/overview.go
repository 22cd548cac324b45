package slash

import (
	"context"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Bounds of what /history shows.
const (
	historyMessages = 50
	historyRunes    = 500 // of one message
)

// runHistory shows what the user and the model have said, the latest last.
func runHistory(ctx context.Context, c Call) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	var said []string
	for _, m := range v.Messages {
		who := map[message.Role]string{message.User: "You", message.Assistant: "Hoopoe"}[m.Role]
		text := strings.TrimSpace(m.Text())
		if who == "" || text == "" || m.Synthetic {
			continue
		}
		if r := []rune(text); len(r) > historyRunes {
			text = string(r[:historyRunes-1]) + "…"
		}
		said = append(said, who+": "+text)
	}
	if len(said) == 0 {
		return reply("Nothing has been said yet.")
	}
	left := ""
	if n := len(said) - historyMessages; n > 0 {
		said = said[n:]
		left = fmt.Sprintf("(%d earlier messages are left out; /export writes all)\n\n", n)
	}
	return reply("%s%s", left, strings.Join(said, "\n\n"))
}

// runConfig shows the settings that hold in this session, and what changes
// them.
func runConfig(ctx context.Context, c Call) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	return reply("%s", columns([][2]string{
		{"model", v.Model.Provider + "/" + v.Model.ID + "  (/model)"},
		{"thinking", v.Thinking + "  (/thinking)"},
		{"permissions", v.Mode + "  (/permissions)"},
		{"tools", fmt.Sprintf("%d  (/tools)", len(c.Session.Tools()))},
		{"auto compaction", onOff(v.AutoCompaction)},
		{"auto retry", onOff(v.AutoRetry)},
		{"steering", v.SteeringMode},
		{"follow-ups", v.FollowUpMode},
		{"folder", v.Cwd},
	}))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
