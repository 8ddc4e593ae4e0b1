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
		{"eleven characters show nothing", "abcdefghijk", "****"},
		{"twelve characters show four", "abcdefghijkl", "ab****kl"},
		{"a long value looks like a short one", "ab" + strings.Repeat("x", 10_000_000) + "kl", "ab****kl"},
		{"characters are code points, not bytes", "äöüäöüäöüäöü", "äö****öü"},
		{"eleven characters of 44 bytes show nothing", strings.Repeat("🔑", 11), "****"},
		{"twelve characters of 48 bytes show four", strings.Repeat("🔑", 12), "🔑🔑****🔑🔑"},
		{"a value that is not UTF-8 shows nothing", "abcdefgh\xff\xfeijklmnop", "****"},
		{"not even with the wrong bytes at the end", "abcdefghijklmnop\xc3", "****"},
		{"the replacement character is one like others", "\ufffdbcdefghijk\ufffd", "\ufffdb****k\ufffd"},
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
	for _, value := range []string{"", "abcdefghijkl", "äöüäöüäöüäöü", "\xff\xfe\xfd"} {
		f.Add([]byte(value))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		before, after, found := strings.Cut(mask(value), hidden)
		if !found {
			t.Fatalf("no stars in %q", mask(value))
		}
		visible := len([]rune(before)) + len([]rune(after))
		if visible > 2*visibleEnd && !strings.Contains(string(value), "*") {
			t.Errorf("%d characters are visible", visible)
		}
		if 3*visible > len([]rune(string(value))) && !strings.Contains(string(value), "*") {
			t.Errorf("more than a third is visible")
		}
		if !strings.HasPrefix(string(value), before) || !strings.HasSuffix(string(value), after) {
			t.Errorf("%q is not of the value", before+after)
		}
	})
}
