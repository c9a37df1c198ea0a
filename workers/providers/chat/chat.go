// Package chat sends plain text to chats: Slack's incoming webhooks
// (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks), Discord's webhooks
// (discord.com/developers/docs/resources/webhook#execute-webhook) and Telegram's bots (core.telegram.org/bots/api#sendmessage).
// Names that customers chose are plain text in a message: they mention no one and contain no markup.
package chat

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Error says that a chat did not take a message. Its text is for a person and contains no credential.
type Error struct {
	error

	After time.Duration // wait before the next message, if the chat says so
}

// Options are the options of New.
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

// provider is a kind of chat: where its messages go, their form, and their maximum length in characters.
type provider struct {
	to      func(c *Client, credentials map[string]string) (base, path string)
	message func(credentials map[string]string, text string) any
	longest int
	query   url.Values
	failed  func(body []byte) string // as rest.API.Failed
	moved   func(body []byte) string // returns the id that the chat has now, if it has changed; may be nil
}

var providers = map[string]provider{
	models.ChannelSlack: {
		to: byAddress, longest: 30_000,
		message: func(_ map[string]string, text string) any {
			escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
			return map[string]any{"text": escaped, "mrkdwn": false, "unfurl_links": false}
		},
		failed: slackWord,
	},
	models.ChannelDiscord: {
		to: byAddress, longest: 1900, // 2,000 are allowed
		query: url.Values{"wait": {"true"}}, // otherwise a message that is not stored gives no error
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
		moved: rest.Member("parameters.migrate_to_chat_id"), // the id of the supergroup that a group has become
	},
}

// slackWord returns the word with which Slack refuses a message, such as no_service.
func slackWord(body []byte) string {
	if word := string(body); word != "ok" && isWord.MatchString(word) {
		return word
	}
	return ""
}

var isWord = regexp.MustCompile(`^[a-z_]{1,60}$`)

// explain says why a chat refuses a message, where the status misleads or the chat names another id.
func explain(f *rest.FailureError) string {
	switch {
	case f.Code != "":
		return "the chat has another id now: add the channel again with " + f.Code
	case f.Status == http.StatusForbidden:
		return "the chat refused the message"
	}
	return ""
}

// byAddress returns the address of a webhook without its query. The whole address is the secret.
func byAddress(_ *Client, credentials map[string]string) (base, path string) {
	base, _, _ = strings.Cut(credentials["url"], "?")
	return base, ""
}

// withQuery returns the provider's parameters and those in a webhook's address, such as a thread.
func (p provider) withQuery(address string) url.Values {
	_, raw, _ := strings.Cut(address, "?")
	query, _ := url.ParseQuery(raw) // parameters that cannot be parsed are left out
	maps.Copy(query, p.query)
	return query
}

// Has reports whether a kind of channel is a chat.
func Has(kind string) bool { _, ok := providers[kind]; return ok }

// Send sends a text to a chat of the given kind. A text that is too long is cut. The error is an *Error.
func (c *Client) Send(ctx context.Context, kind string, credentials map[string]string, text string) error {
	p := providers[kind]
	base, path := p.to(c, credentials)
	api := rest.API{Out: c.o.Egress, Base: base, Now: c.o.Now, Failed: p.failed, Coded: p.moved, Explain: explain}.
		WithSecrets(credentials["url"], base, credentials["bot_token"])
	_, err := api.Send(ctx, rest.Request{
		Method: http.MethodPost, Path: path, Query: p.withQuery(credentials["url"]), Body: p.message(credentials, models.Shortened(text, p.longest)),
	})
	if err == nil {
		return nil
	}
	failure := &Error{error: api.PublicError(err)}
	if f, ok := errors.AsType[*rest.FailureError](err); ok {
		failure.After = f.After
	}
	return failure
}
