// Package js runs extensions that are written in TypeScript or JavaScript, and
// agents that are modules.
//
//	file ─▶ bundle ─▶ ext.Module ─▶ granted ─▶ ext.Extension
//	                                              │ Load, once a session
//	                                              ▼
//	session ─▶ hook, tool, command ─▶ instance ─▶ loop (a runtime of its own)
//	   ▲                                              │ api.js: pi, ctx
//	   └───────── ext.Session ◀─ methods ◀────────────┘
//
// An instance is one extension in one session. Go and JavaScript tell each other
// everything as JSON text, so no object of a runtime leaves its loop. What
// concerns the JavaScript side alone, such as how handlers of one event follow
// each other and what ctx looks like, is in api.js; what the names mean for a
// session is here.
//
// A module can do three things to a session: answer a call of its own, call the
// session back in its own name, and take its time. The last is the loop's
// concern; what an answer holds is decoded here and bounded by the one who asked.
package js
