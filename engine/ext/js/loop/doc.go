// Package loop runs the JavaScript of one extension in one session: a runtime,
// the goroutine that owns it, its timers and its promises, and the guards that
// keep a broken extension from holding or filling the process.
//
//	Do, Await, Post ─▶ queue ─▶ turn (owner's goroutine, recovered, watched) ─▶ result
//	timers ────────────▲            │
//	Go work ◀── Promise ────────────┘   resolves in a later turn
//
// A turn is one queued func together with all promise jobs that it leaves. It
// runs alone. Between turns any other call of the same extension may run, so a
// function that awaits holds nobody up. A Go func that JavaScript calls runs in
// the turn and must never wait for the loop; work that blocks goes through
// Promise.
//
// # Guards
//
// Time. A turn that runs longer than Options.Slice without a break is
// interrupted, also inside promise jobs; the promise jobs it had queued are
// lost, the loop goes on. A call whose context ends is given up at once,
// whatever the extension does, and interrupted if it is what runs just then. A
// turn that doesn't heed an interrupt for another slice is stuck in native code
// (a runaway regular expression, say): the loop is ended and its goroutine left
// to finish by itself.
//
// Stack. Deeper recursion than Options.MaxCallStack ends the turn.
//
// Memory. The engine has no heap of its own to limit, so there are four rules
// with Options.Memory as the budget:
//   - Native funcs that make much from little (repeat, padStart, fill, join,
//     Array.from) refuse lengths beyond a quarter of it.
//   - In a turn, the process's heap is read every few milliseconds. When it has
//     grown by more than the budget since the turn began, and a collection
//     doesn't free that or can't keep up, the turn is interrupted.
//   - After that, and whenever the process's live heap has grown by a quarter
//     of the budget, what the runtime reaches is counted object by object. More
//     than the budget ends the loop. The count is exact but for what only a
//     suspended async function holds, which it can't see.
//   - For that remainder the loop is ended when the live heap has grown by two
//     budgets since its start and at least half of all that the process
//     allocated meanwhile was allocated in its turns.
//
// The process's memory thus stays within a few budgets whatever one extension
// keeps. One native call can still take more for a moment.
package loop
