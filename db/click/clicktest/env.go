package clicktest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

// Env is an account with clicks on two days, from two sources to two campaigns.
type Env struct {
	*testing.T
	DB        *db.DB
	Rnd       *rand.Rand
	Account   uuid.UUID
	Today     time.Time
	Sources   []uuid.UUID
	Campaigns []uuid.UUID
	Clicks    []*models.Click
	Between   func() // called after each transaction; may be nil
}

// NewEnv returns an Env with the given number of clicks.
func NewEnv(t *testing.T, seed uint64, clicks int) *Env {
	t.Helper()
	b := &Env{
		T: t, DB: dbtest.New(t), Rnd: rand.New(rand.NewPCG(seed, 1)),
		Today:   time.Now().UTC().Truncate(24 * time.Hour),
		Sources: []uuid.UUID{uuid.New(), uuid.New()}, Campaigns: []uuid.UUID{uuid.New(), uuid.New()},
	}
	b.Account = Account(t, b.DB)
	dbtest.SetRates(t, b.DB, "1")
	s := OpenSpool(t, t.TempDir())
	for i := range clicks {
		c := Click(b.Account, b.Campaigns[b.Rnd.IntN(2)], byte(i))
		c.ID = IDAt(b.Today.Add(-time.Duration(b.Rnd.IntN(48*60)) * time.Minute))
		c.SourceID, c.IsBot = b.Sources[b.Rnd.IntN(2)], b.Rnd.IntN(5) == 0
		c.ConversionCost, c.RevenueShare = decimal.New(int64(b.Rnd.IntN(3)), -1), decimal.NewFromInt(int64(b.Rnd.IntN(2)*7))
		Put(t, s, spool.Record{Click: c})
		b.Clicks = append(b.Clicks, c)
	}
	Drain(t, s, b.DB, ingest.Options{})
	return b
}

// Tx runs fn in a transaction.
func (b *Env) Tx(fn func(c db.Conn) error) {
	b.Helper()
	if err := db.Tx(b.Context(), b.DB, fn); err != nil {
		b.Fatal(err)
	}
	if b.Between != nil {
		b.Between()
	}
}

const countedFigures = `
SELECT concat_ws(' ', hour, campaign_id, source_id, sum(clicks), sum(bot_clicks), sum(approved), sum(pending),
	sum(rejected), sum(chargebacks), trim_scale(sum(cost)), trim_scale(sum(revenue)), trim_scale(sum(pending_revenue)))
FROM ledger GROUP BY hour, campaign_id, source_id
HAVING (sum(clicks), sum(bot_clicks), sum(cost), sum(revenue), sum(approved), sum(pending), sum(rejected)) <>
	(0, 0, 0, 0, 0, 0, 0)
ORDER BY 1`

const storedFigures = `
WITH facts AS (
	SELECT date_trunc('hour', at, 'UTC') AS hour, campaign_id, source_id, (NOT is_bot)::int AS clicks,
		is_bot::int AS bots, CASE WHEN is_bot THEN 0 ELSE coalesce(cost * rate, 0) END AS cost, '' AS status, 0::numeric AS payout FROM clicks
	UNION ALL
	SELECT date_trunc('hour', f.at, 'UTC'), f.campaign_id, f.source_id, 0, 0, v.cost, v.status, coalesce(v.payout * v.rate, 0)
	FROM conversions v JOIN clicks f ON f.id = v.click_id
	UNION ALL
	SELECT at, campaign_id, source_id, 0, 0, cost, '', 0 FROM spend_alone
)
SELECT concat_ws(' ', hour, campaign_id, source_id, sum(clicks), sum(bots), count(*) FILTER (WHERE status = 'approved'),
	count(*) FILTER (WHERE status = 'pending'), count(*) FILTER (WHERE status = 'rejected'),
	count(*) FILTER (WHERE status = 'chargeback'), trim_scale(sum(cost)),
	trim_scale(coalesce(sum(payout) FILTER (WHERE status = 'approved'), 0)),
	trim_scale(coalesce(sum(payout) FILTER (WHERE status = 'pending'), 0)))
FROM facts GROUP BY hour, campaign_id, source_id ORDER BY 1`

// CheckLedger checks that the ledger agrees with the rows.
func (b *Env) CheckLedger(after string) {
	b.Helper()
	counted, stored := dbtest.Select[string](b, b.DB, countedFigures), dbtest.Select[string](b, b.DB, storedFigures)
	if diff := cmp.Diff(stored, counted); diff != "" {
		b.Fatalf("after %s ledger (+) and rows (-) differ: %s", after, diff)
	}
}
