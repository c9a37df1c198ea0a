package models

import "github.com/google/uuid"

// BotEntry declares that the visitors it matches are bots, or that they are not, whatever their signals are.
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
	MatchSteps int `db:"match_steps" json:"-"` // what the values cost: see package cond
	MatchBytes int `db:"match_bytes" json:"-"`
}

// BotValues are the values of an entry: one of them is enough. A list of one is shown as the value alone.
type BotValues []string

// The types of bot lists. A visitor that matches an allow entry is not a bot, and a visitor that matches a deny entry is one.
// Allow wins.
const (
	BotAllow = "allow"
	BotDeny  = "deny"
)

// MaxBotValues is how many values one entry has, and MaxBotValue how many bytes each of them.
const (
	MaxBotValues = 10_000
	MaxBotValue  = 500
)
