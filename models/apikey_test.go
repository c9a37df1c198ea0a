package models

import "testing"

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		k := NewAPIKey(ScopeReadOnly)
		if !LooksLikeAPIKey(k) || seen[k] || k[:4] != "sy_r" {
			t.Fatalf("the key %q is repeated, does not begin with sy_r, or does not look like a key", k)
		}
		seen[k] = true
		for i := range k {
			changed := []byte(k)
			if changed[i]++; LooksLikeAPIKey(string(changed)) {
				t.Fatalf("the mistyped key %q is accepted, as well as the valid key %q", changed, k)
			}
		}
		if LooksLikeAPIKey(k[1:]) || LooksLikeAPIKey(k+"0") {
			t.Fatal("a key with a missing or an additional character is accepted")
		}
	}
}
