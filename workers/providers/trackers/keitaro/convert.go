package keitaro

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

const tracker = "keitaro"

type members = accountconfig.Members

type reader struct {
	in     install
	out    trackerimport.Result
	names  map[accountconfig.Kind]trackerimport.Names
	groups map[string]string // names by id
	// extra has the numbers of the sub-parameters for fields of Keitaro that are not sub ids, such as creative_id. A field has
	// the same sub-parameter at every source, because offers do not depend on the source.
	extra map[string]int
	// paramNames has the names of the parameters that fill a field, by the field: one name, or two if sources or campaigns use
	// different names.
	paramNames map[string][]string
	copies     map[string]string // keys of copied sources, by the original and the parameters and postback of the copy
	// landers, offers and sources have the records by their ids at Keitaro.
	landers, offers, sources map[string]record
	networks                 map[string]networkParams
	campaigns                map[string]*campaign
	refused                  map[string]bool // campaigns
	hosts                    map[string]string
	firstHost                string
}

// record is an offer, a landing page or a source.
type record struct {
	key, name  string
	refused    bool
	transition string // how visitors are sent to an offer or a landing page
	// The following members are set only for a source.
	params      parameters
	postback    s2s
	trafficLoss text
}

func (in *install) result() trackerimport.Result {
	r := &reader{
		in: *in, names: map[accountconfig.Kind]trackerimport.Names{}, groups: map[string]string{}, landers: map[string]record{},
		offers: map[string]record{}, sources: map[string]record{}, networks: map[string]networkParams{}, campaigns: map[string]*campaign{},
		refused: map[string]bool{}, hosts: map[string]string{}, copies: map[string]string{},
	}
	r.out.Document = accountconfig.Document{}
	for _, kind := range accountconfig.Kinds {
		r.names[kind] = trackerimport.Names{}
	}
	for _, g := range in.Groups {
		r.groups[string(g.ID)] = string(g.Name)
	}
	for i := range r.in.Campaign {
		if c := &r.in.Campaign[i]; c.ID.id() != "" && !c.State.is("deleted") {
			r.campaigns[string(c.ID)] = c
		}
	}
	r.out.Note(trackerimport.Changed, "", "", "", trackerimport.HistoryStays)
	r.chooseExtra()
	r.readDomains()
	r.readNetworks()
	r.readSources()
	r.readLandings()
	r.readOffers()
	r.readCampaigns()
	r.writeDomains()
	r.readBotList()
	// A refused record keeps only the note with the reason.
	r.out.Notes = slices.DeleteFunc(r.out.Notes, func(n trackerimport.Note) bool {
		return n.Severity != trackerimport.Refused && n.Kind != "" && !r.out.Has(n.Kind, n.Key)
	})
	return r.out
}

// sorted returns the records of a list in the order of their ids. It drops repeated, deleted and archived records, and records
// without an id.
func sorted[T any](list []T, id func(*T) text, state func(*T) text) []*T {
	var out []*T
	for i := range list {
		if id(&list[i]).id() != "" && !state(&list[i]).is("deleted", "archived") {
			out = append(out, &list[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *T) int {
		return cmp.Or(cmp.Compare(id(a).number(), id(b).number()), cmp.Compare(id(a), id(b)))
	})
	return slices.CompactFunc(out, func(a, b *T) bool { return id(a) == id(b) })
}

func (r *reader) key(id text, rest ...string) string {
	return trackerimport.Key(tracker, r.in.Host, strings.Join(append([]string{string(id)}, rest...), "-"))
}

// name returns a name for a record. No other record of the kind gets the same name.
func (r *reader) name(kind accountconfig.Kind, key string, name text, fallback string) string {
	unique, changed := r.names[kind].Unique(string(name), fallback)
	if changed {
		r.out.Note(trackerimport.Changed, kind, key, string(name), trackerimport.NewName(string(name), unique))
	}
	return unique
}

// item is a record on its way into the document.
type item struct {
	kind accountconfig.Kind
	key  string
	name string // at Keitaro
	m    members
}

func (r *reader) item(kind accountconfig.Kind, id, name text) *item {
	key := r.key(id)
	unique := r.name(kind, key, name, fmt.Sprintf("%s %s", kind.Noun(), id))
	return &item{kind, key, string(name), members{"name": unique}}
}

func (r *reader) note(severity string, it *item, text string) {
	r.out.Note(severity, it.kind, it.key, it.name, text)
}

// text sets a member to a text of at most `limit` characters.
func (r *reader) text(it *item, member, what, value string, limit int) {
	if value == "" {
		return
	}
	if cut := models.Cut(value, limit); cut != value {
		r.note(trackerimport.Changed, it, trackerimport.CutText(what, limit))
		value = cut
	}
	it.m[member] = value
}

func (r *reader) group(it *item, id text, limit int) {
	r.text(it, "group_name", "name of the group", r.groups[id.id()], limit)
}

func (it *item) pauseIf(state text) {
	if state.is("disabled", "paused") {
		it.m["is_active"] = false
	}
}

// put adds a record to the document, or refuses it if it is not valid.
func (r *reader) put(it *item) bool {
	if err := moved.Check(it.kind, it.key, it.m); err != nil {
		r.note(trackerimport.Refused, it, moved.Sentence(err))
		return false
	}
	r.out.Put(it.kind, it.key, it.m)
	return true
}

// amount sets an amount and its currency, and reports whether the amount can be used. A zero amount needs no currency unless
// `always` is set.
func (r *reader) amount(it *item, member string, value, code text, always bool) bool {
	amount, iso, refusal := moved.ReadAmount(string(value), string(code), always)
	if refusal != "" {
		r.note(trackerimport.Refused, it, refusal)
		return false
	}
	moved.SetAmount(it.m, member, amount, iso)
	return true
}
