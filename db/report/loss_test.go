package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/spend"
	"switchyard/models"
)

// TestClickLoss checks the click loss of groups: the clicks that the sources reported minus the clicks that arrived. Groups that
// do not consist of whole UTC days of sources have no loss, and days for which a source reported no clicks do not count.
func TestClickLoss(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	account, campaign := newAccount(t, d), uuid.New()
	one, two, silent := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -3)
	setReported := func(source uuid.UUID, day int, clicks *int64) {
		t.Helper()
		err := db.Tx(t.Context(), d, func(c db.Conn) error {
			_, err := spend.Set(t.Context(), click.Log{}, c, account, spend.Spend{
				Day: first.AddDate(0, 0, day), SourceID: source, CampaignID: campaign, Amount: decimal.NewFromInt(1), Currency: "USD", Clicks: clicks,
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(n int64) *int64 { return &n }
	setReported(one, 0, count(100))
	setReported(one, 1, count(50))
	setReported(two, 0, count(10))
	setReported(silent, 0, nil)
	const lpViews = 3 // in each row that addClicks inserts
	addClicks := func(source uuid.UUID, day, clicks, bots int) {
		t.Helper()
		dbtest.Exec(t, d, `INSERT INTO ledger SELECT $1, $2, $3, $4, $4, $4, $5, '', '', '', '', $6, 0, $7, $8, 1, 0, 0, 0, 0, 0, 0, 0`,
			account, first.AddDate(0, 0, day).Add(23*time.Hour), campaign, uuid.Nil, source, clicks, bots, lpViews)
	}
	addClicks(one, 0, 70, 10)
	addClicks(one, 1, 60, 0)
	addClicks(one, 2, 9, 0) // the source reported nothing for this day
	addClicks(silent, 0, 5, 0)
	// losses returns the click loss of each group: source clicks, redirects, landing page views and percentage.
	losses := func(a models.ReportArgs) map[string]string {
		t.Helper()
		rows, err := Reader{Conn: d}.Answer(t.Context(), account, a, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, r := range rows {
			key := strings.Join(r.Dims, " ")
			if r.Total {
				key = "total"
			}
			if r.Loss == nil {
				got[key] = "none"
				continue
			}
			pct := "none"
			if p := r.Loss.Percent(); p != nil {
				pct = p.String()
			}
			got[key] = fmt.Sprint(r.Loss.SourceClicks, " ", r.Loss.Redirects, " ", r.Loss.LPViews, " ", pct)
		}
		return got
	}
	day := func(n int) string { return first.AddDate(0, 0, n).Format(time.DateOnly) }
	in := models.ReportArgs{From: first, To: first.AddDate(0, 0, 4), Totals: true}
	by := func(dims ...string) models.ReportArgs { a := in; a.Dimensions = dims; return a }
	over := func(bucket string) models.ReportArgs { a := in; a.Bucket, a.Totals = bucket, false; return a }
	start := func(n int) string { return " " + first.AddDate(0, 0, n).Format(time.RFC3339Nano) }
	for name, c := range map[string]struct {
		a    models.ReportArgs
		want map[string]string
	}{
		"source": {by("source_id"), map[string]string{
			one.String(): "150 140 6 6.67", two.String(): "10 0 0 100", silent.String(): "none", "total": "160 140 6 12.5",
		}},
		"day and source": {by("date", "source_id"), map[string]string{
			day(0) + " " + one.String(): "100 80 3 20", day(1) + " " + one.String(): "50 60 3 -20", day(0) + " " + two.String(): "10 0 0 100",
			day(0) + " " + silent.String(): "none", day(2) + " " + one.String(): "none", "total": "160 140 6 12.5",
		}},
		"day": {by("date"), map[string]string{day(0): "110 80 3 27.27", day(1): "50 60 3 -20", day(2): "none", "total": "160 140 6 12.5"}},
		"over days": {over("day"), map[string]string{
			day(0) + start(0): "110 80 3 27.27", day(1) + start(1): "50 60 3 -20", day(2) + start(2): "none", day(3) + start(3): "none",
		}},
	} {
		if diff := cmp.Diff(c.want, losses(c.a)); diff != "" {
			t.Errorf("click loss by %s (-want +got): %s", name, diff)
		}
	}
	chosen := by("source_id")
	chosen.Filters = []models.ReportFilter{{Dimension: "source_id", Values: []string{one.String()}, Not: true}}
	if got := losses(chosen); got["total"] != "10 0 0 100" || got[two.String()] != "10 0 0 100" {
		t.Errorf("with a filter that excludes the first source: %v, want 10 0 0 100 for the second source and in total", got)
	}
	partOfDay, otherZone, byCampaign, oneCampaign := by("source_id"), by("date"), by("source_id", "campaign_id"), by("source_id")
	partOfDay.From = first.Add(time.Hour)
	otherZone.TZ = "Asia/Tokyo"
	oneCampaign.Filters = []models.ReportFilter{{Dimension: "campaign_id", Values: []string{campaign.String()}}}
	hours, daysOfOtherZone := over("hour"), over("day")
	daysOfOtherZone.TZ = "Asia/Tokyo"
	for _, a := range []models.ReportArgs{partOfDay, otherZone, byCampaign, oneCampaign, by(), hours, daysOfOtherZone} {
		for key, got := range losses(a) {
			if got != "none" {
				t.Errorf("from %v, filters %v, by %q: %s has the click loss %s, want none", a.From, a.Filters, a.Dimensions, key, got)
			}
		}
	}
}
