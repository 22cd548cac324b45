package mcp

import (
	"regexp"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 100)
	const mark = "[0-9a-f]{6}"
	seen := map[string]string{}
	for _, c := range []struct{ server, tool, want string }{
		{"files", "read_file", "mcp__files__read_file"},
		{"files", "_", "mcp__files___"},
		{"my-server", "Get-It", "mcp__my-server__Get-It"},
		{"files", "read file", "mcp__files__read_file_" + mark},
		{"files", "read.file", "mcp__files__read_file_" + mark},
		{"files", "read\nfile", "mcp__files__read_file_" + mark},
		{"a__b", "c", "mcp__a_b_" + mark + "__c"},
		{"a", "b__c", "mcp__a__b__c"},
		{"a_", "b", "mcp__a_" + mark + "__b"},
		{"a", "_b", "mcp__a___b"},
		{"a_b", "c", "mcp__a_b__c"},
		{"", "", "mcp__" + mark + "___" + mark},
		{"日本", "本", "mcp__" + mark + "____" + mark},
		{"日木", "本", "mcp__" + mark + "____" + mark},
		{"aaaaaaaaaaaaaaaa__________b", "c", "mcp__a{16}_" + mark + "__c"},
		{long, long, "mcp__x{17}_" + mark + "__x{26}_" + mark},
		{long + "y", long, "mcp__x{17}_" + mark + "__x{26}_" + mark},
		{"a", long, "mcp__a__x{49}_" + mark},
		{"a", long + "y", "mcp__a__x{49}_" + mark},
	} {
		part := serverPart(c.server)
		got := toolName(part, c.tool)
		if !regexp.MustCompile("^"+c.want+"$").MatchString(got) || len(got) > maxToolName {
			t.Errorf("%q %q: %s, want %s", c.server, c.tool, got, c.want)
		}
		if strings.Contains(part, "__") || strings.Trim(part, "_") != part || part == "" {
			t.Errorf("part %q of %q", part, c.server)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%q is also %s", got, other)
		}
		seen[got] = c.server + "/" + c.tool
	}
}
