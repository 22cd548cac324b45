package themes

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Indexed is the theme for a terminal with 256 colours: each colour becomes the
// nearest of the palette that has its hue and can be read as well.
//
// The palette has pale greens and reds, but no quiet dark ones. Where none is
// near to what a theme puts behind the lines of a diff, there is nothing behind
// the lines, it is behind their changed parts, and the text has the colour.
func (t Theme) Indexed() Theme {
	p := newPalette()
	t.Dark, t.Light = p.colors(t.Dark, true), p.colors(t.Light, false)
	return t
}

// palette are the 240 colours that are the same in every terminal.
type palette []shade

// shade is a colour as the eye sees it.
type shade struct {
	name string
	rgb  [3]uint8
	lab  [3]float64
}

func newPalette() palette {
	p := make(palette, 0, 240)
	for i := 16; i < 256; i++ {
		name := strconv.Itoa(i)
		rgb, _ := RGB(name)
		p = append(p, shade{name, rgb, oklab(rgb)})
	}
	return p
}

// loud is the distance from which a colour behind lines is too far from the
// theme's. Black and white are 1 apart.
const loud = 0.1

func (p palette) colors(c Colors, dark bool) Colors {
	out := c
	fields := fieldsOf(&out)
	far := 0.0
	for _, key := range []string{"selectedBackground", "matchBackground", "addedMark", "removedMark", "addedBackground", "removedBackground"} {
		was, ok := shadeOf(*fields[key])
		if !ok {
			continue
		}
		for near := range p.near(was, key) {
			*fields[key] = near.name
			if strings.HasSuffix(key, "Background") && meant(key) {
				far = max(far, was.distance(near))
			}
			break
		}
	}
	if far > loud {
		out.AddedMark, out.RemovedMark = out.AddedBackground, out.RemovedBackground
		out.AddedBackground, out.RemovedBackground = "", ""
		out.AddedText, out.RemovedText = c.Success, c.Error // those are pale
	}
	for was := c.readings(dark); len(was) > 0; {
		n := 1
		for n < len(was) && was[n].Key == was[0].Key {
			n++
		}
		p.text(&out, fields, was[:n])
		was = was[n:]
	}
	return out
}

// text replaces one colour by the nearest that can be read where it stands as
// well as was says, or as well as it needs.
func (p palette) text(c *Colors, fields map[string]*string, was []Reading) {
	field := fields[was[0].Key]
	s, ok := shadeOf(*field)
	if !ok {
		return
	}
	reads := func(near shade) bool {
		for _, r := range was {
			now := c.reading(r.Dark, r.Key, near.name, r.On, *fields[r.On], r.Need)
			if now.Ratio != 0 && now.Ratio < min(r.Need, r.Ratio) {
				return false
			}
		}
		return true
	}
	nearest := ""
	for near := range p.near(s, was[0].Key) {
		if nearest == "" {
			nearest = near.name
		}
		if reads(near) {
			nearest = near.name
			break
		}
	}
	*field = nearest
}

// near are the colours that may stand for s, the nearest first; there are
// always some. Those with some colour keep their hue. The first few are all
// that is mostly asked for, so the rest isn't sorted: the chat's first frame
// waits for this.
func (p palette) near(s shade, key string) iter.Seq[shade] {
	type candidate struct {
		*shade
		away float64
	}
	_, colored := s.hue()
	keep := colored && (meant(key) || math.Hypot(s.lab[1], s.lab[2]) > 0.05)
	return func(yield func(shade) bool) {
		list := make([]candidate, 0, len(p))
		for i := range p {
			if !keep || s.kin(p[i]) {
				list = append(list, candidate{&p[i], s.distance(p[i])})
			}
		}
		for len(list) > 0 {
			first := 0
			for i, c := range list {
				if c.away < list[first].away {
					first = i
				}
			}
			if !yield(*list[first].shade) {
				return
			}
			list = slices.Delete(list, first, first+1)
		}
	}
}

// meant reports whether a colour says something, so that its hue must stay
// however little of it there is.
func meant(key string) bool {
	return strings.HasPrefix(key, "added") || strings.HasPrefix(key, "removed")
}

// shadeOf is false for what the terminal's user decides.
func shadeOf(color string) (shade, bool) {
	rgb, ok := RGB(color)
	return shade{color, rgb, oklab(rgb)}, ok
}

// nextOfKin is how far apart in degrees the hues of one family are.
const nextOfKin = 40

// kin reports whether two colours with some colour are near in hue.
func (s shade) kin(c shade) bool {
	hue, colored := s.hue()
	other, too := c.hue()
	if !colored || !too {
		return false
	}
	apart := max(hue-other, other-hue)
	return min(apart, 360-apart) <= nextOfKin
}

// hue is false for colours with next to none.
func (s shade) hue() (degrees int, colored bool) {
	r, g, b := int(s.rgb[0]), int(s.rgb[1]), int(s.rgb[2])
	high, low := max(r, g, b), min(r, g, b)
	if math.Hypot(s.lab[1], s.lab[2]) < 0.012 || high == low {
		return 0, false
	}
	return hue(r, g, b, high, high-low), true
}

func (s shade) distance(c shade) float64 {
	sum := 0.0
	for i := range s.lab {
		sum += (s.lab[i] - c.lab[i]) * (s.lab[i] - c.lab[i])
	}
	return math.Sqrt(sum)
}

// oklab places a colour where distances are as the eye sees them: lightness
// from 0 to 1, then green to red, then blue to yellow. After Björn Ottosson
// (2020).
func oklab(rgb [3]uint8) [3]float64 {
	r, g, b := linear(rgb[0]), linear(rgb[1]), linear(rgb[2])
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}
