package ext

import (
	"context"
	"testing"
)

// One hook there and back.
func BenchmarkHook(b *testing.B) {
	h := newHost(func(string, string, error) {}, Hooks{Name: "a", ToolCall: func(context.Context, Session, ToolCall) (ToolCallReply, error) {
		return ToolCallReply{}, nil
	}})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		h.ToolCall(ctx, ToolCall{ID: "1", Name: "bash"})
	}
}
