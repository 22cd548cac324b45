// Package themes holds the colour themes: embedded JSON files, the user's own,
// their typed form, parser and judge.
//
//	embedded files ─┐
//	user's folder  ─┼▶ Open ──▶ Set ──▶ Find ──▶ Theme{Dark, Light} ──▶ tui/style
//	project's one  ─┘            ▲
//	                 Watch ──────┘ a changed file makes a new Set
//
// A theme file has two variants, "dark" and "light"; which one applies is the
// terminal's answer, unless the file declares its "appearance". Every key is
// optional: what a file does not say is taken from the built-in theme's same
// variant. schema.json beside the files is the reference of all keys, for
// people and for editors. Comments and trailing commas are allowed. Files in
// pi's format ("vars" and "colors") are read too.
//
// Theme.Readings judges how well each colour can be read on what it stands on.
//
// This package knows colours as text and imports no UI library. Whether
// colours are used at all (NO_COLOR) is the consumer's decision.
package themes

import (
	"embed"
	"fmt"
	"strings"
)

// Default is the name of the theme that applies when none is chosen.
const Default = "hoopoe"

//go:embed *.json
var files embed.FS

// Theme is one theme with its two variants.
type Theme struct {
	Name string
	// Appearance is "dark" or "light" for a theme that shows this variant
	// whatever the terminal's background is, else "".
	Appearance string
	Dark       Colors
	Light      Colors
}

// Variant returns the colours for a background, and whether they are the dark
// ones.
func (t Theme) Variant(dark bool) (Colors, bool) {
	if t.Appearance != "" {
		dark = t.Appearance == "dark"
	}
	if dark {
		return t.Dark, true
	}
	return t.Light, false
}

// Colors names every colour by its meaning. A value is "#rrggbb", an index of
// the terminal's palette from "0" to "255", or "" for the terminal's own
// foreground or background.
//
// The tags are for the judge: need is the contrast that a colour needs on the
// background, or on each of the colours that on names; also is a list of
// further colours that it must be seen on.
type Colors struct {
	Background string `json:"background"`          // of the whole window; "" leaves it alone
	Text       string `json:"text" need:"4.5"`     // the main text
	Muted      string `json:"muted" need:"3"`      // secondary text: hints, times, counts
	Accent     string `json:"accent" need:"4.5"`   // the product's own colour: prompt, marks, focus
	Border     string `json:"border" need:"1.5"`   // lines around dialogs and beside cards
	Success    string `json:"success" need:"4.5"`  // something ended well
	Warning    string `json:"warning" need:"4.5"`  // needs attention
	Error      string `json:"error" need:"4.5"`    // something failed
	User       string `json:"user" need:"4.5"`     // the mark of the user's messages
	Thinking   string `json:"thinking" need:"3"`   // the model's thinking
	Tool       string `json:"tool" need:"4.5"`     // a tool's name on its card
	Heading    string `json:"heading" need:"4.5"`  // Markdown headings
	Link       string `json:"link" need:"4.5"`     // Markdown links
	Code       string `json:"code" need:"4.5"`     // inline code, and code of no known language
	Quote      string `json:"quote" need:"4.5"`    // Markdown block quotes
	Hunk       string `json:"hunk" need:"4.5"`     // hunk headers of a diff
	LineNumber string `json:"lineNumber" need:"3"` // line numbers of a diff
	ModeAsk    string `json:"modeAsk" need:"4.5"`  // permission mode ask, in the status line
	ModeEdit   string `json:"modeEdit" need:"4.5"` // permission mode edit
	ModeFull   string `json:"modeFull" need:"4.5"` // permission mode full
	ModePlan   string `json:"modePlan" need:"4.5"` // permission mode plan

	SelectedText       string `json:"selectedText" need:"4.5" on:"selectedBackground"` // the chosen row of a list
	SelectedBackground string `json:"selectedBackground"`                              // behind it
	MatchText          string `json:"matchText" need:"4.5" on:"matchBackground"`       // what a search found
	MatchBackground    string `json:"matchBackground"`                                 // behind it

	AddedText         string `json:"addedText" need:"4.5" on:"addedBackground addedMark"`       // added lines of a diff
	AddedBackground   string `json:"addedBackground"`                                           // behind them
	AddedMark         string `json:"addedMark"`                                                 // behind the changed part of one
	RemovedText       string `json:"removedText" need:"4.5" on:"removedBackground removedMark"` // removed lines of a diff
	RemovedBackground string `json:"removedBackground"`                                         // behind them
	RemovedMark       string `json:"removedMark"`                                               // behind the changed part of one

	SyntaxKeyword  string `json:"syntaxKeyword" need:"4.5" also:"addedBackground removedBackground"`
	SyntaxType     string `json:"syntaxType" need:"4.5" also:"addedBackground removedBackground"`
	SyntaxFunction string `json:"syntaxFunction" need:"4.5" also:"addedBackground removedBackground"`
	SyntaxString   string `json:"syntaxString" need:"4.5" also:"addedBackground removedBackground"`
	SyntaxNumber   string `json:"syntaxNumber" need:"4.5" also:"addedBackground removedBackground"`
	SyntaxComment  string `json:"syntaxComment" need:"3" also:"addedBackground removedBackground"`
	SyntaxOperator string `json:"syntaxOperator" need:"4.5" also:"addedBackground removedBackground"`
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

// Load returns an embedded theme. The error of an unknown name names the
// nearest. Set.Find knows the user's themes too.
func Load(name string) (Theme, error) {
	data, err := files.ReadFile(name + ".json")
	if err != nil || name == "schema" {
		return Theme{}, unknown(name, Names())
	}
	return Parse(data)
}

// unknown is the error for a theme that isn't there.
func unknown(name string, names []string) error {
	text := "there are: " + strings.Join(names, ", ")
	if near := nearest(name, names); near != "" {
		text = fmt.Sprintf("did you mean %q? %s", near, text)
	}
	return fmt.Errorf("no theme %q; %s", name, text)
}
