package routing

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/token"
)

// Source is a traffic source with the names of its parameters.
type Source struct {
	Row  store.RoutingSource
	Subs []SubName // in the order of the sub-parameters they fill
}

// SubName is a parameter that fills a sub-parameter (0 is sub1).
type SubName struct {
	Param string
	Sub   int
}

// NoSource is used for a campaign that names no source.
var NoSource = &Source{}

func (src *Source) row() store.RoutingRow { return &src.Row }

func (b *Builder) source(row *store.RoutingSource, _ *Source) *Source {
	return &Source{Row: *row, Subs: subNames(row.TokenMacros, row.CostParam, row.ExternalIDParam)}
}

// ExternalIDParams returns the parameters that may contain the source's own click id, in the order in which they are tried. Some
// of them may be empty.
func (src *Source) ExternalIDParams() [3]string {
	return [...]string{src.Row.ExternalIDParam, models.DefaultExternalIDParam, "externalid"}
}

// Takes reports whether the source's settings give a parameter to the cost or to the source's own click id.
func (src *Source) Takes(param string) bool {
	return strings.EqualFold(param, src.Row.CostParam) || strings.EqualFold(param, src.Row.ExternalIDParam)
}

// Reads reports whether a parameter fills a field of the source's clicks.
func (src *Source) Reads(param string) bool {
	named := func(name string) bool { return strings.EqualFold(name, param) }
	ids := src.ExternalIDParams()
	return src.Takes(param) || slices.ContainsFunc(ids[:], named) || slices.ContainsFunc(src.Subs, func(s SubName) bool { return named(s.Param) })
}

// subNames assigns a sub-parameter to each parameter of token_macros. A name such as sub3 or t3 means the third. The other names
// fill the free places in the order of the document. The parameters in taken have a meaning of their own and get no place.
func subNames(macros json.RawMessage, taken ...string) []SubName {
	var names [models.Subs]string
	var free []string
	for _, name := range memberNames(macros) {
		if name == "" || slices.ContainsFunc(taken, func(s string) bool { return strings.EqualFold(s, name) }) {
			continue
		}
		if t, ok := token.Lookup(name); ok && t.Name == token.Sub && names[t.N-1] == "" {
			names[t.N-1] = name
			continue
		}
		free = append(free, name)
	}
	var list []SubName
	for i := range names {
		if names[i] == "" && len(free) > 0 {
			names[i], free = free[0], free[1:]
		}
		if names[i] != "" {
			list = append(list, SubName{names[i], i})
		}
	}
	return list
}

// memberNames returns the names of an object's members in the order of the document.
func memberNames(object json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var names []string
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return names
		}
		names = append(names, name)
		var skip json.RawMessage
		if dec.Decode(&skip) != nil {
			return names
		}
	}
	return names
}
