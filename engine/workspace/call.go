package workspace

import "context"

// Call says for which call of a tool a workspace is used. Work that belongs to
// none has no Call.
type Call struct {
	ID   string
	Kind string // of the tool: read, edit, execute ...
}

type callKey struct{}

// WithCall returns a context for the work of one call.
func WithCall(ctx context.Context, c Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallOf returns the call that ctx is for.
func CallOf(ctx context.Context) (c Call, ok bool) {
	c, ok = ctx.Value(callKey{}).(Call)
	return c, ok
}
