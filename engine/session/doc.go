// Package session keeps a conversation as a tree of entries in a JSONL file,
// format version 3, which the pi and oh-my-pi families of agents share.
//
//	Open  ─▶ lines ─▶ heads (type, id, parent, offset) ─▶ tree ─▶ Context ─▶ next request
//	Append ─▶ pending entries ─▶ one write, O_APPEND ─▶ file
//
// Opening reads only the head of each line and remembers where the line lies;
// what the current context needs is decoded at once, everything else when it
// is asked for. A line that cannot be read stays in the file.
//
// The tree grows at its leaf: each new entry's parent is the leaf, and then it
// is the leaf. The leaf is not stored; after opening it is the last entry.
//
// An entry that could not be written stays in the document as pending and goes
// out before the next one, so a full disk costs nothing but the wait. The same
// list holds what comes before the first message, since a session in which
// nobody said anything leaves no file.
//
// A Document belongs to one goroutine. Only NewID may be called by others.
package session
