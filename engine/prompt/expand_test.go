package prompt

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for _, c := range []struct{ template, arguments, want string }{
		{"Review $1 for $2.", "main.go races", "Review main.go for races."},
		{"$1|$2|$3", `"two words" 'single one' x`, "two words|single one|x"},
		{"$1", "don't", "don't"},
		{`$1`, `"open end`, `"open`},
		{"$2", "one", ""},
		{"$10 $1", "a b c d e f g h i j", "j a"},
		{"$0 costs $ 5 and $x", "y", "$0 costs $ 5 and $x\n\ny"},
		{"all: $@", `  "a b"  c `, `all: "a b"  c`},
		{"$ARGUMENTS!", "fix it", "fix it!"},
		{"$ARGUMENTS_FILE", "", "$ARGUMENTS_FILE"},
		{"${ARGUMENTS} ${@} ${1}", "x", "x x x"},
		{"${1:-main.go}", "", "main.go"},
		{"${1:-main.go}", "x.go", "x.go"},
		{"${2:-a b: c}", "x", "a b: c"},
		{"${@:-nothing}", "  ", "nothing"},
		{"${@:2}", "a b c", "b c"},
		{"${@:2:1}", "a b c", "b"},
		{"${@:9:9}", "a", ""},
		{"${@:0} ${@:x} ${1:} ${a} ${", "", "${@:0} ${@:x} ${1:} ${a} ${"},
		{`awk '{print \$1}' $1`, "f", "awk '{print $1}' f"},
		{"no placeholder\n", "extra words", "no placeholder\n\nextra words"},
		{"no placeholder\n", "", "no placeholder\n"},
		{"$1", "$2 $1", "$2"},
		{"审查 $1：${2:-全部}", "主.go", "审查 主.go：全部"},
	} {
		t.Run(c.template, func(t *testing.T) {
			got, err := Expand(c.template, c.arguments)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
	if _, err := Expand(strings.Repeat("$@", 10000), strings.Repeat("x", 10000)); err == nil {
		t.Error("a huge result was made")
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("${@:1:2} $1 \\$2 ${1:-x}", `a "b c`)
	f.Add("$ARGUMENTS$", "")
	f.Fuzz(func(t *testing.T, template, arguments string) {
		got, err := Expand(template, arguments)
		if err != nil {
			return
		}
		if len(got) > maxExpanded+len(arguments)+2 {
			t.Errorf("%d bytes", len(got))
		}
		if !strings.Contains(template, "$") && strings.TrimSpace(arguments) == "" && got != template {
			t.Errorf("%q became %q", template, got)
		}
	})
}

func TestFrontMatter(t *testing.T) {
	for _, c := range []struct {
		name, text string
		fields     map[string]string
		body       string
		fails      bool
	}{
		{"none", "# Title\n", nil, "# Title\n", false},
		{"fields", "---\ndescription: Fix it\nn: 3\nlist: [a, b]\n---\nbody\n", map[string]string{"description": "Fix it", "n": "3", "list": "[a, b]", "gone": ""}, "body\n", false},
		{"CRLF and byte order mark", "\uFEFF---\r\ndescription: x\r\n---\r\nbody", map[string]string{"description": "x"}, "body", false},
		{"not closed", "---\na: b\n", nil, "---\na: b\n", false},
		{"empty", "---\n---\nbody", nil, "body", false},
		{"what YAML refuses", "---\nargument-hint: [file] [line]\ndescription: Do: this\n---\nb", map[string]string{"argument-hint": "[file] [line]", "description": "Do: this"}, "b", false},
		{"several lines in one", "---\ndescription: |\n  one\n  two\n---\nb", map[string]string{"description": "one two"}, "b", false},
		{"no fields at all", "---\n{{{\n---\nb", nil, "b", true},
		{"a list", "---\n- a\n---\nb", nil, "b", true},
		{"too long", "---\n" + strings.Repeat("# x\n", maxMatter/4+1) + "---\nb", nil, "b", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			fields, body, err := FrontMatter(c.text)
			if body != c.body || (err != nil) != c.fails {
				t.Errorf("body %q, error %v", body, err)
			}
			for key, want := range c.fields {
				if got := fields.Text(key); got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			if c.fields == nil && len(fields) > 0 {
				t.Errorf("fields %v", fields)
			}
		})
	}
}

func FuzzFrontMatter(f *testing.F) {
	f.Add("---\na: [b\n---\nc")
	f.Add("---\na: &x [*x]\n...\n")
	f.Fuzz(func(t *testing.T, text string) {
		fields, body, _ := FrontMatter(text)
		if !strings.HasSuffix(text, body) {
			t.Errorf("body %q is not the end of %q", body, text)
		}
		for key := range fields {
			if strings.ContainsAny(fields.Text(key), "\r\n") {
				t.Errorf("%q has several lines", fields.Text(key))
			}
		}
	})
}
