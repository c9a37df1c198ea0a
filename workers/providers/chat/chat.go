// Package chat sends plain text to chats: Slack's incoming webhooks
// (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks), Discord's webhooks
// (discord.com/developers/docs/resources/webhook#execute-webhook) and Telegram's bots (core.telegram.org/bots/api#sendmessage).
// Names that customers chose are plain text in a message: they mention no one and contain no markup.
package chat

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Options of New.
type Options struct {
	Egress   *egress.Client
	Telegram string // address of the Bot API; default Telegram's own
	Now      func() time.Time
}

// Client sends messages. It is safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client {
	o.Telegram = cmp.Or(o.Telegram, "https://api.telegram.org")
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Client{o}
}

// provider is a kind of chat: where its messages go, their form, and their maximum length in characters. Telegram reports a
// failure by ok, the others by the status.
type provider struct {
	to      func(c *Client, credentials map[string]string) (base, path string)
	message func(credentials map[string]string, text string) any
	longest int
}

var providers = map[string]provider{
	models.ChannelSlack: {
		to: byAddress, longest: 30_000,
		message: func(_ map[string]string, text string) any {
			escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
			return map[string]any{"text": escaped, "mrkdwn": false, "unfurl_links": false}
		},
	},
	models.ChannelDiscord: {
		to: byAddress, longest: 1900, // 2,000 are allowed
		message: func(_ map[string]string, text string) any {
			return map[string]any{
				"content": "```\n" + strings.ReplaceAll(text, "```", "'''") + "\n```", "allowed_mentions": map[string]any{"parse": []string{}},
			}
		},
	},
	models.ChannelTelegram: {
		to: func(c *Client, credentials map[string]string) (string, string) {
			return c.o.Telegram, "/bot" + url.PathEscape(credentials["bot_token"]) + "/sendMessage"
		},
		longest: 4000, // 4,096 are allowed
		message: func(credentials map[string]string, text string) any {
			return map[string]any{
				"chat_id": credentials["chat_id"], "text": text, "link_preview_options": map[string]any{"is_disabled": true},
			}
		},
	},
}

// byAddress returns the address of a webhook. The whole address is the secret.
func byAddress(_ *Client, credentials map[string]string) (base, path string) {
	return credentials["url"], ""
}

// Has reports whether a kind of channel is a chat.
func Has(kind string) bool { _, ok := providers[kind]; return ok }

// Send sends a text to a chat of the given kind. A text that is too long is cut. The error is for a person and contains no
// credential.
func (c *Client) Send(ctx context.Context, kind string, credentials map[string]string, text string) error {
	p := providers[kind]
	base, path := p.to(c, credentials)
	api := rest.API{Out: c.o.Egress, Base: base, Now: c.o.Now}.WithSecrets(credentials["url"], credentials["bot_token"])
	_, err := api.Send(ctx, rest.Request{Method: http.MethodPost, Path: path, Body: p.message(credentials, cut(text, p.longest))})
	if err != nil {
		return api.PublicError(err)
	}
	return nil
}

// cut shortens a text to at most longest characters.
func cut(text string, longest int) string {
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest-1]) + "…"
}
