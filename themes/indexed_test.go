package themes_test

import (
	"math"
	"testing"

	"github.com/hoopoe-agent/hoopoe/themes"
)

// With 256 colours everything can be read that can be read with all of them,
// or needs to be.
func TestIndexedReadings(t *testing.T) {
	for _, name := range themes.Names() {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		was := theme.Readings()
		for i, r := range theme.Indexed().Readings() {
			if least := min(r.Need, was[i].Ratio); r.Ratio != 0 && r.Ratio < least {
				t.Errorf("%s, dark %v: %s has %.2f on %s (%s on %s), needs %.2f", name, r.Dark, r.Key, r.Ratio, r.On, r.Text, r.Background, least)
			}
		}
	}
}

// What was added and what was removed keep their hue with 256 and with 16
// colours, and are quiet: behind a line is nothing, or what is near to what the
// theme wants there.
func TestFewerColoursOfDiffs(t *testing.T) {
	for _, name := range themes.Names() {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for depth, fewer := range map[string]themes.Theme{"256": theme.Indexed(), "16": theme.Sixteen()} {
			for variant, c := range map[string][2]themes.Colors{"dark": {theme.Dark, fewer.Dark}, "light": {theme.Light, fewer.Light}} {
				was, now := c[0], c[1]
				if (now.AddedBackground == "") != (now.RemovedBackground == "") {
					t.Errorf("%s, %s, %s: behind added lines is %q, behind removed ones %q", name, depth, variant, now.AddedBackground, now.RemovedBackground)
				}
				for what, pair := range map[string][2]string{
					"added text": {was.AddedText, now.AddedText}, "removed text": {was.RemovedText, now.RemovedText},
					"added lines": {was.AddedBackground, now.AddedBackground}, "removed lines": {was.RemovedBackground, now.RemovedBackground},
					"added parts": {was.AddedMark, now.AddedMark}, "removed parts": {was.RemovedMark, now.RemovedMark},
				} {
					if pair[1] == "" {
						continue // the text, or an underline, says it
					}
					hue, colored := hueOf(pair[0])
					now, still := hueOf(pair[1])
					if apart := math.Abs(hue - now); colored && (!still || min(apart, 360-apart) > 50) {
						t.Errorf("%s, %s, %s: %s had the hue %.0f (%s) and have %.0f (%s)", name, depth, variant, what, hue, pair[0], now, pair[1])
					}
				}
				for _, pair := range [][2]string{{was.AddedBackground, now.AddedBackground}, {was.RemovedBackground, now.RemovedBackground}} {
					a, ok := themes.RGB(pair[0])
					b, too := themes.RGB(pair[1])
					if ok && too && themes.Contrast(a, b) > 1.15 {
						t.Errorf("%s, %s, %s: %s instead of %s behind lines is loud", name, depth, variant, pair[1], pair[0])
					}
				}
			}
		}
	}
}

// hueOf is the angle of a colour's hue; false for greys.
func hueOf(color string) (float64, bool) {
	rgb, ok := themes.RGB(color)
	if !ok { // of the palette: as most terminals have them
		hue, ok := map[string]float64{"1": 0, "9": 0, "3": 60, "11": 60, "2": 120, "10": 120, "6": 180, "14": 180, "4": 240, "12": 240, "5": 300, "13": 300}[color]
		return hue, ok
	}
	r, g, b := float64(rgb[0]), float64(rgb[1]), float64(rgb[2])
	if max(r, g, b)-min(r, g, b) < 8 {
		return 0, false
	}
	angle := math.Atan2(math.Sqrt(3)*(g-b), 2*r-g-b) * 180 / math.Pi
	return math.Mod(angle+360, 360), true
}
