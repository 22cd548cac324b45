// Package offline is the guide: the provider that is always there. It is no
// language model and says so; it understands plain requests in English, Arabic
// and Chinese and carries them out through the session's own tools.
//
//	Request ─▶ last prompt ─▶ fold ─▶ grammar (en, ar, zh) ─▶ intent
//	        └▶ results since the prompt ─▶ task, replayed ─▶ sentence + tool calls, or a report
//
// The guide keeps no state. A task is a plain function that runs from its
// beginning for every request: a call that was made before returns its result
// from the messages, the first that wasn't becomes the answer. So a task gives
// the same answers for the same messages, after a restart too, and it emits only
// calls of tools that the request offers.
package offline
