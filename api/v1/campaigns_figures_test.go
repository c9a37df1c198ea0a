package v1_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	"switchyard/db/conversion"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

func TestCampaignFigures(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	made := d.make(t, d.campaign("Busy"))
	campaign := uuid.MustParse(made["id"].(string))
	d.visit(t, campaign, time.Now().Add(-time.Minute), 3)
	d.visit(t, campaign, time.Now().AddDate(0, 0, -20), 4) // outside the window
	want := map[string]any{"clicks": 3, "cost": 0.75, "conversions": 1, "revenue": 12.5}
	stats := d.Do("GET", campaignPath(campaign)+"/stats", nil).Want(200, "").Map()
	wantFields(t, "stats", stats, want)
	row := d.Do("GET", "/campaigns", nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any)
	wantFields(t, "row", row, want)
	wantFields(t, "row", row, map[string]any{"name": "Busy", "profit": 11.75})
	from := time.Now().UTC().AddDate(0, 0, -30).Format(time.DateOnly)
	wantFields(t, "longer", d.Do("GET", campaignPath(campaign)+"/stats?from="+from, nil).Want(200, "").Map(),
		map[string]any{"clicks": 7, "range": fmt.Sprintf("map[from:%s 00:00:00 to:%s 23:59:59]", from,
			time.Now().UTC().Format(time.DateOnly))})
	d.Do("DELETE", campaignPath(campaign), nil).Want(200, "")
	wantFields(t, "deleted", d.Do("GET", campaignPath(campaign)+"/stats", nil).Want(200, "").Map(), want)
	_, other, _ := d.NewAccount("scale")
	for _, s := range []*apitest.Server{d.As(other), d.Server} {
		id := campaign
		if s == d.Server {
			id = uuid.New()
		}
		wantFields(t, "unknown", s.Do("GET", campaignPath(id)+"/stats", nil).Want(200, "").Map(),
			map[string]any{"clicks": 0, "cost": 0, "conversions": 0, "revenue": 0})
	}
	d.Do("GET", "/campaigns/x/stats", nil).Want(400, "invalid_id")
}

// visit stores n clicks of a campaign, at 0.25 each, and an approved conversion of the last click.
func (d *campaignEnv) visit(t *testing.T, campaign uuid.UUID, at time.Time, n int) {
	t.Helper()
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var last uuid.UUID
	for range n {
		id, floor := models.NewClickID(), models.FloorClickID(at)
		copy(id[:6], floor[:6])
		click := models.Click{
			ID: id, AccountID: d.Account.ID, CampaignID: campaign, Visitor: models.Visitor{IP: netip.MustParseAddr("192.0.2.1")},
			Cost: decimal.New(25, -2), Currency: "USD", UniqueHours: 24,
		}
		if err := log.Append(t.Context(), spool.Record{Click: &click}); err != nil {
			t.Fatal(err)
		}
		last = id
	}
	if err := ingest.NewIngester(log, d.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	payout := decimal.New(125, -1)
	recordConversion(t, d.DB, conversion.Input{
		ClickID:   last,
		AccountID: d.Account.ID, Payout: &payout, Status: models.StatusApproved, Source: models.FromPostback,
		At: at.Add(time.Second),
	})
}
