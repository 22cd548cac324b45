package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// serveMCP is an MCP server on stdin and stdout that behaves as its argument
// says. It leaves its process id in the file NAME.pid.
//
//	good      tools that echo, write and ask, and a prompt
//	many      good, with 60 tools more
//	stubborn  good, and ends at nothing but a kill
//	slow      good once the file "go" is there
//	garbage   good, after lines that are no messages
//	floods    good, amid messages without end
//	dead      says why and exits
func serveMCP() {
	s := mcpServer{mode: os.Args[1]}
	_ = os.WriteFile(s.mode+".pid", fmt.Append(nil, os.Getpid()), 0o644)
	switch s.mode {
	case "dead":
		fmt.Fprintln(os.Stderr, "no \x1b[31mdatabase")
		os.Exit(3)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		defer func() { select {} }()
	case "slow":
		for {
			if _, err := os.Stat("go"); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	case "garbage":
		fmt.Print("Starting up...\n{\"jsonrpc\":\n[1,2]\nnull\n\xff\xfe{{{\x1b]0;x\x07\n")
	case "floods":
		go func() {
			for {
				fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 1000))
			}
		}()
		go func() {
			for {
				fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}`+"\n", strings.Repeat("x", 1000))
			}
		}()
	}
	s.in = bufio.NewReader(os.Stdin)
	for {
		var m mcpMessage
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			return
		}
		if json.Unmarshal(line, &m) == nil && m.ID != nil && m.Method != "" {
			s.answer(m)
		}
	}
}

type mcpServer struct {
	mode string
	in   *bufio.Reader
}

type mcpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
}

const mcpTools = `{"name":"echo","description":"Says it again","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true}},` +
	`{"name":"write","description":"Writes the file out","inputSchema":{"type":"object"}},` +
	`{"name":"ask","description":"Asks the user","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`

const mcpForm = `{"message":"Who are you?","requestedSchema":{"type":"object","required":["name","sure","size"],"properties":{` +
	`"name":{"type":"string","title":"Name"},"size":{"type":"string","enum":["s","m"],"enumNames":["Small","Medium"]},` +
	`"sure":{"type":"boolean","title":"Sure"},"years":{"type":"integer","title":"Years"}}}}`

func (s *mcpServer) answer(m mcpMessage) {
	say := func(format string, args ...any) {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":`+format+"}\n", append([]any{m.ID}, args...)...)
	}
	switch m.Method {
	case "initialize":
		say(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"helper","version":"1.2"}}`)
	case "tools/list":
		tools := mcpTools
		for i := 0; s.mode == "many" && i < 60; i++ {
			tools += fmt.Sprintf(`,{"name":"paint_%d","description":"Paints wall number %[1]d","inputSchema":{"type":"object"}}`, i)
		}
		say(`{"tools":[%s]}`, tools)
	case "prompts/list":
		say(`{"prompts":[{"name":"greet","description":"Greet somebody","arguments":[{"name":"who","required":true}]}]}`)
	case "prompts/get":
		say(`{"messages":[{"role":"user","content":{"type":"text","text":%q}}]}`, "Say hello to "+m.Params.Arguments["who"])
	case "tools/call":
		text := "echo: " + m.Params.Arguments["text"]
		switch m.Params.Name {
		case "write":
			dir, _ := os.Getwd()
			_ = os.WriteFile(filepath.Join(dir, "out"), nil, 0o644)
			text = "written"
		case "ask":
			text = s.ask()
		}
		say(`{"content":[{"type":"text","text":%q}]}`, text)
	case "ping":
		say("{}")
	}
}

// ask puts a form to the user and returns what came of it.
func (s *mcpServer) ask() string {
	fmt.Printf(`{"jsonrpc":"2.0","id":"form","method":"elicitation/create","params":%s}`+"\n", mcpForm)
	for {
		var m mcpMessage
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			return err.Error()
		}
		if json.Unmarshal(line, &m) == nil && string(m.ID) == `"form"` {
			return string(m.Result)
		}
	}
}
