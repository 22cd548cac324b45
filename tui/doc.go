// Package tui is the chat: a fullscreen Bubble Tea program over one session.
//
//	keys, pastes, mouse ─▶ app.Update ─▶ Session methods (off the loop)
//	Session.Attach ─▶ Stream.Batch ─▶ one message per batch ─▶ app.apply
//	app ─▶ View: transcript, queue, activity, editor or dialog, status line
//
// The app's state is touched by Update alone. Whatever may block runs in a
// command and comes back as a message. Batches are taken at the pace of the
// frames, so that a fast model merges into few of them, and nothing ticks
// while nothing runs: an idle chat writes nothing.
//
// The session is opened after the first frame; what is typed before that
// waits in the editor, what is sent before that waits in a queue.
//
// All foreign text passes engine/sanitize on its way into a row: in the
// components, or here for what the app draws itself.
package tui
