package models

import "github.com/google/uuid"

// BotEntry declares that the visitors that match it are bots, or that they are not bots. It overrides the visitors' bot signals.
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

// BotValues are the values of an entry. A visitor matches the entry if the visitor matches one of the values. In JSON, a list
// with a single value is written as the value alone.
type BotValues []string

// The types of bot lists. A visitor that matches an allow entry is not a bot, and a visitor that matches a deny entry is a bot.
// If both match, the allow entry counts.
const (
	BotAllow = "allow"
	BotDeny  = "deny"
)

// MaxBotValues is the maximum number of values in an entry. MaxBotValue is the maximum length of a value in bytes.
const (
	MaxBotValues = 10_000
	MaxBotValue  = 500
)
