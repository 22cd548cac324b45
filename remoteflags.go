package main

import (
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/modes/remote"
)

const groupRemote = "With --remote:"

// remoteFlags are those of --remote.
func remoteFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "remote", Category: groupRun, Usage: "serve clients and browsers over a WebSocket at `[HOST:PORT]` (127.0.0.1:8080) or unix:/path"},
		&cli.StringFlag{Name: "remote-token-file", Category: groupRemote, Usage: "clients show the token in `FILE`, made if it isn't there (also: HOOPOE_REMOTE_TOKEN)"},
		&cli.StringFlag{Name: "remote-cert", Category: groupRemote, Usage: "speak TLS with the certificate in `FILE`"},
		&cli.StringFlag{Name: "remote-key", Category: groupRemote, Usage: "and the key in `FILE`"},
		&cli.StringSliceFlag{Name: "remote-allow-origin", Category: groupRemote, Usage: "let web pages of this `ORIGIN` connect, such as http://localhost:5173"},
		&cli.StringSliceFlag{Name: "remote-allow-host", Category: groupRemote, Usage: "answer to this `NAME` too, of a proxy for instance"},
		&cli.StringFlag{Name: "remote-sessions", Category: groupRemote, Usage: "clients may attach to `WHICH` sessions: own, that they made here, or all of the folder"},
		&cli.StringFlag{Name: "remote-grace", Category: groupRemote, Usage: "a session that is kept goes on alone for `TIME` (10m)"},
		&cli.StringFlag{Name: "remote-max-connections", Category: groupRemote, Usage: "at most `N` connections at a time (256)"},
		&cli.StringFlag{Name: "remote-wire", Category: groupRemote, Usage: "`NAME` of a completion: both, seed (Complete) or upstream (StreamComplete)"},
	}
}

// remoteSettings are the flags of --remote, checked.
type remoteSettings struct {
	on             bool
	address        remote.Address
	tokenFile      string
	cert, key      string
	origins, hosts []string
	all            bool
	grace          time.Duration
	most           int
	wire           remote.Wire
}

func (s *settings) setRemote(c *cli.Context) (err error) {
	for _, f := range remoteFlags() {
		if name := f.Names()[0]; name != "remote" && c.IsSet(name) {
			switch {
			case !c.IsSet("remote"):
				return usagef("--%s goes with --remote", name)
			case c.String(name) == "" && len(c.StringSlice(name)) == 0:
				return usagef("--%s needs a value", name)
			}
		}
	}
	if !c.IsSet("remote") {
		return nil
	}
	r := remoteSettings{
		on: true, tokenFile: c.String("remote-token-file"), cert: c.String("remote-cert"), key: c.String("remote-key"),
		origins: c.StringSlice("remote-allow-origin"), hosts: c.StringSlice("remote-allow-host"), wire: remote.Wire(c.String("remote-wire")),
	}
	if r.address, err = remote.ParseAddress(c.String("remote")); err != nil {
		return usageError{err.Error()}
	}
	switch which := c.String("remote-sessions"); which {
	case "", "own":
	case "all":
		r.all = true
	default:
		return usagef("--remote-sessions is own or all, not %q", which)
	}
	switch r.wire {
	case "", remote.Both, remote.Seed, remote.Upstream:
	default:
		return usagef("--remote-wire is both, seed or upstream, not %q", r.wire)
	}
	if text := c.String("remote-grace"); text != "" {
		if r.grace, err = time.ParseDuration(text); err != nil || r.grace <= 0 {
			return usagef("--remote-grace is a time such as 90s, 10m or 2h, not %q", text)
		}
	}
	if text := c.String("remote-max-connections"); text != "" {
		if r.most, err = strconv.Atoi(text); err != nil || r.most < 1 {
			return usagef("--remote-max-connections is a whole number from 1, not %q", text)
		}
	}
	s.remote = r
	return nil
}

// checkRemote refuses what can't go together with a server: another face, and
// one session for all who connect.
func (s *settings) checkRemote() error {
	if !s.remote.on {
		return nil
	}
	for _, f := range []struct {
		given bool
		name  string
	}{
		{s.print, "--print"}, {s.json || s.text || s.rpc, "--mode"},
		{s.resumeLatest, "--continue"}, {s.resume, "--resume"}, {s.sessionFile != "", "--session"}, {s.fork != "", "--fork"},
	} {
		if f.given {
			return usagef("--remote and %s contradict each other; give one of them", f.name)
		}
	}
	return nil
}
