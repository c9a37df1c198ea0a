package models

import "github.com/google/uuid"

// The scopes of blocked values.
const (
	BlockAccount  = "account"
	BlockSource   = "source"
	BlockCampaign = "campaign"
)

// Limits of blocked values. Web processes keep the values in memory, about 100 bytes for each.
const (
	MaxBlocked       = 50_000
	MaxBlockedAtOnce = 5_000
	MaxBlockedValue  = 512
)

// BlockTarget is the place where values are blocked: a dimension of an account, of a traffic source or of a campaign.
type BlockTarget struct {
	Scope     string
	ScopeID   uuid.UUID
	Dimension string
}

// BlockList is a list of blocked values. Visitors with one of these values get the campaign's fallback_url, or a 404 without one.
type BlockList struct {
	Owned
	Scope     string    `db:"scope" json:"scope" enum:"account,source,campaign"`
	ScopeID   uuid.UUID `db:"scope_id" json:"scope_id" doc:"the account, the traffic source or the campaign"`
	Name      string    `db:"name" json:"name" doc:"name of the traffic source or the campaign; empty for the account"`
	Dimension string    `db:"dimension" json:"dimension"`
	Count     int       `db:"count" json:"count" doc:"number of blocked values"`
	ChangedAt Stamp     `db:"changed_at" json:"changed_at"`
}

// BlockedValue is a blocked value and its list.
type BlockedValue struct {
	Owned
	ListID    uuid.UUID `db:"list_id" json:"list_id"`
	Scope     string    `db:"scope" json:"scope" enum:"account,source,campaign"`
	ScopeID   uuid.UUID `db:"scope_id" json:"scope_id" doc:"the account, the traffic source or the campaign"`
	Name      string    `db:"name" json:"name" doc:"name of the traffic source or the campaign; empty for the account"`
	Dimension string    `db:"dimension" json:"dimension"`
	Value     string    `db:"value" json:"value"`
	Who       string    `db:"who" json:"who" doc:"the person or the key that blocked the value"`
	CreatedAt Stamp     `db:"created_at" json:"created_at"`
}

// BlockChange is the effect of a call that blocks values or allows them again.
type BlockChange struct {
	ID      uuid.UUID // id with which the change can be undone
	Blocked int       // number of values that the change has blocked
	Allowed int       // number of values that the change has allowed again
	Total   int       // number of values that the account blocks after the change
	ScopeID uuid.UUID // where the values are blocked, as in BlockTarget; zero if the values of several scopes have changed
}

// BlockReach counts the active campaigns to which a block applies.
type BlockReach struct {
	Campaigns       int `db:"campaigns" json:"campaigns" doc:"active campaigns in the scope"`
	WithoutFallback int `db:"without_fallback" json:"without_fallback" doc:"active campaigns in the scope without a fallback_url; blocked visitors get a 404 there"`
}
