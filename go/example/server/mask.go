package main

import "unicode/utf8"

const (
	// The characters that are visible at either end.
	visibleEnd = 2
	// A value of fewer characters shows none: nothing of it would stay hidden.
	minMaskedLength = 2*visibleEnd + 1
	hidden          = "****"
)

// mask shows the first two and the last two characters of a value, as the specification's row of
// /protected says. It shows nothing of a value that has four characters or fewer, or is not UTF-8.
// Between them are always four stars, which hide the length. Characters are Unicode code points: a single byte of a longer one is not readable.
//
// The value is looked at in its place; the four characters are all that is copied.
func mask(value []byte) string {
	if !utf8.Valid(value) || utf8.RuneCount(value) < minMaskedLength {
		return hidden
	}
	first, last := 0, len(value)
	for range visibleEnd {
		_, size := utf8.DecodeRune(value[first:])
		first += size
		_, size = utf8.DecodeLastRune(value[:last])
		last -= size
	}
	return string(value[:first]) + hidden + string(value[last:])
}
