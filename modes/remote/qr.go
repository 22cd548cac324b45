package remote

import "strings"

// QR draws a text as a QR code for a terminal, two modules per line of
// characters: in black on white whatever the terminal's colours are, or, where
// escape sequences can't be used, with the light parts drawn, as suits a dark
// screen. A text over 213 bytes gives "": it would be too large to scan.
func QR(text string, escapes bool) string {
	code := encodeQR([]byte(text))
	if code == nil {
		return ""
	}
	const quiet = 2
	drawn := func(x, y int) bool {
		x, y = x-quiet, y-quiet
		inside := x >= 0 && y >= 0 && x < code.size && y < code.size
		return (inside && code.dark[y][x]) == escapes
	}
	var b strings.Builder
	for y := 0; y < code.size+2*quiet; y += 2 {
		if escapes {
			b.WriteString("\x1b[38;5;16;48;5;231m")
		}
		for x := range code.size + 2*quiet {
			switch up, down := drawn(x, y), drawn(x, y+1); {
			case up && down:
				b.WriteString("█")
			case up:
				b.WriteString("▀")
			case down:
				b.WriteString("▄")
			default:
				b.WriteByte(' ')
			}
		}
		if escapes {
			b.WriteString("\x1b[0m")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// qrVersion is a size of code at error correction level M: so many data
// codewords in blocks of the first length, then of one more, each with ec
// codewords of correction.
type qrVersion struct {
	ec, blocks, longer, length int
	align                      []int
}

func qrVersions() []qrVersion {
	return []qrVersion{
		{10, 1, 0, 16, nil},
		{16, 1, 0, 28, []int{6, 18}},
		{26, 1, 0, 44, []int{6, 22}},
		{18, 2, 0, 32, []int{6, 26}},
		{24, 2, 0, 43, []int{6, 30}},
		{16, 4, 0, 27, []int{6, 34}},
		{18, 4, 0, 31, []int{6, 22, 38}},
		{22, 2, 2, 38, []int{6, 24, 42}},
		{22, 3, 2, 36, []int{6, 26, 46}},
		{26, 4, 1, 43, []int{6, 28, 50}},
	}
}

func (v qrVersion) data() int { return v.blocks*v.length + v.longer*(v.length+1) }

// qrCode is a square of modules; fixed ones aren't data.
type qrCode struct {
	size        int
	dark, fixed [][]bool
}

func encodeQR(text []byte) *qrCode {
	for i, v := range qrVersions() {
		counter := 8
		if i+1 >= 10 {
			counter = 16
		}
		if 4+counter+8*len(text) > 8*v.data() {
			continue
		}
		var bits bitString
		bits.add(0b0100, 4)
		bits.add(len(text), counter)
		for _, c := range text {
			bits.add(int(c), 8)
		}
		return drawQR(i+1, v, v.interleave(bits.padded(v.data())))
	}
	return nil
}

type bitString []bool

func (b *bitString) add(value, n int) {
	for i := n - 1; i >= 0; i-- {
		*b = append(*b, value>>i&1 == 1)
	}
}

// padded ends the bits and fills them up to n bytes.
func (b bitString) padded(n int) []byte {
	b.add(0, min(4, 8*n-len(b)))
	for len(b)%8 != 0 {
		b = append(b, false)
	}
	out := make([]byte, 0, n)
	for i := 0; i < len(b); i += 8 {
		var c byte
		for _, bit := range b[i : i+8] {
			c <<= 1
			if bit {
				c |= 1
			}
		}
		out = append(out, c)
	}
	for fill := byte(0xec); len(out) < n; fill ^= 0xec ^ 0x11 {
		out = append(out, fill)
	}
	return out
}

// interleave cuts the data into blocks, adds each one's correction, and takes
// from them in turn.
func (v qrVersion) interleave(data []byte) []byte {
	var blocks, corrections [][]byte
	for i := range v.blocks + v.longer {
		n := v.length
		if i >= v.blocks {
			n++
		}
		blocks = append(blocks, data[:n])
		corrections = append(corrections, correction(data[:n], v.ec))
		data = data[n:]
	}
	var out []byte
	for i := range v.length + 1 {
		for _, b := range blocks {
			if i < len(b) {
				out = append(out, b[i])
			}
		}
	}
	for i := range v.ec {
		for _, c := range corrections {
			out = append(out, c[i])
		}
	}
	return out
}

// multiply is in the field of 256 elements that QR codes use.
func multiply(a, b byte) byte {
	var p byte
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			p ^= a
		}
		carry := a >> 7
		a = a<<1 ^ carry*0x1d
	}
	return p
}

// correction is the Reed-Solomon remainder of data.
func correction(data []byte, n int) []byte {
	generator := make([]byte, n) // without its leading 1
	generator[n-1] = 1
	root := byte(1)
	for range n {
		for i := range generator {
			generator[i] = multiply(generator[i], root)
			if i+1 < n {
				generator[i] ^= generator[i+1]
			}
		}
		root = multiply(root, 2)
	}
	rest := make([]byte, n)
	for _, c := range data {
		factor := c ^ rest[0]
		rest = append(rest[1:], 0)
		for i, g := range generator {
			rest[i] ^= multiply(g, factor)
		}
	}
	return rest
}

func drawQR(number int, v qrVersion, data []byte) *qrCode {
	q := &qrCode{size: 17 + 4*number}
	for range q.size {
		q.dark = append(q.dark, make([]bool, q.size))
		q.fixed = append(q.fixed, make([]bool, q.size))
	}
	q.patterns(v.align)
	if number >= 7 {
		q.version(number)
	}
	q.format(0) // takes its place
	q.fill(data)
	best, least := 0, -1
	for mask := range 8 {
		q.mask(mask)
		q.format(mask)
		if p := q.penalty(); least < 0 || p < least {
			best, least = mask, p
		}
		q.mask(mask) // off again
	}
	q.mask(best)
	q.format(best)
	return q
}

func (q *qrCode) set(x, y int, dark bool) {
	if x >= 0 && y >= 0 && x < q.size && y < q.size {
		q.dark[y][x], q.fixed[y][x] = dark, true
	}
}

// patterns are what a camera looks for.
func (q *qrCode) patterns(align []int) {
	for i := range q.size {
		q.set(6, i, i%2 == 0)
		q.set(i, 6, i%2 == 0)
	}
	for _, c := range [][2]int{{3, 3}, {q.size - 4, 3}, {3, q.size - 4}} {
		for dy := -4; dy <= 4; dy++ {
			for dx := -4; dx <= 4; dx++ {
				d := max(abs(dx), abs(dy))
				q.set(c[0]+dx, c[1]+dy, d != 2 && d != 4)
			}
		}
	}
	last := len(align) - 1
	for i, y := range align {
		for j, x := range align {
			if i == 0 && j == 0 || i == 0 && j == last || i == last && j == 0 {
				continue
			}
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					q.set(x+dx, y+dy, max(abs(dx), abs(dy)) != 1)
				}
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

// remainder is that of value, shifted by n, divided by a polynomial.
func remainder(value, n, polynomial int) int {
	r := value
	for range n {
		r = r<<1 ^ (r>>(n-1))*polynomial
	}
	return r
}

func (q *qrCode) version(number int) {
	bits := number<<12 | remainder(number, 12, 0x1f25)
	for i := range 18 {
		dark := bits>>i&1 == 1
		q.set(q.size-11+i%3, i/3, dark)
		q.set(i/3, q.size-11+i%3, dark)
	}
}

// format says which mask is used, twice.
func (q *qrCode) format(mask int) {
	bits := (mask<<10 | remainder(mask, 10, 0x537)) ^ 0x5412 // level M is 00
	bit := func(i int) bool { return bits>>i&1 == 1 }
	for i := range 6 {
		q.set(8, i, bit(i))
		q.set(5-i, 8, bit(9+i))
	}
	q.set(8, 7, bit(6))
	q.set(8, 8, bit(7))
	q.set(7, 8, bit(8))
	for i := range 8 {
		q.set(q.size-1-i, 8, bit(i))
	}
	for i := range 7 {
		q.set(8, q.size-7+i, bit(8+i))
	}
	q.set(8, q.size-8, true)
}

// fill writes the data in its zigzag.
func (q *qrCode) fill(data []byte) {
	i := 0
	for right := q.size - 1; right >= 1; right -= 2 {
		if right == 6 {
			right = 5
		}
		for step := range q.size {
			y := step
			if (right+1)&2 == 0 {
				y = q.size - 1 - step
			}
			for _, x := range []int{right, right - 1} {
				if !q.fixed[y][x] && i < 8*len(data) {
					q.dark[y][x] = data[i/8]>>(7-i%8)&1 == 1
					i++
				}
			}
		}
	}
}

func (q *qrCode) mask(n int) {
	for y := range q.size {
		for x := range q.size {
			var flip bool
			switch n {
			case 0:
				flip = (x+y)%2 == 0
			case 1:
				flip = y%2 == 0
			case 2:
				flip = x%3 == 0
			case 3:
				flip = (x+y)%3 == 0
			case 4:
				flip = (x/3+y/2)%2 == 0
			case 5:
				flip = x*y%2+x*y%3 == 0
			case 6:
				flip = (x*y%2+x*y%3)%2 == 0
			case 7:
				flip = ((x+y)%2+x*y%3)%2 == 0
			}
			if flip && !q.fixed[y][x] {
				q.dark[y][x] = !q.dark[y][x]
			}
		}
	}
}

// penalty is high for a code that is hard to read: long runs and blocks of one
// colour, and much more of one than of the other.
func (q *qrCode) penalty() int {
	total, count := 0, 0
	for y := range q.size {
		for _, at := range []func(int) bool{
			func(x int) bool { return q.dark[y][x] },
			func(x int) bool { return q.dark[x][y] },
		} {
			run := 0
			for x := range q.size {
				if x > 0 && at(x) == at(x-1) {
					run++
				} else {
					run = 1
				}
				switch {
				case run == 5:
					total += 3
				case run > 5:
					total++
				}
			}
		}
		for x := range q.size {
			if q.dark[y][x] {
				count++
			}
			if x > 0 && y > 0 && q.dark[y][x] == q.dark[y-1][x] && q.dark[y][x] == q.dark[y][x-1] && q.dark[y][x] == q.dark[y-1][x-1] {
				total += 3
			}
		}
	}
	return total + abs(20*count-10*q.size*q.size)/(q.size*q.size)*10
}
