package tui

import (
	"strconv"
	"strings"
)

// zeros are those of the digits that people write numbers with, beside ours:
// Arabic, Persian and Urdu, Hindi, and the wide ones of Chinese and Japanese.
var zeros = [...]rune{'٠', '۰', '०', '０'}

// numberOf reads a number that somebody has written as an answer, "3" or "3.",
// in digits of any of these scripts.
func numberOf(word string) (n int, ok bool) {
	word = strings.Map(func(r rune) rune {
		for _, zero := range zeros {
			if r >= zero && r <= zero+9 {
				return '0' + r - zero
			}
		}
		return r
	}, word)
	n, err := strconv.Atoi(strings.TrimSuffix(word, "."))
	return n, err == nil
}
