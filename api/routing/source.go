package routing

import (
	"encoding/json"
	"slices"
	"strings"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/subslot"
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

// NoSource is used for a campaign without a source, or with a source that does not exist.
var NoSource = &Source{}

func (src *Source) row() store.RoutingRow { return &src.Row }

func (b *Builder) source(row *store.RoutingSource, _ *Source) *Source {
	return &Source{Row: *row, Subs: subNames(row)}
}

// ExternalIDParams returns the parameters that may contain the source's own click id, in the order in which they are tried. Some
// of them may be empty.
func (src *Source) ExternalIDParams() [3]string {
	return [...]string{src.Row.ExternalIDParam, models.DefaultExternalIDParam, "externalid"}
}

// Takes reports whether the source's settings use a parameter for the cost or for the source's own click id.
func (src *Source) Takes(param string) bool {
	return strings.EqualFold(param, src.Row.CostParam) || strings.EqualFold(param, src.Row.ExternalIDParam)
}

// Reads reports whether a parameter fills a field of the source's clicks.
func (src *Source) Reads(param string) bool {
	named := func(name string) bool { return strings.EqualFold(name, param) }
	ids := src.ExternalIDParams()
	return src.Takes(param) || slices.ContainsFunc(ids[:], named) || slices.ContainsFunc(src.Subs, func(s SubName) bool { return named(s.Param) })
}

// subNames returns the parameters that fill sub-parameters, by the rules of package subslot.
func subNames(row *store.RoutingSource) []SubName {
	link := models.SourceLink{CostParam: row.CostParam, ExternalIDParam: row.ExternalIDParam}
	_ = json.Unmarshal(row.TokenMacros, &link.TokenMacros) // a saved document is valid
	_ = json.Unmarshal(row.Subs, &link.Subs)               // empty in a routing copy that an older version stored on disk
	var list []SubName
	for _, s := range subslot.Filled(link) {
		list = append(list, SubName{s.Param, s.Sub - 1})
	}
	return list
}
