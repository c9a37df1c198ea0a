package models

import (
	"net/url"
	"strings"
)

// GoalPath returns the form in which a page goal's path is stored: the path of a URL, without the query. A fragment that is
// written like a path, as in /app#/thanks, is part of the stored path, because a router in the page treats it as a page.
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

// MatchesPath reports whether a path matches the pattern of a page goal. A slash at the end is ignored. A letter and its percent
// code are equal, because browsers write /d%C3%A4nk for /dänk. A pattern that ends in a star matches all paths that begin with
// the text before the star.
func MatchesPath(pattern, path string) bool {
	path = plainPath(path)
	if before, all := strings.CutSuffix(pattern, "*"); all {
		return strings.HasPrefix(path, plainPath(before))
	}
	return pattern != "" && strings.TrimSuffix(path, "/") == strings.TrimSuffix(plainPath(pattern), "/")
}

func plainPath(path string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}
