package models

import (
	"slices"
	"strings"
)

// Nearest returns the known name that the given name was probably meant to be. If no known name is similar enough, it returns an
// empty text. Case and underscores are ignored.
func Nearest(name string, known []string) (near string) {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	best := min(max(2, len(name)/3)+1, len(name)) // two changes are allowed even in a name of three letters, because a swap of two letters counts as two
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := distance([]rune(plain(name)), []rune(plain(k)))
		if d < best {
			near, best = k, d
		}
	}
	return near
}

func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, letter := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, other := range b {
			replaced := diagonal
			if letter != other {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
