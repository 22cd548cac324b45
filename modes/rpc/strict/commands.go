package strict

import (
	"errors"
	"fmt"
)

// command is a command of a client.
type command struct {
	// request holds the fields besides id and type.
	request fields
	// data of a success; nil when there is none.
	data fields
}

func data(s shape) fields { return fields{"data": s} }

// Shapes of data that more than one command has.
var (
	started   = record(fields{"disposition": oneOf("started", "queued", "handled")})
	queued    = record(fields{"disposition": oneOf("queued", "handled")})
	cancelled = record(fields{"cancelled": boolean})
	branched  = record(fields{"text": text, "cancelled": boolean})
	userTexts = record(fields{"messages": list(record(fields{"entryId": name, "text": text}))})
	saidBy    = fields{"message": text, "images?": list(image)}
)

var commands = map[string]command{
	"prompt":           {saidBy.with(fields{"streamingBehavior?": oneOf("steer", "followUp")}), fields{"data?": started}},
	"steer":            {saidBy, fields{"data?": queued}},
	"follow_up":        {saidBy, fields{"data?": queued}},
	"abort":            {},
	"abort_and_prompt": {saidBy, fields{"data?": started}},
	"new_session":      {fields{"parentSession?": text}, data(cancelled)},

	"get_state":      {nil, data(state)},
	"set_todos":      {fields{"phases": phases}, data(record(fields{"todoPhases": phases}))},
	"set_host_tools": {fields{"tools": list(hostTool)}, data(record(fields{"toolNames": list(name)}))},
	"clear_queue":    {nil, data(record(fields{"steering": list(text), "followUp": list(text)}))},

	"set_model":            {fields{"provider": text, "modelId": text}, data(model)},
	"cycle_model":          {nil, data(nullable(record(fields{"model": model, "thinkingLevel?": level, "isScoped": boolean})))},
	"get_available_models": {nil, data(record(fields{"models": list(model)}))},

	"set_thinking_level":            {fields{"level": level}, nil},
	"cycle_thinking_level":          {nil, data(nullable(record(fields{"level": level})))},
	"get_available_thinking_levels": {nil, data(record(fields{"levels": list(level)}))},

	"set_steering_mode":  {fields{"mode": queueMode}, nil},
	"set_follow_up_mode": {fields{"mode": queueMode}, nil},
	"set_interrupt_mode": {fields{"mode": oneOf("immediate", "wait")}, nil},

	"compact":             {fields{"customInstructions?": text}, data(compaction)},
	"set_auto_compaction": {fields{"enabled": boolean}, nil},
	"set_auto_retry":      {fields{"enabled": boolean}, nil},
	"abort_retry":         {},

	"bash":       {fields{"command": text, "excludeFromContext?": boolean}, data(bashResult)},
	"abort_bash": {},

	"get_session_stats":       {nil, data(stats)},
	"export_html":             {fields{"outputPath?": text}, data(record(fields{"path": name}))},
	"switch_session":          {fields{"sessionPath": text}, data(cancelled)},
	"set_session_name":        {fields{"name": text}, nil},
	"branch":                  {fields{"entryId": text}, data(branched)},
	"fork":                    {fields{"entryId": text}, data(branched)},
	"clone":                   {nil, data(cancelled)},
	"get_branch_messages":     {nil, data(userTexts)},
	"get_fork_messages":       {nil, data(userTexts)},
	"get_entries":             {fields{"since?": text}, data(record(fields{"entries": list(entry), "leafId": nullable(name)}))},
	"get_tree":                {nil, data(record(fields{"tree": list(branch), "leafId": nullable(name)}))},
	"get_messages":            {nil, data(record(fields{"messages": list(message)}))},
	"get_last_assistant_text": {nil, data(record(fields{"text": nullable(text)}))},

	"get_commands": {nil, data(record(fields{"commands": list(slashCommand)}))},
}

var state = record(fields{
	"model?": model, "thinkingLevel?": level,
	"isStreaming": boolean, "isCompacting": boolean,
	"steeringMode": queueMode, "followUpMode": queueMode, "interruptMode": oneOf("immediate", "wait"),
	"sessionFile?": name, "sessionId": name, "sessionName?": name,
	"autoCompactionEnabled": boolean, "messageCount": count, "queuedMessageCount": count, "todoPhases": phases,
	"pendingMessageCount?": count, "contextUsage?": fullness, "systemPrompt?": text,
	"dumpTools?": list(record(fields{"name": name, "description": text, "parameters": anyObject})),
})

var stats = record(fields{
	"sessionFile?": name, "sessionId": name,
	"userMessages": count, "assistantMessages": count, "toolCalls": count, "toolResults": count, "totalMessages": count,
	"tokens": record(fields{"input": count, "output": count, "cacheRead": count, "cacheWrite": count, "total": count}),
	"cost":   number, "premiumRequests": number, "contextUsage?": fullness,
})

var bashResult = record(fields{
	"output": text, "exitCode?": integer, "cancelled": boolean, "truncated": boolean,
	"totalLines": count, "totalBytes": count, "outputLines": count, "outputBytes": count,
	"artifactId?": name, "fullOutputPath?": name, "newCwd?": name,
})

var slashCommand = record(fields{
	"name": name, "description?": text, "source": oneOf("builtin", "extension", "prompt", "skill"),
	"sourceInfo?": record(fields{"path": text, "source": text, "scope": text, "origin": text}),
})

var hostTool = record(fields{
	"name": name, "label?": text, "description": name, "parameters": anyObject, "hidden?": boolean,
})

// inputs is all that a client may write.
var inputs = func() table {
	t := table{
		"extension_ui_response": userAnswer,
		"host_tool_update":      event(fields{"id": name, "partialResult": produced}),
		"host_tool_result":      event(fields{"id": name, "result": produced, "isError?": boolean}),
	}
	for name, c := range commands {
		t[name] = event(c.request.with(fields{"id?": text}))
	}
	return t
}()

var answerFields = record(fields{
	"type": text, "id": name, "value?": text, "confirmed?": boolean, "cancelled?": only(true), "timedOut?": boolean,
})

// userAnswer has exactly one of value, confirmed and cancelled.
func userAnswer(v any) error {
	if err := answerFields(v); err != nil {
		return err
	}
	o, n := v.(object), 0
	for _, kind := range []string{"value", "confirmed", "cancelled"} {
		if _, ok := o[kind]; ok {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("has %d of value, confirmed and cancelled, not one", n)
	}
	if _, ok := o["timedOut"]; ok && !o.isTrue("cancelled") {
		return errors.New("timedOut goes with cancelled")
	}
	return nil
}
