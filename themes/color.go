package themes

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// paletteNames are the names of the terminal's own sixteen colours, in the
// palette's order.
func paletteNames() []string {
	return []string{
		"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
		"brightBlack", "brightRed", "brightGreen", "brightYellow", "brightBlue", "brightMagenta", "brightCyan", "brightWhite",
	}
}

// ownColor is the name of the terminal's own foreground or background.
const ownColor = "default"

// normal turns what a file says of a colour into the form of Colors.
func normal(value string) (string, bool) {
	switch {
	case value == "" || value == ownColor:
		return "", true
	case value[0] == '#':
		_, err := strconv.ParseUint(value[1:], 16, 32)
		return strings.ToLower(value), err == nil && len(value) == len("#rrggbb")
	}
	if i := slices.Index(paletteNames(), value); i >= 0 {
		return strconv.Itoa(i), true
	}
	n, err := strconv.ParseUint(value, 10, 8)
	return value, err == nil && value == strconv.FormatUint(n, 10)
}

// RGB returns the red, green and blue of a colour in the form of Colors. It is
// false for those that the terminal's user decides: its own and the sixteen of
// the palette.
func RGB(color string) (rgb [3]uint8, ok bool) {
	if hex, found := strings.CutPrefix(color, "#"); found {
		n, err := strconv.ParseUint(hex, 16, 24)
		return [3]uint8{uint8(n >> 16), uint8(n >> 8), uint8(n)}, err == nil && len(hex) == 6
	}
	n, err := strconv.ParseUint(color, 10, 8)
	switch {
	case err != nil || n < 16:
		return rgb, false
	case n >= 232: // greys
		grey := uint8(8 + 10*(n-232))
		return [3]uint8{grey, grey, grey}, true
	}
	for i, level := range [3]uint64{(n - 16) / 36, (n - 16) / 6 % 6, (n - 16) % 6} {
		if level > 0 {
			rgb[i] = uint8(55 + 40*level)
		}
	}
	return rgb, true
}

// Contrast is WCAG's ratio of two colours, from 1 to 21.
func Contrast(a, b [3]uint8) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance is WCAG's relative luminance, from 0 to 1.
func luminance(rgb [3]uint8) float64 {
	sum := 0.0
	for i, weight := range [3]float64{0.2126, 0.7152, 0.0722} {
		sum += weight * linear(rgb[i])
	}
	return sum
}

// linear is the light of a colour's channel, from 0 to 1.
func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// nearest returns the candidate that name was probably meant to be, "" if
// none is near.
func nearest(name string, candidates []string) string {
	best, found := max(len(name)/2, 1)+1, ""
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < best {
			best, found = d, c
		}
	}
	return found
}

// distance counts the letters to change, add or drop between a and b. Longer
// names than people write are far from everything.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return math.MaxInt
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			left, row[j+1] = row[j+1], min(left+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
