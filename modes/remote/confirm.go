package remote

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// opened shows a question about a call to the client. Other questions have
// their default by now: nobody here can show them.
func (c *conversation) opened(x *exchange, q event.Question) []frame {
	if q.Permission == nil {
		return nil
	}
	c.mu.Lock()
	x.asked = &q
	c.mu.Unlock()
	return []frame{askFrame(q)}
}

func askFrame(q event.Question) frame {
	about := describe(q)
	return frame{kind: kindToolAsk, value: toolAsk{q.Permission.Tool, arguments(q.Permission.Arguments), &about}}
}

// describe says what a call would do and why it asks.
func describe(q event.Question) string {
	p := q.Permission
	lines := []string{q.Title}
	if p.Command != "" && !strings.Contains(q.Title, p.Command) {
		lines = append(lines, p.Command)
	}
	if added, removed := diffStat(p.Diff); added+removed > 0 {
		lines[0] += fmt.Sprintf(" (+%d -%d)", added, removed)
	}
	if q.Message != "" {
		lines = append(lines, q.Message)
	}
	return excerpt(strings.Join(lines, "\n"), 8<<10)
}

// diffStat counts the lines of a unified diff.
func diffStat(diff string) (added, removed int) {
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---"):
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}

// answerTool answers the open question. The frames that follow carry the id of
// the request that the question belongs to; only an error carries this one's.
func (c *conversation) answerTool(from *conn, id string, in toolResponse) {
	c.mu.Lock()
	x := c.current
	var q *event.Question
	if x != nil {
		q = x.asked
	}
	c.mu.Unlock()
	if q == nil {
		c.post(from, id, failure("No pending tool confirmation found"))
		return
	}
	const failed = "Tool confirmation validation failed: "
	switch {
	case in.name != q.Permission.Tool:
		c.post(from, id, failure(failed+fmt.Sprintf("Tool name mismatch: expected '%s', got '%s'", q.Permission.Tool, excerpt(in.name, 200))))
		return
	case !sameJSON(in.arguments, arguments(q.Permission.Arguments)):
		c.post(from, id, failure(failed+"the arguments are not those that were asked about; a call is approved as it is or not at all"))
		return
	}
	a := event.Answer{Choice: event.Deny, Reason: excerpt(in.reason, 4<<10)}
	if in.approved {
		a = event.Answer{Choice: event.Once}
	}
	if won, err := c.session.Answer(c.ctx, q.ID, a); err != nil || !won {
		c.post(from, id, failure("No pending tool confirmation found"))
		return
	}
	c.adopt(x, from)
}

// adopt has a request's frames go to the connection that answers for it, when
// the one that asked has gone.
func (c *conversation) adopt(x *exchange, by *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.present[x.conn] {
		x.conn = by
	}
}

// sameJSON compares values, not their spelling.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// The two sentences of turn confirmation are the protocol's.
const (
	turnsReached = "已达到最大对话轮次限制 (%d 轮)。是否重置对话轮次以继续对话？"
	turnsRefused = "对话已结束，未重置轮次。"
)

// defaultMost is how many turns the user has before the client is asked.
const defaultMost = 30

// turnQuestion waits for the client to go on.
type turnQuestion struct {
	frame  frame
	answer chan bool
}

// countTurn counts a turn of the user's. At the limit the client is asked; stop
// is true when the conversation doesn't go on, and f ends the request.
func (c *conversation) countTurn(x *exchange) (f frame, stop bool) {
	most := defaultMost
	if n := x.config.MaxContextNum; n != nil {
		most = int(*n)
	}
	c.mu.Lock()
	if c.turns < most {
		c.turns++
		c.mu.Unlock()
		return f, false
	}
	reason := fmt.Sprintf(turnsReached, most)
	x.turn = &turnQuestion{frame{kind: kindTurnAsk, value: turnAsk{c.turns, most, reason, reason}}, make(chan bool, 1)}
	question := x.turn
	c.mu.Unlock()
	c.sub.Post(said{x, []frame{question.frame}, false})
	yes := false
	select {
	case yes = <-question.answer:
	case <-x.ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	x.turn = nil
	switch {
	case x.interrupted:
		return x.interruption(), true
	case !yes:
		return textFrame(turnsRefused), true
	}
	c.turns = 1
	return f, false
}

// answerTurn answers the question of countTurn.
func (c *conversation) answerTurn(from *conn, id string, in turnResponse) {
	c.mu.Lock()
	x := c.current
	var question *turnQuestion
	if x != nil && x.turn != nil {
		question, x.turn = x.turn, nil
		if !c.present[x.conn] {
			x.conn = from
		}
	}
	c.mu.Unlock()
	if question == nil {
		c.post(from, id, failure("No pending turn confirmation found"))
		return
	}
	question.answer <- in.confirmed
}

// pending are the questions that wait for an answer, for a connection that
// comes back.
func (x *exchange) pending() []frame {
	var frames []frame
	if x.asked != nil {
		frames = append(frames, askFrame(*x.asked))
	}
	if x.turn != nil {
		frames = append(frames, x.turn.frame)
	}
	return frames
}
