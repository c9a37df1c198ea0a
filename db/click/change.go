package click

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
)

// Store returns the click store of the log.
func (l Log) Store() Store { return Store{copied: l.Copy} }

// WarmStore returns a store that leaves out clicks that are only in ClickHouse.
func WarmStore() Store { return Store{warm: true} }

// Set selects clicks by their ids. If Lock is set, it locks them until the transaction ends.
type Set struct {
	Account uuid.UUID // only clicks of this account; zero: of any account
	IDs     []uuid.UUID
	Lock    bool
}

// Range selects at most Limit clicks of an account with ids in [Low, High). If Lock is set, it locks them until the transaction
// ends.
type Range struct {
	Account   uuid.UUID
	Low, High uuid.UUID
	Campaigns []uuid.UUID // only clicks of these campaigns; nil: all
	Signalled bool        // only clicks with a bot signal
	Currency  string      // only clicks in this currency with a rate other than Rate; empty: all
	Rate      decimal.NullDecimal
	Limit     int
	Lock      bool
}

// Update names the columns that Store.Save writes. The new values are in the clicks that Save gets.
type Update struct {
	what    string // describes the update in errors
	columns Columns[StoredClick]
}

// NewUpdate returns an Update of the columns with these names. The parameter what describes the update in errors.
func NewUpdate(what string, names ...string) Update {
	return Update{what, AllColumns.Named(names...)}
}

// ChangeColumns are the columns for figures, payouts, costs and webhook events.
var ChangeColumns = AllColumns.Named(
	"id", "at", "account_id", "campaign_id", "stream_id", "lander_id", "offer_id", "network_id", "source_id", "country",
	"device_type", "os", "browser", "is_bot", "cost", "currency", "rate", "conversion_cost", "revenue_share", "is_unique",
	"lp_views", "lp_clicks", "lp_slot", "last_hop_id", "external_id", "subs",
)

var (
	// IDColumn is the column with the id of a click.
	IDColumn = AllColumns.Named("id")
	// VisitorColumns are the columns that identify the visitor of a click.
	VisitorColumns = AllColumns.Named("id", "campaign_id", "unique_key", "is_unique")
)

// UniqueVisitors returns the visitors of the unique clicks.
func UniqueVisitors(clicks []*StoredClick) []VisitorKey {
	unique := db.Without(clicks, func(k *StoredClick) bool { return !k.IsUnique })
	return db.Map(unique, (*StoredClick).visitor)
}

// IDs returns the ids of clicks.
func IDs(clicks []*StoredClick) []uuid.UUID { return db.Map(clicks, (*StoredClick).ClickID) }
