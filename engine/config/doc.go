// Package config knows where Hoopoe's files are on the user's machine and what
// is in the ones that people and faces share: settings, folder trust, saved
// permission rules and prompt history.
//
// Settings are JSON with comments and trailing commas, in layers:
//
//	Defaults -> <config>/settings.json -> <project>/.hoopoe/settings.json -> flags
//	                                      (only in a trusted folder)
//
// A later layer wins key by key, with one exception: a project can tighten
// permissions and limits but never loosen them, and keys that name programs or
// folders of the user's machine are the user's alone (tag scope:"user").
//
// A key of the wrong type or out of range is an error, an unknown key a
// warning; both carry file, line, column and the fix. Files are changed one
// key at a time under a lock, and what else is in them, comments included,
// stays.
//
// Nothing here reads the process environment: Places brings it in.
package config
