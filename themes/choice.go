package themes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Choice is what a setting says of the theme: a name for each background. The
// zero Choice is the built-in theme.
type Choice struct {
	Dark  string `json:"dark,omitempty"`
	Light string `json:"light,omitempty"`
}

// Auto is the setting for the built-in theme by the terminal's background.
const Auto = "auto"

// ParseChoice reads a setting: a theme's name, "auto" or nothing, or an object
// {"dark": "NAME", "light": "NAME"}. Whether there are such themes is seen by
// Pick.
func ParseChoice(text string) (Choice, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == Auto {
		return Choice{}, nil
	}
	if text[0] != '{' {
		return Choice{Dark: text, Light: text}, nil
	}
	var c Choice
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return Choice{}, errors.New(`theme: must be a name, "auto", or {"dark": "NAME", "light": "NAME"}`)
	}
	return c, nil
}

// String is the setting in one line, as ParseChoice reads it.
func (c Choice) String() string {
	switch {
	case c == Choice{}:
		return Auto
	case c.Dark == c.Light:
		return c.Dark
	}
	data, err := json.Marshal(c)
	if err != nil {
		return Auto
	}
	return string(data)
}

// Pick returns the theme that is chosen: of two names, the variants of both
// in one theme.
func (c Choice) Pick(s Set) (Theme, error) {
	dark, err := s.Find(cmp.Or(c.Dark, Default))
	if err != nil || c.Dark == c.Light {
		return dark, err
	}
	light, err := s.Find(cmp.Or(c.Light, Default))
	if err != nil {
		return Theme{}, err
	}
	t := Theme{Name: fmt.Sprintf("%s, %s", cmp.Or(c.Dark, Default), cmp.Or(c.Light, Default))}
	t.Dark, _ = dark.Variant(true)
	t.Light, _ = light.Variant(false)
	return t, nil
}
