package clickhouse_test

import (
	"errors"
	"slices"
	"testing"

	client "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/db/clickhouse"
	"switchyard/db/clickhouse/clickhousetest"
	"switchyard/db/clickhouse/schema"
	"switchyard/models/await"
	"switchyard/models/parttest"
)

// owned is a partitioned table whose rows belong to accounts.
var owned = schema.Table{
	Name: "owned", Columns: columns("account_id UUID", "id UUID", "word String", "version UInt64", "removed UInt8"),
	Engine: "ReplacingMergeTree(version, removed)", Layout: "PARTITION BY word ORDER BY (account_id, id) SETTINGS fsync_after_insert = 1",
}

// TestClusterStatements checks the statements for a cluster.
func TestClusterStatements(t *testing.T) {
	t.Parallel()
	got := clickhouse.Statements("main", schema.Table{
		Name: "words", Columns: columns("account_id UUID", "version UInt64"), Engine: "ReplacingMergeTree(version)",
		Layout: "PARTITION BY version ORDER BY account_id",
	}, "7")
	want := []string{
		"CREATE TABLE IF NOT EXISTS words_local ON CLUSTER 'main' (\n\taccount_id UUID,\n\tversion UInt64\n) ENGINE = " +
			"ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', version) " +
			"PARTITION BY version ORDER BY account_id",
		"ALTER TABLE words_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS account_id UUID, ADD COLUMN IF NOT EXISTS version UInt64",
		"CREATE TABLE IF NOT EXISTS words ON CLUSTER 'main' (\n\taccount_id UUID,\n\tversion UInt64\n) ENGINE = " +
			"Distributed('main', currentDatabase(), words_local, cityHash64(account_id))",
		"ALTER TABLE words ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS account_id UUID, ADD COLUMN IF NOT EXISTS version UInt64",
		"ALTER TABLE words_local ON CLUSTER 'main' DROP PARTITION 7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestClusterStatementsAreRead checks that the server can parse the statements for a cluster.
func TestClusterStatementsAreRead(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	for _, s := range append(clickhouse.Statements("main", owned, "'a'"), clickhouse.Statements("main", words, "1")...) {
		read := ""
		err := conn.Each(t.Context(), "read", func(scan func(...any) error) error { return scan(&read) }, `SELECT formatQuery($1)`, s)
		if err != nil || read == "" {
			t.Errorf("the server cannot parse %s: %v", s, err)
		}
	}
}

// TestErrorsThatPass checks the map of temporary errors: their names on the server, and that Refused returns false for each.
func TestErrorsThatPass(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	for code, want := range clickhouse.Passing() {
		name := ""
		err := conn.Each(t.Context(), "name", func(scan func(...any) error) error { return scan(&name) }, `SELECT errorCodeToName($1)`, code)
		if err != nil || name != want {
			t.Errorf("the code %d has the name %q, want %s: %v", code, name, want, err)
		}
		if e := (&client.Exception{Code: code}); clickhouse.Refused(e) {
			t.Errorf("%s counts as refused for good", want)
		}
	}
	const syntaxError = 62
	if e := (&client.Exception{Code: syntaxError}); !clickhouse.Refused(errors.Join(e)) {
		t.Error("a syntax error counts as a temporary error")
	}
}

func TestCluster(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := clickhousetest.NewCluster(t, owned)
	if err := conn.Ensure(t.Context(), owned); err != nil { // changes nothing, because NewCluster has created the table
		t.Fatal(err)
	}
	var accounts []uuid.UUID
	var rows [][]any
	for range 20 {
		account := uuid.New()
		accounts = append(accounts, account)
		for _, word := range []string{"a", "b"} {
			rows = append(rows, []any{account, uuid.New(), word, uint64(1), uint8(0)})
		}
	}
	for range 2 { // the second time changes nothing
		if err := conn.Put(t.Context(), owned, slices.Values(rows)); err != nil {
			t.Fatal(err)
		}
	}
	// Version 2 of the first account's rows removes the second row.
	second := [][]any{slices.Clone(rows[0]), slices.Clone(rows[1])}
	const version, removed = 3, 4
	second[0][version], second[1][version], second[1][removed] = uint64(2), uint64(2), uint8(1)
	if err := conn.Put(t.Context(), owned, slices.Values(second)); err != nil {
		t.Fatal(err)
	}
	count := func(account uuid.UUID) (n, highest uint64) {
		err := conn.Each(t.Context(), "rows", func(scan func(...any) error) error { return scan(&n, &highest) },
			`SELECT count(), max(version) FROM owned FINAL WHERE account_id = $1`, account)
		if err != nil {
			t.Fatal(err)
		}
		return n, highest
	}
	for i, account := range accounts {
		want, version := uint64(2), uint64(1)
		if i == 0 {
			want, version = 1, 2
		}
		if n, highest := count(account); n != want || highest != version {
			t.Errorf("account %d has %d rows, the latest of version %d; want 1 of version 2 for account 0, and 2 of version 1 for the others", i, n, highest)
		}
	}
	if err := conn.DropPartition(t.Context(), owned, "'b'"); err != nil {
		t.Fatal(err)
	}
	if n, _ := count(accounts[1]); n != 1 {
		t.Errorf("after partition b was dropped, the account has %d rows, want 1", n)
	}
	if err := conn.DeleteAccounts(t.Context(), owned, accounts[:3]); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the rows of a deleted account are gone", func() bool { n, _ := count(accounts[2]); return n == 0 })
	if n, _ := count(accounts[3]); n != 1 {
		t.Errorf("the account that was not deleted has %d rows, want 1", n)
	}
}
