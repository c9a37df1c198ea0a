package moved

import (
	"slices"
	"strings"

	"switchyard/models"
	"switchyard/models/clickattr"
	"switchyard/models/cond"
	"switchyard/models/trackerimport"
)

// Test has our conditions for the visitors of a path.
type Test struct {
	all     []models.Condition   // all must hold
	any     [][]models.Condition // at least one of each list must hold
	lost    []string             // sentences about what has no counterpart; any of them pauses the path
	changed []string
}

// And returns a test that requires both tests.
func (t Test) And(other Test) Test {
	return Test{
		slices.Concat(t.all, other.all), slices.Concat(t.any, other.any), slices.Concat(t.lost, other.lost),
		slices.Concat(t.changed, other.changed),
	}
}

// Lose records that a condition has no counterpart.
func (t *Test) Lose(name string, values []string, reject bool) {
	if reject {
		name = "not " + name
	}
	t.lost = append(t.lost, trackerimport.FilterLost(name, values))
}

// LoseAs is Lose with the given sentence.
func (t *Test) LoseAs(sentence string) { t.lost = append(t.lost, sentence) }

// Change records how a condition differs here, without pausing the path.
func (t *Test) Change(sentence string) { t.changed = append(t.changed, sentence) }

// Add adds a condition. If the condition is invalid or can never hold, Add calls Lose with the tracker's name for it.
func (t *Test) Add(name, attribute, operator string, value any, reject bool) {
	c := models.Condition{Attribute: attribute, Operator: operator, Value: value}
	if cond.Validate(c) != nil || cond.CheckValues([]models.Condition{c}, nil) != nil {
		t.Lose(name, textsOf(value), reject)
		return
	}
	t.all = append(t.all, c)
}

func textsOf(value any) (out []string) {
	list, _ := value.([]any)
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// known has attributes with fixed values, so that Listed finds a value in our spelling.
var known = map[string]*clickattr.Values{
	"country": clickattr.Countries, "device_type": clickattr.DeviceTypes, "os": clickattr.Systems, "browser": clickattr.Browsers,
	"language": clickattr.Languages, "continent": clickattr.Continents,
}

// Listed adds a test of values: visitors must have one or, with reject, none. If the list is empty or has a value that no
// visitor can have, Listed calls Lose instead.
func (t *Test) Listed(name, attribute string, values []string, reject bool) {
	var list []any
	for _, v := range values {
		if set := known[attribute]; set != nil {
			found := false
			for _, spelling := range []string{v, strings.ReplaceAll(v, "_", " "), strings.ReplaceAll(v, " ", "_")} {
				if word, ok := set.Find(spelling); ok && !found {
					v, found = word, true
				}
			}
		}
		if !slices.Contains(list, any(v)) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		t.Lose(name, nil, reject)
		return
	}
	operator := Choose(reject, "not_equals", "equals")
	one := Test{}
	for part := range slices.Chunk(list, cond.MaxItems) {
		one.Add(name, attribute, operator, part, reject)
	}
	switch {
	case len(one.lost) > 0:
		t.Lose(name, values, reject)
	case reject || len(one.all) == 1:
		t.all = append(t.all, one.all...)
	default:
		t.any = append(t.any, one.all)
	}
}

// Choose returns ifReject for a filter that rejects, otherwise ifAccept.
func Choose(reject bool, ifReject, ifAccept string) string {
	if reject {
		return ifReject
	}
	return ifAccept
}

// Bool adds a test of an attribute that is true or false.
func (t *Test) Bool(name, attribute string, want bool) { t.Add(name, attribute, "equals", want, false) }
