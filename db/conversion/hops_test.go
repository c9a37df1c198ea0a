package conversion_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/parttest"
)

// TestOffersOfConversions stores click-outs and conversions in random order. The ledger counts a conversion for the offer of its
// click's last click-out. The conversion itself keeps the offer that its click had when the conversion was recorded. If the click
// had none, the conversion gets the click's offer as soon as a click-out is stored.
func TestOffersOfConversions(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	d := dbtest.New(t)
	rnd := rand.New(rand.NewPCG(14, 9))
	s := clicktest.OpenSpool(t, t.TempDir())
	dbtest.SetRates(t, d, "1")
	acc, campaign := clicktest.Account(t, d), uuid.New()
	offers := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	var clicks []*models.Click
	current := map[uuid.UUID]uuid.UUID{} // stored offer of each click
	paid := map[string]string{}          // offer of each conversion, by its id
	var outs []*models.ClickOut          // not stored yet
	storeAll := func() {
		clicktest.Drain(t, s, d, ingest.Options{})
		for _, o := range outs {
			current[o.ClickID] = o.OfferID
		}
		for _, c := range clicks {
			for id, offer := range paid {
				if offer == uuid.Nil.String() && id[:36] == c.ID.String() {
					paid[id] = current[c.ID].String()
				}
			}
		}
		outs = nil
	}
	for i := range 10 {
		c := clicktest.Click(acc, campaign, byte(i))
		c.LanderID = uuid.New()
		clicks = append(clicks, c)
		clicktest.Put(t, s, spool.Record{Click: c})
	}
	storeAll()
	for step := range 120 {
		c := clicks[rnd.IntN(len(clicks))]
		switch rnd.IntN(3) {
		case 0:
			o := &models.ClickOut{ID: models.NewClickID(), ClickID: c.ID, AccountID: acc, Slot: 1, OfferID: offers[rnd.IntN(len(offers))]}
			outs = append(outs, o)
			clicktest.Put(t, s, spool.Record{Out: o})
		case 1:
			id := fmt.Sprint(c.ID, "-", step)
			if _, err := clicktest.Record(t, d, conversion.Input{ClickID: c.ID, ConversionID: id, Payout: clicktest.Amount("2")}); err != nil {
				t.Fatal(err)
			}
			paid[id] = current[c.ID].String()
		case 2:
			storeAll()
		}
	}
	storeAll()
	figures := func(query string) map[string]string {
		t.Helper()
		got, err := db.Pairs[string, string](t.Context(), d, "figures", query)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	ledger := figures(`SELECT offer_id, concat_ws(' ', sum(clicks), sum(approved), sum(revenue)::float) FROM ledger GROUP BY offer_id
		HAVING sum(clicks) <> 0 OR sum(approved) <> 0 OR sum(revenue) <> 0`)
	recount := figures(`SELECT k.offer_id, concat_ws(' ', count(*), coalesce(sum(n), 0), coalesce(sum(money), 0)::float) FROM clicks k
		LEFT JOIN (SELECT click_id, count(*) AS n, sum(payout) AS money FROM conversions GROUP BY click_id) v ON v.click_id = k.id GROUP BY k.offer_id`)
	if diff := cmp.Diff(recount, ledger); diff != "" {
		t.Errorf("the ledger (+) differs from the recount (-): %s", diff)
	}
	rows := figures(`SELECT conversion_id, offer_id FROM conversions`)
	if diff := cmp.Diff(paid, rows); diff != "" {
		t.Errorf("the stored offers of the conversions (+) differ from the expected ones (-): %s", diff)
	}
	moved := 0
	for _, c := range clicks {
		for id, offer := range paid {
			if id[:36] == c.ID.String() && offer != current[c.ID].String() {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("no conversion was followed by a click-out to another offer")
	}
	clicktest.CheckFigures(t, d)
}

// TestApplyWaitingHops checks that a click-out whose ingester did not see its click is applied later, together with the click's
// conversions.
func TestApplyWaitingHops(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, func(c *models.Click) { c.LanderID = uuid.New() })
	if _, err := clicktest.Record(t, d, conversion.Input{
		ClickID: c.ID, Payout: clicktest.Amount("3"), Status: models.StatusPending,
	}); err != nil {
		t.Fatal(err)
	}
	offer, hop := uuid.New(), models.NewClickID()
	for _, click := range []uuid.UUID{c.ID, models.NewClickID()} {
		dbtest.Exec(t, d, `INSERT INTO click_hops (id, click_id, account_id, slot, offer_id, network_id,
			destination) VALUES ($1, $2, $3, 2, $4, $4, '')`, hop, click, c.AccountID, offer)
		hop = models.NewClickID()
	}
	for _, want := range []int{1, 0} { // the second click-out waits for a click that is never stored
		if n, err := conversion.ApplyWaitingHops(t.Context(), click.Log{Conn: d}, 10); err != nil || n != want {
			t.Fatalf("click-outs were applied to %d clicks, want %d: %v", n, want, err)
		}
	}
	for query, want := range map[string]int{
		`SELECT sum(clicks) FROM ledger WHERE offer_id = $1`:            1,
		`SELECT sum(lp_clicks) FROM ledger WHERE offer_id = $1`:         1,
		`SELECT sum(pending) FROM ledger WHERE offer_id = $1`:           1,
		`SELECT sum(clicks + pending) FROM ledger WHERE offer_id <> $1`: 0,
		`SELECT count(*) FROM conversions WHERE offer_id = $1`:          1,
	} {
		if n := dbtest.Get[int](t, d, query, offer); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
}
