package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// offlineFlag is that of the sub-commands about models.
func offlineFlag(usage string) []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{DisableDefaultText: true, Name: "offline", Category: "Flags:", Usage: usage + " (also: HOOPOE_OFFLINE=1)"}}
}

func (p *program) modelsApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe models",
		Usage: "which models there are",
		UsageText: `hoopoe models                            list what can be used now, and what the others need
hoopoe models SEARCH                     list the models whose name holds this text

Prices are in dollars per million tokens. Any of the names goes with --model.`,
		Flags:  offlineFlag("open no connection: ask no local server"),
		Action: p.models,
	})
}

// models lists what the catalogue offers.
func (p *program) models(c *cli.Context) error {
	e, args, err := p.modelsEngine(c)
	if err != nil {
		return err
	}
	search := strings.Join(args, " ")
	offers := e.Offers(search)
	if len(offers) == 0 {
		return noModel(e, search)
	}
	_, err = fmt.Fprint(p.stdout, modelList(e, offers, strings.TrimSpace(search) != ""))
	return err
}

// modelsEngine is the engine for a sub-command about models, with the words
// that follow the sub-command.
func (p *program) modelsEngine(c *cli.Context) (*engine.Engine, []string, error) {
	args, _, e, err := p.subcommand(c, settings{offline: c.Bool("offline")})
	if err != nil {
		return nil, nil, err
	}
	for _, n := range e.Warnings() {
		p.warn(n)
	}
	return e, args, nil
}

func noModel(e *engine.Engine, search string) error {
	var refs []string
	for _, o := range e.Offers("") {
		refs = append(refs, o.Ref())
	}
	text := fmt.Sprintf("no model is called %q", search)
	if near := tool.Nearest(search, refs, 3); len(near) > 0 {
		text += "; the nearest are " + strings.Join(near, ", ")
	}
	return fmt.Errorf("%s (\"hoopoe models\" lists them by provider)", text)
}

// modelList shows the models that can be used, then the others: each of them,
// or one line for a provider.
func modelList(e *engine.Engine, offers []engine.Offer, each bool) string {
	rows, now := slash.ModelRows(offers), 0
	for now < len(offers) && offers[now].Err == nil {
		now++
	}
	usable, others := rows[:now], rows[now:]
	if !each { // the others' names must not set the columns
		usable, others = slash.ModelRows(offers[:now]), providerRows(e, offers[now:])
	}
	var b strings.Builder
	section := func(title string, rows []string) {
		if len(rows) == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n  %s\n", title, strings.Join(rows, "\n  "))
	}
	section("Ready to use (prices per million tokens):", usable)
	title := "Not now (\"hoopoe login PROVIDER\" saves a key, or set the variable):"
	if e.Offline() {
		title = "Not offline:"
	}
	section(title, others)
	return b.String()
}

// providerRows sum up models by provider and by what they lack.
func providerRows(e *engine.Engine, offers []engine.Offer) []string {
	type group struct{ provider, missing string }
	count := map[group]int{}
	var order []group
	for _, o := range offers {
		g := group{o.Provider, o.Missing()}
		if count[g] == 0 {
			order = append(order, g)
		}
		count[g]++
	}
	names := map[string]string{}
	for _, p := range e.Providers() {
		names[p.ID] = p.Name
	}
	rows := make([]string, len(order))
	for i, g := range order {
		noun := "models"
		if count[g] == 1 {
			noun = "model"
		}
		rows[i] = fmt.Sprintf("%-18s %-22s %4d %-6s  %s", sanitize.Line(g.provider), sanitize.Line(names[g.provider]), count[g], noun, sanitize.Line(g.missing))
	}
	return rows
}
