package google

// dataLines leaves of an event stream what the SDK can read: it fails on any
// line that isn't data, though servers may send comments to keep a connection
// alive, and names and numbers of events. What is no event stream stays as it
// is, since the SDK finds errors in it. Lines may come in pieces.
type dataLines struct {
	within bool // a line
	drop   bool // that line
	blank  bool // that line has had nothing but its end
	event  bool // lines of an event were kept, which a blank one ends
}

// filter moves what stays to the front of p and returns its length.
func (d *dataLines) filter(p []byte) (n int) {
	for _, c := range p {
		if !d.within {
			d.begin(c)
		}
		if !d.drop {
			p[n] = c
			n++
		}
		if c == '\n' {
			d.within = false
			d.event = d.event && !d.blank
		}
	}
	return n
}

// begin judges a line by its first byte: a comment, or event, id or retry.
func (d *dataLines) begin(c byte) {
	d.within, d.drop, d.blank = true, false, false
	switch c {
	case '\r', '\n':
		d.blank, d.drop = true, !d.event
	case ':', 'e', 'i', 'r':
		d.drop = true
	default:
		d.event = true
	}
}
