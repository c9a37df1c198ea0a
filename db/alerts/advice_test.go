package alerts_test

import (
	"regexp"
	"testing"

	"switchyard/db/alerts"
)

// TestAdviceNamesNoCalls: people read the advice of an alert, so it names no calls of the API.
func TestAdviceNamesNoCalls(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`\b[A-Z]{3,} /|/[a-z]+/`)
	for _, typ := range alerts.Types {
		if typ.Do == "" || call.MatchString(typ.Do) {
			t.Errorf("the advice of %s is empty or names a call of the API: %q", typ.Name, typ.Do)
		}
	}
}
