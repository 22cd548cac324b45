// Package command lets shell commands take part in a session, for those who
// write no extension.
//
//	settings, --hook ─▶ Hook ─▶ Extensions ─▶ ext.Host
//	event ─ matches? ─▶ command: event as JSON on stdin ─▶ exit code, stdout, stderr
//	      ─▶ Decision ─▶ the point's reply
//
// # What a command is told
//
// One JSON object with a line feed: event and hook_event_name (the name other
// agents give it), session_id, transcript_path, cwd, and by event
//
//	session_start          source
//	session_shutdown       -
//	input                  prompt, source; what text it is, typed or queued
//	before_agent_start     prompt, system_prompt
//	tool_call              tool_name, tool_use_id, tool_input
//	tool_result            the same and tool_response {content, is_error, details}
//	agent_end              reason, last_assistant_message, stop_hook_active
//	session_before_compact trigger, custom_instructions
//	session_compact        -
//	session_before_switch  reason (new, resume), path
//	session_switch         reason, path
//	session_before_branch  path
//	session_branch         path
//	notification           message, title: a question to the user has opened
//
// Fields without a value are left out. The environment has HOOPOE_HOOK_EVENT and
// HOOPOE_PROJECT_DIR. The working directory is the session's.
//
// A hook's matcher is a regular expression for the whole of the tool's name, or
// where there is none of source, trigger or reason, whatever the case of
// letters; "" and "*" match all. The other events have nothing to match.
//
// # What it answers
//
// Exit code 2 blocks, with stderr as the reason. Exit code 0 lets stdout
// count. Any other end, a missing program, and a timeout are failures, which
// are reported; a tool call fails closed: it is blocked.
//
// Stdout that begins with "{" is a decision, an object with any of
//
//	block, cancel          true: block
//	decision               approve, allow, block, deny, ask
//	reason, stopReason     why: for the model, for the user where there is none
//	continue               false: block, and end the run
//	context, message       text to add for the model
//	systemMessage          a warning for the user
//	input, updatedInput    tool_call: the arguments instead
//	text                   input: the prompt instead
//	handled, action        input: true, "handled": nothing is left to run
//	systemPrompt           before_agent_start: the system prompt instead
//	content, isError       tool_result: the result instead
//	summary                session_before_compact: the summary
//	suppressOutput         nothing here
//	hookSpecificOutput     an object with permissionDecision,
//	                       permissionDecisionReason, additionalContext, updatedInput
//
// An object with none of these is a failure: a misspelt block must not pass. Any
// other stdout is context for input, before_agent_start, session_start and
// session_before_compact, and nothing elsewhere.
//
// To block means: a prompt is refused, a call is denied, a compaction or a
// change of session is cancelled. After tool_result the reason is added to the
// result. At agent_end the model goes on with the reason as its next message,
// at most ten times in a row. Where nothing can be blocked the reason is shown
// to the user. "approve" and "allow" only mean that the hook doesn't object: the
// permission rules still judge. "ask" puts the call to the user.
package command
