package config

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func places(home string, env map[string]string) Places {
	return Places{
		Getenv: func(name string) string { return env[name] },
		Home: func() (string, error) {
			if home == "" {
				return "", errors.New("$HOME is not defined")
			}
			return home, nil
		},
		Cwd: "/src",
	}
}

func TestFindPaths(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table is written with Unix paths")
	}
	for _, c := range []struct {
		name     string
		home     string
		env      map[string]string
		want     Paths
		sessions string
		models   string
		problem  string // part of the only problem, "" for none
	}{
		{
			name: "home alone", home: "/home/u",
			want:     Paths{Home: "/home/u", Config: "/home/u/.config/hoopoe", Data: "/home/u/.local/share/hoopoe", State: "/home/u/.local/state/hoopoe", Cache: "/home/u/.cache/hoopoe"},
			sessions: "/home/u/.local/share/hoopoe/sessions", models: "/home/u/.config/hoopoe/models.json",
		},
		{
			name: "XDG folders", home: "/home/u",
			env:      map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/x"},
			want:     Paths{Home: "/home/u", Config: "/c/hoopoe", Data: "/d/hoopoe", State: "/s/hoopoe", Cache: "/x/hoopoe"},
			sessions: "/d/hoopoe/sessions", models: "/c/hoopoe/models.json",
		},
		{
			name: "relative XDG folder is ignored", home: "/home/u",
			env:      map[string]string{"XDG_CONFIG_HOME": "conf"},
			want:     Paths{Home: "/home/u", Config: "/home/u/.config/hoopoe", Data: "/home/u/.local/share/hoopoe", State: "/home/u/.local/state/hoopoe", Cache: "/home/u/.cache/hoopoe"},
			sessions: "/home/u/.local/share/hoopoe/sessions", models: "/home/u/.config/hoopoe/models.json",
			problem: "XDG_CONFIG_HOME: is not an absolute path",
		},
		{
			name: "one folder for all, with a tilde", home: "/home/u",
			env:      map[string]string{"HOOPOE_DIR": "~/h", "XDG_CONFIG_HOME": "/c"},
			want:     Paths{Home: "/home/u", Config: "/home/u/h", Data: "/home/u/h", State: "/home/u/h/state", Cache: "/home/u/h/cache"},
			sessions: "/home/u/h/sessions", models: "/home/u/h/models.json",
		},
		{
			name: "one folder, no home",
			env:  map[string]string{"HOOPOE_DIR": "h"},
			want: Paths{Config: "/src/h", Data: "/src/h", State: "/src/h/state", Cache: "/src/h/cache"}, sessions: "/src/h/sessions", models: "/src/h/models.json",
		},
		{
			name: "a host's agent folder", home: "/home/u",
			env:      map[string]string{"PI_CODING_AGENT_DIR": "/agent", "HOOPOE_DIR": "/h"},
			want:     Paths{Home: "/home/u", Config: "/h", Data: "/h", State: "/h/state", Cache: "/h/cache", Agent: "/agent"},
			sessions: "/agent/sessions", models: "/agent/models.json",
		},
		{name: "no home (E-2)", want: Paths{}, problem: "set HOME or HOOPOE_DIR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems := FindPaths(places(c.home, c.env))
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if got.Sessions() != c.sessions || got.Models() != c.models {
				t.Errorf("sessions %q, models %q", got.Sessions(), got.Models())
			}
			if c.problem == "" && len(problems) > 0 || c.problem != "" && (len(problems) != 1 || !strings.Contains(problems[0].Error(), c.problem)) {
				t.Errorf("problems %v, want %q", problems, c.problem)
			}
		})
	}
}

// Without a home everything still works, in memory (E-2).
func TestWithoutHome(t *testing.T) {
	var p Paths
	c, warnings, err := Load(t.Context(), LoadOptions{Paths: p})
	if err != nil || len(warnings) > 0 || !c.Compaction.Enabled {
		t.Errorf("Load: %v %v", warnings, err)
	}
	if trust, err := p.Trust("/x"); trust != TrustUnknown || err != nil {
		t.Errorf("Trust: %v %v", trust, err)
	}
	if h, err := p.History(5); h != nil || err != nil {
		t.Errorf("History: %v %v", h, err)
	}
	for name, err := range map[string]error{
		"Set":      Set(t.Context(), p, "theme", "x"),
		"SetTrust": p.SetTrust(t.Context(), "/x", Trusted),
		"AddRule":  p.AddRule(t.Context(), "/x", Allow, "read"),
		"Remember": p.Remember(t.Context(), Past{Text: "hi"}),
	} {
		if !errors.Is(err, ErrNoHome) {
			t.Errorf("%s: %v, want ErrNoHome", name, err)
		}
	}
}

// testPaths puts everything under one temporary folder.
func testPaths(t *testing.T) Paths {
	t.Helper()
	dir := t.TempDir()
	return Paths{Home: dir, Config: filepath.Join(dir, "config"), Data: filepath.Join(dir, "data"), State: filepath.Join(dir, "state"), Cache: filepath.Join(dir, "cache")}
}
