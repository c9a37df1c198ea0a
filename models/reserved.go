package models

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reserved lists the first path segments that the service keeps for itself, or that browsers and crawlers request on their own.
var reserved = map[string]bool{
	"api": true, "app": true, "ops": true, "docs": true, "healthz": true, "livez": true, "readyz": true, "metrics": true,
	"out": true, "click": true, "postback": true, "pixel": true, "pixel.gif": true, "lp": true, "s2s": true,
	"t": true, "t.js": true, "robots": true, "robots.txt": true, "favicon": true, "favicon.ico": true,
	"mcp": true, "oauth": true, "llms": true, "llms.txt": true, "sitemap": true, "sitemap.xml": true, ".well-known": true, "static": true, "assets": true, "admin": true,
}

// ReservedAlias reports whether a word is reserved, in upper or lower case. A reserved word can be neither the alias of a campaign nor
// the slug of a smartlink.
func ReservedAlias(word string) bool { return reserved[strings.ToLower(word)] }

// The forms of a campaign's alias and of a smartlink's slug.
var (
	AliasForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{5,63}$`)
	SlugForm  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// tagForm is the form of a name for the page tag. The tag's file has .js after the name. The file's name is never an alias
// or a slug, because neither contains a dot.
var tagForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,49}$`)

// CheckTagName returns an error if a domain cannot serve the page tag under a name. The error's text is meant for the client.
func CheckTagName(name string) error {
	if name == "" || tagForm.MatchString(name) && !ReservedAlias(name) && !ReservedAlias(name+".js") {
		return nil
	}
	return Invalid("invalid_input", "tag_name takes 1 to 50 lower-case letters, digits, _ and -; %q is not such a name, or the service needs it", name)
}

// TagFile reports whether a path segment such as stats.js is the page tag. The tag is served as t.js and under the name that the
// domain has set.
func TagFile(word, name string) bool {
	file, ok := strings.CutSuffix(word, ".js")
	return ok && (file == "t" || file != "" && file == name)
}

// CheckAlias returns an error if a campaign cannot have the alias. The error's text is meant for the client.
func CheckAlias(alias string) error {
	switch {
	case ReservedAlias(alias):
		return fmt.Errorf("the alias %q is reserved", alias)
	case !AliasForm.MatchString(alias):
		return fmt.Errorf("alias must match %s", AliasForm)
	}
	return nil
}

// CheckSlug returns an error if a smartlink cannot have the slug. The error's text is meant for the client.
func CheckSlug(slug string) error {
	switch {
	case ReservedAlias(slug):
		return fmt.Errorf("the slug %q is kept for the service itself", slug)
	case !SlugForm.MatchString(slug):
		return fmt.Errorf("slug takes 1 to %d letters, digits, _ and -", MaxSlug)
	}
	return nil
}

// TrimLink returns the alias or slug of a link without the signs after it, such as a dot or a bracket from the text that the link
// was copied from.
func TrimLink(word string) string {
	return strings.TrimRightFunc(word, func(r rune) bool {
		return r != '_' && r != '-' && (r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// AliasLen is the length of a generated alias.
const AliasLen = 10

// NewAlias generates an alias of ten letters and digits (50 random bits). It has no characters that look alike.
func NewAlias() string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789" // 32 characters, so that a random byte chooses each equally often
	var b [AliasLen]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process first
	for i, c := range b {
		b[i] = letters[int(c)%len(letters)]
	}
	return string(b[:])
}
