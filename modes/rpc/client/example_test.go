package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// Start an agent, let it have a tool, ask it something and watch it work.
func Example() {
	ctx := context.Background()
	weather := client.HostTool{
		Name:        "weather",
		Description: "Tells the weather of a place.",
		Parameters: map[string]any{
			"type":       "object",
			"properties": map[string]any{"place": map[string]any{"type": "string"}},
			"required":   []string{"place"},
		},
		Run: func(ctx context.Context, call client.HostCall) (client.Output, error) {
			return client.Text("Sunny, 31 °C."), nil
		},
	}

	// With the binary on the PATH this is
	//	agent, err := client.Start(ctx, client.Process{}, options)
	in, out := scriptedAgent()
	agent, err := client.New(ctx, in, out, client.Options{HostTools: []client.HostTool{weather}})
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close()

	events := agent.Subscribe()
	defer events.Close()
	turn, err := agent.Prompt(ctx, "How is the weather in Aswan?", client.PromptOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range events.All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		switch data := event.Data.(type) {
		case client.ToolStart:
			fmt.Printf("[%s %s]\n", data.ToolName, data.Args)
		case client.ToolEnd:
			fmt.Println("[" + data.Result.Content[0].Text + "]")
		case client.MessageUpdate:
			fmt.Print(data.Change.Delta)
		}
		if event.Type == "agent_settled" {
			break
		}
	}
	fmt.Println()

	result, err := turn.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.Messages), "messages; the last:", result.Text)
	// Output:
	// [weather {"place":"Aswan"}]
	// [Sunny, 31 °C.]
	// It is sunny, 31 °C.
	// 1 messages; the last: It is sunny, 31 °C.
}

// One question, with the program on the PATH.
func ExampleStart() {
	summary := func(ctx context.Context) (client.Result, error) {
		c, err := client.Start(ctx, client.Process{}, client.Options{})
		if err != nil {
			return client.Result{}, err
		}
		defer c.Close()
		return c.PromptAndWait(ctx, "Summarize this repo")
	}
	result, err := summary(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
}

// scriptedAgent plays the agent's part in the example.
func scriptedAgent() (io.ReadCloser, io.WriteCloser) {
	in, agentOut := io.Pipe()
	agentIn, out := io.Pipe()
	// What it says once it has read that much.
	script := map[string]string{
		"":                        `{"type":"ready","version":"0.1.0"}`,
		`"type":"set_host_tools"`: `{"id":"req_1","type":"response","command":"set_host_tools","success":true,"data":{"toolNames":["weather"]}}`,
		`"type":"prompt"`: `{"id":"req_2","type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}
{"type":"agent_start"}
{"type":"tool_execution_start","toolCallId":"call_1","toolName":"weather","args":{"place":"Aswan"}}
{"type":"host_tool_call","id":"host_1","toolCallId":"call_1","toolName":"weather","arguments":{"place":"Aswan"}}`,
		`"type":"host_tool_result"`: `{"type":"tool_execution_end","toolCallId":"call_1","toolName":"weather","result":{"content":[{"type":"text","text":"Sunny, 31 °C."}]},"isError":false}
{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"It is sunny, "}}
{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"31 °C."}}
{"type":"agent_end","messages":[{"role":"assistant","content":[{"type":"text","text":"It is sunny, 31 °C."}],"stopReason":"stop","timestamp":1}],"willRetry":false}
{"type":"agent_settled","aborted":false}`,
	}
	go func() {
		defer agentOut.Close()
		fmt.Fprintln(agentOut, script[""])
		for lines := bufio.NewScanner(agentIn); lines.Scan(); {
			for asked, answer := range script {
				if asked != "" && strings.Contains(lines.Text(), asked) {
					fmt.Fprintln(agentOut, answer)
				}
			}
		}
	}()
	return in, out
}
