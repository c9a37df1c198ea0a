package click_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

// TestClickLog checks the logs of clicks and conversions, and the details of a click. Another account finds nothing.
func TestClickLog(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, func(c *models.Click) { *c = *clicktest.Full(c) })
	hop := models.ClickOut{ID: models.NewClickID(), ClickID: c.ID, AccountID: c.AccountID, Slot: 3, OfferID: uuid.New()}
	s := clicktest.OpenSpool(t, t.TempDir())
	clicktest.Put(t, s, spool.Record{Out: &hop})
	plain := clicktest.Click(c.AccountID, c.CampaignID, 5)
	clicktest.Put(t, s, spool.Record{Click: plain})
	clicktest.Drain(t, s, d, ingest.Options{})
	if _, err := clicktest.Record(t, d, clicktest.Input{ClickID: c.ID}); err != nil {
		t.Fatal(err)
	}
	got, err := click.Log{Conn: d}.FindClick(t.Context(), c.AccountID, c.ID)
	if err != nil || len(got.Hops) != 1 || len(got.Conversions) != 1 || got.LPSlot != 3 || got.OfferID != hop.OfferID {
		t.Fatalf("the click is %+v, want one hop, one conversion, and the slot and offer of the hop: %v", got, err)
	}
	want := *c
	want.OfferID, want.NetworkID = hop.OfferID, hop.NetworkID
	want.Cost = want.Cost.Add(want.UniqueCost)
	if diff := cmp.Diff(want, got.Click, clicktest.SameValues); diff != "" {
		t.Error(diff)
	}
	if _, err := (click.Log{Conn: d}).FindClick(t.Context(), uuid.New(), c.ID); !errors.Is(err, models.NotFound("click")) {
		t.Errorf("another account finds the click: %v", err)
	}
	now := time.Now()
	q := click.LogQuery{AccountID: c.AccountID, From: now.Add(-time.Hour), To: now.Add(time.Hour), Limit: 10}
	list, err := click.Log{Conn: d}.Clicks(t.Context(), q)
	if err != nil || len(list) != 2 || list[0].ID != plain.ID || list[1].ID != c.ID {
		t.Errorf("the log has %d clicks, want the plain click before the full one, %v", len(list), err)
	}
	q.Converted = true
	list, err = click.Log{Conn: d}.Clicks(t.Context(), q)
	if err != nil || len(list) != 1 || list[0].ID != c.ID {
		t.Errorf("%d clicks with a conversion, want 1, %v", len(list), err)
	}
	conversions, err := click.Log{Conn: d}.Conversions(t.Context(), q)
	if err != nil || len(conversions) != 1 || conversions[0].OfferID != hop.OfferID {
		t.Errorf("want one conversion with the offer of the click-out: %+v, %v", conversions, err)
	}
	q.AccountID = uuid.New()
	if conversions, err = (click.Log{Conn: d}).Conversions(t.Context(), q); err != nil || len(conversions) != 0 {
		t.Errorf("another account finds conversions: %+v, %v", conversions, err)
	}
}
