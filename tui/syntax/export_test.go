package syntax

// Relatives are the words that stand for another language's.
func Relatives() map[string]string { return relatives }
