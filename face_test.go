package main

import (
	"errors"
	"strings"
	"testing"
)

// Requirement C-1: which face a command line opens.
func TestChooseFace(t *testing.T) {
	all := terminals{in: true, out: true, err: true}
	piped := terminals{out: true, err: true}
	captured := terminals{in: true, err: true}
	text := []string{"fix it"}
	for _, c := range []struct {
		name     string
		settings settings
		words    []string
		terms    terminals
		want     faceKind
		refused  string
	}{
		{"bare on a terminal", settings{}, nil, all, chatFace, ""},
		{"text on a terminal", settings{}, text, all, chatFace, ""},
		{"print", settings{print: true}, text, all, printFace, ""},
		{"json is print", settings{json: true}, text, all, printFace, ""},
		{"text mode is print", settings{text: true}, text, all, printFace, ""},
		{"rpc", settings{rpc: true}, nil, piped, rpcFace, ""},
		{"rpc on a terminal", settings{rpc: true}, text, all, rpcFace, ""},
		{"rpc with acp", settings{rpc: true}, []string{"acp"}, piped, 0, "acp goes with no other mode"},
		{"stdin piped", settings{}, nil, piped, printFace, ""},
		{"stdin piped with text", settings{}, text, piped, printFace, ""},
		{"stdout captured", settings{}, text, captured, printFace, ""},
		{"dash", settings{}, []string{"-"}, all, printFace, ""},
		{"print without text", settings{print: true}, nil, all, 0, "no text to work on"},
		{"json without text", settings{json: true}, nil, all, 0, "no text to work on"},
		{"stdout captured without text", settings{}, nil, captured, 0, "stdout is none"},
		{"acp", settings{}, []string{"acp", "./x"}, all, 0, "acp goes with no other mode"},
		{"remote", settings{remote: remoteSettings{on: true}}, nil, piped, remoteFace, ""},
		{"remote with text", settings{remote: remoteSettings{on: true}}, text, all, 0, "takes no text"},
		{"acp with print", settings{print: true}, []string{"acp"}, piped, 0, "acp goes with no other mode"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := chooseFace(c.settings, c.words, nil, c.terms)
			if c.refused != "" {
				if _, ok := errors.AsType[usageError](err); !ok || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("error %v, want %q", err, c.refused)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}
