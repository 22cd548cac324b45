// Package scripted is a provider that plays a model from a file: for tests,
// demos and bug reports.
//
//	file ─▶ Parse ─▶ Script ─▶ New ─▶ Player (one per session) ─▶ the next fitting turn as a stream
//
// A script is a txtar-like file. Text before the first marker is a comment. A
// marker "-- NAME attributes --" on a line of its own starts a section; the
// lines up to the next marker are its body, without the line breaks at its
// end. An attribute is word, word=value or word="quoted value".
//
//	Reads a file, then says so.
//
//	-- turn --
//	-- thinking piece=4 --
//	I should look at the file first.
//	-- text --
//	I will read main.go.
//	-- call read piece=7 --
//	{"path": "main.go"}
//	-- usage input=1200 output=30 cacheRead=100 --
//
//	-- turn --
//	on: slow
//	-- delay 50ms --
//	-- text piece=1 delay=5ms --
//	It is a small program.
//
// # Sections
//
// "model" may come once, before the turns. Its body sets, one a line:
// "name: TEXT", "window: TOKENS", "max-tokens: TOKENS", "images: no",
// "levels: low high" (or "none"), "price: INPUT OUTPUT CACHEREAD CACHEWRITE"
// in dollars per million tokens.
//
// "turn" begins one answer. Its body may hold conditions: "on: TEXT" or
// "on: /REGEXP/" on the last user message's text, "system: TEXT" or
// "system: /REGEXP/" on the system prompt; and "times: N" or "times: always",
// how often the turn may play (1). A plain TEXT fits anywhere in it, in either
// case. A request plays the first turn in the file that fits and may still
// play.
//
// Steps of a turn:
//
//   - "text", "thinking": a block of that type. The body is sent as one piece,
//     or in pieces of piece=N characters; repeat=N sends the body N times;
//     delay=D waits before each piece; quoted means that the body is Go string
//     literals, one a line, which are joined. A thinking block takes signature=S.
//   - "call NAME": a tool call; the body is its arguments, well-formed or not.
//     id=ID names it, else it is call_N. piece, repeat, delay and quoted as above.
//   - "delay D": waits, for instance 50ms.
//   - "mark NAME": calls Options.Mark, where a test acts as the user.
//   - "usage input=N output=N cacheRead=N cacheWrite=N": 0 where absent.
//   - "stop REASON": stop, length, toolUse or refusal; without it toolUse when
//     there was a call, else stop.
//   - "error kind=K status=N retry-after=D": the answer fails with the body as
//     message. Kinds are those of llm.Kind.
//   - "disconnect": the connection breaks: io.ErrUnexpectedEOF.
//
// Error and disconnect end their turn; nothing may follow them. A request that
// no turn is left for fails with a bad_request error that names the script.
package scripted
