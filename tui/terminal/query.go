package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Sample is a text whose columns terminals don't agree on.
type Sample struct {
	Name string
	Text string
}

// Samples are those that are measured, in this order.
func Samples() []Sample {
	return []Sample{
		{"letters", "abc"},
		{"Chinese", "字"},
		{"accent", "e\u0301"},
		{"Hindi", "स्ते"},
		{"Thai", "กำ"},
		{"Arabic", "شَغِّل"},
		{"Korean", "\u1112\u1161\u11ab"},
		{"emoji", "👍"},
		{"skin tone", "👍🏽"},
		{"heart", "❤️"},
		{"keycap", "1️⃣"},
		{"flag", "🇩🇪"},
		{"family", "👨‍👩‍👧‍👦"},
		{"dots", "…"},
		{"bullet", "●"},
	}
}

// The modes that are asked for, and where the answer goes. 2501 is how
// terminals that reorder right-to-left text call their choice of direction.
const (
	modeFocus     = 1004
	modeMouse     = 1006
	modeSync      = 2026
	modeGraphemes = 2027
	modeScheme    = 2031
	modeBidi      = 2501
)

// Queries are the sequences that ask the terminal, nil for one that understands
// none. They print samples on the cursor's row and clear it: the cursor must
// stand on an empty row, in raw mode and not in fullscreen. The answer to the
// last query ends the exchange, since terminals answer in order.
func (p Profile) Queries() []byte {
	if p.Term == "dumb" {
		return nil
	}
	var b strings.Builder
	if p.speaksStrings() {
		b.WriteString(ansi.RequestNameVersion)
		b.WriteString(ansi.RequestKittyKeyboard)
		b.WriteString("\x1b[?4m") // modifyOtherKeys
		for _, mode := range []int{modeFocus, modeMouse, modeSync, modeGraphemes, modeScheme, modeBidi} {
			b.WriteString(ansi.RequestMode(ansi.DECMode(mode)))
		}
		b.WriteString(ansi.RequestTermcap("RGB"))
		b.WriteString(ansi.RequestTermcap("Ms"))
		// A colour that is set and asked back.
		b.WriteString("\x1b[48:2::1:2:3m\x1bP$qm\x1b\\\x1b[m")
		// A pixel that is only looked at.
		b.WriteString("\x1b_Gi=" + graphicsID + ",s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\")
	}
	// Measure as the chat will: with grapheme clusters where that can be had.
	b.WriteString(ansi.SetModeUnicodeCore)
	for _, s := range Samples() {
		b.WriteString("\r" + s.Text + ansi.RequestCursorPositionReport)
	}
	b.WriteString(ansi.ResetModeUnicodeCore + "\r\x1b[K")
	b.WriteString(ansi.RequestPrimaryDeviceAttributes)
	return []byte(b.String())
}

// graphicsID is the number of the picture that is asked about.
const graphicsID = "31"

// speaksStrings is false for terminals that print what they don't understand.
func (p Profile) speaksStrings() bool { return p.Term != "linux" && p.Multiplexer != "screen" }
