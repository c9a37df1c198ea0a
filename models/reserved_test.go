package models

import (
	"strings"
	"testing"
)

func TestReservedAlias(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"api": true, "Postback": true, "METRICS": true, "out": true, "t": true,
		"summer-sale": false, "outlet": false, "postbacks": false,
	} {
		if got := ReservedAlias(word); got != want {
			t.Errorf("ReservedAlias(%q) returns %v, want %v", word, got, want)
		}
	}
}

func TestNewAlias(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		a := NewAlias()
		if len(a) != AliasLen || strings.Trim(a, "abcdefghijkmnpqrstuvwxyz23456789") != "" || ReservedAlias(a) {
			t.Fatalf("the generated alias %q has a wrong length or character, or is reserved", a)
		}
		if seen[a] {
			t.Fatalf("the alias %q was generated twice", a)
		}
		seen[a] = true
	}
}

func TestTagName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"": true, "stats": true, "shop-stats_2": true, "9": true, strings.Repeat("x", 50): true,
		"t": false, "robots": false, "pixel": false, "Stats": false, "a.b": false, "_a": false, "a/b": false, strings.Repeat("x", 51): false,
	} {
		if err := CheckTagName(name); (err == nil) != want {
			t.Errorf("CheckTagName(%q) returns %v; the name is valid: %t", name, err, want)
		}
	}
	for word, want := range map[string]bool{
		"t.js": true, "stats.js": true, "stats": false, "other.js": false, ".js": false, "stats.js.js": false, "": false,
	} {
		if got := TagFile(word, "stats"); got != want {
			t.Errorf("TagFile(%q) returns %v, want %v", word, got, want)
		}
	}
	if TagFile(".js", "") || !TagFile("t.js", "") {
		t.Error("without a tag name, t.js must be a tag file, and .js must not be one")
	}
}
