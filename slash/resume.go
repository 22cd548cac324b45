package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// sessions holds the command that goes back to an earlier session.
type sessions struct{ Options }

// pickerRows bounds the picker; older sessions are found by words.
const pickerRows = 200

func (o sessions) run(ctx context.Context, c Call) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	path, shown, err := o.pick(ctx, c, v)
	if err != nil {
		return Result{}, err
	}
	if path == "" {
		return reply("%s", shown)
	}
	if path == v.File {
		return Result{}, errors.New("that is this session")
	}
	cancelled, err := c.Session.Switch(ctx, path)
	if err != nil {
		return Result{}, err
	}
	if cancelled {
		return reply("An extension kept the session.")
	}
	return reply("")
}

// pick finds the file to open: the one that the argument names, else the
// user's choice. Without a path there is something to show instead, or nothing
// when the user took none.
func (o sessions) pick(ctx context.Context, c Call, v event.View) (path, shown string, err error) {
	if c.Args != "" {
		path, err = o.Library.FindSession(ctx, v.Cwd, c.Args)
		return path, "", err
	}
	saved, err := o.others(ctx, v)
	if err != nil {
		return "", "", err
	}
	if len(saved) == 0 {
		return "", "There is no other session in this folder.", nil
	}
	rows := make([]string, len(saved))
	for i, s := range saved {
		rows[i] = Row(s, o.Now())
	}
	if !c.Caps.Has(Dialogs) {
		return "", strings.Join(rows, "\n") + "\n\nGo back with /resume id.", nil
	}
	for i, s := range saved { // what people look for comes first
		rows[i] = fmt.Sprintf("%s (%s, %s)", sanitize.Line(s.Label()), Age(o.Now().Sub(s.Modified)), sanitize.Line(s.ID))
	}
	if i := choose(ctx, c.Session, "Sessions of this folder", "", rows); i >= 0 {
		return saved[i].Path, "", nil
	}
	return "", "", nil
}

// others lists the folder's sessions but the one that is open.
func (o sessions) others(ctx context.Context, v event.View) ([]session.Summary, error) {
	saved, err := o.Library.Sessions(ctx, v.Cwd)
	if err != nil {
		return nil, err
	}
	saved = slices.DeleteFunc(slices.Clone(saved), func(s session.Summary) bool { return s.Path == v.File })
	return saved[:min(len(saved), pickerRows)], nil
}

func (o sessions) complete(ctx context.Context, s Session, prefix string) []string {
	v, err := s.View(ctx)
	if err != nil {
		return nil
	}
	saved, err := o.others(ctx, v)
	if err != nil {
		return nil
	}
	var ids []string
	for _, other := range saved {
		if strings.HasPrefix(other.ID, prefix) {
			ids = append(ids, other.ID)
		}
	}
	return ids
}

// Row shows a session on one line: id, age, messages, label.
func Row(s session.Summary, now time.Time) string {
	count := fmt.Sprint(s.Messages)
	if s.More {
		count += "+"
	}
	return fmt.Sprintf("%-36s  %8s  %5s  %s", sanitize.Line(s.ID), Age(now.Sub(s.Modified)), count, sanitize.Line(s.Label()))
}

// Age says how long ago something was, in at most eight columns.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	}
	return fmt.Sprintf("%dd ago", d/(24*time.Hour))
}
