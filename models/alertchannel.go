package models

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// The kinds of channels that alerts are announced by.
const (
	ChannelEmail    = "email"
	ChannelSlack    = "slack"
	ChannelDiscord  = "discord"
	ChannelTelegram = "telegram"
)

// AlertChannelKind is a kind of channel and what has to be told to use one.
type AlertChannelKind struct {
	Name string
	CredentialForm
	Confirmed bool // the receiver must confirm it, because an account can type any address
}

// AlertChannelKinds is the table of all kinds.
var AlertChannelKinds = []AlertChannelKind{
	{ChannelEmail, credentials("E-mail",
		CredentialField{Name: "address", Label: "Address", Required: true, Address: true, Help: "one e-mail address; a code is sent to it"},
	), true},
	{ChannelSlack, credentials("Slack",
		secret("url", "Webhook URL", "Slack: Apps, Incoming Webhooks. Mattermost and others that take Slack's messages work too"),
	), false},
	{ChannelDiscord, credentials("Discord",
		secret("url", "Webhook URL", "Discord: Server Settings, Integrations, Webhooks"),
	), false},
	{ChannelTelegram, credentials("Telegram",
		secret("bot_token", "Bot token", "@BotFather gives it, such as 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"),
		CredentialField{Name: "chat_id", Label: "Chat id", Required: true, Address: true, Help: "a number, or @name of a channel that the bot may write to"},
	), false},
}

// AlertChannelKindNamed finds a kind by its name; ok is false for an unknown one.
func AlertChannelKindNamed(name string) (kind AlertChannelKind, ok bool) {
	i := slices.IndexFunc(AlertChannelKinds, func(k AlertChannelKind) bool { return k.Name == name })
	if i < 0 {
		return AlertChannelKind{}, false
	}
	return AlertChannelKinds[i], true
}

// The limits of channels.
const (
	MaxAlertChannels = 10
	// MaxAlertCodes is how many codes an account can send in a day. It is limited because the codes go to any address that was
	// typed.
	MaxAlertCodes = 10
	// AlertCodeValid is how long a code holds.
	AlertCodeValid = 24 * time.Hour
	// AlertCodeTries is how many wrong codes end one.
	AlertCodeTries = 5
	// AlertMessagesAnHour is how many announcements an account gets in an hour. The next announcement reports what began or
	// ended beyond the limit.
	AlertMessagesAnHour = 12
)

// The severities of alerts. Critical is what loses visitors, conversions or money now.
const (
	AlertWarning  = "warning"
	AlertCritical = "critical"
)

// AlertChannel is where alerts of an account are announced: once when they begin, and once when they end.
type AlertChannel struct {
	ID           uuid.UUID         `db:"id"`
	AccountID    uuid.UUID         `db:"account_id"`
	Kind         string            `db:"kind"`
	Name         string            `db:"name"`
	Least        string            `db:"least"` // severity
	IsActive     bool              `db:"is_active"`
	Settings     map[string]string `db:"settings,json"` // credentials in clear
	Waits        bool              `db:"waits"`         // for its code
	CreatedAt    time.Time         `db:"created_at"`
	SentAt       *time.Time        `db:"sent_at"`
	Failures     int               `db:"failures"` // messages in a row that were not taken
	Failure      string            `db:"failure"`
	FailingSince *time.Time        `db:"failing_since"`
}

// AlertMessage is what a channel is sent.
type AlertMessage struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"`
	ChannelID uuid.UUID `db:"channel_id"`
	Confirms  bool      `db:"confirms"` // it has the code of the channel
	Subject   string    `db:"subject"`
	Body      string    `db:"body"`
	CreatedAt time.Time `db:"created_at"`
}
