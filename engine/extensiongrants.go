package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/ask"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// capabilityWords say what a capability lets an extension do.
var capabilityWords = map[string]string{
	"fs":   "read and write your files",
	"net":  "open network connections",
	"exec": "run programs",
	"env":  "read environment variables",
}

// grant settles what an extension may do before any of it runs: what the user
// has said about this very content, else what they say now. ok is false when it
// isn't to be loaded. One that is declined is loaded without what it wants. A
// program that drives the session isn't asked: one that doesn't expect that would
// never answer, and its first prompt would wait for it.
func (s *Session) grant(ctx context.Context, c candidate) (granted []string, ok bool) {
	need := c.module.Capabilities
	if len(need) == 0 || s.opts.Approve {
		return need, true
	}
	path := c.module.Path
	said, known, err := s.engine.paths.Grant(path)
	if err != nil {
		s.env.say([]string{err.Error()})
	}
	if known && said.Hash == c.module.Hash && sameSet(said.Asked, need) {
		return said.Granted, true
	}
	var r ask.Result
	if !s.opts.Hosted {
		r = s.ask(ctx, capabilityQuestion(c), nil)
	}
	switch {
	case !r.Answered || r.Answer.Cancelled:
		s.notify("warning", "The extension "+c.module.Name+" isn't loaded: it wants to "+inWords(need)+" and nobody has allowed that. --approve does.")
		return nil, false
	case r.Answer.Confirmed:
		granted = need
	}
	err = s.engine.paths.SetGrant(ctx, path, config.Grant{Hash: c.module.Hash, Asked: need, Granted: granted})
	if err != nil {
		s.notify("warning", "Your answer about the extension "+c.module.Name+" holds for this session only: "+err.Error())
	}
	return granted, true
}

func capabilityQuestion(c candidate) event.Question {
	return event.Question{
		Kind: event.AskConfirm, Title: "Let the extension " + c.module.Name + " " + inWords(c.module.Capabilities) + "?",
		Message: "It is " + c.module.Path + ". You are asked again when it changes.", Extension: c.module.Name,
	}
}

func sameSet(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(b, func(one string) bool { return !slices.Contains(a, one) })
}

// inWords lists capabilities for people.
func inWords(capabilities []string) string {
	var words []string
	for _, c := range capabilities {
		w, ok := capabilityWords[c]
		if !ok {
			w = "use " + c
		}
		words = append(words, w)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
