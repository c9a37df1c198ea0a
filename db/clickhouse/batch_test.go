package clickhouse_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/clickhouse"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/columnar"
)

// figures is a table of sums, words one of rows with a key.
var (
	figures = columnar.Table{
		Name:    "figures",
		Columns: columns("hour DateTime('UTC')", "key String", "n Int64", "batch UInt64"),
		Extra:   []string{"INDEX b batch TYPE minmax"},
		Engine:  "ENGINE = MergeTree PARTITION BY toYYYYMM(hour) ORDER BY (hour, key) SETTINGS " + columnar.Tokens,
	}
	words = columnar.Table{
		Name:    "words",
		Columns: columns("id UUID", "word String", "version UInt64"),
		Engine:  "ENGINE = ReplacingMergeTree(version) ORDER BY id",
	}
)

func columns(list ...string) (out []columnar.Column) {
	for _, one := range list {
		name, kind, _ := strings.Cut(one, " ")
		out = append(out, columnar.Column{Name: name, Type: kind})
	}
	return out
}

// open opens a new database with the tables.
func open(t *testing.T) *clickhouse.Conn {
	t.Helper()
	return clickhousetest.New(t, figures, words)
}

func do(t *testing.T, conn *clickhouse.Conn, query string) {
	t.Helper()
	if err := conn.Exec(t.Context(), "test", query); err != nil {
		t.Fatal(err)
	}
}

// model are the sums that figures should have, by hour and key.
type model map[string]int64

// batch makes a batch of some rows in two months, and adds it to the model.
func (m model) batch(number uint64, rows int) columnar.Batch {
	b := columnar.Batch{Table: figures, Number: number}
	for i := range rows {
		at := time.Date(2026, 10, 31, 22+rand.IntN(4), 0, 0, 0, time.UTC)
		key, n := fmt.Sprint("k", rand.IntN(20)), rand.Int64N(1000)-300
		b.Rows = append(b.Rows, columnar.Row{Hour: at, Cells: []any{at, key, n, number}})
		m[at.Format(time.RFC3339)+" "+key] += n
		if i == 0 { // both months have rows
			at = at.AddDate(0, 0, 3)
			b.Rows = append(b.Rows, columnar.Row{Hour: at, Cells: []any{at, key, n, number}})
			m[at.Format(time.RFC3339)+" "+key] += n
		}
	}
	return b
}

func (m model) check(t *testing.T, conn *clickhouse.Conn) {
	t.Helper()
	got := model{}
	err := conn.Each(t.Context(), "sums", func(scan func(...any) error) error {
		var at time.Time
		var key string
		var n int64
		err := scan(&at, &key, &n)
		got[at.UTC().Format(time.RFC3339)+" "+key] = n
		return err
	}, `SELECT hour, key, sum(n) FROM figures GROUP BY hour, key`)
	if err != nil {
		t.Fatal(err)
	}
	for key, n := range m {
		if got[key] != n {
			t.Errorf("%s: %d, want %d", key, got[key], n)
		}
		delete(got, key)
	}
	if len(got) > 0 {
		t.Errorf("sums that nobody stored: %v", got)
	}
}

func once(t *testing.T, conn *clickhouse.Conn, b columnar.Batch) {
	t.Helper()
	if err := conn.Once(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func TestBatchIsStoredOnce(t *testing.T) {
	t.Parallel()
	conn, m := open(t), model{}
	batches := []columnar.Batch{m.batch(1, 30), m.batch(2, 30), m.batch(3, 1)}
	for range 3 {
		for _, b := range batches {
			once(t, conn, b)
			b.Again = true
			once(t, conn, b)
		}
	}
	m.check(t, conn)
	do(t, conn, `OPTIMIZE TABLE figures FINAL`)
	for _, b := range batches { // its rows have moved into other parts
		b.Again = true
		once(t, conn, b)
	}
	m.check(t, conn)
}

// TestLostPartitionComesBack takes away what a server loses that is killed after it has noted a token.
func TestLostPartitionComesBack(t *testing.T) {
	t.Parallel()
	for _, lost := range [][]string{{"202610"}, {"202611"}, {"202610", "202611"}} {
		conn, m := open(t), model{}
		b := m.batch(7, 20)
		once(t, conn, b)
		for _, partition := range lost {
			do(t, conn, `ALTER TABLE figures DROP PARTITION `+partition)
		}
		once(t, conn, b) // is refused as a repetition, and was answered: nothing is asked
		b.Again = true
		once(t, conn, b)
		m.check(t, conn)
		once(t, conn, b)
		m.check(t, conn)
	}
}

func TestTornBatchIsReported(t *testing.T) {
	t.Parallel()
	conn := open(t)
	b := model{}.batch(9, 20)
	once(t, conn, b)
	do(t, conn, `INSERT INTO figures VALUES ('2026-11-03 00:00:00', 'k', 1, 9)`)
	b.Again = true
	if err := conn.Once(t.Context(), b); !errors.Is(err, clickhouse.ErrTorn) {
		t.Errorf("a batch with a row too many: %v", err)
	}
}

// TestSettledBatchIsOver sends batches that were given up, before and after that was said.
func TestSettledBatchIsOver(t *testing.T) {
	t.Parallel()
	conn, m := open(t), model{}
	at := time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC)
	settle := func(number uint64) {
		t.Helper()
		if err := conn.Settle(t.Context(), figures, number, columnar.Row{Hour: at, Cells: []any{at, "", int64(0), number}}); err != nil {
			t.Fatal(err)
		}
	}
	row := func(number uint64) columnar.Batch {
		return columnar.Batch{
			Table: figures, Number: number, Rows: []columnar.Row{{Hour: at, Cells: []any{at, "k", int64(number), number}}},
		}
	}
	once(t, conn, row(1))
	settle(1)
	settle(2)
	once(t, conn, row(2)) // comes too late
	once(t, conn, row(4))
	m[at.Format(time.RFC3339)+" k"], m[at.Format(time.RFC3339)+" "] = 1+4, 0
	m.check(t, conn)
}

func TestRefusedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	conn := open(t)
	b := model{}.batch(1, 2)
	b.Table.Name = "nowhere"
	if err := conn.Once(t.Context(), b); !clickhouse.Refused(err) {
		t.Errorf("a table that is not there: %v", err)
	}
}

func TestPutKeepsOneRowOfAKey(t *testing.T) {
	t.Parallel()
	conn := open(t)
	var rows [][]any
	for range 50 {
		rows = append(rows, []any{uuid.New(), "first", uint64(1)})
	}
	for range 3 {
		if err := conn.Put(t.Context(), words, slices.Values(rows)); err != nil {
			t.Fatal(err)
		}
	}
	later := [][]any{{rows[0][0], "second", uint64(2)}}
	for _, put := range [][][]any{later, rows[:1]} { // the first version comes once more, and late
		if err := conn.Put(t.Context(), words, slices.Values(put)); err != nil {
			t.Fatal(err)
		}
	}
	var n, second uint64
	err := conn.Each(t.Context(), "words", func(scan func(...any) error) error { return scan(&n, &second) },
		`SELECT count(), countIf(word = 'second') FROM words FINAL`)
	if err != nil || n != 50 || second != 1 {
		t.Errorf("%d rows, %d of the second version: %v", n, second, err)
	}
}

func TestEnsureAddsColumns(t *testing.T) {
	t.Parallel()
	conn := open(t)
	wider := words
	wider.Columns = append(slices.Clone(words.Columns), columnar.Column{Name: "lang", Type: "LowCardinality(String)"})
	if err := conn.Put(t.Context(), words, slices.Values([][]any{{uuid.New(), "old", uint64(1)}})); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := conn.Ensure(t.Context(), wider); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Put(t.Context(), wider, slices.Values([][]any{{uuid.New(), "new", uint64(1), "de"}})); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err := conn.Each(t.Context(), "words", func(scan func(...any) error) error {
		var word, lang string
		err := scan(&word, &lang)
		got[word] = lang
		return err
	}, `SELECT word, lang FROM words`)
	if err != nil || len(got) != 2 || got["new"] != "de" || got["old"] != "" {
		t.Errorf("%v, %v", got, err)
	}
}
