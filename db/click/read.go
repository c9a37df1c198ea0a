package click

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/exchangerate"
	"switchyard/models"
)

// Log reads the logs of clicks and conversions from PostgreSQL, and old clicks from their copy in ClickHouse. Methods with a
// connection parameter run on that connection, the others on Conn.
type Log struct {
	Conn db.Conn
	Copy *CopyReader      // reads old clicks; nil: PostgreSQL has all clicks
	Now  func() time.Time // default time.Now
}

// Time returns the time of the log's clock.
func (l Log) Time() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

// LogQuery selects a page of a log in [From, To), newest first.
type LogQuery struct {
	AccountID uuid.UUID
	From, To  time.Time
	Limit     int
	Offset    int
	Converted bool      // for Clicks: only clicks with a conversion
	Smartlink uuid.UUID // for SmartlinkClicks: only clicks of this smartlink; zero: all

	ClickID      uuid.UUID // only this click or its conversions; zero: all
	ExternalID   string    // only clicks with this id of the traffic source, or their conversions; empty: all
	ConversionID string    // only conversions with this id of the network, or their clicks; empty: all
	Status       string    // for Conversions: only conversions with this status; empty: all
	// Where selects clicks or conversions in PostgreSQL. WhereInCopy does the same in ClickHouse.
	Where, WhereInCopy Condition
}

// Condition has a condition on clicks f (SQL) and one on conversions v (OfSale). Each is empty or begins with AND. The first
// placeholder is $10 (see LogArgs).
type Condition struct {
	SQL, OfSale string
	Args        []any
}

// LogArgs is the number of arguments of a log's query before the arguments of a Condition.
const LogArgs = 9

// ofClicks is the condition by which the click log selects clicks f.
const ofClicks = ` AND ($6::uuid IS NULL OR f.id = $6) AND ($7 = '' OR f.external_id = $7)
	AND ($8 = '' OR EXISTS (SELECT FROM conversions x WHERE x.account_id = $1 AND x.click_id = f.id AND x.conversion_id = $8))
	AND $9 = ''`

func (q LogQuery) args(from, to any) []any {
	return append([]any{
		q.AccountID, from, to, q.Limit, q.Offset, db.OrNull(q.ClickID), q.ExternalID, q.ConversionID, q.Status,
	}, q.Where.Args...)
}

var selectClicks = `SELECT ` + AllColumns.SQL() + ` FROM clicks f
WHERE account_id = $1 AND id >= $2 AND id < $3%s
ORDER BY id DESC LIMIT $4 OFFSET $5`

// Few clicks have a conversion, so the query starts from the conversions and finds each click by its id. LATERAL with LIMIT
// forces PostgreSQL to do so even without statistics.
var selectConverted = `SELECT ` + AllColumns.SQL() + ` FROM (
	SELECT DISTINCT click_id FROM conversions WHERE account_id = $1 AND click_id >= $2 AND click_id < $3
) v CROSS JOIN LATERAL (
	SELECT ` + AllColumns.SQL() + ` FROM clicks f WHERE account_id = $1 AND id = v.click_id%s LIMIT 1
) c
ORDER BY v.click_id DESC LIMIT $4 OFFSET $5`

// Clicks reads a page of the click log.
func (l Log) Clicks(ctx context.Context, q LogQuery) (list []StoredClick, err error) {
	q.Status = "" // only conversions have a status
	remaining := q
	err = l.Copy.Snapshot(ctx, l.Conn, func(c db.Conn) (err error) {
		list, remaining, err = Log{Conn: c, Copy: l.Copy}.warmClicks(ctx, q)
		return err
	})
	if err == nil && remaining.Limit > 0 {
		var cold []StoredClick
		cold, err = l.coldClicks(ctx, remaining)
		list = append(list, cold...)
	}
	return list, err
}

// warmClicks reads the part of a page that is in PostgreSQL, and returns the query for the rest. The Limit of this query is zero if
// nothing is left to read.
func (l Log) warmClicks(ctx context.Context, q LogQuery) (list []StoredClick, remaining LogQuery, err error) {
	s, err := l.Copy.State(ctx, l.Conn)
	if err != nil {
		return nil, remaining, err
	}
	warm := q
	if s.Cold(q.From) {
		remaining = q
		if !s.ColdBefore.Before(q.To) {
			return nil, remaining, nil
		}
		warm.From, remaining.To = s.ColdBefore, s.ColdBefore
	}
	if list, err = l.postgresClicks(ctx, warm); err != nil || remaining.Limit == 0 {
		return list, remaining, err
	}
	remaining.Limit -= len(list)
	if remaining.Limit > 0 && remaining.Offset > 0 {
		warm.Limit, warm.Offset = remaining.Offset, 0
		var n int
		n, err = db.Get[int](ctx, l.Conn, "count clicks", `SELECT count(*) FROM (`+warm.statement()+`) f`, warm.args(warm.ids())...)
		remaining.Offset -= n
	}
	return list, remaining, err
}

func (q LogQuery) ids() (from, to any) { return models.FloorClickID(q.From), models.FloorClickID(q.To) }

func (q LogQuery) statement() string {
	query := selectClicks
	if q.Converted {
		query = selectConverted
	}
	return fmt.Sprintf(query, ofClicks+q.Where.SQL)
}

func (l Log) postgresClicks(ctx context.Context, q LogQuery) ([]StoredClick, error) {
	list, err := AllColumns.read(ctx, l.Conn, "list clicks", q.statement(), q.args(q.ids())...)
	if err == nil {
		err = l.replaceClickRates(ctx, q.AccountID, list)
	}
	return list, err
}

// Hop is a stored click-out: the step by which a visitor leaves a lander.
type Hop struct {
	ID          uuid.UUID `db:"id"` // the id contains the time of the step
	ClickID     uuid.UUID `db:"click_id"`
	AccountID   uuid.UUID `db:"account_id"`
	Slot        int       `db:"slot"`
	OfferID     uuid.UUID `db:"offer_id"`
	NetworkID   uuid.UUID `db:"network_id"`
	Destination string    `db:"destination"`
}

// Detail is a click with its hops and conversions, both oldest first.
type Detail struct {
	StoredClick
	Hops        []Hop
	Conversions []models.Conversion
}

var selectClick = `SELECT ` + AllColumns.SQL() + ` FROM clicks WHERE account_id = $1 AND id = $2`

var selectClickByID = `SELECT ` + AllColumns.SQL() + ` FROM clicks WHERE id = $1`

// FindByID finds a click of any account by its id. It serves requests of visitors and networks, which do not name an account.
func (l Log) FindByID(ctx context.Context, id uuid.UUID) (click StoredClick, ok bool, err error) {
	list, err := AllColumns.read(ctx, l.Conn, "find click by id", selectClickByID, id)
	if err == nil && len(list) == 0 {
		list, err = l.FindCold(ctx, uuid.Nil, id)
	}
	if len(list) == 0 {
		return click, false, err
	}
	return list[0], true, nil
}

// selectLatest returns the statement that finds the latest click with a value in a column. No index has the column, so the
// statement searches the account's latest clicks.
func selectLatest(column string) string {
	return `SELECT ` + AllColumns.SQL() + ` FROM clicks WHERE account_id = $1 AND id = (
	SELECT id FROM (SELECT id, ` + column + ` FROM clicks WHERE account_id = $1 ORDER BY id DESC LIMIT $3) l
	WHERE ` + column + ` = $2 ORDER BY id DESC LIMIT 1)`
}

var selectLatestOf, selectLatestOfNetwork = selectLatest("source_id"), selectLatest("network_id")

// latestAmong is the number of latest clicks of an account in which LatestOf, LatestOfNetwork and RecentSubs search.
const latestAmong = 20000

// LatestOf finds the latest click of a traffic source. It searches only the account's latest clicks; latestAmong is their number.
func (l Log) LatestOf(ctx context.Context, account, source uuid.UUID) (click StoredClick, ok bool, err error) {
	return l.latest(ctx, "latest click of source", selectLatestOf, account, source)
}

// LatestOfNetwork does the same as LatestOf for an affiliate network.
func (l Log) LatestOfNetwork(ctx context.Context, account, network uuid.UUID) (click StoredClick, ok bool, err error) {
	return l.latest(ctx, "latest click of network", selectLatestOfNetwork, account, network)
}

func (l Log) latest(ctx context.Context, name, query string, account, of uuid.UUID) (click StoredClick, ok bool, err error) {
	list, err := AllColumns.read(ctx, l.Conn, name, query, account, of, latestAmong)
	if len(list) == 0 {
		return click, false, err
	}
	return list[0], true, nil
}

const selectRecentSubs = `SELECT subs FROM (SELECT id, source_id, subs FROM clicks WHERE account_id = $1 ORDER BY id DESC LIMIT $3) l
WHERE source_id = $2 ORDER BY id DESC LIMIT $4`

// RecentSubs returns the sub-parameters of the latest clicks of a traffic source, newest first. It searches the same clicks as
// LatestOf.
func (l Log) RecentSubs(ctx context.Context, account, source uuid.UUID, limit int) (list [][models.Subs]string, err error) {
	err = db.EachRow(ctx, l.Conn, "recent sub-parameters", func(rows *sqlx.Rows) error {
		var subs [models.Subs]string
		err := rows.Scan((*subsValue)(&subs))
		list = append(list, subs)
		return err
	}, selectRecentSubs, account, source, latestAmong, limit)
	return list, err
}

// FindByIDs finds the clicks of an account with the given ids. It leaves out clicks that are not stored.
func (l Log) FindByIDs(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]StoredClick, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	wanted := map[uuid.UUID]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	list, err := l.Store().Read(ctx, l.Conn, AllColumns, Set{Account: account, IDs: db.SortedIDs(wanted)})
	found := make(map[uuid.UUID]StoredClick, len(list))
	for _, click := range list {
		found[click.ID] = *click
		delete(wanted, click.ID)
	}
	if err != nil || len(wanted) == 0 {
		return found, err
	}
	cold, err := l.FindCold(ctx, account, db.SortedIDs(wanted)...)
	for _, click := range cold {
		found[click.ID] = click
	}
	return found, err
}

var selectHops = `SELECT ` + db.Columns[Hop]("") + ` FROM click_hops
WHERE account_id = $1 AND click_id = $2 ORDER BY id LIMIT 1000`

// ConversionColumns lists the columns of a conversion, separated by commas.
var ConversionColumns = db.Columns[models.Conversion]("")

var selectClickConversions = `SELECT ` + ConversionColumns + ` FROM conversions
WHERE account_id = $1 AND click_id = $2 ORDER BY recorded_at, id LIMIT 1000`

// FindClick reads one click with its hops and conversions. It returns models.NotFound if the account does not have the click.
func (l Log) FindClick(ctx context.Context, account, id uuid.UUID) (Detail, error) {
	list, err := AllColumns.read(ctx, l.Conn, "find click", selectClick, account, id)
	if err == nil && len(list) == 0 {
		list, err = l.FindCold(ctx, account, id)
	}
	if err == nil && len(list) == 0 {
		err = models.NotFound("click")
	}
	if err == nil {
		err = l.replaceClickRates(ctx, account, list)
	}
	if err != nil {
		return Detail{}, err
	}
	d := Detail{StoredClick: list[0]}
	if d.Hops, err = db.Select[Hop](ctx, l.Conn, "hops of click", selectHops, account, id); err == nil {
		d.Conversions, err = db.Select[models.Conversion](ctx, l.Conn, "conversions", selectClickConversions, account, id)
	}
	if err == nil {
		err = l.replaceConversionRates(ctx, account, d.Conversions)
	}
	return d, err
}

var selectConversionLog = `SELECT ` + ConversionColumns + ` FROM conversions v
WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3 AND ($6::uuid IS NULL OR click_id = $6)
	AND ($8 = '' OR conversion_id = $8) AND ($9 = '' OR status = $9)%s
ORDER BY recorded_at DESC, id DESC LIMIT $4 OFFSET $5`

// ofTheirClicks is the condition by which the conversion log selects conversions v by their clicks f.
const ofTheirClicks = `
	AND EXISTS (SELECT FROM clicks f WHERE f.account_id = $1 AND f.id = v.click_id AND ($7 = '' OR f.external_id = $7)%s)`

// Conversions reads a page of the conversion log. [From, To) applies to the time of the conversions.
func (l Log) Conversions(ctx context.Context, q LogQuery) ([]models.Conversion, error) {
	clicks := ` AND $7 = ''`
	if q.ExternalID != "" || q.Where.SQL != "" {
		if s, err := l.Copy.State(ctx, l.Conn); err != nil || !s.ColdBefore.IsZero() {
			if err != nil {
				return nil, err
			}
			return l.coldConversions(ctx, q)
		}
		clicks = fmt.Sprintf(ofTheirClicks, q.Where.SQL)
	}
	list, err := db.Select[models.Conversion](ctx, l.Conn, "list conversions", fmt.Sprintf(selectConversionLog, clicks+q.Where.OfSale),
		q.args(q.From, q.To)...)
	if err == nil {
		err = l.replaceConversionRates(ctx, q.AccountID, list)
	}
	return list, err
}

// Sales has the number of a click's approved and pending conversions, and the payout of the approved ones in the account's
// currency.
type Sales struct {
	ClickID     uuid.UUID       `db:"click_id"`
	Conversions int64           `db:"conversions"`
	Revenue     decimal.Decimal `db:"revenue"`
}

var selectSales = `
SELECT click_id, count(*) AS conversions, coalesce(sum(payout * ` + exchangerate.Counting("v", "v.recorded_at") + `) FILTER (WHERE status = 'approved'), 0) AS revenue
FROM conversions v WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) AND status IN ('approved', 'pending')
GROUP BY click_id`

// SalesOf returns the Sales of clicks by the id of the click. It leaves out clicks without approved or pending conversions.
func (l Log) SalesOf(ctx context.Context, account uuid.UUID, clicks []StoredClick) (map[uuid.UUID]Sales, error) {
	ids := db.UUIDs(db.Map(clicks, func(c StoredClick) uuid.UUID { return c.ID }))
	rows, err := db.Select[Sales](ctx, l.Conn, "sales of clicks", selectSales, account, ids)
	return db.ByKey(rows, func(s Sales) uuid.UUID { return s.ClickID }), err
}
