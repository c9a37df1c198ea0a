package models

import (
	"net/url"
	"strings"
)

// GoalPath is the path of a page goal as it is stored: that of an address, without query. A fragment that is written as a
// path is part of it, as in /app#/thanks: it is a page to the router that reads it. Another fragment is not.
func GoalPath(text string) string {
	if _, rest, found := strings.Cut(text, "://"); found {
		_, path, _ := strings.Cut(rest, "/")
		text = "/" + path
	}
	path, fragment, _ := strings.Cut(text, "#")
	path, _, _ = strings.Cut(path, "?")
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!/") {
		fragment, _, _ = strings.Cut(fragment, "?")
		path += "#" + fragment
	}
	return path
}

// MatchesPath reports whether a path is that of a page goal. A final slash makes no difference, and neither does whether
// a letter is written as itself or by its code, as browsers write /d%C3%A4nk for /dänk. A pattern that ends in a star matches
// all paths that begin with what is before it.
func MatchesPath(pattern, path string) bool {
	path = plainPath(path)
	if before, all := strings.CutSuffix(pattern, "*"); all {
		return strings.HasPrefix(path, plainPath(before))
	}
	return pattern != "" && strings.TrimSuffix(path, "/") == strings.TrimSuffix(plainPath(pattern), "/")
}

// plainPath is a path with its codes read. One whose codes mean nothing stays as it is.
func plainPath(path string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}
