// Package prompt writes what a model is told before the conversation starts,
// and turns prompt templates into prompts.
//
//	Options ──▶ instructions, tools, mode ─┐
//	AGENTS.md ... ──▶ ContextFiles ────────┼─▶ System ──▶ system prompt
//	git, OS, date ──▶ Gather ──────────────┘
//
//	commands/*.md ──▶ Templates ──▶ Template.Expand(arguments) ──▶ prompt
//
// The parts stand in the order of how rarely they change, so that a provider's
// cache of the beginning stays valid: instructions, tools, mode, context
// files, then the environment with its date. Nothing here runs a program, and
// files are read through funcs that the caller gives.
package prompt
