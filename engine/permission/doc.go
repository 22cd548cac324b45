// Package permission decides whether a tool call may run: at once, after the
// user has been asked, or not at all. It is pure: the caller resolves paths and
// parses commands, asks the user and saves rules.
//
//	Request ─▶ findings (one per path, command, redirect, assignment …)
//	              │  each judged by the rules: deny > ask > allow
//	              ▼  where no rule speaks: by the mode
//	          Decision{Action, Reason, Parts, Suggest}
//
// A request is allowed only if every finding is, and denied if one is. What a
// script would do and can't be told is a finding too, so it asks.
//
// Deny and ask rules match generously (a full path to the program, options
// before the subcommand, wrappers such as sudo), allow rules literally. They
// guard against mistakes; a program that is allowed to run can do what it
// likes, which is the sandbox's business.
package permission
