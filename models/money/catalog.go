package money

import (
	"maps"
	"slices"
	"strings"
)

// Names lists signs and names that mean the same currencies, for the documentation.
type Names struct {
	Currencies []string
	Names      []string
}

// Catalog returns the signs and names of currencies that are understood in addition to the codes of ISO 4217 and the signs of
// CLDR, sorted by currency.
func Catalog() []Names { return listed(names) }

// Usual returns the signs and names that mean one currency if nothing else is known, such as "$" for USD.
func Usual() []Names { return listed(usual) }

func listed(table map[string]string) (list []Names) {
	for _, codes := range slices.Sorted(maps.Keys(table)) {
		list = append(list, Names{strings.Fields(codes), strings.Fields(table[codes])})
	}
	return list
}
