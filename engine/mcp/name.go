package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Tools are called mcp__<server>__<tool>. Providers take at most maxToolName
// letters, digits, "_" and "-". A server's part has no "__" and no "_" at its
// ends, so that no tool can pass for one of another server; a part that had to
// be changed ends with a mark of the original, so that two that look alike
// stay apart.
const (
	prefix        = "mcp__"
	maxToolName   = 64
	maxServerPart = 24
	markLength    = 6
)

// Owns reports whether a tool, by its name, is one of a server or the one that
// reads their resources: what it does is the server's word.
func Owns(name string) bool { return strings.HasPrefix(name, prefix) || name == ResourceTool }

// serverPart is the server's part of the names of its tools.
func serverPart(name string) string {
	part := strings.Trim(plain(name), "_")
	for strings.Contains(part, "__") {
		part = strings.ReplaceAll(part, "__", "_")
	}
	if part == name && part != "" && len(part) <= maxServerPart {
		return part
	}
	return strings.TrimLeft(strings.TrimRight(cut(part, maxServerPart-1-markLength), "_")+"_"+mark(name), "_")
}

// toolName is the name of a server's tool, given the server's part.
func toolName(server, tool string) string {
	head := prefix + server + "__"
	room := maxToolName - len(head)
	part := plain(tool)
	if part != tool || len(part) > room || part == "" {
		part = cut(part, room-1-markLength) + "_" + mark(tool)
	}
	return head + part
}

// plain replaces each character that a tool's name can't have.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}

// cut shortens text of one-byte characters.
func cut(s string, n int) string { return s[:min(n, len(s))] }

func mark(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:markLength]
}
