package difference_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	dbdifference "switchyard/db/difference"
	"switchyard/db/ingest"
	"switchyard/db/report"
	"switchyard/db/spend"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/difference"
)

// env is a dollar account with a traffic source, a network and two campaigns. One euro is 1.10 dollars. The first day is ten days
// ago.
type env struct {
	t                        *testing.T
	db                       *db.DB
	account, source, network uuid.UUID
	campaigns                [2]uuid.UUID
	first                    time.Time // midnight UTC
}

func newEnv(t *testing.T) *env {
	t.Helper()
	e := &env{t: t, db: dbtest.New(t), account: uuid.New(), source: uuid.New(), network: uuid.New()}
	e.first = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -10)
	dbtest.SetRates(t, e.db, "1.1")
	dbtest.Exec(t, e.db, `INSERT INTO accounts (id, name, plan, site_key, currency) VALUES ($1, 'A', 'pro', $2, 'USD')`, e.account, e.account.String())
	dbtest.Exec(t, e.db, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, 'S')`, e.source, e.account)
	dbtest.Exec(t, e.db, `INSERT INTO networks (id, account_id, name) VALUES ($1, $2, 'N')`, e.network, e.account)
	dbtest.Exec(t, e.db, `INSERT INTO domains (id, host) VALUES ($1, 'go.example.com')`, e.source)
	for i := range e.campaigns {
		e.campaigns[i] = uuid.New()
		dbtest.Exec(t, e.db, `INSERT INTO campaigns (id, account_id, name, alias, domain_id) VALUES ($1, $2, $3, $3, $4)`, e.campaigns[i],
			e.account, fmt.Sprint("campaign-", i), e.source)
	}
	return e
}

func (e *env) day(n int) string { return e.first.AddDate(0, 0, n).Format(time.DateOnly) }

func (e *env) at(day, hour int) time.Time {
	return e.first.AddDate(0, 0, day).Add(time.Duration(hour) * time.Hour)
}

// visits stores n clicks of the source and the network at the given time. The function change, which may be nil, changes each
// click before it is stored.
func (e *env) visits(n, campaign int, at time.Time, change func(*models.Click)) (ids []uuid.UUID) {
	e.t.Helper()
	log, err := spool.Open(e.t.TempDir(), spool.Options{})
	if err != nil {
		e.t.Fatal(err)
	}
	defer log.Close()
	for range n {
		c := models.Click{
			ID: models.NewClickID(), AccountID: e.account, CampaignID: e.campaigns[campaign], SourceID: e.source, NetworkID: e.network,
			Currency: "USD", UniqueHours: 24, UniqueKey: uuid.New(),
		}
		floor := models.FloorClickID(at)
		copy(c.ID[:6], floor[:6])
		if change != nil {
			change(&c)
		}
		ids = append(ids, c.ID)
		if err := log.Append(e.t.Context(), spool.Record{Click: &c}); err != nil {
			e.t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(log, e.db, ingest.Options{}).Drain(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
	return ids
}

func (e *env) tx(fn func(db.Conn) error) {
	e.t.Helper()
	if err := db.Tx(e.t.Context(), e.db, fn); err != nil {
		e.t.Fatal(err)
	}
}

func (e *env) sell(click uuid.UUID, id, status, payout, currency, source string, after time.Duration) {
	e.t.Helper()
	value := decimal.RequireFromString(payout)
	in := conversion.Input{
		AccountID: e.account, ClickID: click, NetworkID: e.network, ConversionID: id, Status: status, Payout: &value, Currency: currency,
		Source: source, At: models.ClickTime(click).Add(after), Final: source == models.FromCorrection,
	}
	e.tx(func(c db.Conn) error {
		_, err := conversion.Record(e.t.Context(), clickLog, c, in)
		return err
	})
}

var clickLog = click.Log{}

func (e *env) spend(day, campaign int, amount, currency string) {
	e.t.Helper()
	e.tx(func(c db.Conn) error {
		_, err := spend.Set(e.t.Context(), clickLog, c, e.account, spend.Spend{
			Day: e.at(day, 0), SourceID: e.source, CampaignID: e.campaigns[campaign], Amount: decimal.RequireFromString(amount), Currency: currency,
		})
		return err
	})
}

// read compares the figures of the network or the source with ours, for the first n days. The causes and the rest must add up to
// the difference.
func (e *env) read(kind string, n int, tz string) difference.Result {
	e.t.Helper()
	id := e.source
	if kind == difference.OfNetwork {
		id = e.network
	}
	out, err := dbdifference.Reader{Conn: e.db, Reports: report.Reader{Conn: e.db}}.Read(e.t.Context(), e.account, difference.Args{
		Kind: kind, ID: id, From: e.day(0), To: e.day(n - 1), TZ: tz,
	})
	if err != nil {
		e.t.Fatal(err)
	}
	for _, r := range append(slices.Clone(out.Rows), out.Total) {
		sum := r.Unexplained
		for _, p := range r.Causes {
			sum = sum.Plus(p.Figures)
		}
		want := r.Theirs.Minus(r.Ours)
		if out.Compares.Clicks && sum.Clicks != want.Clicks || out.Compares.Conversions && sum.Conversions != want.Conversions ||
			out.Compares.Money && !sum.Money.Equal(want.Money) {
			e.t.Errorf("%v: the causes add up to %v, the difference is %v", r.Cell, sum, want)
		}
	}
	return out
}

func figures(f difference.Figures) string {
	return fmt.Sprint(f.Clicks, " ", f.Conversions, " ", f.Money)
}

// lines returns each row as a text: the numbers of day and campaign (-1: none; "all" for the total), the figures of the other side,
// our figures, the causes, and the rest if it is not zero.
func (e *env) lines(rows ...difference.Row) (out []string) {
	for _, r := range rows {
		at, _ := time.Parse(time.DateOnly, r.Day)
		parts := []string{fmt.Sprintf("%d/%d: %s | %s", int(at.Sub(e.first).Hours())/24, slices.Index(e.campaigns[:], r.Campaign), figures(r.Theirs), figures(r.Ours))}
		if r.Day == "" {
			parts[0] = fmt.Sprintf("all: %s | %s", figures(r.Theirs), figures(r.Ours))
		}
		for _, p := range r.Causes {
			parts = append(parts, strings.TrimSpace(p.Cause+" "+figures(p.Figures)+" "+p.Reason))
		}
		if !r.Unexplained.IsZero() {
			parts = append(parts, "rest "+figures(r.Unexplained))
		}
		out = append(out, strings.Join(parts, " | "))
	}
	slices.Sort(out)
	return out
}
