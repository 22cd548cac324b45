// Package prompt writes what a model is told before the conversation starts,
// and turns prompt templates and skills into prompts.
//
//	Options ──▶ instructions, tools, mode ─┐
//	skills/*/SKILL.md ──▶ Skills ──────────┤
//	AGENTS.md ... ──▶ ContextFiles ────────┼─▶ System ──▶ system prompt
//	rules/*.md ──▶ Rules ─┬────────────────┤
//	git, OS, date ──▶ Gather ──────────────┘
//	                      └─▶ rule.Watcher, for those with a condition
//
//	commands/*.md ──▶ Templates ──▶ Template.Expand(arguments) ─┬─▶ prompt
//	                  Skills ─────▶ Skill.Expand(arguments) ────┘
//
//	agents/*.md ──▶ Agents ──▶ a sub-agent's instructions
//
//	home, working folder, trust ──▶ Places ──▶ []Folder for all of them
//
// The parts stand in the order of how rarely they change, so that a provider's
// cache of the beginning stays valid: instructions, tools, mode, skills, context
// files, rules, then the environment with its date. Nothing here runs a
// program.
package prompt
