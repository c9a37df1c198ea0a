// Package chattest has fakes of the chats: Slack's incoming webhooks, Discord's webhooks and Telegram's bots. source.md says where
// their forms come from.
package chattest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/workers/providers/rest/resttest"
)

// The paths of Slack's and Discord's webhooks on the fake's server, and Telegram's credentials.
const (
	SlackPath   = "/services/T00000000/B00000000/canarySlackZq7"
	DiscordPath = "/api/webhooks/223704706495545344/canaryDiscordZq7"
	BotToken    = "110201543:canaryTelegramZq7"
	ChatID      = "-1001234567890"
)

// Refusal is an error answer of a chat. The client's error must contain Words.
type Refusal struct {
	Status int
	Body   string
	Words  string
}

// Refusals has the errors of each kind of chat.
var Refusals = map[string][]Refusal{
	models.ChannelSlack: {
		{http.StatusBadRequest, "invalid_payload", "invalid_payload"},
		{http.StatusForbidden, "action_prohibited", "action_prohibited"},
		{http.StatusForbidden, "invalid_token", "invalid_token"},
		{http.StatusForbidden, "posting_to_general_channel_denied", "posting_to_general_channel_denied"},
		{http.StatusNotFound, "channel_not_found", "channel_not_found"},
		{http.StatusNotFound, "no_service", "no_service"},
		{http.StatusNotFound, "no_team", "no_team"},
		{http.StatusGone, "channel_is_archived", "channel_is_archived"},
		{http.StatusInternalServerError, "rollup_error", "rollup_error"},
	},
	models.ChannelDiscord: {
		{http.StatusNotFound, `{"message": "Unknown Webhook", "code": 10015}`, "Unknown Webhook"},
		{http.StatusUnauthorized, `{"message": "Invalid Webhook Token", "code": 50027}`, "Invalid Webhook Token"},
		{http.StatusBadRequest, `{"code": 50035, "message": "Invalid Form Body", "errors": {"content": {"_errors": [
			{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}]}}}`, "Must be 2000 or fewer in length."},
	},
	models.ChannelTelegram: {
		{http.StatusUnauthorized, telegramError(401, "Unauthorized", ""), "Unauthorized"},
		{http.StatusBadRequest, telegramError(400, "Bad Request: chat not found", ""), "chat not found"},
		{http.StatusForbidden, telegramError(403, "Forbidden: bot was blocked by the user", ""), "bot was blocked by the user"},
		{http.StatusForbidden, telegramError(403, "Forbidden: bot was kicked from the supergroup chat", ""), "bot was kicked"},
		{http.StatusBadRequest, telegramError(400, "Bad Request: group chat was upgraded to a supergroup chat", `{"migrate_to_chat_id": -1009876543210}`), "-1009876543210"},
	},
}

func telegramError(code int, words, parameters string) string {
	if parameters != "" {
		parameters = `, "parameters": ` + parameters
	}
	return fmt.Sprintf(`{"ok": false, "error_code": %d, "description": %q%s}`, code, words, parameters)
}

// Chats is the state of the chats.
type Chats struct {
	mu     sync.Mutex
	refuse map[string]Refusal
	busy   bool
	texts  map[string][]string
}

// Refuse makes a kind of chat refuse all messages. The zero Refusal ends this.
func (all *Chats) Refuse(kind string, r Refusal) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.refuse == nil {
		all.refuse = map[string]Refusal{}
	}
	all.refuse[kind] = r
}

// SetBusy makes all chats answer that they get too many requests, or ends this.
func (all *Chats) SetBusy(on bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.busy = on
}

// Texts returns the texts that a kind of chat has accepted.
func (all *Chats) Texts(kind string) []string {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.texts[kind]
}

// chat is the wire form of a kind of chat.
type chat struct {
	kind string
	// fields are the parameters of a message that the chat's documentation names: see source.md.
	fields string
	refuse func(rw http.ResponseWriter, status int, code, words string)
	busy   func(rw http.ResponseWriter)
	accept func(rw http.ResponseWriter, r *http.Request, m map[string]any) (text string, ok bool)
}

// Serve starts a server that serves all chats. A request to another path fails the test.
func Serve(tb testing.TB, all *Chats) *httptest.Server {
	tb.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == SlackPath:
			all.serve(rw, r, slack)
		case r.URL.Path == DiscordPath:
			all.serve(rw, r, discord)
		case strings.HasPrefix(r.URL.Path, "/bot"):
			all.serve(rw, r, telegram)
		default:
			tb.Errorf("%s %s", r.Method, r.URL.Path)
		}
	}))
	tb.Cleanup(server.Close)
	return server
}

func (all *Chats) serve(rw http.ResponseWriter, r *http.Request, c chat) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if refused := all.refuse[c.kind]; refused.Status != 0 {
		if strings.HasPrefix(refused.Body, "{") {
			rw.Header().Set("Content-Type", "application/json")
		}
		rw.WriteHeader(refused.Status)
		_, _ = rw.Write([]byte(refused.Body))
		return
	}
	if all.busy {
		c.busy(rw)
		return
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Method != http.MethodPost || kind != "application/json" {
		c.refuse(rw, http.StatusBadRequest, "invalid_payload", "the method or the content type is wrong")
		return
	}
	var m map[string]any
	dec := json.NewDecoder(r.Body)
	if dec.Decode(&m) != nil || dec.More() {
		c.refuse(rw, http.StatusBadRequest, "invalid_payload", "the body is not JSON")
		return
	}
	for name := range m {
		if !strings.Contains(" "+c.fields+" ", " "+name+" ") {
			c.refuse(rw, http.StatusBadRequest, "invalid_payload", "unknown field "+name)
			return
		}
	}
	if text, ok := c.accept(rw, r, m); ok {
		if all.texts == nil {
			all.texts = map[string][]string{}
		}
		all.texts[c.kind] = append(all.texts[c.kind], text)
	}
}

var slack = chat{
	kind: models.ChannelSlack, fields: "text blocks attachments thread_ts mrkdwn response_type replace_original delete_original unfurl_links unfurl_media metadata",
	refuse: func(rw http.ResponseWriter, status int, code, _ string) {
		rw.WriteHeader(status)
		_, _ = rw.Write([]byte(code))
	},
	busy: func(rw http.ResponseWriter) {
		rw.Header().Set("Retry-After", "30")
		rw.WriteHeader(http.StatusTooManyRequests)
		_, _ = rw.Write([]byte("rate_limited"))
	},
	accept: func(rw http.ResponseWriter, _ *http.Request, m map[string]any) (string, bool) {
		text, _ := m["text"].(string)
		flag, isFlag := m["mrkdwn"].(bool)
		switch {
		case text == "":
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = rw.Write([]byte("no_text"))
			return "", false
		case m["mrkdwn"] != nil && !isFlag:
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = rw.Write([]byte("invalid_payload"))
			return "", false
		case flag || utf8.RuneCountInString(text) > 40_000:
			text = string([]rune(text)[:min(len([]rune(text)), 40_000)])
		}
		_, _ = rw.Write([]byte("ok"))
		return text, true
	},
}

var discord = chat{
	kind:   models.ChannelDiscord,
	fields: "content username avatar_url tts embeds allowed_mentions components payload_json attachments flags thread_name applied_tags poll",
	refuse: func(rw http.ResponseWriter, status int, _, words string) {
		resttest.JSON(rw, status, map[string]any{"code": 50109, "message": words})
	},
	busy: func(rw http.ResponseWriter) {
		for name, value := range map[string]string{
			"Retry-After": "65", "X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1470173023.123",
			"X-RateLimit-Reset-After": "64.57", "X-RateLimit-Bucket": "abcd1234", "X-RateLimit-Scope": "user",
		} {
			rw.Header().Set(name, value)
		}
		resttest.JSON(rw, http.StatusTooManyRequests, map[string]any{"message": "You are being rate limited.", "retry_after": 64.57, "global": false})
	},
	accept: acceptDiscord,
}

// acceptDiscord accepts or refuses a message. Without the parameter wait, the answer to an accepted message has no body.
func acceptDiscord(rw http.ResponseWriter, r *http.Request, m map[string]any) (string, bool) {
	for name := range r.URL.Query() {
		if name != "wait" && name != "thread_id" && name != "with_components" {
			resttest.JSON(rw, http.StatusBadRequest, map[string]any{"code": 50035, "message": "Invalid Form Body"})
			return "", false
		}
	}
	text, _ := m["content"].(string)
	wait := r.URL.Query().Get("wait") == "true"
	n := utf8.RuneCountInString(text)
	switch {
	case n == 0:
		resttest.JSON(rw, http.StatusBadRequest, map[string]any{"message": "Cannot send an empty message", "code": 50006})
		return "", false
	case n > 2000:
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = rw.Write([]byte(Refusals[models.ChannelDiscord][2].Body))
		return "", false
	case !wait:
		rw.WriteHeader(http.StatusNoContent)
	default:
		resttest.JSON(rw, http.StatusOK, map[string]any{
			"id": "1200000000000000000", "type": 0, "content": text, "channel_id": "199737254929760256", "webhook_id": "223704706495545344",
		})
	}
	return text, true
}

var telegram = chat{
	kind: models.ChannelTelegram,
	fields: "business_connection_id chat_id message_thread_id direct_messages_topic_id text parse_mode entities link_preview_options " +
		"disable_notification protect_content allow_paid_broadcast message_effect_id suggested_post_parameters reply_parameters reply_markup",
	refuse: func(rw http.ResponseWriter, status int, _, words string) {
		resttest.JSON(rw, status, json.RawMessage(telegramError(status, "Bad Request: "+words, "")))
	},
	busy: func(rw http.ResponseWriter) {
		rw.Header().Set("Retry-After", "34")
		resttest.JSON(rw, http.StatusTooManyRequests, json.RawMessage(telegramError(429, "Too Many Requests: retry after 34", `{"retry_after": 34}`)))
	},
	accept: acceptTelegram,
}

func acceptTelegram(rw http.ResponseWriter, r *http.Request, m map[string]any) (string, bool) {
	text, _ := m["text"].(string)
	refuse := func(status int, words string) (string, bool) {
		resttest.JSON(rw, status, json.RawMessage(telegramError(status, words, "")))
		return "", false
	}
	preview, err := json.Marshal(m["link_preview_options"])
	var options struct {
		Disabled bool   `json:"is_disabled"`
		URL      string `json:"url"`
		Small    bool   `json:"prefer_small_media"`
		Large    bool   `json:"prefer_large_media"`
		Above    bool   `json:"show_above_text"`
	}
	dec := json.NewDecoder(bytes.NewReader(preview))
	dec.DisallowUnknownFields()
	token, method, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/bot"), "/")
	switch {
	case token != BotToken:
		return refuse(http.StatusUnauthorized, "Unauthorized")
	case method != "sendMessage":
		return refuse(http.StatusNotFound, "Not Found")
	case m["chat_id"] == nil || m["chat_id"] == "":
		return refuse(http.StatusBadRequest, "Bad Request: chat_id is empty")
	case m["chat_id"] != ChatID:
		return refuse(http.StatusBadRequest, "Bad Request: chat not found")
	case strings.TrimSpace(text) == "":
		return refuse(http.StatusBadRequest, "Bad Request: message text is empty")
	case utf8.RuneCountInString(text) > 4096:
		return refuse(http.StatusBadRequest, "Bad Request: message is too long")
	case err != nil || dec.Decode(&options) != nil:
		return refuse(http.StatusBadRequest, "Bad Request: can't parse link preview options JSON object")
	}
	resttest.JSON(rw, http.StatusOK, map[string]any{"ok": true, "result": map[string]any{
		"message_id": 7, "date": 1793500000, "chat": map[string]any{"id": -1001234567890, "type": "supergroup", "title": "Ops"}, "text": text,
	}})
	return text, true
}
