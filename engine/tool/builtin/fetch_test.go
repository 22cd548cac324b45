package builtin

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/internal/web"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// site is a server on this machine that the tool may reach, and nothing else
// on it.
func site(t *testing.T) (tool.Tool, string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		switch r.URL.Path {
		case "/page":
			h.Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<title>Birds</title><h1>All birds</h1><p>See <a href=/more>more</a>.")
		case "/long":
			h.Set("Content-Type", "text/plain")
			fmt.Fprint(w, strings.Repeat("a line of text\n", 10_000))
		case "/line":
			h.Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"a":"`+strings.Repeat("x", 100_000)+`"}`)
		case "/huge":
			h.Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p>begin<img alt='"+strings.Repeat("x", 10<<20)+"'>")
		case "/scripted":
			h.Set("Content-Type", "text/html")
			fmt.Fprint(w, "<div id=app></div><script>go()</script>")
		case "/meta":
			h.Set("Content-Type", "text/html")
			fmt.Fprint(w, "<meta http-equiv=refresh content='0;url=http://169.254.169.254/'>moved")
		case "/arabic":
			h.Set("Content-Type", "text/html; charset=windows-1256")
			fmt.Fprint(w, "<p>\xe3\xd1\xcd\xc8\xc7")
		case "/away":
			h.Set("Location", "https://elsewhere.example/x")
			w.WriteHeader(http.StatusMovedPermanently)
		case "/pdf":
			h.Set("Content-Type", "application/pdf")
			fmt.Fprint(w, "%PDF-1.7")
		case "/empty":
			h.Set("Content-Type", "text/plain")
		default:
			h.Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<h1>No such bird</h1>"+strings.Repeat("<p>sorry", 5000))
		}
	}))
	t.Cleanup(s.Close)
	own := s.Listener.Addr().(*net.TCPAddr).AddrPort()
	return Fetch(web.New(web.Options{UserAgent: "hoopoe/test", Refuse: func(to netip.AddrPort) string {
		if to == own {
			return ""
		}
		return web.Public(to)
	}})), s.URL
}

func fetched(t *testing.T, x tool.Tool, args map[string]any) (string, fetchDetails, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := tool.Check(x.Spec(), raw)
	if err != nil {
		return "", fetchDetails{}, err
	}
	r, err := x.Run(t.Context(), tool.Call{Arguments: checked, Progress: func(tool.Result) {}})
	var d fetchDetails
	if r.Details != nil {
		if err := json.Unmarshal(r.Details, &d); err != nil {
			t.Fatal(err)
		}
	}
	return message.Message{Content: r.Content}.Text(), d, err
}

func TestFetch(t *testing.T) {
	x, url := site(t)
	for _, c := range []struct {
		path   string
		args   map[string]any
		want   string // URL stands for the site
		status int
		cut    bool
	}{
		{"/page", nil, "URL/page (text/html, 68 bytes)\nTitle: Birds\n\n# All birds\n\nSee [more](URL/more).", 200, false},
		{"/page", map[string]any{"format": "text"}, "URL/page (text/html, 68 bytes)\nTitle: Birds\n\nAll birds\n\nSee more.", 200, false},
		{"/page", map[string]any{"format": "html"}, "URL/page (text/html, 68 bytes)\n\n<title>Birds</title><h1>All birds</h1><p>See <a href=/more>more</a>.", 200, false},
		{"/page", map[string]any{"max": 8}, "URL/page (text/html, 68 bytes)\nTitle: Birds\n\n# All bi\n\n[Cut: the first 8 bytes of 58 bytes of text.]", 200, true},
		{"/scripted", nil, "URL/scripted (text/html, 39 bytes)\n\n[There is no text on the page; it may be made by scripts, which aren't run.]", 200, false},
		{"/meta", nil, "URL/meta (text/html, 70 bytes)\n\nmoved\n\n[The page sends browsers on to http://169.254.169.254/.]", 200, false},
		{"/arabic", nil, "URL/arabic (text/html, 8 bytes)\n\nمرحبا", 200, false},
		{"/empty", nil, "URL/empty (text/plain, 0 bytes)", 200, false},
		{"/away", nil, "[Nothing was read: URL/away sends on to another site, https://elsewhere.example/x. Fetch that if it is what you want.]", 301, false},
	} {
		t.Run(fmt.Sprint(c.path, c.args), func(t *testing.T) {
			args := map[string]any{"url": url + c.path}
			for k, v := range c.args {
				args[k] = v
			}
			text, d, err := fetched(t, x, args)
			if want := strings.ReplaceAll(c.want, "URL", url); text != want && c.args["max"] == nil || err != nil {
				t.Errorf("%v\n%s\nwant\n%s", err, text, want)
			}
			if c.args["max"] != nil && (!strings.Contains(text, "\n# All bi\n\n[Cut: the first 8 bytes of ")) {
				t.Errorf("got %s", text)
			}
			if d.Status != c.status || d.Cut != c.cut {
				t.Errorf("details %+v", d)
			}
		})
	}
	for path, note := range map[string]string{"/long": "[Cut: the first ", "/line": "[Cut: the first 50.0 KB of 97.7 KB of text.]", "/huge": " of more than "} {
		text, d, err := fetched(t, x, map[string]any{"url": url + path, "max": 1 << 30})
		if err != nil || !d.Cut || len(text) > tool.MaxBytes+300 || !strings.Contains(text, note) {
			t.Errorf("%s: %v, %d bytes, ends %q", path, err, len(text), text[max(0, len(text)-100):])
		}
	}
}

// E-2, E-4: what isn't fetched says why, before anybody is asked.
func TestFetchRefuses(t *testing.T) {
	x, url := site(t)
	text, d, err := fetched(t, x, map[string]any{"url": url + "/gone"})
	if err == nil || !strings.Contains(err.Error(), "answered 404 Not Found") || !strings.Contains(text, "# No such bird") || len(text) > 3000 || d.Status != 404 {
		t.Errorf("%v\n%.300s", err, text)
	}
	for _, c := range []struct{ url, want string }{
		{url + "/pdf", "no text but application/pdf, 8 bytes; if the file is needed, save it with bash"},
		{"", "no scheme"},
		{"file:///etc/passwd", "only http and https"},
		{"https://user:secret@go.dev/", "user or password"},
		{"http://127.0.0.1:1/", "this machine"},
		{"http://localhost/", "this machine or its network"},
		{"http://169.254.169.254/latest/meta-data/", "metadata"},
		{"http://2130706433/", "hides where it leads"},
	} {
		_, _, err := fetched(t, x, map[string]any{"url": c.url})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.url, err)
		}
		if strings.HasSuffix(c.url, "/pdf") {
			continue
		}
		raw, _ := json.Marshal(fetchArgs{URL: c.url})
		if _, err := x.(tool.Describer).Describe(t.Context(), tool.Call{Arguments: raw}); err == nil {
			t.Errorf("%s would be asked about", c.url)
		}
	}
	if _, _, err := fetched(t, x, map[string]any{"url": url, "format": "pdf"}); err == nil {
		t.Error("another format is taken")
	}
	raw, _ := json.Marshal(fetchArgs{URL: " HTTPS://Bücher.Example:443/a#b "})
	got, err := x.(tool.Describer).Describe(t.Context(), tool.Call{Arguments: raw})
	if err != nil || got.URL != "https://xn--bcher-kva.example/a" || got.Title != "Fetch https://xn--bcher-kva.example/a" || got.Kind != tool.Fetch {
		t.Errorf("%+v, %v", got, err)
	}
}
