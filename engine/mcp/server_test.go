package mcp

//lint:file-ignore SA1019 servers of today ask for roots and sampling

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// modeVariable makes the test binary a server.
const modeVariable = "HOOPOE_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		serve(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// helper describes this binary as a stdio server that behaves as mode says.
func helper(t *testing.T, mode string) Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: mode, Command: self, Env: map[string]string{modeVariable: mode}}
}

func serve(mode string) {
	switch mode {
	case "good":
		fmt.Fprintln(os.Stderr, "the good server is up")
		_ = goodServer().Run(context.Background(), &sdk.StdioTransport{})
	case "dies":
		fmt.Fprintln(os.Stderr, "\x1b[31mno database\x1b[0m\x07")
		os.Exit(3)
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "deaf": // reads nothing and ignores requests to end
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "grandchild":
		child := exec.Command("sleep", "1000")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
		fmt.Fprintln(os.Stderr, child.Process.Pid)
		signal.Ignore(syscall.SIGTERM)
		(&script{}).run()
		select {}
	default:
		(&script{mode: mode}).run()
	}
}

// script is a server that is not made with the SDK, so that it can do wrong.
type script struct{ mode string }

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (s *script) run() {
	if s.mode == "garbage" {
		say("Starting up...\n\n{\"level\":\"info\",\"msg\":\"structured log\"}\n{\"jsonrpc\":\"2.0\"}\n[1,2]\nnull\n\xff\xfe{{{")
	}
	if s.mode == "floods" {
		go func() {
			for {
				fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 1000))
			}
		}()
		go func() {
			for i := 0; ; i++ {
				say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}`, strings.Repeat("x", 1000))
				say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				say(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, i)
			}
		}()
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if json.Unmarshal(line, &r) != nil || len(r.ID) == 0 || r.Method == "" {
			continue
		}
		s.answer(r)
	}
}

func (s *script) answer(r request) {
	result := func(text string) { say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, text) }
	switch r.Method {
	case "initialize":
		if s.mode == "later" {
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"initialize is gone"}}`, r.ID)
			return
		}
		if s.mode == "unwilling" {
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no\nlicence"}}`, r.ID)
			return
		}
		if s.mode == "ancient" {
			result(`{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
			return
		}
		if s.mode == "wrong ids" {
			say(`{"jsonrpc":"2.0","id":"stranger","result":{}}`)
			say(`{"jsonrpc":"2.0","id":99999,"result":{}}`)
			say(`{"jsonrpc":"2.0","id":null,"result":{}}`)
		}
		result(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"scripted\u001b[31m","version":"1"}}`)
	case "server/discover":
		if s.mode != "later" {
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`, r.ID)
			return
		}
		result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
	case "tools/list":
		s.tools(r, result)
	case "tools/call":
		s.call(r, result)
	}
}

func (s *script) tools(r request, result func(string)) {
	switch s.mode {
	case "endless": // a list without an end
		result(fmt.Sprintf(`{"tools":[{"name":"t%s","inputSchema":{"type":"object"}}],"nextCursor":"c%s"}`, r.ID, r.ID))
	case "ten thousand":
		var b strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&b, `,{"name":"tool_%d","description":"does the thing number %d","inputSchema":{"type":"object"}}`, i, i)
		}
		result(`{"tools":[` + b.String()[1:] + `]}`)
	case "odd":
		result(strings.ReplaceAll(oddTools, "HUGE", strings.Repeat("x", maxSchema)))
	case "broken list":
		result(`{"tools":[{"name":7}]}`)
	default:
		result(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`)
	}
}

const oddTools = `{"tools":[` +
	`{"name":"evil\n\u001b]0;x\u0007name","description":"a\u001b[31mb\u202ec\udb40\udc41d","inputSchema":{"type":"object"}},` +
	`{"name":"text schema","inputSchema":"none"},{"name":"list_schema","inputSchema":[1]},{"name":"no_schema"},` +
	`{"name":"any_of","inputSchema":{"anyOf":[{"type":"object"}],"properties":{"a":{"type":"string"}}}},` +
	`{"name":"loop","inputSchema":{"type":"object","$ref":"#"}},` +
	`{"name":"huge","inputSchema":{"type":"object","description":"HUGE"}},` +
	`{"name":"twin"},{"name":"twin"},null,{"name":"longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong"},{"name":""}]}`

func (s *script) call(r request, result func(string)) {
	switch s.mode {
	case "dies in a call":
		fmt.Fprintln(os.Stderr, "segmentation fault, token hunter2hunter2")
		os.Exit(7)
	case "never answers":
	case "long line":
		fmt.Print(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`)
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range 100 {
			if _, err := os.Stdout.Write(chunk); err != nil {
				return
			}
		}
		say(`"}]}}`)
	case "wrong ids":
		say(`{"jsonrpc":"2.0","id":"nobody","result":{"content":[{"type":"text","text":"not yours"}]}}`)
		result(`{"content":[{"type":"text","text":"yours"}]}`)
		result(`{"content":[{"type":"text","text":"twice"}]}`)
	case "wrong result":
		result(`{"content":"nothing of the kind"}`)
	case "refuses":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"bad \u001b[31margument"}}`, r.ID)
	default:
		result(`{"content":[{"type":"text","text":"echoed"}]}`)
	}
}

// goodServer offers one of everything.
func goodServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "good", Title: "The good server", Version: "1.2"}, nil)
	object := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)
	add := func(name string, readOnly bool, h sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{
			Name: name, Description: "Does " + name + ".", InputSchema: object,
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: readOnly, Title: strings.ToUpper(name)},
		}, h)
	}
	text := func(s string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
	}
	add("echo", true, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("you said " + string(r.Params.Arguments)), nil
	})
	add("fail", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		res := text("the disk is full")
		res.IsError = true
		return res, nil
	})
	add("mixed", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "before"},
			&sdk.ImageContent{Data: picturePNG(2, 3), MIMEType: "image/jpeg"},
			&sdk.ImageContent{Data: []byte("<svg onload=x>"), MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("RIFF"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "memo://1", Name: "memo", MIMEType: "text/plain"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "memo://2", Text: "inside"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "memo://3", Blob: []byte{0, 1, 2}, MIMEType: "application/x"}},
		}}, nil
	})
	add("long", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strings.Repeat("a line of many\n", 100_000)), nil
	})
	add("structured", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{StructuredContent: map[string]any{"n": 5}, Content: []sdk.Content{}}, nil
	})
	add("slow", true, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		token := r.Params.GetProgressToken()
		for i := range 3 {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: "step\x1b[2J", Progress: float64(i + 1), Total: 3})
		}
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: "another's", Progress: 9})
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("roots", true, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		roots, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		return text(roots.Roots[0].URI), nil
	})
	add("ask", false, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return ask(ctx, r, text)
	})
	add("sample", false, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 1, Messages: []*sdk.SamplingMessage{}})
		return text(fmt.Sprint("sampling: ", err)), nil
	})
	add("grow", false, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", true, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("new"), nil })
		return text("grown"), nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "review", Title: "Review", Description: "Reviews\nfiles", Arguments: []*sdk.PromptArgument{
		{Name: "file", Required: true}, {Name: "how"}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Review " + r.Params.Arguments["file"] + " " + r.Params.Arguments["how"]}},
			}}, nil
		})
	s.AddResource(&sdk.Resource{URI: "memo://1", Name: "memo", Description: "a note"},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "memo://1", Text: "remember"}}}, nil
		})
	return s
}

func ask(ctx context.Context, r *sdk.CallToolRequest, text func(string) *sdk.CallToolResult) (*sdk.CallToolResult, error) {
	res, err := r.Session.Elicit(ctx, &sdk.ElicitParams{
		Message: "Which \x1b[31mcolour?",
		RequestedSchema: json.RawMessage(`{"type":"object","required":["colour"],"properties":{
			"count":{"type":"integer","title":"How many"},
			"colour":{"type":"string","enum":["red","blue"]}}}`),
	})
	if err != nil {
		return text("no question: " + err.Error()), nil
	}
	return text(fmt.Sprint(res.Action, " ", res.Content)), nil
}

func picturePNG(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// eventually polls until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
