package clicklog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clicklog"
	"switchyard/db/report"
	"switchyard/models"
)

// both are PostgreSQL and ClickHouse.
type both struct {
	t *testing.T
	d *db.DB
}

// agree asks both engines what the rows of every account count, by dimensions in which something may have gone astray: the
// answers are the same to the cell.
func (b both) agree() {
	b.t.Helper()
	d := b.d
	b.t.Run("clickhouse", func(t *testing.T) {
		clickhousetest.Server(t) // skips only this without one
		there := clicklog.NewCopyReader(newCopy(t, d).To)
		var accounts []models.Account
		if err := d.SelectContext(t.Context(), &accounts, `SELECT id FROM accounts`); err != nil {
			t.Fatal(err)
		}
		for _, a := range accounts {
			for _, dims := range [][]string{
				nil, {"campaign_id", "source_id"}, {"offer_id", "lp_slot"}, {"date", "lander_id"}, {"hour"}, {"country", "bot_reason"},
			} {
				q := report.Query{
					AccountID: a.ID, From: time.Now().AddDate(0, 0, -60), To: time.Now().AddDate(0, 0, 2), Dimensions: dims, FromRows: true,
				}
				want, err := report.Reader{Conn: d}.Performance(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				got, err := report.Reader{Conn: d, Copy: there, CopyOnly: true}.Performance(t.Context(), q)
				if diff := cmp.Diff(want, got, cmp.Comparer(decimal.Decimal.Equal)); diff != "" || err != nil {
					t.Error(fmt.Sprint("by ", dims, ", PostgreSQL (-) and ClickHouse (+): "), diff, err)
				}
			}
		}
	})
}
