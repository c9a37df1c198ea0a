package models

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the known name that name was probably meant to be. It returns an empty text if no known name is similar
// enough. Case and underscores do not count. Among equally near names it always chooses the same one: the first in alphabetical
// order.
func Nearest(name string, known []string) (near string) {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	best := min(max(2, len(name)/3)+1, len(name)) // a swap of two letters counts as two changes
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := levenshtein.ComputeDistance(plain(name), plain(k))
		if d < best {
			near, best = k, d
		}
	}
	return near
}
