// Package shim gives extensions the globals and modules that they expect: what
// a browser and Node have in common, the parts of Node's library that glue code
// uses, TypeBox, and the few values that extensions of the family import.
//
//	Install ─▶ globals (made at their first use), language.js
//	require(name) ─▶ modules ─▶ src/<name>.js, evaluated once per runtime
//	                                │ native
//	                                ▼
//	                 Go: files, programs, HTTP, hashes, URLs, encodings
//
// The JavaScript is compiled once per process and evaluated where it is used.
// Whatever leaves the extension goes through a native func that asks for a
// capability first: fs, net, exec or env. A denied call throws.
package shim
