package report

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
)

// TestEveryDimensionAnswers checks for each dimension that the groups add up to the totals, and that a filter finds its group.
func TestEveryDimensionAnswers(t *testing.T) {
	t.Parallel()
	h := newHistoryEnv(t, 99)
	for range 10 {
		h.arrive()
	}
	for len(h.queue) > 0 {
		h.flush()
	}
	q := Query{AccountID: h.account, From: h.start.Add(-time.Hour), To: h.start.Add(22 * time.Hour)}
	want, err := h.reader.Totals(t.Context(), q)
	if err != nil || want.Clicks+want.BotClicks != 10 {
		t.Fatalf("the totals are %+v, %v, want 10 clicks", want, err)
	}
	for _, name := range Dimensions() {
		for _, rowsOnly := range []bool{false, true} {
			q.Dimensions, q.FromRows, q.Filters = []string{name}, rowsOnly, nil
			rows, err := h.reader.Performance(t.Context(), q)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var sum models.Figures
			for _, r := range rows {
				sum = sum.Plus(r.Figures)
			}
			if diff := cmp.Diff(want, sum, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
				t.Errorf("%s: the totals (-) and the sum of the groups (+): %s", name, diff)
			}
			// A filter by a value from the answer finds only the group of that value.
			q.Filters = []Filter{{Dimension: name, Values: rows[0].Dims}}
			again, err := h.reader.Performance(t.Context(), q)
			if err != nil || len(again) != 1 || again[0].Clicks != rows[0].Clicks || again[0].Dims[0] != rows[0].Dims[0] {
				t.Errorf("filter %s = %q: %+v, %v, want only that group", name, rows[0].Dims, again, err)
			}
		}
	}
}

// TestQuestionsThatAreRefused checks that queries with unknown dimensions, or beyond the limits, get the error
// invalid_dimension.
func TestQuestionsThatAreRefused(t *testing.T) {
	t.Parallel()
	q := func(dims []string, filters ...Filter) Query { return Query{Dimensions: dims, Filters: filters} }
	for name, x := range map[string]Query{
		"unknown dimension":   q([]string{"campaign_id; DROP TABLE ledger"}),
		"unknown filter":      q(nil, Filter{Dimension: "account_id", Values: []string{"x"}}),
		"too many dimensions": q([]string{"os", "os", "os", "os", "os", "os"}),
		"too many filters":    q(nil, make([]Filter, MaxFilters+1)...),
		"a long filter":       q(nil, Filter{Dimension: "os", Values: []string{strings.Repeat("ä", MaxFilterLen+1)}}),
	} {
		if _, err := (Reader{}).newQuery(t.Context(), x); !errors.Is(err, models.Invalid("invalid_dimension", "")) {
			t.Errorf("%s: %v, want the error invalid_dimension", name, err)
		}
	}
}

// TestOddWindowsAndFilters checks that unusual windows and filters give an answer without an error.
func TestOddWindowsAndFilters(t *testing.T) {
	t.Parallel()
	h := newHistoryEnv(t, 5)
	h.arrive()
	for len(h.queue) > 0 {
		h.flush()
	}
	everything := Query{AccountID: h.account, To: time.Now().Add(time.Hour)} // from the beginning of time
	for name, x := range map[string]struct {
		change func(*Query)
		want   int64
	}{
		"all":               {func(*Query) {}, 1},
		"backwards":         {func(q *Query) { q.From, q.To = q.To, q.From }, 0},
		"empty":             {func(q *Query) { q.From = q.To }, 0},
		"another account":   {func(q *Query) { q.AccountID = uuid.New() }, 0},
		"not a uuid":        {func(q *Query) { q.Filters = []Filter{{Dimension: "campaign_id", Values: []string{"x"}}} }, 0},
		"no values":         {func(q *Query) { q.Filters = []Filter{{Dimension: "country", Values: nil}} }, 0},
		"a zero character":  {func(q *Query) { q.Filters = []Filter{{Dimension: "country", Values: []string{"\x00\xff"}}} }, 0},
		"backwards, by row": {func(q *Query) { q.From, q.To, q.FromRows = q.To, q.From, true }, 0},
	} {
		q := everything
		x.change(&q)
		rows, err := h.reader.Performance(t.Context(), q)
		if err != nil || len(rows) != 1 || rows[0].Clicks+rows[0].BotClicks != x.want {
			t.Errorf("%s: %+v, %v, want one row with %d clicks", name, rows, err, x.want)
		}
	}
}

// TestFiguresOfAndLabels checks reports with filters by ids, and the names of records.
func TestFiguresOfAndLabels(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc, other := newAccount(t, d), newAccount(t, d)
	domain, stream := uuid.New(), uuid.New()
	dbtest.Exec(t, d, `INSERT INTO domains (id, host) VALUES ($1, 'go.example.com')`, domain)
	campaigns := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	for i, id := range campaigns {
		owner := acc
		if i == 2 {
			owner = other
		}
		dbtest.Exec(t, d, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, streams)
			VALUES ($1, $2, $3, $3, $4, $5)`, id, owner, "C"+id.String(), domain,
			`[{"id": "`+stream.String()+`", "name": "Path 1"}]`)
	}
	s, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, id := range []uuid.UUID{campaigns[0], campaigns[0], campaigns[2]} {
		c := &models.Click{ID: models.NewClickID(), AccountID: acc, CampaignID: id, NetworkID: domain}
		if err := s.Append(t.Context(), spool.Record{Click: c}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(s, d, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for dimension, ids := range map[string][]uuid.UUID{"campaign_id": campaigns[:2], "network_id": {domain}} {
		got, err := Reader{Conn: d}.Performance(t.Context(), Query{
			AccountID: acc, To: time.Now().Add(time.Hour), Dimensions: []string{dimension}, Filters: []Filter{IDs(dimension, ids...)},
		})
		want := map[string]int64{"campaign_id": 2, "network_id": 3}[dimension]
		if err != nil || len(got) != 1 || got[0].Dims[0] != ids[0].String() || got[0].Clicks != want {
			t.Errorf("figures by %s: %+v, %v, want %d clicks of %s", dimension, got, err, want, ids[0])
		}
	}
	values := []string{campaigns[0].String(), campaigns[2].String(), "", "x"}
	labels, err := store.New(d, nil).Labels(t.Context(), acc, "campaign_id", values)
	if diff := cmp.Diff(map[string]string{values[0]: "C" + values[0]}, labels); diff != "" || err != nil {
		t.Errorf("names of campaigns (-want +got): %s, %v", diff, err)
	}
	labels, err = store.New(d, nil).Labels(t.Context(), acc, "stream_id", []string{stream.String()})
	if err != nil || labels[stream.String()] != "Path 1" {
		t.Errorf("the names of the path are %v, %v, want Path 1", labels, err)
	}
	for _, name := range Dimensions() {
		if _, err := store.New(d, nil).Labels(t.Context(), acc, name, values); err != nil {
			t.Errorf("names of %s: %v, want no error", name, err)
		}
	}
}

// TestDimensionsHaveTheirPlaces checks that the places of the dimensions are 1, 2, 3 and so on.
func TestDimensionsHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	for i, d := range dimensions {
		if d.place != i+1 {
			t.Errorf("%s has place %d, want %d", d.name, d.place, i+1)
		}
	}
}
