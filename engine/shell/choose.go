package shell

import (
	"errors"
	"path"
	"strings"
)

// Family is the language a Shell speaks.
type Family string

// The families. Analyze reads POSIX and Bash; nothing is known of a script for
// PowerShell, see Opaque.
const (
	Bash       Family = "bash"
	POSIX      Family = "sh"
	PowerShell Family = "powershell"
)

// Shell is a program that runs scripts.
type Shell struct {
	Family Family
	Path   string
	Args   []string // between Path and the script
}

// Analyze returns the analysis of a script for this shell.
func (s Shell) Analyze(script string) Analysis {
	if s.Family == PowerShell {
		return Opaque(script, "PowerShell commands can't be checked")
	}
	return analyze(script, s.Family, "", 0)
}

// FindShell picks the shell for an operating system (a GOOS value): bash, else
// sh; on Windows the bash that comes with Git, else PowerShell. look finds a
// program by name or checks a path, as exec.LookPath does.
func FindShell(goos string, look func(string) (string, error)) (Shell, error) {
	if goos == "windows" {
		return findWindows(look)
	}
	for _, name := range []string{"bash", "/bin/bash"} {
		if p, err := look(name); err == nil {
			return Shell{Family: Bash, Path: p, Args: []string{"-c"}}, nil
		}
	}
	for _, name := range []string{"sh", "/bin/sh"} {
		if p, err := look(name); err == nil {
			return Shell{Family: POSIX, Path: p, Args: []string{"-c"}}, nil
		}
	}
	return Shell{}, errors.New("no shell was found: install bash or sh and make sure it's in PATH")
}

// findWindows avoids the bash.exe in System32, which starts a Linux subsystem
// with another file system.
func findWindows(look func(string) (string, error)) (Shell, error) {
	candidates := []string{`C:\Program Files\Git\bin\bash.exe`, `C:\Program Files (x86)\Git\bin\bash.exe`}
	if git, err := look("git.exe"); err == nil {
		// ...\Git\cmd\git.exe and ...\Git\bin\git.exe have bash in ...\Git\bin.
		root := path.Dir(path.Dir(strings.ReplaceAll(git, `\`, "/")))
		candidates = append([]string{strings.ReplaceAll(root+"/bin/bash.exe", "/", `\`)}, candidates...)
	}
	for _, name := range append(candidates, "bash.exe") {
		if p, err := look(name); err == nil && !strings.Contains(strings.ToLower(p), `\system32\`) {
			return Shell{Family: Bash, Path: p, Args: []string{"-c"}}, nil
		}
	}
	for _, name := range []string{"pwsh.exe", "powershell.exe"} {
		if p, err := look(name); err == nil {
			return Shell{Family: PowerShell, Path: p, Args: []string{"-NoProfile", "-NonInteractive", "-Command"}}, nil
		}
	}
	return Shell{}, errors.New("no shell was found: install Git for Windows or PowerShell and make sure it's in PATH")
}
