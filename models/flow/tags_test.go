package flow

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestTags checks that the enum tags of a path list exactly the valid values. The documentation of the API is made from these tags.
func TestTags(t *testing.T) {
	t.Parallel()
	for field, values := range map[string][]string{
		"StreamType": streamTypes, "Action": actions, "Transition": transitions, "Logic": {"and", "or"},
	} {
		f, _ := reflect.TypeFor[Path]().FieldByName(field)
		if got := strings.Split(f.Tag.Get("enum"), ","); !sameSet(got, values) {
			t.Errorf("the tag of %s lists %v, but the check accepts %v", field, got, values)
		}
	}
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
