// Package tui is the chat: a Bubble Tea program over one session, fullscreen,
// inline (package inline) or as plain lines.
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
// Above and below the editor stand what extensions show (guests). In the
// editor's place comes a panel: a question of the session's, whoever asks it,
// before one that the user has opened (panels). A panel acts by sending the
// command of its name, so that all faces have one behaviour.
//
// The session is opened after the first frame; what is typed before that
// waits in the editor, what is sent before that waits in a queue.
//
// All foreign text passes engine/sanitize on its way into a row: in the
// components, or here for what the app draws itself.
package tui
