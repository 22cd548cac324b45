package scripted_test

import (
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
)

func TestConformance(t *testing.T) {
	subject := func(file string) func(t *testing.T) (llm.Provider, llm.Request) {
		return func(t *testing.T) (llm.Provider, llm.Request) {
			s := load(t, file)
			return scripted.New(s, scripted.Options{}), llm.Request{Model: s.Model()}
		}
	}
	llmtest.Run(t, llmtest.Subject{New: subject("read.txt"), Failing: subject("trouble.txt")})
}

func TestConformanceOfABigStream(t *testing.T) {
	llmtest.Run(t, llmtest.Subject{New: func(t *testing.T) (llm.Provider, llm.Request) {
		s := parse(t, "-- turn --\ntimes: always\n-- text repeat=500 quoted --\n\"word \"\n")
		return scripted.New(s, scripted.Options{}), llm.Request{Model: s.Model()}
	}})
}
