package strict

import (
	"errors"
	"fmt"
	"strings"
)

func frame(line []byte) (object, error) {
	o, err := decodeFrame(line)
	if err != nil {
		return nil, err
	}
	return o, frames.check(o)
}

// event is a frame of that type with these fields.
func event(f fields) shape { return record(f.with(fields{"type": text})) }

// frames is all that the server writes, in either dialect.
var frames = table{
	"ready":    event(fields{"version": name}),
	"response": response,

	"agent_start":           event(nil),
	"agent_end":             event(fields{"messages": list(message), "willRetry?": boolean}),
	"agent_settled":         event(fields{"aborted": boolean}),
	"turn_start":            event(nil),
	"turn_end":              event(fields{"message": assistant, "toolResults": list(toolResult)}),
	"message_start":         event(fields{"message": message}),
	"message_update":        messageUpdate,
	"message_end":           event(fields{"message": message}),
	"tool_execution_start":  event(execution.with(fields{"args": anyObject, "intent?": text})),
	"tool_execution_update": event(execution.with(fields{"args": anyObject, "partialResult": produced})),
	"tool_execution_end": event(execution.with(fields{
		"result": produced, "isError": boolean, "isWarning?": boolean, "durationMs?": count,
	})),

	"auto_retry_start": event(fields{"attempt": count, "maxAttempts": count, "delayMs": count, "errorMessage": text}),
	"auto_retry_end":   event(fields{"success": boolean, "attempt": count, "finalError?": text}),

	"auto_compaction_start": event(fields{"reason": oneOf("threshold", "overflow"), "action": action}),
	"auto_compaction_end":   event(compacted.with(fields{"action": action, "skipped?": only(true)})),
	"compaction_start":      event(fields{"reason": compactionReason}),
	"compaction_end":        event(compacted.with(fields{"reason": compactionReason})),

	"ttsr_triggered":         event(fields{"rules": list(streamRule)}),
	"todo_reminder":          event(fields{"todos": unfinished, "attempt": count, "maxAttempts": count}),
	"todo_auto_clear":        event(nil),
	"queue_update":           event(fields{"steering": list(text), "followUp": list(text)}),
	"session_info_changed":   event(fields{"name?": text}),
	"thinking_level_changed": event(fields{"level": level}),
	"bash_execution_update":  event(fields{"id?": text, "delta": text}),
	"command_output":         event(fields{"text": text}),
	"notice":                 event(fields{"level": severity, "message": text}),
	"extension_error":        event(fields{"extensionPath": text, "event": text, "error": text}),

	"extension_ui_request": variants("method", dialogs),
	"host_tool_call":       event(fields{"id": name, "toolCallId": name, "toolName": name, "arguments": anyObject}),
	"host_tool_cancel":     event(fields{"id": name, "targetId": name}),
}

// dialectOf names the dialect of the frames that only one of both has.
var dialectOf = map[string]string{
	"auto_compaction_start": "", "auto_compaction_end": "",
	"compaction_start": Pi, "compaction_end": Pi, "queue_update": Pi,
	"session_info_changed": Pi, "thinking_level_changed": Pi, "bash_execution_update": Pi,
}

var (
	execution        = fields{"toolCallId": name, "toolName": name}
	action           = oneOf("context-full", "handoff")
	compactionReason = oneOf("manual", "threshold", "overflow")
	compacted        = fields{"result?": compaction, "aborted": boolean, "willRetry": boolean, "errorMessage?": text}
	severity         = oneOf("info", "warning", "error")
)

// dialogs are the requests to the user, by method.
var dialogs = map[string]fields{
	"select":          request(fields{"title": text, "options": list(text), "timeout?": count}),
	"confirm":         request(fields{"title": text, "message": text, "timeout?": count}),
	"input":           request(fields{"title": text, "placeholder?": text, "timeout?": count}),
	"editor":          request(fields{"title": text, "prefill?": text}),
	"cancel":          request(fields{"targetId": name}),
	"notify":          request(fields{"message": text, "notifyType?": severity}),
	"setStatus":       request(fields{"statusKey": text, "statusText?": text}),
	"setWidget":       request(fields{"widgetKey": text, "widgetLines?": list(text), "widgetPlacement?": oneOf("aboveEditor", "belowEditor")}),
	"setTitle":        request(fields{"title": text}),
	"set_editor_text": request(fields{"text": text}),
}

func request(f fields) fields { return f.with(fields{"type": text, "id": name}) }

// updates are the events inside a message_update. The cumulative form has the
// message so far beside each; the delta form names a tool call at its start
// instead.
var updates = map[string]fields{
	"text_start":     {"contentIndex": count},
	"text_delta":     {"contentIndex": count, "delta": text},
	"text_end":       {"contentIndex": count, "content": text},
	"thinking_start": {"contentIndex": count},
	"thinking_delta": {"contentIndex": count, "delta": text},
	"thinking_end":   {"contentIndex": count, "content": text},
	"toolcall_start": {"contentIndex": count, "id": name, "toolName": name},
	"toolcall_delta": {"contentIndex": count, "delta": text},
	"toolcall_end":   {"contentIndex": count, "toolCall": call},
}

var cumulativeUpdates = func() map[string]fields {
	all := map[string]fields{}
	for kind, f := range updates {
		all[kind] = f.with(fields{"partial": assistant})
	}
	all["toolcall_start"] = fields{"contentIndex": count, "id?": name, "toolName?": name, "partial": assistant}
	return all
}()

var (
	cumulativeUpdate = event(fields{"message": assistant, "usage?": usage, "assistantMessageEvent": variants("type", cumulativeUpdates)})
	deltaUpdate      = event(fields{"usage": usage, "assistantMessageEvent": variants("type", updates)})
)

func messageUpdate(v any) error {
	o, ok := v.(object)
	if !ok {
		return mismatch("an object", v)
	}
	if _, ok := o["message"]; ok {
		return cumulativeUpdate(v)
	}
	return deltaUpdate(v)
}

const (
	unknownCommand = "Unknown command: "
	parseFailure   = "Failed to parse command: "
)

// The envelope of a response.
var (
	success = fields{"type": text, "id?": text, "command": name, "success": only(true)}
	failure = record(fields{"type": text, "id?": text, "command?": name, "success": only(false), "error": name})
)

func response(v any) error {
	o, ok := v.(object)
	if !ok {
		return mismatch("an object", v)
	}
	command := o.text("command")
	if o["success"] == false {
		return failed(o, command)
	}
	c, ok := commands[command]
	if !ok {
		return fmt.Errorf("success of the unknown command %q", command)
	}
	return within(command, record(success.with(c.data))(o))
}

// failed checks a failure. What answers no command has no id.
func failed(o object, command string) error {
	if err := failure(o); err != nil {
		return within(command, err)
	}
	_, known := commands[command]
	_, hasID := o["id"]
	message := o.text("error")
	switch {
	case known:
		return nil
	case command == "":
		if !strings.HasPrefix(message, unknownCommand) { // the type was no string
			return errors.New(`the field "command" is missing`)
		}
		return nil
	case command == "parse":
		if !strings.HasPrefix(message, parseFailure) {
			return fmt.Errorf("parse: the error does not begin with %q", parseFailure)
		}
	case command == "extension_send", command == "extension_send_user":
	case message != unknownCommand+command:
		return fmt.Errorf("failure of %q, which is unknown, with the error %q", command, message)
	default:
		return nil // the dialect decides about the id
	}
	if hasID {
		return fmt.Errorf("%s: has an id", command)
	}
	return nil
}

func within(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
