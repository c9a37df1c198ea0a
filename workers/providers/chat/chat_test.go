package chat_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/chat"
	"switchyard/workers/providers/chat/chattest"
)

func open(t *testing.T) (*chattest.Chats, *chat.Client, map[string]map[string]string) {
	t.Helper()
	w := &chattest.Chats{}
	server := chattest.Serve(t, w)
	return w, chat.New(chat.Options{Egress: egresstest.Client(t, server, egress.Options{}), Telegram: server.URL}), map[string]map[string]string{
		models.ChannelSlack:    {"url": server.URL + chattest.SlackPath},
		models.ChannelDiscord:  {"url": server.URL + chattest.DiscordPath},
		models.ChannelTelegram: {"bot_token": chattest.BotToken, "chat_id": chattest.ChatID},
	}
}

// TestSend: each chat takes a message, and a message that is too long is cut.
func TestSend(t *testing.T) {
	t.Parallel()
	w, c, channels := open(t)
	for kind, credentials := range channels {
		for _, text := range []string{"One <!channel> ``` & more", strings.Repeat("é", 50_000)} {
			if err := c.Send(t.Context(), kind, credentials, text); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if got := w.Texts(kind); len(got) != 2 || !strings.Contains(got[0], "One") || strings.Contains(got[0], "<!") && kind == models.ChannelSlack {
			t.Errorf("%s: %d messages", kind, len(got))
		}
	}
}

// TestDiscordThread: the address of a thread keeps its parameter.
func TestDiscordThread(t *testing.T) {
	t.Parallel()
	w, c, channels := open(t)
	credentials := map[string]string{"url": channels[models.ChannelDiscord]["url"] + "?thread_id=5"}
	if err := c.Send(t.Context(), models.ChannelDiscord, credentials, "text"); err != nil || len(w.Texts(models.ChannelDiscord)) != 1 {
		t.Error(err)
	}
}

// TestRefusals: an error has the chat's own words and no credential.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w, c, channels := open(t)
	for kind, credentials := range channels {
		for _, r := range chattest.Refusals[kind] {
			w.Refuse(kind, r)
			err := c.Send(t.Context(), kind, credentials, "text")
			if err == nil || !strings.Contains(err.Error(), r.Words) || strings.Contains(err.Error(), "canary") {
				t.Errorf("%s %q: %v", kind, r.Words, err)
			}
		}
		w.Refuse(kind, chattest.Refusal{})
		if err := c.Send(t.Context(), kind, credentials, ""); err == nil && kind != models.ChannelDiscord { // Discord's message is never empty: the text is in a block of code
			t.Errorf("%s takes an empty message", kind)
		}
	}
	wrong := map[string]string{"bot_token": chattest.BotToken + "x", "chat_id": chattest.ChatID}
	if err := c.Send(t.Context(), models.ChannelTelegram, wrong, "text"); err == nil || strings.Contains(err.Error(), "canary") {
		t.Error(err)
	}
}

// TestLimit: if a chat asks to wait, the error has the length of the wait.
func TestLimit(t *testing.T) {
	t.Parallel()
	w, c, channels := open(t)
	w.SetBusy(true)
	for kind, want := range map[string]time.Duration{
		models.ChannelSlack: 30 * time.Second, models.ChannelDiscord: 65 * time.Second, models.ChannelTelegram: 34 * time.Second,
	} {
		err := c.Send(t.Context(), kind, channels[kind], "text")
		if failure, ok := errors.AsType[*chat.Error](err); !ok || failure.After != want {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
