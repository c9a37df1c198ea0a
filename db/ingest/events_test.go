package ingest_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/models"
)

// arrived returns an event of a click's visitor. The first byte of own, the event's own id, is also the number of seconds between
// the click and the event.
func arrived(c *models.Click, own, arrival string) *models.SiteEvent {
	now := models.ClickTime(c.ID).Add(time.Duration(own[0]) * time.Second)
	return &models.SiteEvent{
		ID: models.SiteEventID(c.AccountID, models.FromTag, own), AccountID: c.AccountID, SiteID: uuid.New(), ReceivedAt: now, At: now,
		ClickID: c.ID, Arrival: arrival, Name: "purchase", Source: models.FromTag, Items: []models.SiteItem{{SKU: `a"\`, Quantity: 2}},
		Goals: []models.ReachedGoal{
			{Key: "purchase", Value: decimal.New(5, 0), Currency: "EUR", OrderID: own}, {Key: "any"},
		},
	}
}

// TestSiteEventsAreStoredOnce checks that a repeated event is stored once and creates its postbacks once. Events of deleted
// accounts are dropped.
func TestSiteEventsAreStoredOnce(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, campaign := clicktest.Account(t, d), uuid.New()
	s := clicktest.OpenSpool(t, t.TempDir())
	c := clicktest.Click(acc, campaign, 1)
	first, again, other := arrived(c, "1", "url"), arrived(c, "1", "cookie"), arrived(c, "2", "gclid")
	again.ReceivedAt = again.ReceivedAt.Add(time.Hour)
	ofDeleted := arrived(clicktest.Click(uuid.New(), campaign, 2), "1", "url")
	withoutClick := arrived(clicktest.Click(acc, campaign, 3), "3", models.ArrivalDirect)
	withoutClick.ClickID = uuid.Nil
	clicktest.Put(t, s, spool.Record{Click: c})
	for _, e := range []*models.SiteEvent{first, ofDeleted, again, other, withoutClick, first} {
		clicktest.Put(t, s, spool.Record{Event: e})
	}
	var announced int
	o := ingest.Options{OnPostbacks: func(_ context.Context, rows []models.JobRef) { announced += len(rows) }}
	clicktest.Drain(t, s, d, o)
	clicktest.Put(t, s, spool.Record{Event: again})
	clicktest.Drain(t, s, d, o)
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM site_events`); n != 3 || announced != 4 {
		t.Errorf("%d events are stored and %d postbacks announced, want 3 and 4", n, announced)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM postbacks WHERE account_id = $1 AND source = 'tag'
		AND params ->> 'goal' IN ('purchase', 'any')`, acc); n != 4 {
		t.Errorf("%d postbacks of goals are stored, want 4", n)
	}
	if got := dbtest.Get[string](t, d, `SELECT arrival FROM clicks`); got != "url" {
		t.Errorf("the click arrived by %q, want url, as its first event says", got)
	}
	if err := db.Tx(t.Context(), d, func(c db.Conn) error {
		_, err := retention.Clear(t.Context(), click.Log{}, c, retention.ClearQuery{
			AccountID: acc, Of: []uuid.UUID{campaign}, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour),
		}, 10)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM site_events`); n != 1 {
		t.Errorf("%d events are left, want only the event without a click", n)
	}
}

// TestFirstEventOfAnIDCounts checks that the first of two events with the same id is stored and makes the conversion.
func TestFirstEventOfAnIDCounts(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc := clicktest.Account(t, d)
	s := clicktest.OpenSpool(t, t.TempDir())
	c := clicktest.Click(acc, uuid.New(), 1)
	first, second := arrived(c, "1", "url"), arrived(c, "2", "url")
	second.ID = first.ID
	clicktest.Put(t, s, spool.Record{Click: c})
	clicktest.Put(t, s, spool.Record{Event: first})
	clicktest.Put(t, s, spool.Record{Event: second})
	clicktest.Drain(t, s, d, ingest.Options{})
	row := dbtest.Get[string](t, d, `SELECT goals[1] || ' ' || items::text FROM site_events`)
	if got := dbtest.Get[string](t, d, `SELECT string_agg(params ->> 'conversion_id', ',') FROM postbacks WHERE params ->> 'goal' = 'purchase'`); got != "1" {
		t.Errorf("the stored event is %s, and the conversion is of order %q, want 1", row, got)
	}
}

// TestArrivalWaitsForItsClick checks that an event determines how the visitor arrived, even if its click is stored later.
func TestArrivalWaitsForItsClick(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, foreign, campaign := clicktest.Account(t, d), clicktest.Account(t, d), uuid.New()
	events, clicks := clicktest.OpenSpool(t, t.TempDir()), clicktest.OpenSpool(t, t.TempDir())
	c := clicktest.Click(acc, campaign, 1)
	c.Arrival = "redirect"
	forged := arrived(c, "0", "ttclid")
	forged.AccountID = foreign
	clicktest.Put(t, events, spool.Record{Event: forged}, spool.Record{Event: arrived(c, "1", "local")},
		spool.Record{Event: arrived(c, "2", "fbclid")})
	clicktest.Drain(t, events, d, ingest.Options{})
	clicktest.Put(t, clicks, spool.Record{Click: c})
	clicktest.Drain(t, clicks, d, ingest.Options{})
	got := []string{dbtest.Get[string](t, d, `SELECT arrival FROM clicks`)}
	log := click.Log{Conn: d}
	if err := ingest.ApplyWaitingArrivals(t.Context(), log, 10); err != nil {
		t.Fatal(err)
	}
	got = append(got, dbtest.Get[string](t, d, `SELECT arrival FROM clicks`))
	clicktest.Put(t, events, spool.Record{Event: arrived(c, "3", "gclid")})
	clicktest.Drain(t, events, d, ingest.Options{})
	got = append(got, dbtest.Get[string](t, d, `SELECT arrival FROM clicks`))
	if diff := cmp.Diff([]string{"redirect", "local", "local"}, got); diff != "" {
		t.Error(diff)
	}
	log.Now = func() time.Time { return time.Now().AddDate(0, 0, 3) }
	if err := ingest.ApplyWaitingArrivals(t.Context(), log, 10); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM site_events WHERE NOT applied`); n != 0 {
		t.Errorf("%d arrivals still wait three days later, want none", n)
	}
}

// TestAdsFindTheirClick checks that an event with an ad platform's click id belongs to the account's last click with that id.
func TestAdsFindTheirClick(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, foreign, campaign := clicktest.Account(t, d), clicktest.Account(t, d), uuid.New()
	s := clicktest.OpenSpool(t, t.TempDir())
	ofAd := func(account uuid.UUID, age time.Duration, params string) *models.Click {
		c := clicktest.Click(account, campaign, 1)
		c.ID, c.Params, c.UniqueKey = clicktest.IDAt(time.Now().Add(-age)), params, [16]byte(uuid.New())
		clicktest.Put(t, s, spool.Record{Click: c})
		return c
	}
	day := 24 * time.Hour
	ofAd(acc, 2*time.Hour, "a=b&gclid=Cj-1_x%2Dy")
	last := ofAd(acc, time.Hour, "gclid=Cj-1_x-y&b=c")
	ofAd(acc, time.Minute, "gclid=Cj-1_x-")
	ofAd(acc, time.Minute, "msclkid=Cj-1_x-y&xgclid=Cj-1_x-y&gclid=")
	ofAd(foreign, time.Minute, "gclid=Cj-1_x-y")
	microsoft := ofAd(acc, time.Minute, "msclkid=alone")
	ofAd(acc, 100*day, "ttclid=old")
	ofAd(acc, time.Minute, "gclid=%7Bgclid%7D&fbclid={{fbclid}}")
	clicktest.Drain(t, s, d, ingest.Options{})
	log := click.Log{Conn: d}
	if err := retention.DeleteExpired(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	for own, ad := range map[string][2]string{
		"1": {"gclid", "Cj-1_x%2dy"}, "2": {"fbclid", "Cj-1_x-y"}, "3": {"ttclid", "old"}, "4": {"direct", "Cj-1_x-y"}, "5": {"gclid", ""},
		"6": {"gclid", "{gclid}"}, "7": {"fbclid", "%7B%7Bfbclid%7D%7D"}, // macros that were not replaced
		"8": {"msclkid", "alone"},
	} {
		e := arrived(last, own, ad[0])
		e.ClickID, e.AdID = uuid.Nil, ad[1]
		clicktest.Put(t, s, spool.Record{Event: e})
	}
	clicktest.Drain(t, s, d, ingest.Options{})
	got := dbtest.Get[string](t, d, `SELECT string_agg(click_id::text || ' ' || arrival, ',' ORDER BY arrival) FROM site_events
		WHERE click_id <> '00000000-0000-0000-0000-000000000000'`)
	if want := last.ID.String() + " gclid," + microsoft.ID.String() + " msclkid"; got != want {
		t.Errorf("events have the clicks %s, want %s", got, want)
	}
	if got := dbtest.Get[string](t, d, `SELECT string_agg(id::text, ',') FROM clicks WHERE arrival = 'gclid'`); got != last.ID.String() {
		t.Errorf("clicks that arrived by gclid: %s, want %s", got, last.ID)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM postbacks WHERE click_id = $1`, last.ID); n != 2 {
		t.Errorf("%d postbacks name the click, want 2", n)
	}
}
