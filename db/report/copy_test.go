package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickcopy"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
)

// engines runs each test with PostgreSQL and then, on the same data, with ClickHouse.
type engines struct {
	copy    *clickcopy.Copy
	cluster bool // ClickHouse is a cluster of two shards
}

// newCopy copies all data to ClickHouse and returns a reader of the copy.
func (e *engines) newCopy(t *testing.T, d *db.DB) *click.CopyReader {
	t.Helper()
	if e.copy == nil {
		open := clickhousetest.New
		if e.cluster {
			open = clickhousetest.NewCluster
		}
		e.copy = &clickcopy.Copy{From: d, To: open(t)}
		if err := e.copy.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := e.copy.Fill(t.Context(), func(time.Time, int64) {}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.copy.Forward(t.Context()); err != nil {
		t.Fatal(err)
	}
	return click.NewCopyReader(e.copy.To)
}

// onBoth runs fn once with PostgreSQL and once with ClickHouse.
func (e *engines) onBoth(t *testing.T, d *db.DB, fn func(*testing.T, Reader)) {
	t.Helper()
	outer := t
	t.Run("postgres", func(t *testing.T) {
		parttest.Plain(t)
		fn(t, Reader{Conn: d})
	})
	t.Run("clickhouse", func(t *testing.T) {
		clickhousetest.Server(t) // without a server, only this part is skipped
		fn(t, Reader{Conn: d, Copy: e.newCopy(outer, d), CopyOnly: true})
	})
}

// onBoth calls fn once for each engine. h.t and h.reader then belong to the engine.
func (h *historyEnv) onBoth(fn func()) {
	h.t.Helper()
	outer, reader := h.t, h.reader
	defer func() { h.t, h.reader = outer, reader }()
	h.engines.onBoth(outer, h.d, func(t *testing.T, r Reader) {
		t.Helper()
		h.t, h.reader = t, r
		fn()
	})
}

func (m *monthEnv) reader() Reader {
	return Reader{Conn: m.d, Copy: m.copied, CopyOnly: m.copied != nil}
}

// onBoth calls fn once for each engine. a.T is then the engine's subtest, and a.copied is nil for PostgreSQL.
func (a *queryEnv) onBoth(fn func()) {
	a.Helper()
	outer := a.T
	defer func() { a.T = outer }()
	(&engines{}).onBoth(outer, a.d, func(t *testing.T, r Reader) {
		t.Helper()
		a.T, a.copied = t, r.Copy
		fn()
	})
}

// compareEngines compares the answers of both engines: every cell, and the order of the rows where it is defined.
func (a *queryEnv) compareEngines() {
	a.Helper()
	if a.copied == nil {
		return
	}
	goals := []string{"", "lead", "sale"}
	questions := a.questions(longtest.Size(40, 150))
	for i := range questions {
		q := &questions[i]
		q.AccountID, q.Limit = a.account, 1+a.rnd.IntN(300)
		q.Sort = pickOf(a, append(Sorts(), q.Dimensions...))
		if a.rnd.IntN(2) == 0 {
			q.Sort = "-" + q.Sort
		}
		if i%3 == 0 {
			q.Goals = []string{pickOf(a, goals), pickOf(a, goals)}
		}
	}
	a.atOnce(len(questions), func(i int) error {
		q := questions[i]
		return a.same(fmt.Sprintf("%+v", q), func(r Reader) (any, error) { return r.Performance(a.Context(), q) })
	})
	from, to := a.start.Add(31*time.Hour+1234567*time.Millisecond), a.end.Add(-77*time.Hour)
	var campaigns []uuid.UUID
	for _, id := range a.pools[0].list[:20] {
		campaigns = append(campaigns, uuid.MustParse(id))
	}
	for what, query := range map[string]func(Reader) (any, error){
		"orphans":    func(r Reader) (any, error) { return r.Orphans(a.Context(), a.account, from, to) },
		"bot scores": func(r Reader) (any, error) { return byText(r.BotScores(a.Context(), a.account, from, to)) },
		"visitors":   func(r Reader) (any, error) { return r.VisitorsSince(a.Context(), a.account, from, to) },
		"delays": func(r Reader) (any, error) {
			some := Filter{Dimension: "campaign_id", Values: db.Map(campaigns, uuid.UUID.String), Not: true}
			return r.Delays(a.Context(), Query{AccountID: a.account, From: from, To: to, Filters: []Filter{some}})
		},
		"addresses": func(r Reader) (any, error) {
			return r.RepeatAddresses(a.Context(), AddressQuery{AccountID: a.account, From: from, To: to, MinHits: 2, Limit: 100})
		},
		"addresses of a campaign": func(r Reader) (any, error) {
			return r.RepeatAddresses(a.Context(), AddressQuery{
				AccountID: a.account, From: from, To: to, MinHits: 1, Limit: 1000, Campaign: campaigns[1],
			})
		},
	} {
		if err := a.same(what, query); err != nil {
			a.Error(err)
		}
	}
	for split := range goalSplits {
		err := a.same("goals by "+split, func(r Reader) (any, error) {
			return byText(r.GoalsOf(a.Context(), a.account, campaigns, split, from, to))
		})
		if err != nil {
			a.Error(err)
		}
	}
}

// byText sorts a list that has no defined order.
func byText[T any](list []T, err error) ([]T, error) {
	slices.SortFunc(list, func(x, y T) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
	return list, err
}

func (a *queryEnv) same(what string, query func(Reader) (any, error)) error {
	want, err := query(Reader{Conn: a.d})
	if err != nil {
		return fmt.Errorf("%s: PostgreSQL: %w", what, err)
	}
	got, err := query(a.reader())
	if err != nil {
		return fmt.Errorf("%s: ClickHouse: %w", what, err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(decimal.Decimal.Equal), cmp.Comparer(time.Time.Equal)); diff != "" {
		return fmt.Errorf("%s: PostgreSQL (-) and ClickHouse (+): %s", what, diff)
	}
	return nil
}
