package copilot_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	dbcopilot "switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/flow"
)

// storeClicks stores n clicks at the real current time. change sets the fields of each.
func (w *env) storeClicks(n int, change func(*models.Click)) {
	w.Helper()
	s, err := spool.Open(w.TempDir(), spool.Options{})
	if err != nil {
		w.Fatal(err)
	}
	for range n {
		c := models.Click{
			ID: models.NewClickID(), AccountID: w.account.ID, CampaignID: w.campaign.ID, StreamID: uuid.MustParse(w.paths[0].ID),
			SourceID: w.campaign.SourceID.UUID, Cost: decimal.NewFromInt(1), Currency: "USD",
		}
		change(&c)
		if err := s.Append(w.Context(), spool.Record{Click: &c}); err != nil {
			w.Fatal(err)
		}
	}
	if err := ingest.NewIngester(s, w.d, ingest.Options{}).Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
	if err := s.Close(); err != nil {
		w.Fatal(err)
	}
}

// TestReads checks that the reasons for several kinds of suggestions are found in the database. A denied value is not suggested
// again.
func TestReads(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	now := time.Now().UTC().Truncate(time.Microsecond)
	w.setNow(now.AddDate(0, 0, 2)) // the clicks stored today are then on a complete day
	o := models.Offer{OfferFields: models.OfferFields{
		Name: "shoe", URL: "https://o.test/", Payout: models.NewMoney(decimal.NewFromInt(5)), PayoutType: "fixed", Currency: "USD", PayoutFromParam: true,
	}}
	o.AccountID = w.account.ID
	o, err := w.store.Offers().Create(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.store.Campaigns().ChangeFlow(t.Context(), w.account.ID, w.campaign.ID, func(f store.CampaignFlow) ([]flow.Path, error) {
		f.Paths[0].Destinations = []flow.Destination{{ID: o.ID.String(), Weight: 100}}
		return f.Paths, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(w, w.d, `UPDATE traffic_sources SET token_macros = '{"zone": "{zone}", "creative": "{creative}"}' WHERE id = $1`, w.campaign.SourceID)
	var clicks []uuid.UUID
	w.storeClicks(300, func(c *models.Click) { c.OfferID, c.Subs[0], clicks = o.ID, "good", append(clicks, c.ID) })
	w.storeClicks(200, func(c *models.Click) { c.OfferID, c.Subs[0] = o.ID, "Bad" })
	w.storeClicks(600, func(c *models.Click) { c.BotSignals, c.IsBot = 1, true })
	dbtest.Exec(w, w.d, `INSERT INTO link_checks (kind, record_id, account_id, url, checked_at, error, failures, failing_since, broken_at)
		VALUES ('offer', $1, $2, 'https://o.test/', now(), 'it answers 404', 2, now(), now())`, o.ID, w.account.ID)
	elsewhere := w.unmatched("elsewhere", "aff_click", clicks[:12])
	w.unmatched("read already", "cid", clicks[:12])
	w.unmatched("made up", "aff_click", slices.Repeat([]uuid.UUID{models.NewClickID()}, 12))
	// byKind returns the suggestions by their kind, and those about postbacks also by their title.
	byKind := func() map[string]copilot.Suggestion {
		t.Helper()
		found := map[string]copilot.Suggestion{}
		for _, s := range w.refresh() {
			if found[s.Kind] = s; s.Kind == "unmatched_postbacks" {
				found[s.Title] = s
			}
		}
		return found
	}
	if a := byKind()["block_value"].Action; a != nil {
		t.Errorf("block_value before all conversions can have arrived: %+v", a)
	}
	w.setNow(now.AddDate(0, 0, 5))
	found := byKind()
	if a := found["block_value"].Action; a == nil || a.Attribute != "sub1" || !slices.Equal(a.Values, []string{"Bad"}) {
		t.Errorf("block_value: %+v", a)
	}
	if a := found[`Postbacks of network “elsewhere” find no click`].Action; a == nil || a.Parameter != "aff_click" || a.NetworkID.UUID != elsewhere {
		t.Errorf("unmatched_postbacks: %+v", a)
	}
	for _, name := range []string{"read already", "made up"} {
		if s := found[fmt.Sprintf("Postbacks of network “%s” find no click", name)]; s.Title == "" || s.Action != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	// The clicks of bots do not count.
	if s := found["empty_token"]; s.Evidence.Sample != 500 || s.Key != "" && s.Title != `Traffic source “push” never fills sub2` {
		t.Errorf("empty_token: %+v", s)
	}
	for _, kind := range []string{"bot_source", "bad_link"} {
		if found[kind].Title == "" {
			t.Errorf("no %s among %v", kind, found)
		}
	}
	if err := dbcopilot.NewSuggestions(w.store).ExpireAmounts(t.Context(), w.account.ID); err != nil {
		t.Fatal(err)
	}
	open, err := dbcopilot.NewSuggestions(w.store).OpenOf(t.Context(), w.account.ID, "block_value", *w.now.Load())
	if err != nil || len(open) > 0 {
		t.Errorf("suggestions with amounts of money are still open: %+v, %v", open, err)
	}
	after, _, _, err := found["block_value"].Action.Apply(copilot.Record{})
	if err != nil || len(after.Entries) != 1 {
		t.Fatalf("%+v, %v", after, err)
	}
	entry := after.Entries[0]
	entry.AccountID = w.account.ID
	if _, err := w.store.BotEntries().Create(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	w.setNow(w.now.Load().Add(time.Minute))
	if again, ok := byKind()["block_value"]; ok {
		t.Errorf("block_value for a value that is denied already: %+v", again.Action)
	}
}

// unmatched adds a network with postbacks that matched no click, although one of their parameters has a click id.
func (w *env) unmatched(name, parameter string, clicks []uuid.UUID) uuid.UUID {
	w.Helper()
	n := network(w.account.ID)
	n.Name = name
	n, err := w.store.Networks().Create(w.Context(), n)
	if err != nil {
		w.Fatal(err)
	}
	for _, id := range clicks {
		raw, _ := json.Marshal(map[string]string{"oid": "17", parameter: models.FormatClickID(id)})
		dbtest.Exec(w, w.d, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, received_at, outcome)
			VALUES (gen_random_uuid(), $1, $2, 'postback', '', $3, now(), 'unmatched')`, w.account.ID, n.ID, string(raw))
	}
	return n.ID
}

func network(account uuid.UUID) models.Network {
	n := models.Network{NetworkFields: models.NetworkFields{Name: "net", Currency: "USD"}}
	n.AccountID = account
	return n
}
