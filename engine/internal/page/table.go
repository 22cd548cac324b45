package page

import "strings"

// table is a table of data. While a cell is open, the renderer writes it.
type table struct {
	rows  int
	cells []string
	cell  *renderer
}

// maxCells bounds a row. What comes after them has no cell of its own.
const maxCells = 100

// openTable begins a table; one of data is written by its rows.
func (r *renderer) openTable() {
	r.block()
	if r.nextTable() {
		r.table = &table{}
	}
}

// nextTable says whether the table that begins holds data.
func (r *renderer) nextTable() bool {
	if len(r.data) == 0 {
		return false
	}
	data := r.data[0]
	r.data = r.data[1:]
	return data
}

// tableTag takes the tags that make a table of data. It reports whether the
// tag was one.
func (r *renderer) tableTag(name string, end bool) bool {
	t := r.table
	switch name {
	case "tr":
		r.endRow()
	case "td", "th":
		r.endCell()
		if !end && len(t.cells) < maxCells {
			t.cell = &renderer{Options: r.Options}
		}
	case "thead", "tbody", "tfoot":
		r.endRow()
	case "table":
		r.closeTable()
		if !end { // the scan took it for an inner one
			r.openTable()
		}
	default:
		return false
	}
	return true
}

func (r *renderer) endCell() {
	t := r.table
	if t.cell == nil {
		return
	}
	t.cell.endCode()
	text := strings.Join(strings.Fields(string(t.cell.out)), " ")
	if !r.Plain {
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	t.cells, t.cell = append(t.cells, text), nil
}

func (r *renderer) endRow() {
	r.endCell()
	t := r.table
	cells := t.cells
	t.cells = nil
	if strings.Join(cells, "") == "" {
		return
	}
	r.line()
	if r.Plain {
		r.put(strings.Join(cells, " | "))
		return
	}
	r.put("| " + strings.Join(cells, " | ") + " |")
	if t.rows++; t.rows == 1 {
		r.line()
		r.put("|" + strings.Repeat(" --- |", len(cells)))
	}
}

func (r *renderer) closeTable() {
	if r.table != nil {
		r.endRow()
		r.table = nil
	}
	r.block()
}
