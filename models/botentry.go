package models

import "github.com/google/uuid"

// BotEntry declares that the visitors it matches are bots, or that they are not. It overrides the visitors' bot signals.
type BotEntry struct {
	Owned
	CampaignID uuid.NullUUID `db:"campaign_id" json:"campaign_id"`
	ListType   string        `db:"list_type" json:"list_type" enum:"allow,deny"`
	Attribute  string        `db:"attribute" json:"attribute"`
	Operator   string        `db:"operator" json:"operator" enum:"equals,contains,regex,in_cidr"`
	Value      BotValues     `db:"value,json" json:"value"`
	ValueCount int           `db:"value_count" json:"value_count"`
	Note       string        `db:"note" json:"note"`
	Dated
	MatchSteps int `db:"match_steps" json:"-"` // what it costs to match the values: see package cond
	MatchBytes int `db:"match_bytes" json:"-"`
}

// BotValues are the values of an entry. A visitor matches the entry by matching one of them. A list with a single value is
// shown as the value alone.
type BotValues []string

// The types of bot lists. A visitor that matches an allow entry is not a bot, and a visitor that matches a deny entry is one.
// Allow wins.
const (
	BotAllow = "allow"
	BotDeny  = "deny"
)

// MaxBotValues is the number of values that an entry can have. MaxBotValue is the length of a value in bytes.
const (
	MaxBotValues = 10_000
	MaxBotValue  = 500
)
