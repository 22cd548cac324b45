package remote

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// chromium is a browser that shows one page.
type chromium struct {
	t       testing.TB
	ws      *websocket.Conn
	session string

	mu      sync.Mutex
	next    int
	answers map[int]chan json.RawMessage
	faults  []string // what the console complained of
}

// startChromium needs the browser; without one the test is skipped.
func startChromium(t testing.TB) *chromium {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		unavailable(t, "there is no Chromium here")
	}
	profile := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--no-proxy-server",
		"--remote-debugging-port=0", "--user-data-dir="+profile, "about:blank")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		eventually(t, "the browser lets go of its profile", func() bool { return os.RemoveAll(profile) == nil })
	})
	var at []string
	eventually(t, "the browser listens", func() bool {
		data, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		at = strings.Split(strings.TrimSpace(string(data)), "\n")
		return err == nil && len(at) == 2
	})
	ws, _, err := websocket.Dial(ctx, "ws://127.0.0.1:"+at[0]+at[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	ws.SetReadLimit(64 << 20)
	c := &chromium{t: t, ws: ws, answers: map[int]chan json.RawMessage{}}
	go c.read()
	var target struct{ TargetID string }
	c.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	c.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	c.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		c.call(domain+".enable", nil, nil)
	}
	return c
}

func (c *chromium) read() {
	for {
		_, data, err := c.ws.Read(context.Background())
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  json.RawMessage
			Params json.RawMessage
		}
		_ = json.Unmarshal(data, &m)
		c.mu.Lock()
		switch {
		case m.ID > 0:
			if m.Error != nil {
				c.faults = append(c.faults, string(m.Error))
			}
			c.answers[m.ID] <- m.Result
		case m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" && !strings.Contains(string(m.Params), "WebSocket"):
			c.faults = append(c.faults, string(m.Params))
		}
		c.mu.Unlock()
	}
}

func (c *chromium) call(method string, params any, result any) {
	c.t.Helper()
	c.mu.Lock()
	c.next++
	id, answer := c.next, make(chan json.RawMessage, 1)
	c.answers[id] = answer
	c.mu.Unlock()
	m := map[string]any{"id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if c.session != "" {
		m["sessionId"] = c.session
	}
	data, _ := json.Marshal(m)
	if err := c.ws.Write(context.Background(), websocket.MessageText, data); err != nil {
		c.t.Fatal(err)
	}
	select {
	case raw := <-answer:
		if result != nil {
			if err := json.Unmarshal(raw, result); err != nil {
				c.t.Fatalf("%s: %v: %s", method, err, raw)
			}
		}
	case <-time.After(patience):
		c.t.Fatalf("no answer to %s", method)
	}
}

// js evaluates an expression of the page.
func (c *chromium) js(format string, args ...any) any {
	c.t.Helper()
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	c.call("Runtime.evaluate", map[string]any{"expression": format, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		c.t.Fatalf("%s: %s", format, r.ExceptionDetails)
	}
	return r.Result.Value
}

// until waits for an expression to be true.
func (c *chromium) until(format string, args ...any) {
	c.t.Helper()
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	deadline := time.Now().Add(patience)
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		if c.js("!!(%s)", format) == true {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("never true: %s\nthe page:\n%v\nfaults: %v", format, c.js("document.body.innerText"), c.faults)
		}
	}
}

// say types a message and sends it.
func (c *chromium) say(text string) {
	c.t.Helper()
	c.js(`document.getElementById('text').value = %q, document.getElementById('composer').requestSubmit()`, text)
}

// size makes the window so large, as a phone or a desktop, in light or dark.
func (c *chromium) size(width, height int, scheme string) {
	c.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	c.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// shoot keeps a picture where HOOPOE_SCREENSHOTS says, for people to look at.
func (c *chromium) shoot(name string) {
	dir := os.Getenv("HOOPOE_SCREENSHOTS")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	c.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	data, _ := base64.StdEncoding.DecodeString(shot.Data)
	if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600); err != nil {
		c.t.Error(err)
	}
}

const talkText = `[...document.querySelectorAll('#log > :not(.note)')].map(e => e.innerText).join('\n')`

// W-10, E-5: the page, in the browser that most people have: pairing, a turn, an
// approval, a reconnect in the middle of a stream, both directions, both
// widths, light and dark.
func TestPage(t *testing.T) {
	script, err := os.ReadFile("testdata/page.script")
	if err != nil {
		t.Fatal(err)
	}
	p := serve(t, string(script), withToken)
	c := startChromium(t)
	c.size(390, 844, "light")
	c.call("Page.navigate", map[string]any{"url": "http://" + p.addr + "/#token=" + secret}, nil)
	c.until(`document.getElementById('light')?.className === 'on'`)
	if hash := c.js("location.href"); strings.Contains(fmt.Sprint(hash), secret) {
		t.Errorf("the token stays in the address: %v", hash)
	}

	c.say("hi")
	c.until(`document.querySelector('.markdown strong')?.textContent === 'there'`)

	c.say("edit the file")
	c.until(`!document.getElementById('asking').hidden && document.querySelector('#asking .add')`)
	c.shoot("approval-phone-light")
	c.js(`[...document.querySelectorAll('#asking button')].find(b => b.textContent === 'Allow once').click()`)
	c.until(`document.getElementById('log').innerText.includes('It is written.')`)
	if _, err := os.Stat(filepath.Join(p.dir, "notes.txt")); err != nil {
		t.Error("the approved edit wasn't made")
	}
	c.until(`document.getElementById('asking').hidden && document.querySelector('.tool.done')`)

	// The connection breaks while an answer streams.
	c.say("slow please")
	c.until(`document.getElementById('log').innerText.includes('while it streams')`)
	for id := range p.keptIDs() {
		talk := p.conversation(id)
		talk.mu.Lock()
		for m := range talk.present {
			m.dismiss("a test")
		}
		talk.mu.Unlock()
	}
	c.until(`document.getElementById('light').className === 'off'`)
	c.until(`document.getElementById('light').className !== 'off'`)
	c.until(`document.getElementById('log').innerText.includes('The end of the stream.')`)
	c.until(`document.getElementById('light').className === 'on'`)
	streamed := c.js(talkText)
	c.call("Page.reload", nil, nil)
	c.until(`document.getElementById('light')?.className === 'on' && document.getElementById('log').innerText.includes('The end of the stream.')`)
	if fresh := c.js(talkText); fresh != streamed {
		t.Errorf("the page after a reconnect:\n%v\n\nand drawn afresh:\n%v", streamed, fresh)
	}
	if n := c.js(`document.querySelectorAll('.user').length`); n != float64(3) {
		t.Errorf("%v messages of the user's", n)
	}

	// Texts run in their own direction, and stay texts.
	direction := `getComputedStyle([...document.querySelectorAll('.markdown p')].find(p => p.textContent.includes(%q))).direction`
	if d := c.js(direction, "مرحبا"); d != "rtl" {
		t.Errorf("Arabic runs %v", d)
	}
	if d := c.js(direction, "你好"); d != "ltr" {
		t.Errorf("Chinese runs %v", d)
	}
	if n := c.js(`document.querySelectorAll('#log script, #log img, #log a[href^=javascript]').length`); n != float64(0) {
		t.Errorf("%v elements were made from text", n)
	}
	for _, size := range [][2]int{{320, 640}, {390, 844}, {1280, 900}} {
		for _, scheme := range []string{"light", "dark"} {
			c.size(size[0], size[1], scheme)
			c.until(`innerWidth === %d`, size[0])
			if wide := c.js(`document.documentElement.scrollWidth > innerWidth || document.getElementById('log').scrollWidth > document.getElementById('log').clientWidth`); wide == true {
				t.Errorf("at width %d the page scrolls sideways", size[0])
			}
			c.shoot(fmt.Sprintf("talk-%d-%s", size[0], scheme))
		}
	}

	// Stop, the list of sessions, a new one.
	c.say("wait")
	c.until(`!document.getElementById('stop').hidden && document.getElementById('log').innerText.includes('Begun.')`)
	c.js(`document.getElementById('stop').click()`)
	c.until(`document.getElementById('stop').hidden && document.getElementById('log').innerText.includes('Stopped.')`)
	c.js(`document.getElementById('menu').click()`)
	c.until(`document.querySelectorAll('#sessions button').length === 1`)
	c.shoot("sessions")
	c.js(`document.getElementById('fresh').click()`)
	c.until(`document.querySelectorAll('.user').length === 0 && document.getElementById('light').className === 'on'`)
	c.js(`document.getElementById('menu').click()`)
	c.until(`document.querySelectorAll('#sessions button').length === 2`)
	c.js(`document.querySelector('#sessions button:not([aria-current])').click()`)
	c.until(`document.querySelectorAll('.user').length === 4`)

	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.faults) > 0 {
		t.Errorf("the browser complains: %v", c.faults)
	}
}

func (p *place) keptIDs() map[string]bool {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	ids := map[string]bool{}
	for id := range p.server.kept {
		ids[id] = true
	}
	return ids
}
