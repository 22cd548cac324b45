// Package shell runs commands and reads them.
//
// Running: a Runner starts a command in a session and process group of its own,
// without a terminal and with pagers and prompts disarmed, and keeps the tail
// of what it prints.
//
//	Command ─▶ Runner.Run ─▶ bash -c … ─▶ pipe ─▶ collector ─┬─▶ OnOutput (throttled)
//	   ctx, Timeout, Close ─▶ TERM to the group, then KILL    ├─▶ Result (tail, counts)
//	                                                          └─▶ spool file, once over the cap
//
// Reading: Analyze parses a script and lists everything in it that could have
// an effect, for the permission rules to judge.
//
//	script ─▶ parser ─▶ walk ─▶ Analysis{Calls, Redirects, Assigns, Unknowns}
//
// Analyze holds no policy. Its invariant is that nothing disappears: what it
// can't describe as a call, a redirect or an assignment it reports as Unknown.
package shell
