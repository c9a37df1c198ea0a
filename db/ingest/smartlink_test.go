package ingest_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
)

// TestSmartlinkClicksAreStoredOnce checks that a smartlink's click that is in several spools is stored and counted once.
func TestSmartlinkClicksAreStoredOnce(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	dir := t.TempDir()
	owner, link, rule := clicktest.Account(t, d), uuid.New(), uuid.New()
	c := clicktest.SmartlinkClick(time.Now(), owner, link, rule, "https://a.example/", false)
	bot := clicktest.SmartlinkClick(time.Now(), owner, link, uuid.Nil, "https://b.example/", true)
	for range 2 { // a second process has the same records
		s := clicktest.OpenSpool(t, dir+"/"+uuid.NewString())
		clicktest.Put(t, s, spool.Record{Smart: c}, spool.Record{Smart: bot}, spool.Record{Smart: c})
		clicktest.Drain(t, s, d, ingest.Options{})
	}
	log := click.Log{Conn: d}
	q := click.LogQuery{
		AccountID: owner, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour), Limit: 10, Smartlink: link,
	}
	list, err := log.SmartlinkClicks(t.Context(), q)
	if err != nil || len(list) != 2 {
		t.Fatalf("the log has the clicks %+v, %v, want two", list, err)
	}
	for _, got := range list {
		want := *c
		if got.IsBot {
			want = *bot
		}
		if got.SmartlinkID != link || got.RuleID != want.RuleID || got.DestinationURL != want.DestinationURL {
			t.Errorf("stored %+v, want the smartlink, rule and destination of %+v", got, want)
		}
		if diff := cmp.Diff(want.Click, got.Click, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
			t.Errorf("stored click (-want +got): %s", diff)
		}
	}
	for _, other := range []struct{ account, link uuid.UUID }{{uuid.New(), link}, {owner, uuid.New()}, {uuid.New(), uuid.Nil}} {
		q.AccountID, q.Smartlink = other.account, other.link
		if list, err := log.SmartlinkClicks(t.Context(), q); err != nil || len(list) != 0 {
			t.Errorf("%v reads clicks that do not belong to it: %v, %v", other, list, err)
		}
	}
	if sums := dbtest.Get[string](t, d, `SELECT concat(sum(clicks), ' ', sum(bot_clicks)) FROM smartlink_hours`); sums != "1 1" {
		t.Errorf("the sums of clicks and bots' clicks are %s, want 1 1", sums)
	}
}
