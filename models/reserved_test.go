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
			t.Errorf("ReservedAlias(%q) = %v", word, got)
		}
	}
}

func TestNewAlias(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		a := NewAlias()
		if len(a) != AliasLen || strings.Trim(a, "abcdefghijkmnpqrstuvwxyz23456789") != "" || ReservedAlias(a) {
			t.Fatalf("bad alias %q", a)
		}
		if seen[a] {
			t.Fatalf("alias %q twice", a)
		}
		seen[a] = true
	}
}
