// Package trackerimport describes the data that is read from another tracker: a document with the tracker's settings, notes about
// settings that could not be brought over unchanged, and the addresses in ads that lead to its campaigns.
package trackerimport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/foreign"
)

// Result is what a reader of another tracker has read. The keys of the document's records contain the tracker's own ids, so a
// second import finds the records of the first.
type Result struct {
	Document accountconfig.Document
	Notes    []Note
	Links    []Link
}

// FromCSV is the origin of an import that was read from CSV files.
const FromCSV = "csv"

// The severities of a note, the worst first.
const (
	Refused = "refused" // the record is not in the document
	Lost    = "lost"    // the record is in the document but paused, because something that decides where visitors go is missing
	Changed = "changed" // something is different here, or was left out, but visitors still go where they went before
)

// Note says what is different about a record here, in a sentence for the person who imports.
type Note struct {
	Severity string             `json:"severity" enum:"refused,lost,changed"`
	Kind     accountconfig.Kind `json:"kind"`
	Key      string             `json:"key"`
	Name     string             `json:"name" doc:"name of the record at the other tracker"`
	Text     string             `json:"text"`
}

// Severities lists the severities, the worst first.
var Severities = []string{Refused, Lost, Changed}

// Worst returns the worst notes. The parameter limit is the maximum number of notes.
func Worst(notes []Note, limit int) []Note {
	sorted := slices.SortedStableFunc(slices.Values(notes), func(a, b Note) int {
		return cmp.Compare(slices.Index(Severities, a.Severity), slices.Index(Severities, b.Severity))
	})
	return sorted[:min(len(sorted), limit)]
}

// Link is an address of the other tracker that leads to a campaign.
type Link struct {
	Domain   string `json:"domain" doc:"host; empty: every imported domain"`
	Form     string `json:"form" enum:"path,query,php,go,cf"`
	ID       string `json:"id" doc:"alias, key or id that the address contains"`
	Campaign string `json:"campaign" doc:"key of the campaign"`
}

// The forms of links of other trackers.
const (
	FormPath  = foreign.FormPath
	FormQuery = foreign.FormQuery
	FormPHP   = foreign.FormPHP
	FormGo    = foreign.FormGo
	FormCF    = foreign.FormCF
)

// Key returns the key of a record of another tracker: the tracker, its host and the record's own id there.
func Key(tracker, host, id string) string {
	key := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, strings.ToLower(fmt.Sprintf("%s.%s.%s", tracker, host, id)))
	if len(key) > accountconfig.MaxKey {
		key = key[:accountconfig.MaxKey]
	}
	return key
}

// Names gives each record of a kind a unique name, because other trackers allow the same name twice.
type Names map[string]bool

// Unique returns a name, cut to 255 characters. If the name was returned before, with the same or other capitals, it gets " (2)"
// and so on. changed reports whether the result differs from the given name.
func (n Names) Unique(name, fallback string) (unique string, changed bool) {
	const limit = 255
	base := strings.TrimSpace(name)
	if base == "" {
		base = fallback
	}
	unique = models.Cut(base, limit)
	for i := 2; n[strings.ToLower(unique)]; i++ {
		ending := fmt.Sprintf(" (%d)", i)
		unique = models.Cut(base, limit-len(ending)) + ending
	}
	n[strings.ToLower(unique)] = true
	return unique, unique != name
}
