package models

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest is the known name that a name was probably meant to be, empty if it is like none. Case and underscores do not
// count. Of equally near names it is always the same.
func Nearest(name string, known []string) (near string) {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	best := min(max(2, len(name)/3)+1, len(name)) // a swap of two letters is two changes
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := levenshtein.ComputeDistance(plain(name), plain(k))
		if d < best {
			near, best = k, d
		}
	}
	return near
}
