package clicklog

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/ledger"
)

// clickStore holds the clicks and the ledger. Everything that is decided about clicks (visitors, conversions, postbacks,
// spend) is always in PostgreSQL, whatever store holds the clicks. All methods run in the transaction of c. Lists of ids and
// of clicks are sorted by id and not empty.
type clickStore interface {
	// known returns the ids that are stored.
	known(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]uuid.UUID, error)
	// insert adds clicks that are not stored.
	insert(ctx context.Context, c db.Conn, clicks []*StoredClick) error
	// read reads some columns of the clicks that exist.
	read(ctx context.Context, c db.Conn, cols columns[StoredClick], q clickSet) ([]*StoredClick, error)
	// scan reads some columns of the clicks of a range, the oldest first.
	scan(ctx context.Context, c db.Conn, cols columns[StoredClick], q clickRange) ([]*StoredClick, error)
	// save writes some columns of clicks that are locked.
	save(ctx context.Context, c db.Conn, u update, clicks []*StoredClick) error
	// remove deletes clicks and leaves the ledger unchanged.
	remove(ctx context.Context, c db.Conn, ids []uuid.UUID) error
	// addDeltas adds figures to the ledger.
	addDeltas(ctx context.Context, c db.Conn, d ledger.Deltas) error
	// thaw brings back the clicks that are only in ClickHouse. The zero account means any account.
	thaw(ctx context.Context, c db.Conn, account uuid.UUID, ids []uuid.UUID) (thawed bool, err error)
	// thawRange is thaw for all clicks of an account with ids in [low, high).
	thawRange(ctx context.Context, c db.Conn, account, low, high uuid.UUID) error
}

// store is the click store that the log is in.
func (l Log) store() clickStore { return l.own() }

func (l Log) own() pgStore { return pgStore{copied: l.Copy} }

// clickSet names clicks by their ids. With lock, no other transaction changes them until this one ends.
type clickSet struct {
	account uuid.UUID // the account they must belong to; zero: any
	ids     []uuid.UUID
	lock    bool
}

// clickRange names at most limit clicks of an account with ids in [low, high). With lock, no other transaction changes the
// clicks that are read until this one ends.
type clickRange struct {
	account   uuid.UUID
	low, high uuid.UUID
	campaigns []uuid.UUID // only clicks of these; nil: all
	signalled bool        // only clicks with a signal of bots
	currency  string      // only clicks in this currency that have another rate than rate; empty: all
	rate      decimal.NullDecimal
	limit     int
	lock      bool
}

// update is a change of some columns of clicks. Each click brings its own values.
type update struct {
	what    string // names it in errors
	columns columns[StoredClick]
}

func newUpdate(what string, names ...string) update {
	return update{what, clickColumns.named(names...)}
}

// The changes of single clicks.
var (
	hopUpdate   = newUpdate("apply hops", "offer_id", "network_id", "lp_slot", "lp_clicks", "last_hop_id")
	rateUpdate  = newUpdate("restate clicks", "rate")
	scoreUpdate = newUpdate("save scores", "is_bot", "bot_score", "bot_reason", "bot_signals", "is_unique", "cost")
	placeUpdate = newUpdate("save places", append([]string{"country"}, placeColumns...)...)
)

// changeColumns are what figures, payouts and costs are worked out from, and what events tell of a click.
var changeColumns = clickColumns.named(
	"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "network_id", "source_id", "country",
	"device_type", "os", "browser", "is_bot", "cost", "currency", "rate", "conversion_cost", "revenue_share", "is_unique",
	"lp_views", "lp_clicks", "lp_slot", "last_hop_id", "external_id", "subs",
)

var (
	idColumn = clickColumns.named("id")
	// visitorColumns tell which visitor a click made known.
	visitorColumns = clickColumns.named("id", "campaign_id", "unique_key", "is_unique")
)

// uniqueVisitors returns the visitors of the unique clicks.
func uniqueVisitors(clicks []*StoredClick) []visitorKey {
	unique := slices.DeleteFunc(slices.Clone(clicks), func(k *StoredClick) bool { return !k.IsUnique })
	return db.Map(unique, (*StoredClick).visitor)
}

func clickIDs(clicks []*StoredClick) []uuid.UUID { return db.Map(clicks, (*StoredClick).id) }
