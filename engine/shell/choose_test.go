package shell

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestFindShell(t *testing.T) {
	tests := []struct {
		name, goos string
		have       []string // name or name=path
		want       string   // "" for an error
		family     Family
	}{
		{"bash", "linux", []string{"sh=/bin/sh", "bash=/usr/bin/bash"}, "/usr/bin/bash", Bash},
		{"bash outside PATH", "linux", []string{"sh=/bin/sh", "/bin/bash"}, "/bin/bash", Bash},
		{"sh", "darwin", []string{"sh=/bin/sh"}, "/bin/sh", POSIX},
		{"none", "linux", nil, "", ""},
		{"bash beside git", "windows", []string{`git.exe=D:\Git\cmd\git.exe`, `D:\Git\bin\bash.exe`, `bash.exe=C:\Windows\System32\bash.exe`}, `D:\Git\bin\bash.exe`, Bash},
		{"bash in its usual place", "windows", []string{`C:\Program Files\Git\bin\bash.exe`, "powershell.exe=ps"}, `C:\Program Files\Git\bin\bash.exe`, Bash},
		{"never the subsystem's", "windows", []string{`bash.exe=C:\Windows\System32\bash.exe`, "powershell.exe=ps"}, "ps", PowerShell},
		{"newer PowerShell", "windows", []string{"pwsh.exe=pwsh", "powershell.exe=ps"}, "pwsh", PowerShell},
		{"nothing on Windows", "windows", nil, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sh, err := FindShell(tt.goos, func(name string) (string, error) {
				i := slices.IndexFunc(tt.have, func(h string) bool { return h == name || strings.HasPrefix(h, name+"=") })
				if i < 0 {
					return "", errors.New("not found")
				}
				return strings.TrimPrefix(tt.have[i], name+"="), nil
			})
			if (err != nil) != (tt.want == "") || sh.Path != tt.want || sh.Family != tt.family {
				t.Errorf("got %+v, %v", sh, err)
			}
		})
	}
}

func TestShellAnalyze(t *testing.T) {
	if a := (Shell{Family: PowerShell}).Analyze("git status"); len(a.Unknowns) != 1 || len(a.Calls) != 0 {
		t.Errorf("PowerShell: %+v", a)
	}
	for script, want := range map[string]string{
		"((a)) && [[ b > f ]]": "a, [[ b ]], >f", // commands and a redirect
		"a <(b)":               "?a <(b)",
		"a {b,c}":              "a [{b,c}]",
		"a &> f":               "?a &> f",
		"export X=1":           "export X=1",
		"time a":               "time a, time/a",
		"bash -c '((a))'":      "bash -c ((a))",
	} {
		if got := strings.Join(render((Shell{Family: POSIX}).Analyze(script)), ", "); got != want {
			t.Errorf("sh: %s: got %q, want %q", script, got, want)
		}
	}
	if a := (Shell{Family: Bash}).Analyze("git status"); len(a.Unknowns) != 0 || len(a.Calls) != 1 {
		t.Errorf("bash: %+v", a)
	}
}

func TestQuote(t *testing.T) {
	for _, word := range []string{"", "a", "a b", "it's", "*", "$x", "a\nb", "~", "{a,b}", "é", "a=b", "#"} {
		c := Analyze("x " + Quote(word)).Calls
		if len(c) != 1 || len(c[0].Words) != 2 || c[0].Words[1] != (Word{Text: word}) {
			t.Errorf("%q is quoted as %s", word, Quote(word))
		}
	}
}
