package themes

import (
	"cmp"
	"encoding/json"
	"errors"
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

// ParseChoice reads a setting: a theme's name, "auto" or nothing, two names
// "DARK, LIGHT", or an object {"dark": "NAME", "light": "NAME"}. Whether there
// are such themes is seen by Set.Find.
func ParseChoice(text string) (Choice, error) {
	text = strings.TrimSpace(text)
	if text == Auto {
		return Choice{}, nil
	}
	if !strings.HasPrefix(text, "{") {
		dark, light, two := strings.Cut(text, ",")
		if !two {
			light = dark
		}
		return Choice{Dark: strings.TrimSpace(dark), Light: strings.TrimSpace(light)}, nil
	}
	var c Choice
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return Choice{}, errors.New(`theme: must be a name, "auto", "DARK, LIGHT" or {"dark": "NAME", "light": "NAME"}`)
	}
	return c, nil
}

// String is the setting in one line, as ParseChoice reads it: a theme's name
// where it is the same for both backgrounds.
func (c Choice) String() string {
	dark, light := cmp.Or(c.Dark, Default), cmp.Or(c.Light, Default)
	if dark == light {
		return dark
	}
	return dark + ", " + light
}

// pick joins the variants of two themes in one.
func (s Set) pick(c Choice) (Theme, error) {
	dark, err := s.named(cmp.Or(c.Dark, Default))
	if err != nil || cmp.Or(c.Dark, Default) == cmp.Or(c.Light, Default) {
		return dark, err
	}
	light, err := s.named(cmp.Or(c.Light, Default))
	if err != nil {
		return Theme{}, err
	}
	t := Theme{Name: c.String()}
	t.Dark, _ = dark.Variant(true)
	t.Light, _ = light.Variant(false)
	return t, nil
}
