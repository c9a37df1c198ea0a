package conversion_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
)

func TestPostbackSecret(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	b.setSecret(b.network, "s3cret")
	withoutSecret, ownParameter, other := uuid.New(), uuid.New(), uuid.New()
	dbtest.Exec(b, b.db, `INSERT INTO networks (id, account_id, name, postback_params) VALUES ($1, $4, 'without', '{}'),
		($2, $4, 'own name', '{"secret": "Pass"}'), ($3, $4, 'other', '{}')`, withoutSecret, ownParameter, other, b.account)
	b.setSecret(other, "0ther")
	b.setSecret(ownParameter, "n4med")
	mac := hmac.New(sha256.New, []byte("s3cret"))
	mac.Write([]byte("clickid=x"))
	signature := hex.EncodeToString(mac.Sum(nil))
	for name, tt := range map[string]struct {
		p       models.Postback
		outcome string
	}{
		"right secret":                      {models.Postback{NetworkID: b.network, Params: params{"key": "s3cret"}}, "recorded"},
		"right secret, network not named":   {models.Postback{Params: params{"secret": "s3cret"}}, "recorded"},
		"right signature":                   {models.Postback{NetworkID: b.network, Signature: signature, SignedText: "clickid=x"}, "recorded"},
		"signature of another text":         {models.Postback{NetworkID: b.network, Signature: signature, SignedText: "clickid=y"}, "refused"},
		"wrong secret":                      {models.Postback{NetworkID: b.network, Params: params{"secret": "x"}}, "refused"},
		"no secret":                         {models.Postback{NetworkID: b.network}, "refused"},
		"no secret, network not named":      {models.Postback{}, "refused"},
		"no secret, named network has none": {models.Postback{NetworkID: withoutSecret}, "refused"},

		"right secret, named network has none": {models.Postback{NetworkID: withoutSecret, Params: params{"key": "s3cret"}}, "recorded"},
		"secret of the wrongly named network":  {models.Postback{NetworkID: other, Params: params{"key": "0ther"}}, "refused"},
		"right secret, wrong network named":    {models.Postback{NetworkID: other, Params: params{"key": "s3cret"}}, "recorded"},
	} {
		p := tt.p
		p.AccountID = b.account
		merged := params{"clickid": b.storeClick()}
		for k, v := range p.Params {
			merged[k] = v
		}
		p.Params = merged
		if outcome, detail := b.postback(p); outcome != tt.outcome {
			t.Errorf("%s: %s (%s), want %s", name, outcome, detail, tt.outcome)
		}
	}
}

// TestGoalNeedsNoSecretOfANetwork checks that a goal needs no secret, because it was verified when its event arrived. Settings of
// the click's network do not apply to a goal.
func TestGoalNeedsNoSecretOfANetwork(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	dbtest.Exec(b, b.db, `UPDATE networks SET postback_params = '{"secret": "goal", "payout": "time"}' WHERE id = $1`, b.network)
	b.setSecret(b.network, "s3cret")
	c := b.newClick()
	c.LanderID, c.OfferID = uuid.New(), uuid.Nil
	b.appendToSpool(spool.Record{Click: c})
	now := time.Now()
	event := func(eventID, status, value string) *models.SiteEvent {
		return &models.SiteEvent{
			ID: models.SiteEventID(b.account, models.FromGoalAPI, eventID), AccountID: b.account, ReceivedAt: now, At: now, ClickID: c.ID, Source: models.FromGoalAPI,
			Goals: []models.ReachedGoal{{
				Key: "purchase", Value: decimal.RequireFromString(value), Currency: "USD", Status: status, OrderID: "A1",
			}},
		}
	}
	send := func(e *models.SiteEvent) {
		t.Helper()
		b.appendToSpool(spool.Record{Event: e})
		b.drain()
		if outcome, detail := b.decided(e.Postbacks()[0].ID); outcome != "recorded" {
			t.Errorf("%s (%s)", outcome, detail)
		}
	}
	send(event("1", "", "12.5"))
	v := b.conversions()[0]
	if v.Source != models.FromGoalAPI || v.Goal != "purchase" || v.ConversionID != "A1" || v.Status != models.StatusApproved ||
		!v.Payout.Equal(decimal.RequireFromString("12.5")) {
		t.Errorf("%+v", v)
	}
	dbtest.Exec(b, b.db, `UPDATE conversions SET status = 'rejected', statements = jsonb_set(statements, '{0,status}', '"rejected"')`)
	send(event("2", "", "12.5"))
	// The goal API stores some of the goals that it refuses, each as a postback without an event. Such a postback records no conversion.
	refused := models.Postback{AccountID: b.account, Source: models.FromGoalAPI, Params: params{"clickid": models.FormatClickID(c.ID), "goal": "x"}}
	if outcome, detail := b.postback(refused); outcome != "refused" {
		t.Errorf("a goal that the goal API refused: %s (%s), want refused", outcome, detail)
	}
	if list := b.conversions(); len(list) != 1 || list[0].Status != models.StatusRejected {
		t.Errorf("after a repeated order: %+v, want one rejected conversion", list)
	}
}

func (b *env) setSecret(network uuid.UUID, secret string) {
	b.Helper()
	sealed := must(b.box.SealForService(b.Context(), seal.Place{
		Account: b.account, Table: "networks", Row: network.String(), Column: "postback_secret",
	}, []byte(secret)))(b)
	dbtest.Exec(b, b.db, `UPDATE networks SET postback_secret = $2 WHERE id = $1`, network, sealed)
}

// find counts the rows that contain a text, in clear or as bytes, over all tables.
func (b *env) find(text string) (n int) {
	b.Helper()
	var tables []string
	err := b.db.SelectContext(b.Context(), &tables, `SELECT format('%I', table_name) FROM information_schema.tables
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	if err != nil || len(tables) < 20 {
		b.Fatal(tables, err)
	}
	for _, table := range tables {
		var found int
		err := b.db.GetContext(b.Context(), &found, `SELECT count(*) FROM `+table+` t
			WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`, text, hex.EncodeToString([]byte(text)))
		if err != nil {
			b.Fatal(err)
		}
		n += found
	}
	return n
}

// TestSecretsOfPostbacksAreNotStored sends a secret in several places of postbacks. Then the whole database does not contain it.
// An unmatched postback can still be matched later.
func TestSecretsOfPostbacksAreNotStored(t *testing.T) {
	t.Parallel()
	b := newEnv(t, 0)
	const canary = "c4nary-of-a-secret"
	dbtest.Exec(b, b.db, `UPDATE networks SET postback_params = '{"secret": "Pass", "payout": "comm"}' WHERE id = $1`, b.network)
	b.setSecret(b.network, canary)
	dbtest.Exec(b, b.db, `INSERT INTO networks (id, account_id, name, postback_params) VALUES ($1, $2, 'another', '{"secret": "sub5"}')`,
		uuid.New(), b.account)
	text := "clickid=x&key=" + canary
	mac := hmac.New(sha256.New, []byte(canary))
	mac.Write([]byte(text))
	signature := hex.EncodeToString(mac.Sum(nil))
	for name, p := range map[string]models.Postback{
		"network named":                {NetworkID: b.network, Params: params{"pass": canary, "note": "n"}},
		"network not named":            {Params: params{"PASS": canary, "note": "n", "comm": "7"}},
		"alias of the parameter":       {Params: params{"upd_key": canary, "note": "n"}},
		"parameter of another network": {Params: params{"key": canary, "note": "n", "Sub5": canary, "y": `["` + canary + `"]`}},
		"signed":                       {Signature: signature, SignedText: text, Params: params{"key": "x", "note": "n"}},
	} {
		p.AccountID = b.account
		p.Params["clickid"] = b.storeClick()
		id := b.send(p)
		if outcome, detail := b.decided(id); outcome != "recorded" {
			t.Errorf("%s: %s (%s)", name, outcome, detail)
		}
		var row struct{ Note, Secrets, Proof string }
		err := b.db.GetContext(t.Context(), &row, `SELECT coalesce(params->>'note', '') note, signature || signed_text secrets,
			coalesce(proof::text, '') proof FROM postbacks WHERE id = $1`, id)
		if err != nil || row.Note != "n" || row.Secrets != "" || row.Proof != "" {
			t.Errorf("%s: stored %+v, %v", name, row, err)
		}
	}
	if list := b.conversions(); len(list) != 5 {
		t.Errorf("%d conversions, want 5", len(list))
	}
	refused := b.send(models.Postback{AccountID: b.account, Params: params{"clickid": b.storeClick(), "pazz": canary}})
	if outcome, detail := b.decided(refused); outcome != "refused" || !strings.HasSuffix(detail, "; not shown: pazz") {
		t.Errorf("a secret under a wrong name: %s (%s)", outcome, detail)
	}
	c := b.newClick()
	late := b.send(models.Postback{AccountID: b.account, Params: params{"clickid": models.FormatClickID(c.ID), "key": canary}})
	if outcome, detail := b.decided(late); outcome != "unmatched" {
		t.Errorf("before its click is stored: %s (%s), want unmatched", outcome, detail)
	}
	if n := b.find(canary); n != 0 {
		t.Errorf("%d rows contain the secret", n)
	}
	b.appendToSpool(spool.Record{Click: c})
	b.drain()
	dbtest.Exec(b, b.db, `UPDATE postbacks SET outcome = 'pending', attempts = 0, match_at = now() WHERE id = $1`, late)
	await.Until(t, "the postback is accepted when its click is looked for again", func() bool {
		outcome, _ := b.decided(late)
		return outcome == "recorded"
	})
}

// TestSecretOfTheClicksNetworkIsNoField: the address of a postback names one network, and its click belongs to another. A
// parameter with the secret of the click's network is not read as a field.
func TestSecretOfTheClicksNetworkIsNoField(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	const canary = "c4nary-in-a-field"
	dbtest.Exec(b, b.db, `UPDATE networks SET postback_params = '{"secret": "event"}' WHERE id = $1`, b.network)
	b.setSecret(b.network, canary)
	other := uuid.New()
	dbtest.Exec(b, b.db, `INSERT INTO networks (id, account_id, name, postback_params) VALUES ($1, $2, 'other', '{"goal": "event"}')`,
		other, b.account)
	id := b.send(models.Postback{
		AccountID: b.account, NetworkID: other, Params: params{"clickid": b.storeClick(), "Event": canary, "payout": "3"},
	})
	if outcome, detail := b.decided(id); outcome != "recorded" {
		t.Fatalf("%s (%s)", outcome, detail)
	}
	if list := b.conversions(); len(list) != 1 || list[0].Goal != "" {
		t.Errorf("%+v", list)
	}
}

// TestPostbackOfThePreviousVersion checks that the unsealed secret of a postback that the previous version stored is removed.
func TestPostbackOfThePreviousVersion(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	b.setSecret(b.network, "0ld-secret")
	for secret, want := range map[string]string{"0ld-secret": "recorded", "0ld-wrong": "refused"} {
		p := &models.Postback{
			ID: models.NewClickID(), Source: models.FromPostback, AccountID: b.account, SignedText: "key=" + secret,
			Signature: "ab", Params: params{"clickid": b.storeClick(), "Key": secret, "note": "n"},
		}
		b.appendToSpool(spool.Record{Postback: p})
		b.drain()
		if outcome, detail := b.decided(p.ID); outcome != want {
			t.Errorf("postback with %s: %s (%s)", secret, outcome, detail)
		}
		if n := b.find(secret); n != 0 {
			t.Errorf("%s is contained in %d rows", secret, n)
		}
	}
}
