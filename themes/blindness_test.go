package themes_test

import (
	"math"
	"testing"

	"github.com/hoopoe-agent/hoopoe/themes"
)

// sight maps linear light to what an eye without one kind of cone sees, after
// Machado, Oliveira and Fernandes (2009) at full severity.
var sight = map[string][3][3]float64{
	"without red cones":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"without green cones": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"without blue cones":  {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// Themes for people who don't see some colours tell apart, by colour too, what
// others tell apart by it.
func TestColourBlindness(t *testing.T) {
	for name, eyes := range map[string][]string{
		"red-green-safe":   {"without red cones", "without green cones"},
		"blue-yellow-safe": {"without blue cones"},
	} {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for variant, c := range map[string]themes.Colors{"dark": theme.Dark, "light": theme.Light} {
			for _, pair := range []struct {
				what, a, b string
				least      float64
			}{
				{"success and error", c.Success, c.Error, 25},
				{"added and removed lines", c.AddedBackground, c.RemovedBackground, 8},
				{"added and removed parts", c.AddedMark, c.RemovedMark, 15},
				{"modes plan and full", c.ModePlan, c.ModeFull, 25},
				{"keywords and strings", c.SyntaxKeyword, c.SyntaxString, 8},
			} {
				for _, eye := range eyes {
					if d := difference(t, pair.a, pair.b, sight[eye]); d < pair.least {
						t.Errorf("%s, %s: %s (%s, %s) differ by %.0f for an eye %s, want %.0f", name, variant, pair.what, pair.a, pair.b, d, eye, pair.least)
					}
				}
			}
		}
	}
}

// difference is CIE 76's distance of two colours in an eye.
func difference(t *testing.T, a, b string, eye [3][3]float64) float64 {
	t.Helper()
	sum := 0.0
	la, lb := lab(t, a, eye), lab(t, b, eye)
	for i := range la {
		sum += (la[i] - lb[i]) * (la[i] - lb[i])
	}
	return math.Sqrt(sum)
}

func lab(t *testing.T, color string, eye [3][3]float64) [3]float64 {
	t.Helper()
	rgb, ok := themes.RGB(color)
	if !ok {
		t.Fatalf("%q has no known light", color)
	}
	var light [3]float64
	for i, v := range rgb {
		light[i] = math.Pow(float64(v)/255, 2.2)
	}
	seen := product(eye, light)
	for i := range seen {
		seen[i] = min(max(seen[i], 0), 1)
	}
	xyz := product([3][3]float64{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}, seen)
	for i, white := range [3]float64{0.9505, 1, 1.089} {
		xyz[i] = math.Cbrt(xyz[i] / white)
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func product(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i, row := range m {
		for j := range row {
			out[i] += row[j] * v[j]
		}
	}
	return out
}
