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

// Source is a traffic source ready to read its parameters.
type Source struct {
	Row  store.RoutingSource
	Subs []SubName // in the order of the sub-parameters they fill
}

// SubName is a parameter that fills a sub-parameter (0 is sub1).
type SubName struct {
	Param string
	Sub   int
}

// NoSource stands in where a campaign names none.
var NoSource = &Source{}

func (src *Source) row() store.RoutingRow { return &src.Row }

func (b *Builder) source(row *store.RoutingSource, _ *Source) *Source {
	return &Source{Row: *row, Subs: subNames(row.TokenMacros, row.CostParam, row.ExternalIDParam)}
}

// ExternalIDParams are the parameters in which the source's own click id may come; some are empty.
func (src *Source) ExternalIDParams() [3]string {
	return [...]string{src.Row.ExternalIDParam, models.DefaultExternalIDParam, "externalid"}
}

// subNames gives each parameter of token_macros its sub-parameter. A name such as sub3 or t3 means the third; the
// others fill the free places in the order of the document. Parameters with a meaning of their own take no place.
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

// memberNames lists the names of an object's members in the order of the document.
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
