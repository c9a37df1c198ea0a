package click

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

// copyArgs returns the arguments for a log's query of the copy. The arguments of the window are nil, because the text of the query
// contains the bounds of the window.
func (q LogQuery) copyArgs() []any {
	return append([]any{
		q.AccountID, nil, nil, q.Limit, q.Offset, q.ClickID.String(), q.ExternalID, q.ConversionID, q.Status,
	}, q.WhereInCopy.Args...)
}

// copyCondition returns the SQL condition by which a log selects clicks of the copy in [from, to). The alias of the clicks is f.
func (q LogQuery) copyCondition(from, to time.Time) string {
	s := "f.account_id = $1 AND " + schema.Window("f.at", from, to)
	if q.ClickID != uuid.Nil {
		s += " AND f.id = toUUID($6)"
	}
	if q.ExternalID != "" {
		s += " AND f.external_id = $7"
	}
	sold := "SELECT x.click_id FROM conversions AS x FINAL WHERE x.account_id = $1 AND " + schema.Window("x.click_at", from, to)
	if q.Converted {
		s += " AND f.id GLOBAL IN (" + sold + ")"
	}
	return s + q.WhereInCopy.SQL
}

// coldClicks searches for a page in windows that grow backwards in time, because ClickHouse sorts rows only after it has read them all.
var pageWindows = []time.Duration{time.Hour, Day, 10 * Day}

// coldClicks reads a page of clicks from the copy.
func (l Log) coldClicks(ctx context.Context, q LogQuery) (list []StoredClick, err error) {
	for i := 0; ; i++ {
		from := q.From
		if i < len(pageWindows) && from.Before(q.To.Add(-pageWindows[i])) {
			from = q.To.Add(-pageWindows[i])
		}
		where := q.copyCondition(from, q.To)
		if q.ConversionID != "" {
			where += " AND f.id GLOBAL IN (SELECT x.click_id FROM conversions AS x FINAL WHERE x.account_id = $1 AND " +
				schema.Window("x.click_at", from, q.To) + " AND x.conversion_id = $8)"
		}
		list, err = l.coldRows(ctx, "list clicks", "SELECT "+AllColumns.SQL()+" FROM clicks AS f FINAL WHERE "+where+
			" ORDER BY f.at DESC, toString(f.id) DESC LIMIT $4 OFFSET $5", q.copyArgs()...)
		if err != nil || len(list) == q.Limit || !q.From.Before(from) {
			return list, err
		}
	}
}

func (l Log) coldRows(ctx context.Context, what, query string, args ...any) ([]StoredClick, error) {
	list, err := readCopied(ctx, l.Copy, AllColumns, what, query, args...)
	return values(list), err
}

func values(list []*StoredClick) []StoredClick {
	return db.Map(list, func(c *StoredClick) StoredClick { return *c })
}

// FindCold finds clicks of cold days in the copy by their ids. The zero account means any account. The result leaves out ids of
// later days and ids without a click.
func (l Log) FindCold(ctx context.Context, account uuid.UUID, ids ...uuid.UUID) ([]StoredClick, error) {
	s, err := l.Copy.State(ctx, l.Conn)
	if err != nil || s.ColdBefore.IsZero() {
		return nil, err
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool { return !s.Cold(models.ClickTime(id)) })
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := l.Store().copiedByID(ctx, AllColumns, account, ids)
	return values(list), err
}

const selectConversionsByID = `SELECT %s FROM conversions WHERE account_id = $1 AND id = ANY ($2::uuid[])
ORDER BY recorded_at DESC, id DESC`

// coldConversions reads a page of the conversion log that is filtered by attributes of the clicks. The copy finds the ids,
// because some of these clicks may be only there.
func (l Log) coldConversions(ctx context.Context, q LogQuery) ([]models.Conversion, error) {
	ofClick := q
	ofClick.Converted = false
	where := []string{"v.account_id = $1", schema.Window("v.recorded_at", q.From, q.To)}
	if q.ClickID != uuid.Nil {
		where = append(where, "v.click_id = toUUID($6)")
	}
	if q.ConversionID != "" {
		where = append(where, "v.conversion_id = $8")
	}
	if q.Status != "" {
		where = append(where, "v.status = $9")
	}
	query := "SELECT v.id FROM conversions AS v FINAL WHERE " + strings.Join(where, " AND ") + q.WhereInCopy.OfSale + " AND v.click_id GLOBAL IN (SELECT f.id FROM clicks AS f FINAL WHERE " +
		ofClick.copyCondition(time.UnixMilli(0), time.UnixMilli(schema.LatestMoment)) +
		") ORDER BY v.recorded_at DESC, toString(v.id) DESC LIMIT $4 OFFSET $5"
	ids, err := schema.Values[uuid.UUID](ctx, l.Copy, "list conversions", query, q.copyArgs()...)
	if err != nil {
		return nil, err
	}
	list, err := db.Select[models.Conversion](ctx, l.Conn, "list conversions", strings.Replace(selectConversionsByID, "%s", ConversionColumns, 1),
		q.AccountID, db.UUIDs(ids))
	if err == nil {
		err = l.replaceConversionRates(ctx, q.AccountID, list)
	}
	return list, err
}
