package clickattr_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"switchyard/models"
	"switchyard/models/clickattr"
)

var update = flag.Bool("update", false, "add new tags to the golden file")

const golden = "testdata/tags.golden"

// TestTagsAreNeverReused protects tags that are stored on disks. A tag in the golden file keeps its meaning or is not used any
// more.
func TestTagsAreNeverReused(t *testing.T) {
	t.Parallel()
	var lines []string
	seen := map[byte]string{}
	for _, a := range clickattr.All {
		if a.Tag == 0 {
			continue
		}
		if other, taken := seen[a.Tag]; taken {
			t.Errorf("%s and %s share the tag %d", other, a.Name, a.Tag)
		}
		if a.Tag > 200 {
			t.Errorf("%s: tags over 200 are reserved for smartlinks", a.Name)
		}
		seen[a.Tag] = a.Name
		lines = append(lines, fmt.Sprintf("%03d %s", a.Tag, a.Name))
	}
	text, err := os.ReadFile(golden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range known {
		tag, name, _ := strings.Cut(line, " ")
		if at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, tag+" ") }); at >= 0 && lines[at] != line {
			t.Errorf("the tag %s already means %s on disks: %s needs another tag", tag, name, lines[at])
		}
	}
	for _, line := range lines {
		if slices.Contains(known, line) {
			continue
		}
		if !*update {
			t.Errorf("%s is not in %s: go test ./models/clickattr -update", line, golden)
		}
		known = append(known, line)
	}
	if *update && !t.Failed() {
		slices.Sort(known)
		if err := os.WriteFile(golden, []byte(strings.TrimSpace(strings.Join(known, "\n"))+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRows checks that no two rows share a name, a token or a dimension, and that a recorded attribute has one accessor.
func TestRows(t *testing.T) {
	t.Parallel()
	names, places, tokens := map[string]bool{}, map[int]string{}, map[string]bool{"": true}
	for _, a := range clickattr.All {
		for name := range strings.SplitSeq(a.Token, ",") {
			if tokens[name] && a.Token != "" {
				t.Errorf("%s: another attribute has the token %s", a.Name, name)
			}
			tokens[name] = true
		}
		if (a.Token != "") != (a.Doc != "") {
			t.Errorf("%s has the token %q and the Doc %q, want both or neither", a.Name, a.Token, a.Doc)
		}
		if names[a.Name] {
			t.Errorf("%s is in the table twice", a.Name)
		}
		names[a.Name] = true
		if other := places[a.Dimension]; other != "" && a.Dimension > 0 {
			t.Errorf("%s and %s have the same number of a dimension: %d", other, a.Name, a.Dimension)
		}
		places[a.Dimension] = a.Name
		want := 0
		if a.Tag != 0 {
			want = 1
		}
		if n := accessors(a); n != want {
			t.Errorf("%s has %d accessors, want %d", a.Name, n, want)
		}
		if a.Tag == 0 && (a.Token != "" || a.Dimension > 0 || a.In != 0) {
			t.Errorf("%s is not recorded, but has a token, a dimension or another place that reads it later", a.Name)
		}
	}
}

func accessors(a clickattr.Attr) (n int) {
	for v, i := reflect.ValueOf(a), 0; i < v.NumField(); i++ {
		if f := v.Field(i); f.Kind() == reflect.Func && !f.IsNil() {
			n++
		}
	}
	return n
}

// TestEveryFieldHasARow checks that each field of a click except Subs belongs to one attribute, and that the click log names and
// orders the visitor's fields as the table does.
func TestEveryFieldHasARow(t *testing.T) {
	t.Parallel()
	var c models.Click
	owner := map[any]string{}
	for i := range clickattr.All {
		a := &clickattr.All[i]
		if at := pointer(a, &c); at != nil {
			if other := owner[at]; other != "" {
				t.Errorf("the attributes %s and %s use the same field of a click", other, a.Name)
			}
			owner[at] = a.Name
		}
	}
	var shown []string
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		for i := range v.NumField() {
			f, field := v.Field(i), v.Type().Field(i)
			at := f.Addr().UnsafePointer()
			switch {
			case field.Anonymous:
				walk(f)
				continue
			case field.Name == "Subs":
				continue
			case owner[at] == "":
				t.Errorf("the field %s of a click belongs to no attribute", field.Name)
			}
			if name := field.Tag.Get("json"); name != "" {
				shown = append(shown, name)
				if name != owner[at] {
					t.Errorf("the field %s is %s in the click log and %s in the table", field.Name, name, owner[at])
				}
			}
		}
	}
	walk(reflect.ValueOf(&c).Elem())
	var files []string
	for _, a := range clickattr.All {
		if slices.Contains(shown, a.Name) {
			files = append(files, a.Name)
		}
	}
	if diff := cmp.Diff(files, shown); diff != "" {
		t.Errorf("the fields of Visitor are not in the order of the table: %s", diff)
	}
}

func pointer(a *clickattr.Attr, c *models.Click) any {
	for v, i := reflect.ValueOf(*a), 0; i < v.NumField(); i++ {
		if f := v.Field(i); f.Kind() == reflect.Func && !f.IsNil() {
			return f.Call([]reflect.Value{reflect.ValueOf(c)})[0].UnsafePointer()
		}
	}
	return nil
}

// TestValues checks that a value in lower case is recognized, and that the error for a mistyped value suggests a similar value, if
// there is one.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, a := range clickattr.All {
		for _, v := range a.Values.List() {
			if got, ok := a.Values.Find(strings.ToLower(v)); !ok || got != v {
				t.Errorf("the value %s of %s has the canonical form %q (found: %v), want %s", v, a.Name, got, ok, v)
			}
		}
	}
	for text, want := range map[string]string{"iw": "he", "in": "id", "ji": "yi", "heb": "he", "PT": "pt"} {
		if got, ok := clickattr.Languages.Find(text); !ok || got != want {
			t.Errorf("the language %s has the canonical form %q (found: %v), want %s", text, got, ok, want)
		}
	}
	for _, c := range []struct {
		values     *clickattr.Values
		text, want string
	}{
		{clickattr.Countries, "Germny", "DE"},
		{clickattr.Countries, "US-CA", "US"},
		{clickattr.DeviceTypes, "smartphnoe", "mobile"},
		{clickattr.Languages, "en-GB", "en"},
		{clickattr.Browsers, "Chrmoe", "Chrome"},
		{clickattr.Systems, strings.Repeat("x", 3000), ""},
		{clickattr.Countries, "XX", ""},
	} {
		_, err := c.values.Check(c.text)
		if err == nil {
			t.Errorf("%s is accepted, want an error", c.text)
			continue
		}
		_, meant, suggests := strings.Cut(err.Error(), "did you mean ")
		if suggests != (c.want != "") || suggests && meant != c.want+"?" {
			t.Errorf("%.20s: %s, want %q", c.text, err, c.want)
		}
	}
}
