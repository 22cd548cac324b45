package session

import "slices"

// Leaving returns the entries between the leaf and what it has in common with
// the path to another entry: the branch that a move there would leave, in its
// order. "" stands for the place before the first entry.
func (d *Document) Leaving(to string) []Entry {
	kept := map[*node]bool{}
	for n := d.index[to]; n != nil; n = n.parent {
		kept[n] = true
	}
	var left []*node
	for n := d.leaf; n != nil && !kept[n]; n = n.parent {
		left = append(left, n)
	}
	slices.Reverse(left)
	return d.loadAll(left)
}

// Labels are the labels of all entries that have one, by entry.
func (d *Document) Labels() map[string]string {
	labels := make(map[string]string, len(d.labels))
	for id, l := range d.labels {
		if l.text != "" {
			labels[id] = l.text
		}
	}
	return labels
}

// Dir is the folder of the document's file and of those that branch off.
func (d *Document) Dir() string { return d.opts.Dir }

// MarshalJSON writes the header as the file has it.
func (h Header) MarshalJSON() ([]byte, error) { return h.encode() }
