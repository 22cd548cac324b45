package themes

// Sixteen is the theme for a terminal with sixteen colours: each colour becomes
// the one of the palette that has its hue, whatever its shade, since only the
// terminal's user knows what the palette looks like. Secondary text and what is
// behind text become the terminal's own, since two colours of the palette may
// be alike.
func (t Theme) Sixteen() Theme {
	t.Dark, t.Light = t.Dark.sixteen(true), t.Light.sixteen(false)
	return t
}

func (c Colors) sixteen(dark bool) Colors {
	fields := fieldsOf(&c)
	for _, field := range fields {
		*field = basic(*field, dark)
	}
	if !dark && c.Error == "5" { // from orange, next to the blue of a success for eyes without red
		c.Error = "1"
	}
	c.AddedText, c.RemovedText = c.Success, c.Error // those are pale
	for _, key := range []string{
		"muted", "thinking", "border", "lineNumber", "syntaxComment",
		"background", "text", "selectedText", "selectedBackground", "matchText", "matchBackground",
		"addedBackground", "addedMark", "removedBackground", "removedMark",
	} {
		*fields[key] = ""
	}
	return c
}

// basic is the palette's colour with the hue of color: the bright one on a dark
// background, the dim one on a light one; "" for greys.
func basic(color string, dark bool) string {
	rgb, ok := RGB(color)
	if !ok {
		return color // of the palette already
	}
	r, g, b := int(rgb[0]), int(rgb[1]), int(rgb[2])
	high, low := max(r, g, b), min(r, g, b)
	if (high-low)*6 <= high { // next to no colour
		return ""
	}
	names := [6]string{"1", "3", "2", "6", "4", "5"} // red, yellow, green, cyan, blue, magenta
	if dark {
		names = [6]string{"9", "11", "10", "14", "12", "13"}
	} else {
		names[1] = "5" // nobody can read yellow on white
	}
	switch hue := hue(r, g, b, high, high-low); {
	case hue < 20 || hue >= 340:
		return names[0]
	case hue < 75:
		return names[1]
	case hue < 160:
		return names[2]
	case hue < 195:
		return names[3]
	case hue < 260:
		return names[4]
	}
	return names[5]
}

// hue is the angle of a colour with some colour in it: 0 is red, 120 green,
// 240 blue.
func hue(r, g, b, high, span int) int {
	switch high {
	case r:
		return (60*(g-b)/span + 360) % 360
	case g:
		return 120 + 60*(b-r)/span
	}
	return 240 + 60*(r-g)/span
}
