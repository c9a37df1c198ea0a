package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/measure"
)

// Key identifies a cell of the ledger.
type Key struct {
	AccountID  uuid.UUID
	Hour       int64 // Unix seconds
	CampaignID uuid.UUID
	StreamID   uuid.UUID
	LanderID   uuid.UUID
	OfferID    uuid.UUID
	SourceID   uuid.UUID
	Country    string
	DeviceType string
	OS         string
	Browser    string
}

// Deltas has figures by key, such as the changes of one transaction. Each key is written once.
type Deltas map[Key]models.Figures

// Add adds figures at a key.
func (d Deltas) Add(k Key, f models.Figures) { d[k] = d[k].Plus(f) }

// Keys lists the columns of a Key, and Sums lists the columns of the figures, for use in SQL.
var (
	Keys = "account_id, hour, " + strings.Join(Dimensions, ", ")
	Sums = strings.Join(measure.Each(measure.Counters, "%s"), ", ")
)

var (
	sums     = strings.Join(measure.Each(measure.Counters, "sum(%s)"), ", ")
	negative = strings.Join(measure.Each(measure.Counters, "-sum(%s)"), ", ")
	someSum  = measure.NotZero(measure.Each(measure.Counters, "sum(%s)"))
)

// ListOf returns a SELECT list with an item for each column of Sums. The item is `format` with the counter's name in place of %s. It
// is 0 if `keep` returns false for the counter.
func ListOf(keep func(*measure.Measure) bool, format string) string {
	list := measure.Each(measure.Counters, format)
	for i, m := range measure.Counters {
		if !keep(m) {
			list[i] = "0"
		}
	}
	return strings.Join(list, ", ")
}

var columns = 2 + len(Dimensions) + len(measure.Counters)

// Write adds the deltas to the ledger in the transaction of c.
func (d Deltas) Write(ctx context.Context, c db.Conn) error {
	rows := make([][]any, 0, len(d))
	for k, f := range d {
		if !f.IsZero() {
			rows = append(rows, Cells(k, f))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := db.CopyIn(ctx, c, "ledger", Keys+", "+Sums, slices.Values(rows)); err != nil {
		return fmt.Errorf("ledger: write ledger: %w", err)
	}
	return nil
}

// Cells returns the values of a ledger row in the order of Keys and Sums.
func Cells(k Key, f models.Figures) []any {
	return f.AppendTo(append(make([]any, 0, columns),
		k.AccountID, time.Unix(k.Hour, 0).UTC(), k.CampaignID, k.StreamID, k.LanderID, k.OfferID, k.SourceID,
		k.Country, k.DeviceType, k.OS, k.Browser))
}

// Places returns the scan destinations of a row with the columns Keys and Sums. The hour has a variable of its own, because Key
// stores it in Unix seconds.
func Places(k *Key, hour *time.Time, f *models.Figures) []any {
	return f.AppendPointersTo(append(make([]any, 0, columns),
		&k.AccountID, hour, &k.CampaignID, &k.StreamID, &k.LanderID, &k.OfferID, &k.SourceID,
		&k.Country, &k.DeviceType, &k.OS, &k.Browser))
}

var selectSums = `SELECT ` + Keys + `, ` + sums + ` FROM ledger
WHERE account_id = $1 AND hour >= $2 AND hour < $3 GROUP BY ` + Keys

// Read returns the figures of an account in the hours of [from, to). It leaves out keys whose figures are all zero.
func Read(ctx context.Context, c db.Conn, account uuid.UUID, from, to time.Time) (Deltas, error) {
	d := Deltas{}
	err := db.EachRow(ctx, c, "read ledger", func(rows *sqlx.Rows) error {
		var k Key
		var hour time.Time
		var f models.Figures
		if err := rows.Scan(Places(&k, &hour, &f)...); err != nil {
			return err
		}
		if !f.IsZero() {
			k.Hour = hour.Unix()
			d[k] = f
		}
		return nil
	}, selectSums, account, from, to)
	return d, err
}

// selectUnmerged returns the hours with rows that are not merged yet, oldest first.
const selectUnmerged = `
SELECT account_id, hour FROM ledger WHERE NOT merged AND hour < $1
GROUP BY account_id, hour ORDER BY hour, account_id LIMIT $2`

// mergeHour replaces the rows of an hour with their sums, and adds the unmerged rows to the coarser copies, in one statement.
// Writers only add rows, so a row that is committed during the statement waits for the next compaction.
var mergeHour = `
WITH deleted AS (
	DELETE FROM ledger WHERE account_id = $1 AND hour = $2 RETURNING *
), merged AS (
	INSERT INTO ledger (` + Keys + `, ` + Sums + `, merged)
	SELECT ` + Keys + `, ` + sums + `, true FROM deleted GROUP BY ` + Keys + `
	HAVING ` + someSum + `
)
` + addRollups()

// Compact replaces the rows of equal keys with their sum, in at most `limit` hours that began before the given time and have
// new rows. It may run at the same time as writers, readers and other compactions. It returns the number of these hours. If the
// number is less than `limit`, no such hour is left.
func Compact(ctx context.Context, d db.Conn, before time.Time, limit int) (int, error) {
	hours, err := db.Select[struct {
		Account uuid.UUID `db:"account_id"`
		At      time.Time `db:"hour"`
	}](ctx, d, "compact", selectUnmerged, before, limit)
	if err != nil {
		return 0, err
	}
	for i, h := range hours {
		if err := db.Run(ctx, d, "compact", mergeHour, h.Account, h.At); err != nil {
			return i, err
		}
	}
	return len(hours), nil
}

var negate = `
WITH negated AS (
	INSERT INTO ledger (` + Keys + `, ` + Sums + `)
	SELECT ` + Keys + `, ` + negative + ` FROM ledger
	WHERE account_id = $1 AND campaign_id = ANY ($2::uuid[]) AND hour >= $3 AND hour < $4
	GROUP BY ` + Keys + `
	HAVING ` + someSum + `
	RETURNING campaign_id, clicks, bot_clicks
)
SELECT campaign_id, -sum(clicks)::bigint AS clicks, -sum(bot_clicks)::bigint AS bot_clicks FROM negated GROUP BY campaign_id`

// Negated has the numbers of a campaign's clicks that Negate has cancelled out.
type Negated struct {
	CampaignID uuid.UUID `db:"campaign_id"`
	Clicks     int64     `db:"clicks"`
	BotClicks  int64     `db:"bot_clicks"`
}

// Negate cancels out all figures of campaigns in the hours of [from, to). It returns the numbers of clicks by campaign. The
// caller must hold a lock, because two concurrent calls would cancel out the same figures twice.
func Negate(ctx context.Context, c db.Conn, account uuid.UUID, campaigns []uuid.UUID, from, to time.Time) (
	map[uuid.UUID]Negated, error,
) {
	list, err := db.Select[Negated](ctx, c, "negate", negate, account, db.UUIDs(campaigns), from, to)
	return db.ByKey(list, func(n Negated) uuid.UUID { return n.CampaignID }), err
}
