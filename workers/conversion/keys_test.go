package conversion_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"switchyard/db"
	dbconversion "switchyard/db/conversion"
	"switchyard/db/dbtest"
	dbmatchkey "switchyard/db/matchkey"
	"switchyard/models"
	"switchyard/models/matchkey"
)

// keysOf opens the stored match keys of a click and merges them.
func (b *env) keysOf(click string) (h matchkey.Hashes) {
	b.Helper()
	id, err := models.ParseClickID(click)
	if err != nil {
		b.Fatal(err)
	}
	rows, err := db.Select[dbmatchkey.Row](b.Context(), b.db, "match keys",
		`SELECT id, account_id, click_id, names, sealed, received_at FROM conversion_match_keys WHERE account_id = $1 AND click_id = $2 AND names <> '{}'`, b.account, id)
	if err != nil {
		b.Fatal(err)
	}
	for _, row := range rows {
		one := must(b.store.OpenKeys(b.Context(), b.account, row.ID, row.Sealed))(b)
		if got := strings.Join(row.Names, ","); got != strings.Join(one.Names(), ",") {
			b.Errorf("the names of the keys are %s", got)
		}
		h = h.With(one)
	}
	return h
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// TestKeysOfPostbacks checks that only a postback with the right secret adds keys for its click, and that a later refusal of the
// consent deletes them.
func TestKeysOfPostbacks(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	b.setSecret(b.network, "s3cret")
	click := b.storeClick()
	email, _ := matchkey.Hash(matchkey.Person{"email": "a@example.com"}, "")
	forged, _ := matchkey.Hash(matchkey.Person{"email": "b@example.com", "city": "Rome"}, "")
	b.postback(models.Postback{NetworkID: b.network, Params: params{"myclick": click, "secret": "wrong"}, Personal: &models.Personal{Keys: forged}})
	if h := b.keysOf(click); !h.IsEmpty() {
		t.Errorf("a forged postback added the keys %v", h.Names())
	}
	b.postback(models.Postback{NetworkID: b.network, Params: params{"myclick": click, "secret": "s3cret"}, Personal: &models.Personal{Keys: email}})
	if h := b.keysOf(click); h != email {
		t.Errorf("keys %v", h.Names())
	}
	b.postback(models.Postback{NetworkID: b.network, Params: params{"myclick": click, "secret": "wrong"}, Personal: &models.Personal{ConsentDenied: true}})
	if h := b.keysOf(click); h != email {
		t.Error("a forged postback withdraws the consent")
	}
	b.postback(models.Postback{NetworkID: b.network, Params: params{"myclick": click, "secret": "s3cret"}, Personal: &models.Personal{ConsentDenied: true}})
	if h := b.keysOf(click); !h.IsEmpty() {
		t.Errorf("keys %v after the consent was withdrawn", h.Names())
	}
	// A postback that is older than the refusal, but is recorded after it, adds no keys.
	b.postback(models.Postback{
		ID: models.FloorClickID(time.Now().Add(-time.Hour)), NetworkID: b.network, Params: params{"myclick": click, "secret": "s3cret"},
		Personal: &models.Personal{Keys: email},
	})
	if h := b.keysOf(click); !h.IsEmpty() {
		t.Errorf("keys %v of a postback from before the refusal", h.Names())
	}
	// The sealed proof of a postback can contain personal data, so it is deleted once the postback is recorded or ignored.
	if n := dbtest.Get[int](b, b.db, `SELECT count(*) FROM postbacks WHERE outcome IN ('recorded', 'ignored') AND (proof IS NOT NULL OR has_personal_data)`); n != 0 {
		t.Errorf("%d decided postbacks keep their proof", n)
	}
}

// TestKeysOfNotifications checks that an order from a shop adds the buyer's hashed data only with the buyer's consent. The data
// are stored only encrypted.
func TestKeysOfNotifications(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	network := b.shop("shopify")
	order := func(id, click, consent string) {
		body := `{"id": ` + id + `, "financial_status": "paid", "total_price": "5.00", "currency": "USD", "email": "C4nary@Example.com",
			"phone": "020 7946 0958", "billing_address": {"zip": "SW1A 1AA", "country_code": "GB"},
			"note_attributes": [{"name": "clickid", "value": "` + click + `"}` + consent + `]}`
		b.decided(b.notify(network, shopifyHeader(body), body))
	}
	agreed, silent := b.clickOf(network), b.clickOf(network)
	order("1", agreed, `, {"name": "consent", "value": "granted"}`)
	order("2", silent, "")
	h := b.keysOf(agreed)
	// A British postcode is hashed without its last two letters.
	if h.Email != sha("c4nary@example.com") || h.Phone != sha("+442079460958") || h.Zip != sha("sw1a1") || h.Country != sha("gb") {
		t.Errorf("keys %v", h.Names())
	}
	if h := b.keysOf(silent); !h.IsEmpty() {
		t.Errorf("keys %v without consent", h.Names())
	}
	forged := b.notify(network, shopifyHeader("other"), `{"id": 3, "email": "c4nary@example.com"}`)
	b.decided(forged)
	if n := dbtest.Get[int](b, b.db, `SELECT count(*) FROM postbacks WHERE id = $1 AND has_personal_data AND proof IS NOT NULL`, forged); n != 1 {
		t.Error("the proof of a refused notification is not kept, or is not marked for later deletion")
	}
	for _, table := range []string{"postbacks", "jobs", "conversions", "events", "conversion_match_keys"} {
		if n := dbtest.Get[int](b, b.db, `SELECT count(*) FROM `+table+` t WHERE lower(t::text) LIKE '%c4nary%' OR t::text LIKE '%'||$1||'%'`, sha("c4nary@example.com")); n != 0 {
			t.Errorf("%d rows of %s have the buyer's e-mail address or its hash", n, table)
		}
	}
	dbtest.Exec(b, b.db, `UPDATE postbacks SET received_at = now() - interval '7 days'`)
	if _, proofs, err := dbmatchkey.DeleteExpired(t.Context(), b.db, time.Now()); err != nil || proofs != 1 {
		t.Errorf("%d proofs were deleted, want 1: %v", proofs, err)
	}
	if again, err := dbconversion.ReplayPostback(t.Context(), b.db, b.account, forged); !again || err != nil {
		t.Fatal(again, err)
	}
	if outcome, detail := b.decided(forged); outcome != dbconversion.PostbackRefused || detail != dbconversion.NotKept {
		t.Errorf("a notification whose proof is gone: %s, %s, want refused", outcome, detail)
	}
}
