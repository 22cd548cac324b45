package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// migrate brings the entries of an older version up, in memory. Only the
// lines that change are held; the file follows at the next write.
//
// Version 1 is a list without ids: entries have been given ids and chained
// while loading, here they get them in their lines, and a compaction's index
// of the first kept entry becomes an id. Version 2 called custom messages
// hookMessage.
func (d *Document) migrate() {
	first := d.header.Version == 1
	for i, n := range d.nodes {
		line, err := d.bytesOf(n)
		if err != nil {
			continue // unreadable now, and copied as it is later
		}
		changed := renameHookMessage(line)
		if first && field(line, "id") == nil {
			changed = withMembers(changed, d.firstVersionMembers(i, n, line))
		}
		if !bytes.Equal(changed, line) {
			n.line = changed
		}
	}
	d.header.Version = Version
	d.store.rewrite = true
}

// firstVersionMembers returns what a version 1 line lacks. Indices there count
// lines with the header as 0.
func (d *Document) firstVersionMembers(i int, n *node, line []byte) map[string]string {
	members := map[string]string{"id": n.id, "parentId": n.parentID}
	if index, err := strconv.Atoi(string(field(line, "firstKeptEntryIndex"))); err == nil && index >= 1 && index <= i {
		members["firstKeptEntryId"] = d.nodes[index-1].id
	}
	return members
}

// withMembers puts string members at the head of an object; an empty one is null.
func withMembers(object []byte, members map[string]string) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, key := range []string{"id", "parentId", "firstKeptEntryId"} {
		val, ok := members[key]
		if !ok {
			continue
		}
		raw := []byte("null")
		if val != "" {
			raw, _ = json.Marshal(val) // a string always encodes
		}
		b.WriteString(`"` + key + `":`)
		b.Write(raw)
		b.WriteByte(',')
	}
	b.Write(bytes.TrimSpace(object)[1:])
	return b.Bytes()
}

// currentHeader returns a header with its version brought up to date, and with
// all else that it says.
func currentHeader(line []byte) []byte {
	version := strconv.Itoa(Version)
	old := field(line, "version")
	if old == nil {
		return append([]byte(`{"version":`+version+`,`), bytes.TrimSpace(line)[1:]...)
	}
	return splice(line, old, version)
}

// splice returns line with part, which is a slice of it, replaced.
func splice(line, part []byte, by string) []byte {
	at := cap(line) - cap(part) // both end where the array does
	out := append([]byte{}, line[:at]...)
	out = append(out, by...)
	return append(out, line[at+len(part):]...)
}

// renameHookMessage returns the line with the role of its message brought up
// to date, or the line itself.
func renameHookMessage(line []byte) []byte {
	role := field(field(line, "message"), "role")
	if unquote(role) != "hookMessage" {
		return line
	}
	return splice(line, role, `"custom"`)
}

// replace writes the whole session anew: the old lines in their order, those
// that were not readable too, migrated ones as they are now, then the pending.
func (d *Document) replace() error {
	s := &d.store
	if err := s.inPlace(); err != nil {
		return err
	}
	content, offsets, err := d.rewritten()
	if err != nil {
		return err
	}
	// Closed first, since Windows renames over no open file.
	s.file.Close()
	writeErr := atomicfile.Write(s.path, content, atomicfile.Options{Mode: fileMode, Sync: true})
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		f, err = os.Open(s.path)
	}
	if err != nil {
		return errors.Join(writeErr, err)
	}
	s.file = f
	if writeErr != nil {
		return writeErr
	}
	for n, off := range offsets {
		n.size, n.off, n.line = d.sizeOf(n), off, nil
	}
	s.end = int64(len(content))
	s.rewrite, s.torn, s.unended, s.pending = false, false, false, nil
	return nil
}

func (d *Document) sizeOf(n *node) int {
	if n.line != nil {
		return len(n.line)
	}
	return n.size
}

// rewritten returns the file's new content and where each entry will lie.
func (d *Document) rewritten() ([]byte, map[*node]int64, error) {
	byOffset := make(map[int64]*node, len(d.nodes))
	pending := map[*node]bool{}
	for _, n := range d.store.pending {
		pending[n] = true
	}
	for _, n := range d.nodes {
		if !pending[n] {
			byOffset[n.off] = n
		}
	}
	var out bytes.Buffer
	offsets := make(map[*node]int64, len(d.nodes))
	put := func(n *node, line []byte) {
		offsets[n] = int64(out.Len())
		out.Write(line)
		out.WriteByte('\n')
	}
	lines := jsonl.NewReader(io.NewSectionReader(d.store.file, 0, d.store.end), 0)
	for headerSeen := false; ; {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		n := byOffset[line.Offset]
		switch {
		case n != nil && n.line != nil:
			put(n, n.line)
		case n != nil:
			put(n, line.Data)
		case !headerSeen && !isTitleLine(line.Data):
			headerSeen = true
			out.Write(currentHeader(line.Data))
			out.WriteByte('\n')
		default:
			out.Write(line.Data)
			out.WriteByte('\n')
		}
	}
	for _, n := range d.store.pending {
		put(n, n.line)
	}
	return out.Bytes(), offsets, nil
}
