package clicklog

import (
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
)

// store returns the click store of the log.
func (l Log) store() pgStore { return pgStore{copied: l.Copy} }

// warmStore returns a store that leaves out clicks that are only in ClickHouse.
func warmStore() pgStore { return pgStore{warm: true} }

// clickSet selects clicks by their ids. With lock, no other transaction changes them until this one ends.
type clickSet struct {
	account uuid.UUID // the account they must belong to; zero: any
	ids     []uuid.UUID
	lock    bool
}

// clickRange selects at most limit clicks of an account with ids in [low, high). With lock, no other transaction changes the
// clicks that are read until this one ends.
type clickRange struct {
	account   uuid.UUID
	low, high uuid.UUID
	campaigns []uuid.UUID // only clicks of these campaigns; nil: all
	signalled bool        // only clicks with a bot signal
	currency  string      // only clicks in this currency whose rate differs from rate; empty: all
	rate      decimal.NullDecimal
	limit     int
	lock      bool
}

// update names the columns of clicks that a statement changes. The new values are the values in each click.
type update struct {
	what    string // names it in errors
	columns columns[StoredClick]
}

// newUpdate returns the update of some columns. what names it in errors.
func newUpdate(what string, names ...string) update {
	return update{what, clickColumns.named(names...)}
}

// changeColumns are the columns from which figures, payouts and costs are calculated, and the columns that webhook events
// contain.
var changeColumns = clickColumns.named(
	"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "network_id", "source_id", "country",
	"device_type", "os", "browser", "is_bot", "cost", "currency", "rate", "conversion_cost", "revenue_share", "is_unique",
	"lp_views", "lp_clicks", "lp_slot", "last_hop_id", "external_id", "subs",
)

var (
	idColumn = clickColumns.named("id")
	// visitorColumns are the columns that identify the visitor of a click.
	visitorColumns = clickColumns.named("id", "campaign_id", "unique_key", "is_unique")
)

// uniqueVisitors returns the visitors of the unique clicks.
func uniqueVisitors(clicks []*StoredClick) []visitorKey {
	unique := slices.DeleteFunc(slices.Clone(clicks), func(k *StoredClick) bool { return !k.IsUnique })
	return db.Map(unique, (*StoredClick).visitor)
}

func clickIDs(clicks []*StoredClick) []uuid.UUID { return db.Map(clicks, (*StoredClick).ClickID) }
