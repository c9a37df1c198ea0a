package models

import (
	"time"

	"github.com/google/uuid"
)

// The kinds of channels.
const (
	ChannelEmail    = "email"
	ChannelSlack    = "slack"
	ChannelDiscord  = "discord"
	ChannelTelegram = "telegram"
)

// AlertChannelKind is a kind of channel, with the settings that an account has to give to use it.
type AlertChannelKind struct {
	Name string
	CredentialForm
	Confirmed bool // the receiver must confirm the channel, because an account can enter any address
}

// AlertChannelKinds is the table of all kinds.
var AlertChannelKinds = []AlertChannelKind{
	{ChannelEmail, credentials("E-mail",
		CredentialField{Name: "address", Label: "Address", Required: true, Address: true, Help: "one e-mail address; a code is sent to it"},
	), true},
	{ChannelSlack, credentials("Slack",
		secret("url", "Webhook URL", "Slack: Apps, Incoming Webhooks. Mattermost and other services that accept Slack's messages work too"),
	), false},
	{ChannelDiscord, credentials("Discord",
		secret("url", "Webhook URL", "Discord: Server Settings, Integrations, Webhooks"),
	), false},
	{ChannelTelegram, credentials("Telegram",
		secret("bot_token", "Bot token", "from @BotFather, such as 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"),
		CredentialField{Name: "chat_id", Label: "Chat id", Required: true, Address: true, Help: "a number, or @name of a channel that the bot may write to"},
	), false},
}

// AlertChannelKindNamed finds a kind by its name.
func AlertChannelKindNamed(name string) (kind AlertChannelKind, ok bool) {
	return find(AlertChannelKinds, func(k AlertChannelKind) bool { return k.Name == name })
}

// The limits of channels.
const (
	MaxAlertChannels = 10
	// MaxAlertCodes is the maximum number of codes that are sent for an account in a day. A code is sent to any address that a
	// person enters.
	MaxAlertCodes = 10
	// AlertCodeValid is the time for which a code is accepted.
	AlertCodeValid = 24 * time.Hour
	// AlertCodeTries is the number of wrong entries after which a code no longer works.
	AlertCodeTries = 5
	// AlertMessagesAnHour is the maximum number of announcements that an account gets in an hour. Alerts beyond it are announced
	// later.
	AlertMessagesAnHour = 12
)

// The severities of alerts. An alert is critical if visitors, conversions or money are being lost, or will soon be lost.
const (
	AlertWarning  = "warning"
	AlertCritical = "critical"
)

// AlertChannel is a place to which an account's alerts are sent.
type AlertChannel struct {
	ID           uuid.UUID         `db:"id"`
	AccountID    uuid.UUID         `db:"account_id"`
	Kind         string            `db:"kind"`
	Name         string            `db:"name"`
	MinSeverity  string            `db:"least"` // lowest severity that is sent
	IsActive     bool              `db:"is_active"`
	Settings     map[string]string `db:"settings,json"` // the credentials that are not secret
	Unconfirmed  bool              `db:"waits"`         // the code has not been entered yet
	CreatedAt    time.Time         `db:"created_at"`
	SentAt       *time.Time        `db:"sent_at"`
	Failures     int               `db:"failures"` // number of messages in a row that could not be delivered
	Failure      string            `db:"failure"`
	FailingSince *time.Time        `db:"failing_since"`
}

// AlertMessage is a message that is sent to a channel.
type AlertMessage struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"`
	ChannelID uuid.UUID `db:"channel_id"`
	Confirms  bool      `db:"confirms"` // the message contains the code that confirms the channel
	Subject   string    `db:"subject"`
	Body      string    `db:"body"`
	CreatedAt time.Time `db:"created_at"`
}
