package mail_test

import (
	"strings"
	"testing"

	"switchyard/workers/providers/mail"
	"switchyard/workers/providers/mail/mailtest"
)

// TestRefusals: if the server refuses the password or the receiver, the error has the server's words and not the password.
func TestRefusals(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t)
	send := func(url string) string {
		c, err := mail.New(mail.Options{URL: url, From: "alerts@mail.acme.com", CAFile: server.CAFile})
		if err != nil {
			t.Fatal(err)
		}
		if err = c.Send(t.Context(), mail.Message{To: "jane@acme.com", Subject: "Hello", Text: "Hello"}); err != nil {
			return err.Error()
		}
		return ""
	}
	if text := send(server.URL); text != "" || len(server.Received()) != 1 {
		t.Fatalf("%q, %v", text, server.Received())
	}
	wrong := strings.Replace(server.URL, mailtest.Password, "canary-wrong", 1)
	if text := send(wrong); !strings.Contains(text, "the mail server refused") || !strings.Contains(text, "535") || strings.Contains(text, "canary-wrong") {
		t.Errorf("a wrong password: %s", text)
	}
	server.Refuse("no such user")
	if text := send(server.URL); !strings.Contains(text, "the mail server refused the message") || !strings.Contains(text, "no such user") {
		t.Errorf("an unknown receiver: %s", text)
	}
}
