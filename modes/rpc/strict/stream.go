package strict

import (
	"errors"
	"fmt"
)

// Pi is the dialect of --rpc-dialect pi. The default one has no name.
const Pi = "pi"

// Options say how the server was started.
type Options struct {
	// Dialect is Pi or empty.
	Dialect string
	// Delta is --rpc-updates delta: updates without message and partial.
	Delta bool
}

// Stream checks the whole output of one server, line after line. It is not
// safe for concurrent use. After an error it checks no more, since what
// follows is likely to be wrong for the same reason.
type Stream struct {
	options Options
	lines   int
	broken  error

	replies replies
	run     run
	work    work
	side    side
}

// New returns a Stream that has seen nothing yet.
func New(o Options) *Stream {
	return &Stream{
		options: o,
		replies: replies{pi: o.Dialect == Pi, first: map[string]reply{}, sent: map[string]string{}},
		side:    side{ids: map[string]bool{}, dialogs: map[string]bool{}, hosted: map[string]string{}},
	}
}

// Sent notes a line that the client has written, before the server can have
// answered it. It is optional: with it, End also demands an answer to every
// id, and answers to ids that were never sent are errors.
func (s *Stream) Sent(line []byte) { s.replies.expect(line) }

// Line checks the next line of the server, given without its '\n'. Only the
// first error is returned.
func (s *Stream) Line(line []byte) error {
	if s.broken != nil {
		return nil
	}
	s.lines++
	o, err := frame(line)
	if err == nil {
		err = s.next(o)
	}
	if err != nil {
		s.broken = fmt.Errorf("frame %d: %w (%.200s)", s.lines, err, line)
	}
	return s.broken
}

// End checks that nothing was left open when the server has gone. It returns
// the error of a line again, if there was one.
func (s *Stream) End() error {
	if s.broken == nil {
		s.broken = s.finished()
	}
	return s.broken
}

func (s *Stream) finished() error {
	if s.lines == 0 {
		return errors.New("not even ready was written")
	}
	return errors.Join(s.run.finished(), s.side.finished(), s.work.finished(), s.replies.finished())
}

func (s *Stream) next(o object) error {
	typ := o.text("type")
	if (s.lines == 1) != (typ == "ready") {
		return fmt.Errorf("%s: ready is the first frame and comes once", typ)
	}
	if dialect, ok := dialectOf[typ]; ok && dialect != s.options.Dialect {
		return fmt.Errorf("%s belongs to the other dialect", typ)
	}
	return within(typ, s.order(typ, o))
}

// order applies the rules across frames.
func (s *Stream) order(typ string, o object) error {
	switch typ {
	case "response":
		return s.response(o)
	case "agent_start":
		s.work.unsettled = true
		return errors.Join(s.work.resumed(), s.run.start())
	case "agent_end":
		s.work.promised = o.isTrue("willRetry")
		return s.run.end(o)
	case "agent_settled":
		return errors.Join(s.run.quiet(), s.work.settle())
	case "turn_start":
		return s.run.turnStart()
	case "turn_end":
		return s.run.turnEnd(o)
	case "message_start":
		return s.run.messageStart(o.object("message"))
	case "message_update":
		return s.update(o)
	case "message_end":
		return s.run.messageEnd(o.object("message"))
	case "tool_execution_start":
		return s.run.toolStart(o)
	case "tool_execution_update":
		return s.run.toolUpdate(o)
	case "tool_execution_end":
		return errors.Join(s.run.toolEnd(o), s.side.toolEnded(o))
	case "auto_retry_start":
		return errors.Join(s.run.quiet(), s.work.retry(o))
	case "auto_retry_end":
		if !o.isTrue("success") { // a success is known before its run ends
			return errors.Join(s.run.quiet(), s.work.retryEnd(o))
		}
		return s.work.retryEnd(o)
	case "auto_compaction_start", "compaction_start":
		return errors.Join(s.run.quiet(), s.work.compact(o))
	case "auto_compaction_end", "compaction_end":
		return s.work.compactEnd(o)
	case "todo_reminder":
		return errors.Join(s.run.quiet(), s.work.remind(o))
	case "ttsr_triggered":
		return s.run.triggered()
	case "extension_ui_request":
		return s.side.dialog(o)
	case "host_tool_call":
		return errors.Join(s.run.serving(o), s.side.call(o))
	case "host_tool_cancel":
		return s.side.cancel(o)
	}
	return nil
}

func (s *Stream) update(o object) error {
	if _, cumulative := o["message"]; cumulative == s.options.Delta {
		return errors.New("not the form of the updates that was asked for")
	}
	if _, ok := o["usage"]; !ok && s.options.Dialect == Pi {
		return errors.New("without usage, which this dialect has in every update")
	}
	return s.run.update(o)
}

// response checks a response against the commands, then what it says about
// the runs.
func (s *Stream) response(o object) error {
	if err := s.replies.next(o); err != nil {
		return err
	}
	command, ok := o.text("command"), o.isTrue("success")
	switch {
	case command == "prompt" || command == "abort_and_prompt":
		return s.prompted(command, ok, o.object("data").text("disposition"))
	case command == "abort" && ok && s.run.open:
		return errors.New("abort is answered after agent_end")
	}
	return nil
}

func (s *Stream) prompted(command string, ok bool, disposition string) error {
	if !ok {
		s.work.refused()
		return nil
	}
	if s.run.open && (command == "abort_and_prompt" || disposition == "started") {
		return fmt.Errorf("%s is acknowledged within a run: before agent_start or after the old agent_end", command)
	}
	s.work.accepted(disposition)
	return nil
}
