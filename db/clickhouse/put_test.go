package clickhouse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/clickhouse"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clickhouse/schema"
	"switchyard/models/parttest"
)

var words = schema.Table{
	Name: "words", Columns: columns("id UUID", "word String", "version UInt64"),
	Engine: "ReplacingMergeTree(version)", Layout: "ORDER BY id",
}

func columns(list ...string) (out []schema.Column) {
	for _, column := range list {
		name, kind, _ := strings.Cut(column, " ")
		out = append(out, schema.Column{Name: name, Type: kind})
	}
	return out
}

func open(t *testing.T) *clickhouse.Conn {
	t.Helper()
	return clickhousetest.New(t, words)
}

// TestRefusedIsNotTriedAgain checks that Put gives up if the server refuses the statement.
func TestRefusedIsNotTriedAgain(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	nowhere := words
	nowhere.Name = "nowhere"
	err := conn.Put(t.Context(), nowhere, slices.Values([][]any{{uuid.New(), "a", uint64(1)}}))
	if !clickhouse.Refused(err) {
		t.Errorf("rows for a table that does not exist get the error %v, want a refusal", err)
	}
}

func TestServerThatIsAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	conn, err := clickhouse.Open("http://default@127.0.0.1:1/default", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(t.Context(), "test", "SELECT 1"); err == nil || clickhouse.Refused(err) {
		t.Errorf("a statement without a server gets the error %v, want one that is not a refusal", err)
	}
	if clickhouse.Refused(nil) {
		t.Error("a statement without an error counts as refused")
	}
}

func TestPutKeepsOneRowOfAKey(t *testing.T) {
	parttest.ClickHouse.Only(t)
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
	for _, put := range [][][]any{later, rows[:1]} { // the first version comes again after the second
		if err := conn.Put(t.Context(), words, slices.Values(put)); err != nil {
			t.Fatal(err)
		}
	}
	var n, second uint64
	err := conn.Each(t.Context(), "words", func(scan func(...any) error) error { return scan(&n, &second) },
		`SELECT count(), countIf(word = 'second') FROM words FINAL`)
	if err != nil || n != 50 || second != 1 {
		t.Errorf("%d rows, %d of the second version, want 50 and 1: %v", n, second, err)
	}
}

func TestEnsureAddsColumns(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	wider := words
	wider.Columns = append(slices.Clone(words.Columns), schema.Column{Name: "lang", Type: "LowCardinality(String)"})
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
		t.Errorf("the words and their languages are %v, want de for the new row and none for the old one: %v", got, err)
	}
}

func TestDropPartition(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	parted := words
	parted.Name, parted.Layout = "parted", "PARTITION BY version ORDER BY id"
	conn := clickhousetest.New(t, parted)
	rows := [][]any{{uuid.New(), "a", uint64(1)}, {uuid.New(), "b", uint64(2)}}
	if err := conn.Put(t.Context(), parted, slices.Values(rows)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := conn.DropPartition(t.Context(), parted, "1"); err != nil {
			t.Fatal(err)
		}
	}
	var left string
	err := conn.Each(t.Context(), "words", func(scan func(...any) error) error { return scan(&left) }, `SELECT word FROM parted`)
	if err != nil || left != "b" {
		t.Errorf("the rows of %q are left, want only b: %v", left, err)
	}
}
