package clicktest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/models/parttest"
)

// questions lists combinations of dimensions that are prone to wrong figures. ledger is set if the ledger has all dimensions.
var questions = []struct {
	dims   []string
	ledger bool
}{
	{nil, true},
	{[]string{"campaign_id", "source_id"}, true},
	{[]string{"date", "lander_id"}, true},
	{[]string{"hour"}, true},
	{[]string{"offer_id", "lp_slot"}, false},
	{[]string{"country", "bot_reason"}, false},
}

// CheckFigures checks that PostgreSQL's rows, its ledger and ClickHouse's rows give the same figures for each account.
func CheckFigures(t *testing.T, d *db.DB) {
	t.Helper()
	accounts := dbtest.Select[uuid.UUID](t, d, `SELECT id FROM accounts`)
	compare := func(t *testing.T, wantReader report.Reader, wantQuery report.Query, gotReader report.Reader, gotQuery report.Query) {
		t.Helper()
		want, err := wantReader.Performance(t.Context(), wantQuery)
		if err != nil {
			t.Fatal(err)
		}
		got, err := gotReader.Performance(t.Context(), gotQuery)
		if diff := cmp.Diff(want, got, cmp.Comparer(decimal.Decimal.Equal)); diff != "" || err != nil {
			t.Errorf("by %v: %v, want (-) and got (+): %s", wantQuery.Dimensions, err, diff)
		}
	}
	each := func(fn func(q report.Query, ledger bool)) {
		for _, account := range accounts {
			for _, question := range questions {
				fn(report.Query{
					AccountID: account, From: time.Now().AddDate(0, 0, -60), To: time.Now().AddDate(0, 0, 2), Dimensions: question.dims, FromRows: true,
				}, question.ledger)
			}
		}
	}
	t.Run("postgres", func(t *testing.T) {
		parttest.Plain(t)
		each(func(q report.Query, ledger bool) {
			if ledger {
				fromLedger := q
				fromLedger.FromRows = false
				compare(t, report.Reader{Conn: d}, fromLedger, report.Reader{Conn: d}, q)
			}
		})
	})
	t.Run("clickhouse", func(t *testing.T) {
		clickhousetest.Server(t) // without a server, only this part is skipped
		copied := click.NewCopyReader(NewCopy(t, d).To)
		each(func(q report.Query, _ bool) {
			compare(t, report.Reader{Conn: d}, q, report.Reader{Conn: d, Copy: copied, CopyOnly: true}, q)
		})
	})
}
