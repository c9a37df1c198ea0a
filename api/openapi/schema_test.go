package openapi

import (
	"reflect"
	"strings"
	"testing"
)

type deep struct {
	Name  string `json:"name" required:"invalid_input"`
	Color string `json:"color"`
}

type other struct {
	Color int `json:"color"`
}

// TestEqualFields: a field hides the fields with its name in embedded structs, whatever their order. Two fields with one name
// at the same depth are refused.
func TestEqualFields(t *testing.T) {
	t.Parallel()
	got := newSchemas().fields(reflect.TypeFor[struct {
		Name int `json:"name"`
		deep
	}](), true)
	name := got["properties"].(object)["name"].(object)
	if name["type"] != "integer" || got["required"] != nil {
		t.Errorf("the field is %v, and %v are required", name, got["required"])
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "color") {
			t.Errorf("two fields with one name: %q", text)
		}
	}()
	newSchemas().fields(reflect.StructOf([]reflect.StructField{
		{Name: "Deep", Type: reflect.TypeFor[deep](), Anonymous: true}, {Name: "Other", Type: reflect.TypeFor[other](), Anonymous: true},
	}), true)
}
