// Package themes holds the colour themes: embedded JSON files, their typed
// form and their parser.
//
//	hoopoe.json ──▶ Load(name) ─┐
//	user's file ──▶ Parse(data) ┴▶ Theme{Dark, Light Colors} ──▶ tui/style
//
// A theme file has two variants, "dark" and "light"; which one applies is the
// terminal's answer, not the theme's. Every key is optional: what a file does
// not say is taken from the built-in theme's same variant. schema.json beside
// the files is the reference of all keys, for people and for editors.
//
// This package knows colours as text and imports no UI library. Whether
// colours are used at all (NO_COLOR) is the consumer's decision.
package themes

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// Default is the name of the theme that applies when none is chosen.
const Default = "hoopoe"

//go:embed *.json
var files embed.FS

// Theme is one theme with its two variants.
type Theme struct {
	Name  string
	Dark  Colors
	Light Colors
}

// Colors names every colour by its meaning. A value is "#rrggbb", an index of
// the terminal's palette from "0" to "255", or "" for the terminal's own
// foreground or background.
type Colors struct {
	Text   string `json:"text"`   // the main text
	Muted  string `json:"muted"`  // secondary text: hints, times, counts
	Accent string `json:"accent"` // the product's own colour: prompt, marks, focus
	Border string `json:"border"` // lines around dialogs and beside cards

	Success string `json:"success"` // something ended well
	Warning string `json:"warning"` // needs attention
	Error   string `json:"error"`   // something failed

	SelectedText       string `json:"selectedText"`       // the chosen row of a list
	SelectedBackground string `json:"selectedBackground"` // behind it

	User     string `json:"user"`     // the mark of the user's messages
	Thinking string `json:"thinking"` // the model's thinking
	Tool     string `json:"tool"`     // a tool's name on its card

	Heading string `json:"heading"` // Markdown headings
	Link    string `json:"link"`    // Markdown links
	Code    string `json:"code"`    // inline code, and code of no known language
	Quote   string `json:"quote"`   // Markdown block quotes

	AddedText         string `json:"addedText"`         // added lines of a diff
	AddedBackground   string `json:"addedBackground"`   // behind them
	AddedMark         string `json:"addedMark"`         // behind the changed part of one
	RemovedText       string `json:"removedText"`       // removed lines of a diff
	RemovedBackground string `json:"removedBackground"` // behind them
	RemovedMark       string `json:"removedMark"`       // behind the changed part of one
	Hunk              string `json:"hunk"`              // hunk headers of a diff
	LineNumber        string `json:"lineNumber"`        // line numbers of a diff

	SyntaxKeyword  string `json:"syntaxKeyword"`
	SyntaxType     string `json:"syntaxType"`
	SyntaxFunction string `json:"syntaxFunction"`
	SyntaxString   string `json:"syntaxString"`
	SyntaxNumber   string `json:"syntaxNumber"`
	SyntaxComment  string `json:"syntaxComment"`
	SyntaxOperator string `json:"syntaxOperator"`

	ModeAsk  string `json:"modeAsk"`  // permission mode ask, in the status line
	ModeEdit string `json:"modeEdit"` // permission mode edit
	ModeFull string `json:"modeFull"` // permission mode full
	ModePlan string `json:"modePlan"` // permission mode plan
}

// Names lists the embedded themes in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".json"); name != "schema" {
			names = append(names, name)
		}
	}
	return names
}

// Load returns an embedded theme. The error of an unknown name lists those
// that exist.
func Load(name string) (Theme, error) {
	names := Names()
	if !slices.Contains(names, name) {
		return Theme{}, fmt.Errorf("no theme %q; there are: %s", name, strings.Join(names, ", "))
	}
	data, err := files.ReadFile(name + ".json")
	if err != nil {
		return Theme{}, fmt.Errorf("read theme %q: %w", name, err)
	}
	return Parse(data)
}
