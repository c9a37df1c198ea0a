package click

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/models/bucket"
	"switchyard/models/notification"
	"switchyard/models/postback"
)

func (w *env) networkWith(scheme string) uuid.UUID {
	w.Helper()
	id := w.network()
	dbtest.Exec(w, w.db, `UPDATE networks SET postback_scheme = $2 WHERE id = $1`, id, scheme)
	return id
}

// A notification is stored as it arrived, with the headers that a scheme reads. No part of it is stored unencrypted.
func TestNotificationIsKeptAsItArrived(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	shop := w.networkWith("shopify")
	w.reload()
	target := "/postback/" + shop.String()
	order := `{"id": 7, "email": "jon@example.com", "clickid": "x", "lines": "` + strings.Repeat("Ünïcode \\u0000 ", 9000) + `"}`
	signed := []edit{
		header("X-Shopify-Hmac-Sha256", "c3Vt"), header("X-Shopify-Topic", "orders/paid"), header("Content-Type", "application/json"),
		header("Authorization", "Bearer x"), header("Cookie", "a=b"),
	}
	for name, tt := range map[string]struct{ method, target, body string }{
		"large order": {http.MethodPost, target, order},
		"no JSON":     {http.MethodPost, target, "\x00\xff{"},
		"query":       {http.MethodGet, target + "?a=1&secret=s3cret", ""},
		"both":        {http.MethodPost, target + "?a=%zz", "a=b"},
	} {
		res := w.send(tt.method, tt.target, tt.body, signed...)
		if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
			t.Errorf("%s: the answer is %d %s, want 200", name, res.StatusCode, body)
			continue
		}
		p := w.spool.postback()
		if len(p.Params) != 0 || p.Raw != nil || p.Unmatched != "" || p.ClickID != uuid.Nil || p.NetworkID != shop {
			t.Errorf("%s: stored unsealed: %+v", name, p)
		}
		if bytes.Contains(p.Proof, []byte("example.com")) || len(p.Proof) > 100<<10 {
			t.Errorf("%s: the proof of %d bytes is not sealed or not compressed", name, len(p.Proof))
		}
		raw := w.proof().Raw
		body, err := postback.UnpackBody(raw.Body, notification.MaxBody)
		_, query, _ := strings.Cut(tt.target, "?")
		if err != nil || string(body) != tt.body || raw.Query != query {
			t.Errorf("%s: the body %.60q and the query %q are stored, want those that were sent, error %v", name, body, raw.Query, err)
		}
		want := textMap("x-shopify-hmac-sha256", "c3Vt", "x-shopify-topic", "orders/paid", "content-type", "application/json")
		if !maps.Equal(raw.Header, want) {
			t.Errorf("%s: the headers %v are stored, want %v", name, raw.Header, want)
		}
	}
}

func TestNotificationLimits(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	target := "/postback/" + w.networkWith("stripe").String()
	w.reload()
	for name, tt := range map[string]struct {
		method, target string
		size, status   int
	}{
		"largest":   {http.MethodPost, target, notification.MaxBody, 200},
		"too large": {http.MethodPost, target, notification.MaxBody + 1, 413},
		"query":     {http.MethodGet, target + "?a=" + strings.Repeat("a", maxMessage), 0, 413},
		"empty":     {http.MethodPost, target, 0, 400},
		"nothing":   {http.MethodGet, target, 0, 400},
		"try":       {http.MethodHead, target, 0, 200},
		"put":       {http.MethodPut, target, 1, 405},
	} {
		if res := w.send(tt.method, tt.target, strings.Repeat("x", tt.size)); res.StatusCode != tt.status {
			t.Errorf("%s: %d, want %d", name, res.StatusCode, tt.status)
		}
	}
	// The bucket never fills again here, so the speed of the machine does not matter.
	w.h.limits.kilobytes = bucket.New[uuid.UUID](0, notificationBurst, maxAddressees)
	refused, most := 0, notificationBurst/(1+notification.MaxBody/1024)
	for range most + 2 {
		if w.send(http.MethodPost, target, strings.Repeat("x", notification.MaxBody)).StatusCode == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 2 {
		t.Errorf("%d messages are refused, want 2", refused)
	}
}

// Before the routing snapshot is loaded, a message is kept in both forms: as it arrived, and as parameters.
func TestNotificationOfAnUnknownNetwork(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	network := w.network()
	w.reload()
	w.h.routes = routing.NewRefresher(w.db, "")
	res := w.send(http.MethodPost, "/postback/"+network.String(), "clickid=x&amount=2", header("Stripe-Signature", "t=1"), header("X-Signature", "ab"))
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.StatusCode)
	}
	proof := w.proof()
	if proof.Raw == nil || proof.Raw.Header["stripe-signature"] != "t=1" || proof.Signature != "ab" || proof.Params["amount"] != "2" {
		t.Errorf("the stored proof is %+v, want the header, the signature and the amount that were sent", proof)
	}
}
