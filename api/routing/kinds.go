package routing

import (
	"encoding/gob"

	"github.com/google/uuid"

	"switchyard/db/store"
)

// kindID numbers the kinds of records in the order in which a Builder processes them. The kinds that are needed to compile a
// campaign come before campaigns.
type kindID int

const (
	accounts kindID = iota
	domains
	sources
	networks
	offers
	landers
	rules
	botEntries
	blockLists
	botDataLists
	campaigns
	foreignLinks
	smartlinks
	sites
	goals
	kindCount
)

// kinds defines how the rows of each kind are compiled.
var kinds = [kindCount]kind{
	accounts:     kindOf((*Builder).account),
	domains:      kindOf((*Builder).domain),
	sources:      kindOf((*Builder).source),
	networks:     kindOf((*Builder).network),
	offers:       kindOf((*Builder).offer),
	landers:      kindOf((*Builder).lander),
	rules:        kindOf((*Builder).rule),
	botEntries:   kindOf((*Builder).botEntry),
	blockLists:   kindOf((*Builder).blockList),
	botDataLists: kindOf((*Builder).botData),
	campaigns:    kindOf((*Builder).campaign),
	foreignLinks: kindOf((*Builder).foreignLink),
	smartlinks:   kindOf((*Builder).smartlink),
	sites:        kindOf((*Builder).site),
	goals:        kindOf((*Builder).goal),
}

// kind compiles the rows of one table. compile must only read the maps of the snapshot that is being built, because Builder.put
// calls it from several goroutines.
type kind struct {
	table   string
	compile func(b *Builder, row store.RoutingRow, old record) record
}

// record is a compiled row.
type record interface {
	row() store.RoutingRow // nil if the row no longer exists
}

// linked is implemented by records that can be found by other keys than their id.
type linked interface {
	link(s *Snapshot)
	unlink(s *Snapshot)
}

// detacher is a record that other records may still refer to when its row no longer exists.
type detacher interface {
	detach(b *Builder) record // the record that takes its place, or nil
}

// kindOf returns the kind for a compile function. That function gets the new row and the record that it replaces, or nil.
func kindOf[T any, P interface {
	*T
	store.RoutingRow
}, R record](compile func(b *Builder, row P, old R) R) kind {
	table := P(new(T)).Head().Table
	gob.RegisterName(table, P(new(T)))
	return kind{table, func(b *Builder, row store.RoutingRow, old record) record {
		typedOld, _ := old.(R)
		typedRow, _ := row.(P)
		return compile(b, typedRow, typedOld)
	}}
}

// find returns a record of a kind, or nil if it does not exist.
func find[R record](s *Snapshot, k kindID, id uuid.UUID) R {
	found, _ := s.records[k].get(id)
	r, _ := found.(R)
	return r
}

func each[R record](s *Snapshot, k kindID) func(yield func(R) bool) {
	return func(yield func(R) bool) {
		for _, found := range s.records[k].all {
			if r, ok := found.(R); ok && !yield(r) {
				return
			}
		}
	}
}
