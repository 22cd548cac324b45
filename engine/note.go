package engine

import (
	"context"
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// Note keeps data of a face's own in the session's file. The model doesn't see
// it; Entries has it as a Custom.
func (s *Session) Note(ctx context.Context, kind string, data json.RawMessage) error {
	return s.set(ctx, func() error {
		s.append(session.Entry{Custom: &session.Custom{CustomType: kind, Data: data}})
		return nil
	})
}
