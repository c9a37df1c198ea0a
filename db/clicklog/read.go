package clicklog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// LogQuery is a page of a log: [From, To), newest first.
type LogQuery struct {
	AccountID uuid.UUID
	From, To  time.Time
	Limit     int
	Offset    int
	Converted bool // only clicks that have a conversion
}

var selectClicks = `SELECT ` + clickColumns.sql() + ` FROM clicks
WHERE account_id = $1 AND id >= $2 AND id < $3
ORDER BY id DESC LIMIT $4 OFFSET $5`

// Clicks with a conversion are few, so they are found from their conversions, each by its id. LATERAL with LIMIT forces
// that plan even where the planner has no statistics yet.
var selectConverted = `SELECT ` + clickColumns.sql() + ` FROM (
	SELECT DISTINCT click_id FROM conversions WHERE account_id = $1 AND click_id >= $2 AND click_id < $3
) v CROSS JOIN LATERAL (
	SELECT ` + clickColumns.sql() + ` FROM clicks WHERE account_id = $1 AND id = v.click_id LIMIT 1
) c
ORDER BY v.click_id DESC LIMIT $4 OFFSET $5`

// Clicks reads a page of the click log.
func Clicks(ctx context.Context, c db.Conn, q LogQuery) ([]StoredClick, error) {
	query := selectClicks
	if q.Converted {
		query = selectConverted
	}
	return clickColumns.read(ctx, c, "list clicks", query, q.AccountID, models.FloorClickID(q.From), models.FloorClickID(q.To),
		q.Limit, q.Offset)
}

// Hop is one step of a visitor from a lander on, as stored.
type Hop struct {
	ID          uuid.UUID `db:"id"` // its time is the time of the step
	ClickID     uuid.UUID `db:"click_id"`
	AccountID   uuid.UUID `db:"account_id"`
	Slot        int       `db:"slot"`
	OfferID     uuid.UUID `db:"offer_id"`
	NetworkID   uuid.UUID `db:"network_id"`
	Destination string    `db:"destination"`
}

// ClickDetail is a click with everything that followed from it, oldest first.
type ClickDetail struct {
	StoredClick
	Hops        []Hop
	Conversions []models.Conversion
}

var selectClick = `SELECT ` + clickColumns.sql() + ` FROM clicks WHERE account_id = $1 AND id = $2`

var selectClickByID = `SELECT ` + clickColumns.sql() + ` FROM clicks WHERE id = $1`

// Finder finds single clicks in PostgreSQL.
type Finder struct{ Conn db.Conn }

// FindByID finds a click by its id alone, as a visitor or a network names it. One that is not stored gives false.
func (f Finder) FindByID(ctx context.Context, id uuid.UUID) (click StoredClick, ok bool, err error) {
	list, err := clickColumns.read(ctx, f.Conn, "find click by id", selectClickByID, id)
	if len(list) == 0 {
		return click, false, err
	}
	return list[0], true, nil
}

var selectHops = `SELECT ` + db.Columns[Hop]("") + ` FROM click_hops
WHERE account_id = $1 AND click_id = $2 ORDER BY id LIMIT 1000`

var publicConversion = db.Columns[models.Conversion]("")

var selectClickConversions = `SELECT ` + publicConversion + ` FROM conversions
WHERE account_id = $1 AND click_id = $2 ORDER BY recorded_at, id LIMIT 1000`

// FindClick reads one click with its hops and conversions. One that the account does not have is models.NotFound.
func FindClick(ctx context.Context, c db.Conn, account, id uuid.UUID) (ClickDetail, error) {
	list, err := clickColumns.read(ctx, c, "find click", selectClick, account, id)
	if err == nil && len(list) == 0 {
		err = models.NotFound("click")
	}
	if err != nil {
		return ClickDetail{}, err
	}
	d := ClickDetail{StoredClick: list[0]}
	if d.Hops, err = db.Select[Hop](ctx, c, "hops of click", selectHops, account, id); err == nil {
		d.Conversions, err = db.Select[models.Conversion](ctx, c, "conversions of click", selectClickConversions, account, id)
	}
	return d, err
}

var selectConversionLog = `SELECT ` + publicConversion + ` FROM conversions
WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3
ORDER BY recorded_at DESC, id DESC LIMIT $4 OFFSET $5`

// Conversions reads a page of the conversion log, by the conversions' own time.
func Conversions(ctx context.Context, c db.Conn, q LogQuery) ([]models.Conversion, error) {
	return db.Select[models.Conversion](ctx, c, "list conversions", selectConversionLog, q.AccountID, q.From, q.To, q.Limit,
		q.Offset)
}

const countConversions = `
SELECT offer_id, count(*) AS conversions FROM conversions
WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $4 AND status IN ('approved', 'pending')
	AND offer_id <> $3
GROUP BY offer_id`

// ConversionsIn counts the approved and pending conversions of an account's offers in [from, to).
func ConversionsIn(ctx context.Context, c db.Conn, account uuid.UUID, from, to time.Time) (map[uuid.UUID]int, error) {
	rows, err := db.Select[struct {
		Offer       uuid.UUID `db:"offer_id"`
		Conversions int       `db:"conversions"`
	}](ctx, c, "count conversions", countConversions, account, from, uuid.Nil, to)
	counts := make(map[uuid.UUID]int, len(rows))
	for _, row := range rows {
		counts[row.Offer] = row.Conversions
	}
	return counts, err
}

// Sales are the conversions of one click that count: how many are approved or pending, and what the approved ones pay.
type Sales struct {
	ClickID     uuid.UUID       `db:"click_id"`
	Conversions int64           `db:"conversions"`
	Revenue     decimal.Decimal `db:"revenue"`
}

const selectSales = `
SELECT click_id, count(*) AS conversions, coalesce(sum(payout) FILTER (WHERE status = 'approved'), 0) AS revenue
FROM conversions WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) AND status IN ('approved', 'pending')
GROUP BY click_id`

// SalesOf sums up the conversions of some clicks. Clicks without any are not in the answer.
func SalesOf(ctx context.Context, c db.Conn, account uuid.UUID, clicks []StoredClick) (map[uuid.UUID]Sales, error) {
	ids := make([]uuid.UUID, len(clicks))
	for i := range clicks {
		ids[i] = clicks[i].ID
	}
	rows, err := db.Select[Sales](ctx, c, "sales of clicks", selectSales, account, db.UUIDs(ids))
	sales := make(map[uuid.UUID]Sales, len(rows))
	for _, r := range rows {
		sales[r.ClickID] = r
	}
	return sales, err
}
