package notification_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/notification"
)

const secret = "k3y-of-the-sh0p"

var received = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var click = models.FormatClickID(func() uuid.UUID {
	id := models.FloorClickID(received.Add(-24 * time.Hour))
	copy(id[9:], "visitor")
	return id
}())

func request(body string, headers ...string) notification.Request {
	r := notification.Request{Header: map[string]string{}, Body: []byte(strings.ReplaceAll(body, "CLICK", click)), Received: received}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header[headers[i]] = headers[i+1]
	}
	return r
}

func signed64(header, body string) notification.Request {
	r := request(body)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(r.Body)
	r.Header[header] = base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return r
}

func scheme(t *testing.T, name string) *notification.Scheme {
	t.Helper()
	s, ok := notification.Find(name)
	if !ok {
		t.Fatalf("there is no scheme %s", name)
	}
	return s
}

func describe(r notification.Result) string {
	if r.Ignored != "" {
		return "ignored: " + r.Ignored
	}
	var lines []string
	for _, p := range r.Reports {
		parts := []string{p.ConversionID, p.Goal, p.Word, strings.TrimSpace(p.Payout + " " + p.Currency)}
		if p.Click != "" {
			parts = append(parts, strings.ReplaceAll("click="+p.Click, click, "CLICK"))
		}
		if len(p.About) > 0 {
			parts = append(parts, fmt.Sprint("about=", p.About))
		}
		if p.Same {
			parts = append(parts, "same")
		}
		if p.Part != "" {
			parts = append(parts, "part="+p.Part)
		}
		lines = append(lines, strings.Join(parts, " | "))
	}
	return strings.Join(lines, "\n")
}

type readCase struct{ name, body, want string }

// check reads each message twice, and both results must have the same key. Reading the message must fail with a wrong
// secret, without a secret, and if a header of the proof is missing.
func check(t *testing.T, name string, sign func(body string) notification.Request, cases []readCase) {
	t.Helper()
	s := scheme(t, name)
	for _, c := range cases {
		r := sign(c.body)
		got, err := s.Read(r, secret, nil)
		if err != nil || describe(got) != c.want {
			t.Errorf("%s: %s\n got %v %s\nwant %s", name, c.name, err, describe(got), c.want)
		}
		if got.Key == "" {
			t.Errorf("%s: %s has no key", name, c.name)
		}
		repeated, _ := s.Read(sign(c.body), secret, nil)
		if repeated.Key != got.Key {
			t.Errorf("%s: %s was read twice and has the keys %s and %s, want the same key", name, c.name, got.Key, repeated.Key)
		}
		if _, err := s.Read(r, secret+"x", nil); !errors.Is(err, notification.ErrUnproven) {
			t.Errorf("%s: %s is accepted with another secret: %v", name, c.name, err)
		}
		if _, err := s.Read(r, "", nil); !errors.Is(err, notification.ErrUnproven) {
			t.Errorf("%s: %s is accepted without a secret: %v", name, c.name, err)
		}
		for header := range r.Header {
			bare := request(c.body)
			bare.Body = r.Body
			for k, v := range r.Header {
				if k != header {
					bare.Header[k] = v
				}
			}
			if _, err := s.Read(bare, secret, nil); !errors.Is(err, notification.ErrUnproven) && slices.Contains(s.Headers, header) {
				t.Errorf("%s: %s is accepted without %s: %v", name, c.name, header, err)
			}
		}
	}
}

func forged(t *testing.T, name string, r notification.Request) {
	t.Helper()
	s := scheme(t, name)
	for i := 0; i < len(r.Body); i += 7 { // every seventh byte, to save time
		changed := r
		changed.Body = slices.Clone(r.Body)
		changed.Body[i] ^= 1
		if out, err := s.Read(changed, secret, nil); err == nil {
			t.Errorf("%s: the message is accepted although byte %d was changed: %s", name, i, describe(out))
		}
	}
}

func TestSchemes(t *testing.T) {
	t.Parallel()
	if names := notification.Names(); !slices.IsSorted(names) || len(names) != 9 {
		t.Errorf("the names of the schemes are %v, want nine in sorted order", names)
	}
	field, _ := reflect.TypeFor[models.NetworkFields]().FieldByName("PostbackScheme")
	if enum := field.Tag.Get("enum"); enum != strings.Join(notification.Names(), ",") {
		t.Errorf("the enum of postback_scheme is %s, want the names of all schemes", enum)
	}
	for _, s := range notification.All() {
		for word, status := range s.Words {
			if !models.ValidStatus(status) || word != strings.ToLower(word) {
				t.Errorf("%s: the word %q is not in lower case, or its status %s is unknown", s.Name, word, status)
			}
		}
		if s.Platform == "" || s.Proof == "" || s.Secret == "" || s.Setup == "" || s.Click == "" || len(s.Docs) == 0 {
			t.Errorf("%s lacks a text for people or its documentation: %+v", s.Name, s)
		}
		for _, h := range s.Headers {
			if !slices.Contains(notification.Headers, h) || h != strings.ToLower(h) {
				t.Errorf("%s: the header %s is missing in Headers, or not in lower case", s.Name, h)
			}
		}
		for _, body := range []string{"", "{", "{}", "[]", "null", "a=b", `{"notification":1,"iv":"x"}`, strings.Repeat(`{"a":`, 9000)} {
			if _, err := s.Read(request(body), secret, nil); !errors.Is(err, notification.ErrUnproven) {
				t.Errorf("%s: the body %.20q gives %v, want ErrUnproven", s.Name, body, err)
			}
		}
	}
	if _, ok := notification.Find(""); ok {
		t.Error("Find returns a scheme for the empty name")
	}
}

// TestStatuses checks that a network's own words take precedence over the words of its scheme.
func TestStatuses(t *testing.T) {
	t.Parallel()
	ownWords := map[string][]string{models.StatusRejected: {" Refunded "}}
	all := notification.Statuses("shopify", ownWords)
	if slices.Contains(all[models.StatusChargeback], "refunded") || !slices.Contains(all[models.StatusApproved], "paid") ||
		len(ownWords) != 1 || len(ownWords[models.StatusRejected]) != 1 {
		t.Errorf("Statuses returned the words %v, and the network's own words are now %v", all, ownWords)
	}
	if got := notification.Statuses("", ownWords); len(got) != 1 {
		t.Errorf("without a scheme, Statuses returned %v, want only the network's own words", got)
	}
}

// TestOwnNames checks that the settings of a network can name the part of a message that has the click id, the payout or the goal.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	body := `{"id": 7, "financial_status": "paid", "total_price": "20.00", "current_subtotal_price": "17.50", "currency": "EUR",
		"note_attributes": [{"name": "ref", "value": "CLICK"}], "source_name": "web"}`
	got, err := scheme(t, "shopify").Read(signed64("x-shopify-hmac-sha256", body), secret,
		map[string]string{"click_id": "ref", "payout": "current_subtotal_price", "goal": "source_name"})
	if want := "7 | web | paid | 17.50 EUR | click=CLICK"; err != nil || describe(got) != want {
		t.Errorf("the message is read as %s, %v, want %s", describe(got), err, want)
	}
	other := string(models.AppendClickID(nil, models.FloorClickID(received.Add(-time.Hour))))
	visit := `{"id": 7, "financial_status": "paid", "total_price": "20.00", "currency": "EUR", "landing_site": "/?clickid=` + other + `&Ref=CLICK"}`
	got, err = scheme(t, "shopify").Read(signed64("x-shopify-hmac-sha256", visit), secret, map[string]string{"click_id": "Ref"})
	if want := "7 |  | paid | 20.00 EUR | click=CLICK"; err != nil || describe(got) != want {
		t.Errorf("with the parameter Ref, the message is read as %s, %v, want %s", describe(got), err, want)
	}
	event := `{"id": "evt_1", "type": "checkout.session.completed", "livemode": true, "data": {"object": {"id": "cs_1", "mode": "payment",
		"amount_total": 2000, "amount_subtotal": 1750, "currency": "eur", "metadata": {"visit": "CLICK"}}}}`
	got, err = scheme(t, "stripe").Read(signStripe(event), secret,
		map[string]string{"click_id": "metadata.visit", "payout": "amount_subtotal"})
	if want := "cs_1 |  | checkout.session.completed | 17.5 eur | click=CLICK"; err != nil || describe(got) != want {
		t.Errorf("the event is read as %s, %v, want %s", describe(got), err, want)
	}
}
