// Package inline draws the chat at the end of the normal screen.
//
//	rows that are over ──▶ printed once, with plain line feeds: the
//	                       terminal's own scrollback has them from then on
//	live rows          ──▶ below them, redrawn in place
//	the library's bytes ──▶ pass between two pictures of the live rows
//
// When the colours change, what was printed and is still on the screen is
// written over in place (Repaint); the scrollback keeps those that it has.
//
// Nothing here moves by a scroll region, inserts lines or clears more than what
// is below the live rows' first one, so a terminal loses no row and doesn't
// throw a reader back who has scrolled up.
//
// Terminals differ in what a new width does to rows that are on the screen:
// most wrap those that are too long, some cut them. Where the live rows begin
// afterwards follows from that.
package inline
