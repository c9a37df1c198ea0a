package moved

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	var v Value
	if err := json.Unmarshal([]byte(`{"b": 1, "10": 1, "1a": 1, "2": 1, "a": 1}`), &v); err != nil {
		t.Fatal(err)
	}
	if got := v.Names(); !slices.Equal(got, []string{"2", "10", "1a", "a", "b"}) {
		t.Errorf("the names are %v", got)
	}
}
