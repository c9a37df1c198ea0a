package clicklog

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/ledger"
)

// clickStore holds the clicks and the ledger. Visitors, conversions, postbacks and spend are always in PostgreSQL, whatever store
// holds the clicks. All methods run in the transaction of c. Lists of ids and of clicks are sorted by id and not empty.
type clickStore interface {
	// known returns those ids whose clicks are stored.
	known(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]uuid.UUID, error)
	// insert adds clicks that are not stored yet.
	insert(ctx context.Context, c db.Conn, clicks []*StoredClick) error
	// read reads some columns of the clicks that exist.
	read(ctx context.Context, c db.Conn, cols columns[StoredClick], q clickSet) ([]*StoredClick, error)
	// scan reads some columns of the clicks of a range, the oldest first.
	scan(ctx context.Context, c db.Conn, cols columns[StoredClick], q clickRange) ([]*StoredClick, error)
	// save writes some columns of clicks that the caller has locked.
	save(ctx context.Context, c db.Conn, u update, clicks []*StoredClick) error
	// remove deletes clicks and leaves the ledger unchanged.
	remove(ctx context.Context, c db.Conn, ids []uuid.UUID) error
	// addDeltas adds figures to the ledger.
	addDeltas(ctx context.Context, c db.Conn, d ledger.Deltas) error
	// thaw inserts clicks that are only in ClickHouse into PostgreSQL again. It reports whether there were any. The zero account
	// means any account.
	thaw(ctx context.Context, c db.Conn, account uuid.UUID, ids []uuid.UUID) (thawed bool, err error)
	// thawRange does the same as thaw for all clicks of an account with ids in [low, high).
	thawRange(ctx context.Context, c db.Conn, account, low, high uuid.UUID) error
}

// store returns the click store of the log.
func (l Log) store() clickStore { return l.own() }

func (l Log) own() pgStore { return pgStore{copied: l.Copy} }

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

func newUpdate(what string, names ...string) update {
	return update{what, clickColumns.named(names...)}
}

// The updates of clicks.
var (
	hopUpdate   = newUpdate("apply hops", "offer_id", "network_id", "lp_slot", "lp_clicks", "last_hop_id")
	rateUpdate  = newUpdate("restate clicks", "rate")
	scoreUpdate = newUpdate("save scores", "is_bot", "bot_score", "bot_reason", "bot_signals", "is_unique", "cost")
	placeUpdate = newUpdate("save places", append([]string{"country"}, placeColumns...)...)
)

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

func clickIDs(clicks []*StoredClick) []uuid.UUID { return db.Map(clicks, (*StoredClick).id) }
