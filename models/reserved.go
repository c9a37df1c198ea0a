package models

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
)

// reserved are the first segments of paths that a tracking domain answers itself, or that the process serves on
// every host, and names that browsers and crawlers ask for unasked.
var reserved = map[string]bool{
	"api": true, "ops": true, "docs": true, "healthz": true, "livez": true, "readyz": true, "metrics": true,
	"out": true, "click": true, "postback": true, "pixel": true, "pixel.gif": true, "lp": true, "s2s": true,
	"t": true, "t.js": true, "robots": true, "robots.txt": true, "favicon": true, "favicon.ico": true,
	"sitemap": true, "sitemap.xml": true, ".well-known": true, "static": true, "assets": true, "admin": true,
}

// ReservedAlias tells whether a word cannot be the alias of a campaign or the slug of a smartlink, in any case.
func ReservedAlias(word string) bool { return reserved[strings.ToLower(word)] }

// The forms of a campaign's alias and of a smartlink's slug.
var (
	AliasForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{5,63}$`)
	SlugForm  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// CheckAlias refuses an alias that a campaign cannot have. The error is a sentence for a person.
func CheckAlias(alias string) error {
	switch {
	case ReservedAlias(alias):
		return fmt.Errorf("the alias %q is reserved", alias)
	case !AliasForm.MatchString(alias):
		return fmt.Errorf("alias must match %s", AliasForm)
	}
	return nil
}

// CheckSlug refuses a slug that a smartlink cannot have. The error is a sentence for a person.
func CheckSlug(slug string) error {
	switch {
	case ReservedAlias(slug):
		return fmt.Errorf("the slug %q is kept for the service itself", slug)
	case !SlugForm.MatchString(slug):
		return fmt.Errorf("slug takes 1 to %d letters, digits, _ and -", MaxSlug)
	}
	return nil
}

// AliasLen is the length of a generated alias.
const AliasLen = 10

// NewAlias makes an alias that nobody chose: ten letters and digits, some 50 bits, that do not read alike.
func NewAlias() string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789" // 32, so that a random byte falls on each equally often
	var b [AliasLen]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process first
	for i, c := range b {
		b[i] = letters[int(c)%len(letters)]
	}
	return string(b[:])
}
