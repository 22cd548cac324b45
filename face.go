package main

import (
	"slices"
	"strings"
)

// faceKind is who shows the session.
type faceKind int

const (
	chatFace faceKind = iota
	printFace
	rpcFace
	remoteFace
)

// terminals says which standard streams are terminals.
type terminals struct{ in, out, err bool }

// chooseFace picks the face that a command line asks for.
func chooseFace(s settings, words, literals []string, t terminals) (faceKind, error) {
	if len(words) > 0 && words[0] == "acp" && len(literals) == 0 {
		return 0, usagef("acp goes with no other mode and not with --print; a text that begins with this word goes after \"--\"")
	}
	if s.rpc {
		return rpcFace, nil
	}
	given := len(words)+len(literals) > 0
	if s.remote.on {
		if given {
			return 0, usagef("--remote takes no text: its clients send theirs")
		}
		return remoteFace, nil
	}
	fromStdin := !t.in || slices.Contains(words, "-")
	switch {
	case s.print || s.json || s.text || given && !(t.in && t.out) || fromStdin:
		if !given && t.in {
			return 0, usagef("there is no text to work on: hoopoe -p \"text\", or give it on stdin")
		}
		return printFace, nil
	case !t.out:
		return 0, usagef("the chat needs a terminal and stdout is none: give a text, hoopoe -p \"text\"")
	}
	return chatFace, nil
}

// errNoPrompt is for a start without text, input and terminal.
var errNoPrompt = usageError{`there is no text, nothing on stdin and no terminal: give a text, hoopoe -p "text" ` +
	`(an editor gives "acp", a program that wants to talk "--mode rpc")`}

// promptText joins the words that are text, and the literals.
func promptText(words, literals []string) string {
	var text []string
	for _, w := range words {
		if w != "-" && !isFile(w) {
			text = append(text, w)
		}
	}
	return strings.Join(append(text, literals...), " ")
}

// isFile holds for an argument that names a file to attach.
func isFile(word string) bool { return len(word) > 1 && word[0] == '@' }
