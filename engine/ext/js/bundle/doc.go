// Package bundle turns an extension's file into one script that the JavaScript
// runtime can run.
//
//	file, package, folder of them ─▶ Entries ─▶ entry files
//	entry file ─▶ Bundler.Bundle ─▶ header and package.json ─▶ name, capabilities
//	                  │
//	                  ├─▶ cache: are all inputs as they were? ─▶ Bundle
//	                  └─▶ esbuild: own files, pure JavaScript packages ─▶ Bundle ─▶ cache
//	Bundle.Program ─▶ compiled once, shared by every session of the process
//
// What an extension may import: its own .ts, .js, .json, .txt and .md files,
// packages of the node_modules folders above it, and the modules that the
// runtime serves (Options.External), which stay require calls. Imports of types
// vanish. Everything else is an *Error that names file, line and column, the
// import and what to do. JSON and text come only from the extension's own
// folder and from node_modules: an import must not read what the capability fs
// guards.
//
// # The script
//
// Code is one expression, a function
//
//	(function (exports, require, module, __filename, __dirname) { ... })
//
// that fills module.exports as CommonJS does: what was exported by default is
// module.exports.default, or module.exports itself if the entry is CommonJS.
// The syntax that the runtime lacks is written in what it has: async
// generators, for await, using, decorators, import(). In every file
// import.meta.url, .filename, .dirname and __filename and __dirname are the
// original file's. Errors thrown at run time carry the original file's name,
// line and column.
//
// # The header
//
// The comments before an entry's first statement may hold lines of the form
//
//	// @capabilities fs exec
//	// @name gatekeeper
//	// @description Asks before anything touches production
//
// The capabilities are fs, net, exec and env. A package.json whose
// hoopoe.extensions, pi.extensions, omp.extensions or main names the entry may
// state them too, as "hoopoe": {"capabilities": ["fs"]}; both lists count.
//
// # The cache
//
// One file for each entry, replaced as a whole, holds the script, its source
// map and the digests of all inputs; a start that finds them unchanged doesn't
// run esbuild. What is stated in headers is read anew each time. A cache file
// that is damaged, foreign or can't be written is only a slower start.
package bundle
