// Package engine is the only door for the faces: an Engine outlives sessions,
// a Session is one conversation.
//
//	face ─ methods ─▶ Session ─ inbox ─▶ owner ─▶ state, document, publish ─▶ subscriptions ─▶ face
//	                                      ▲
//	   run goroutine (agent.Run: provider, tools) ─ events, in batches
//
// Ownership. One goroutine per session, the owner, touches its state and is
// the only one that publishes. It takes funcs from an inbox with two lanes:
// commands, unbounded, and the run's events, bounded, so that a fast run waits
// for its owner and an abort overtakes it. The owner never waits for a run, a
// face, a hook or a provider. Whatever may block (hooks, tools, the model, git)
// runs elsewhere and comes back through the inbox. Appending to the session
// file is the exception: it is one write, and what is published is on disk.
//
// Order. A run's end takes the same lane as its events, so it can't overtake
// them. When a run has ended the session first decides what follows, sets its
// state, and then publishes RunEnded{Will}: who reads WillSettle may send the
// next prompt. RunSettled closes a prompt, once. An Ack is placed into its
// reader's own queue before the first event that a command causes, or, for an
// abort, after the last.
//
// Messages. A prompt passes the extensions when it begins; what is to wait in
// the queue passes them before it gets there, one message after the other, and
// a run doesn't end while one is on its way.
//
// Tools. A session has its own, chosen when it was opened, and those that its
// extensions, the program around it and its MCP servers add. A request offers,
// and a call finds, what is there at that moment.
//
// Sub-agents. A call of the task tool runs in a session of its own, opened by
// the caller's: see subagent.go. Its owner never waits for its caller's, nor the
// other way round. The call's goroutine reads its events and posts them to the
// caller as those of a run.
//
// Extensions. They are found in files, of the project only with trust; what they
// want to do is asked once for each content; they are loaded at Start, off the
// owner, and nothing waits for them but the first prompt. Each has its part in
// the session's ext.Host, which calls its hooks; a tap of its own, which tells it
// what happens, apart from the run, and has told it all before the hook at the
// run's end; and a callback, through which it acts. What a hook or a tool asks
// for that would wait for the hook is carried out after it; a command runs
// outside and may wait for everything. A file that changes is loaded anew: the
// old instance ends when nothing of it is at work any more, and stays where the
// new one can't be loaded. What they show is kept for faces that come later. The
// programs that they run outlive the session's other processes, until its
// shutdown hooks have run.
//
// MCP servers. They start with the session, off the owner, and nothing waits for
// them but the first prompt. What they tell comes through the inbox; their tools
// stay when the document is replaced, which of many the model sees belongs to the
// branch.
//
// Guidance. Skills, templates and rules are read off the owner, at Start and
// again when a second is over; the system prompt that is made from them stays
// until a new document, a compaction or Reload.
//
// Agents. An agent's file (package spec) is put between the command line and
// the settings; what guards the user it can only tighten.
//
// The document. What New, Switch, Fork and Branch replace is the document
// (tree, file, lock) behind a Session; faces stay attached. Whoever lists a
// long one reads a snapshot of it, off the owner.
//
// Compaction. A run whose context grows over the limit pauses between two
// turns, is compacted, and goes on by itself (compaction.autoContinue); work
// that had ended settles after the compaction.
//
// Rules. Stream rules watch an answer on the run's goroutine. A match that
// interrupts ends the run as an abort would; the answer leaves the context
// (ttsr.contextMode), and another run begins with the rule's text, hidden. Other
// matches are told between two turns, before what waits in the queue. The user's
// abort wins over both: what was found is then told with the next prompt. Which
// rules the model was told of belongs to the branch. No rule stops or follows the
// answers to one prompt more than five times.
//
// Tasks. A model that ends its work while its list has open tasks is reminded in
// another run, after all that waits, and never while it only plans, has asked
// the user something, or has used up a limit. Finished tasks leave the list
// later by themselves; with a document or a branch comes its own list.
package engine
