package retention_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/jobrow"
	dbretention "switchyard/db/retention"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
)

const (
	canary   = "Canary7"
	canaryIP = "203.0.113.77"
)

// visit stores two clicks and two smartlink clicks of one browser. It also stores click-outs, events and postbacks of the clicks, and
// a conversion of the second click. It returns the id of the second click, which is a day older than the first. Many of the texts
// contain the given word, but no text of a pending postback does.
func (h *env) visit(visitor uuid.UUID, word, ip string) (last uuid.UUID) {
	h.Helper()
	s, err := spool.Open(h.TempDir(), spool.Options{})
	if err != nil {
		h.Fatal(err)
	}
	defer s.Close()
	for i := range 2 {
		c := &models.Click{
			ID: models.NewClickID(), AccountID: h.account, CampaignID: h.campaign, VisitorID: visitor, UniqueHours: 24,
			UniqueKey: [16]byte(uuid.New()), ExternalID: word, Destination: "https://o.test/?" + word, Params: "k=" + word,
			Visitor: models.Visitor{
				IP: netip.MustParseAddr(ip), UserAgent: word, Referrer: "https://r.test/" + word, Keyword: word, City: word,
				Region: word, Language: word, Country: "DE",
			},
		}
		floor := models.FloorClickID(h.middle.Add(time.Duration(-24*i) * time.Hour))
		copy(c.ID[:6], floor[:6])
		c.Subs[3] = word
		h.append(s, spool.Record{Click: c})
		last = c.ID
		h.append(s, spool.Record{Out: &models.ClickOut{
			ID: models.NewClickID(), ClickID: c.ID, AccountID: h.account, Slot: 1, OfferID: uuid.New(), Destination: "https://o.test/?" + word,
		}})
		h.append(s, spool.Record{Event: &models.SiteEvent{
			ID: uuid.New(), AccountID: h.account, SiteID: uuid.New(), ClickID: c.ID, Name: "view", At: h.middle, ReceivedAt: h.middle,
			Referrer: "r.test/" + word, OrderID: word, AdID: word, Screen: word, TimeZone: word, Source: models.FromTag,
			IP: netip.MustParseAddr(ip), Keys: []byte("sealed"), KeyNames: word,
		}})
		for _, id := range []uuid.UUID{models.NewClickID(), models.NewClickID()} {
			h.append(s, spool.Record{Postback: &models.Postback{
				ID: id, ClickID: c.ID, AccountID: h.account, IP: netip.MustParseAddr(ip), Params: map[string]string{"name": word},
			}})
		}
		smart := *c
		smart.ID = models.NewClickID()
		copy(smart.ID[:6], floor[:6])
		h.append(s, spool.Record{Smart: &models.SmartlinkClick{Click: smart, SmartlinkID: uuid.New(), DestinationURL: "https://s.test/"}})
	}
	if err := ingest.NewIngester(s, h.db, ingest.Options{}).Drain(h.Context()); err != nil {
		h.Fatal(err)
	}
	dbtest.Exec(h, h.db, `UPDATE postbacks SET outcome = 'recorded' WHERE params ->> 'name' = $1 AND id IN (
		SELECT DISTINCT ON (click_id) id FROM postbacks WHERE params ->> 'name' = $1)`, word)
	dbtest.Exec(h, h.db, `UPDATE postbacks SET params = '{"waits": "here"}' WHERE params ->> 'name' = $1 AND outcome = 'pending'`, word)
	dbtest.Exec(h, h.db, `INSERT INTO bot_repeats SELECT account_id, campaign_id, gen_random_uuid(), at, id FROM clicks WHERE user_agent = $1`, word)
	err = db.Tx(h.Context(), h.db, func(c db.Conn) error {
		_, err := conversion.Record(h.Context(), click.Log{}, c, conversion.Input{
			ClickID: last, Status: models.StatusApproved, Source: "postback",
		})
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return last
}

func (h *env) tablesWith(text string) (found []string) {
	h.Helper()
	var tables []string
	err := h.db.SelectContext(h.Context(), &tables, `SELECT relname FROM pg_class
		WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace ORDER BY relname`)
	if err != nil || len(tables) < 20 {
		h.Fatal(len(tables), err)
	}
	for _, table := range tables {
		if n := dbtest.Get[string](h, h.db, fmt.Sprintf(`SELECT count(*)::text FROM %s t WHERE to_jsonb(t)::text LIKE '%%' || $1 || '%%'`, table), text); n != "0" {
			found = append(found, table)
		}
	}
	return found
}

// TestErase checks that no personal data of an erased visitor is left, and no data of another visitor is missing. The first worker
// dies during the job. The figures, the conversion and the undecided postbacks stay, without personal data.
func TestErase(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	visitor, other := uuid.New(), uuid.New()
	clickID := h.visit(visitor, canary, canaryIP)
	h.visit(other, "Neighbour8", "198.51.100.88")
	log := click.Log{Conn: h.db}
	who := click.Visitor{AccountID: h.account, ID: visitor, ClickID: clickID}
	if found, err := dbretention.FindVisitors(t.Context(), log, clickID, uuid.Nil); err != nil || len(found) != 1 || found[0] != who {
		t.Errorf("the click leads to the visitors %v, %v", found, err)
	}
	if found, err := dbretention.FindVisitors(t.Context(), log, uuid.Nil, visitor); err != nil || len(found) != 1 || found[0].AccountID != h.account {
		t.Errorf("the id leads to the visitors %v, %v", found, err)
	}
	known, err := dbretention.ReadKnown(t.Context(), log, who)
	if err != nil || len(known.Clicks) != 2 || len(known.SmartlinkClicks) != 2 || len(known.ClickOuts) != 2 ||
		len(known.Conversions) != 1 || len(known.SiteEvents) != 2 || len(known.Postbacks) != 4 {
		t.Errorf("the visitor has %d clicks, %d clicks on smartlinks, %d source postbacks, %d click-outs, %d conversions, %d events, %d postbacks, %v",
			len(known.Clicks), len(known.SmartlinkClicks), len(known.SourcePostbacks), len(known.ClickOuts), len(known.Conversions),
			len(known.SiteEvents), len(known.Postbacks), err)
	}
	canaries := []string{canary, canaryIP, visitor.String()}
	for _, text := range canaries {
		if len(h.tablesWith(text)) == 0 {
			t.Fatalf("no table contains the visitor's %s before the job", text)
		}
	}
	h.ledgerEqualsRows()
	kept := h.tablesWith("Neighbour8")

	args := jobs.EraseArgs{Visitor: visitor, Click: clickID}
	row, err := jobs.EraseVisitor.NewRow(h.account, args)
	if err == nil {
		err = jobrow.Insert(t.Context(), h.db, row)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.killAfterPart(row.ID, jobs.EraseVisitor.Kind(), func(c db.Conn) (any, error) {
		args.Until = time.Now().UTC().Truncate(time.Millisecond)
		out, err := dbretention.Erase(t.Context(), log, c, who, models.FloorClickID(h.middle.Add(-24*time.Hour).Truncate(24*time.Hour)), args.Until, 1)
		args.After, args.Erased.Clicks = out.After, out.Clicks
		args.Erased.SmartlinkClicks, args.Erased.Postbacks, args.Erased.SiteEvents = out.SmartlinkClicks, out.Postbacks, out.Events
		return args, err
	})
	var got jobs.EraseAnswer
	h.wait(h.worker(), row.ID, &got)
	if want := (jobs.EraseAnswer{Clicks: 2, SmartlinkClicks: 2, Postbacks: 2, SiteEvents: 2}); got != want {
		t.Errorf("erased %+v, want %+v", got, want)
	}
	dbtest.Exec(h, h.db, `DELETE FROM jobs WHERE id = $1`, row.ID) // the job names the visitor
	for _, text := range canaries {
		if found := h.tablesWith(text); len(found) > 0 {
			t.Errorf("%s is still in the tables %v", text, found)
		}
	}
	if found := h.tablesWith("Neighbour8"); strings.Join(found, " ") != strings.Join(kept, " ") {
		t.Errorf("the visitor who was not erased is in the tables %v, want %v", found, kept)
	}
	h.ledgerEqualsRows()
	for what, query := range map[string]string{
		"conversions":       `SELECT count(*) FROM conversions WHERE click_id = $1`,
		"waiting postbacks": `SELECT count(*) FROM postbacks WHERE click_id = $1 AND outcome = 'pending' AND ip IS NULL`,
	} {
		if n := dbtest.Get[string](h, h.db, query, clickID); n != "1" {
			t.Errorf("%s %s of the visitor are left, want 1", n, what)
		}
	}
	if found, err := dbretention.FindVisitors(t.Context(), log, uuid.Nil, visitor); err != nil || len(found) != 0 {
		t.Errorf("the erased visitor is still found: %v, %v", found, err)
	}
}
