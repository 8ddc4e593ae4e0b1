package main

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"nothing is empty", "", "****"},
		{"one character shows nothing", "s", "****"},
		{"four characters would be the whole value", "abcd", "****"},
		{"five characters show four", "abcde", "ab****de"},
		{"a long value looks like a short one", "ab" + strings.Repeat("x", 10_000_000) + "kl", "ab****kl"},
		{"characters are code points, not bytes", "äöüäö", "äö****äö"},
		{"four characters of 16 bytes show nothing", strings.Repeat("🔑", 4), "****"},
		{"five characters of 20 bytes show four", strings.Repeat("🔑", 5), "🔑🔑****🔑🔑"},
		{"a value that is not UTF-8 shows nothing", "abcdefgh\xff\xfeijklmnop", "****"},
		{"not even with the wrong bytes at the end", "abcdefghijklmnop\xc3", "****"},
		{"the replacement character is one like others", "\ufffdbcd\ufffd", "\ufffdb****d\ufffd"},
		{"line ends and stars are characters", "*\nabcdefgh**\n", "*\n****" + "*\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := mask([]byte(test.value)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzMask(f *testing.F) {
	for _, value := range []string{"", "abcde", "äöüäö", "\xff\xfe\xfd", "0*000"} {
		f.Add([]byte(value))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		masked, whole := []rune(mask(value)), []rune(string(value))
		if string(masked) == hidden {
			return
		}
		if len(masked) != 2*visibleEnd+len(hidden) || len(whole) < minMaskedLength {
			t.Fatalf("%q shows %q", value, string(masked))
		}
		before, after := masked[:visibleEnd], masked[len(masked)-visibleEnd:]
		if string(masked[visibleEnd:len(masked)-visibleEnd]) != hidden ||
			string(before) != string(whole[:visibleEnd]) ||
			string(after) != string(whole[len(whole)-visibleEnd:]) {
			t.Errorf("%q shows %q", value, string(masked))
		}
	})
}
