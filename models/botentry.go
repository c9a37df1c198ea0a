package models

import "github.com/google/uuid"

// BotEntry declares that matching visitors are bots, or that they are not, whatever their signals.
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
	MatchSteps int `db:"match_steps" json:"-"` // the cost of matching the values: see package cond
	MatchBytes int `db:"match_bytes" json:"-"`
}

// BotValues are the values of an entry. One matching value is enough. In JSON, a list with a single value is written as the value
// alone.
type BotValues []string

// The types of bot lists. If an allow entry and a deny entry match, the allow entry counts.
const (
	BotAllow = "allow"
	BotDeny  = "deny"
)

// Limits of an entry: the number of values, and the length of a value in bytes.
const (
	MaxBotValues = 10_000
	MaxBotValue  = 500
)
