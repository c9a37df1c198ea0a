package admin

import (
	"strings"
	"testing"
)

// TestNamesAreCountedInCharacters checks that letters of several bytes count once.
func TestNamesAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"": false, strings.Repeat("ü", 255): true, strings.Repeat("ü", 256): false, strings.Repeat("x", 256): false,
	} {
		if err := checkName(name); (err == nil) != valid {
			t.Errorf("for a name of %d bytes, checkName returns %v; the name is valid: %t", len(name), err, valid)
		}
	}
}
