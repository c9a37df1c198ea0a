package api_test

import (
	"regexp"
	"testing"

	"switchyard/api"
	"switchyard/db/alerts"
)

// TestAlertsName: the advice of every alert names only operations that exist.
func TestAlertsName(t *testing.T) {
	t.Parallel()
	have, named := map[string]bool{}, 0
	for _, row := range api.Table(api.Deps{}) {
		have[row.Method+" "+row.Path] = true
	}
	operation := regexp.MustCompile(`\b[A-Z]{3,} /[a-z0-9_/{}-]*`)
	for _, typ := range alerts.Types {
		for _, name := range operation.FindAllString(typ.Do, -1) {
			if named++; !have[name] {
				t.Errorf("%s says %s, which there is not", typ.Name, name)
			}
		}
	}
	if named < len(alerts.Types)/2 {
		t.Errorf("only %d operations are named", named)
	}
}
