package chdb_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models/parttest"
	"switchyard/ops/lab/chdb"
)

// server returns the address of the ClickHouse server. It skips the test if TEST_CLICKS_URL is not set.
func server(t *testing.T) string {
	t.Helper()
	address := os.Getenv("TEST_CLICKS_URL")
	if address == "" {
		t.Skip("TEST_CLICKS_URL names no ClickHouse server: run the tests by make e2e PART=clickhouse, or bin/lab clickhouse -- go test ...")
	}
	return address
}

func open(t *testing.T) driver.Conn {
	t.Helper()
	o, err := clickhouse.ParseDSN(server(t))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := clickhouse.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	name := "chdb_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	run(t, admin, `CREATE DATABASE `+name)
	own := *o
	own.Auth.Database = name
	conn, err := clickhouse.Open(&own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		if err := admin.Exec(context.Background(), `DROP DATABASE `+name); err != nil {
			t.Error(err)
		}
		_ = admin.Close()
	})
	return conn
}

func run(t *testing.T, conn driver.Conn, query string, args ...any) {
	t.Helper()
	if err := conn.Exec(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func count(t *testing.T, conn driver.Conn, query string, args ...any) (n uint64) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

type kinds struct {
	ID      uuid.UUID
	At      time.Time
	Country string
	Text    string
	Subs    []string
	IP      netip.Addr
	Cost    decimal.Decimal
	IsBot   bool
	ASN     uint32
	Views   int64
}

// TestTypesComeBack: values are read as they were written. The table has the column types that clicks use most.
func TestTypesComeBack(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	run(t, conn, `CREATE TABLE kinds (id UUID, at DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)), country LowCardinality(String),
		text String CODEC(ZSTD(1)), subs Array(String), ip IPv6, cost Decimal(38, 10), is_bot Bool, asn UInt32, views Int64)
		ENGINE = ReplacingMergeTree PARTITION BY toYYYYMMDD(at) ORDER BY (at, id)`)
	at := time.Date(2026, 11, 24, 1, 2, 3, 456e6, time.UTC)
	rows := []kinds{
		{
			uuid.New(), at, "DE", "a line\n\nand\x00 more",
			[]string{"a", "", "c"},
			netip.MustParseAddr("2001:db8::1"),
			decimal.RequireFromString("-12345678901234567890.0123456789"), true, 4_294_967_295, -7,
		},
		{uuid.New(), at.Add(time.Hour), "", "", []string{}, netip.IPv6Unspecified(), decimal.Zero, false, 0, 0},
	}
	batch, err := conn.PrepareBatch(t.Context(), `INSERT INTO kinds`)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := batch.Append(r.ID, r.At, r.Country, r.Text, r.Subs, r.IP, r.Cost, r.IsBot, r.ASN, r.Views); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Send(); err != nil {
		t.Fatal(err)
	}
	found, err := conn.Query(t.Context(), `SELECT * FROM kinds FINAL WHERE at >= {from:DateTime64(3)} ORDER BY at`,
		clickhouse.Named("from", at))
	if err != nil {
		t.Fatal(err)
	}
	var got []kinds
	for found.Next() {
		var r kinds
		if err := found.Scan(&r.ID, &r.At, &r.Country, &r.Text, &r.Subs, &r.IP, &r.Cost, &r.IsBot, &r.ASN, &r.Views); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	equal := cmp.Comparer(func(a, b netip.Addr) bool { return a == b })
	if diff := cmp.Diff(rows, got, equal); diff != "" {
		t.Error(diff)
	}
}

// TestTokenStoresOnce: an insert that repeats a deduplication token stores nothing.
func TestTokenStoresOnce(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	run(t, conn, `CREATE TABLE once (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100`)
	for _, token := range []string{"1", "1", "2"} {
		ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"insert_deduplication_token": token}))
		batch, err := conn.PrepareBatch(ctx, `INSERT INTO once (n)`)
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(1000) {
			if err := batch.Append(n); err != nil {
				t.Fatal(err)
			}
		}
		if err := batch.Send(); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, conn, `SELECT count() FROM once`); n != 2000 {
		t.Errorf("%d rows are stored for two tokens, want 2000", n)
	}
	for range 2 * chdb.Connections { // enough to reach every connection on which a token was set
		if n := count(t, conn, `SELECT toUInt64(getSetting('insert_deduplication_token') = '')`); n != 1 {
			t.Fatal("a statement without a token still has the token of an earlier statement")
		}
	}
}

// TestErrorsHaveTheirCode: the client gets the engine's code of an error, for an unknown table and for an unknown setting.
func TestErrorsHaveTheirCode(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	err := conn.Exec(t.Context(), `SELECT * FROM nowhere`)
	if e, ok := errors.AsType[*clickhouse.Exception](err); !ok || e.Code != 60 {
		t.Errorf("a query of a table that does not exist: %v, want code 60", err)
	}
	ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"no_such_setting": 1}))
	err = conn.Exec(ctx, `SELECT 1`)
	if e, ok := errors.AsType[*clickhouse.Exception](err); !ok || e.Code != 115 {
		t.Errorf("a setting that does not exist: %v, want code 115", err)
	}
}

// TestManyAtOnce: forty callers write and read at the same time, and every row is stored once.
func TestManyAtOnce(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	run(t, conn, `CREATE TABLE many (n UInt64) ENGINE = MergeTree ORDER BY n`)
	var all sync.WaitGroup
	for n := range uint64(40) {
		all.Go(func() {
			if err := conn.Exec(t.Context(), `INSERT INTO many VALUES (?)`, n); err != nil {
				t.Error(err)
			}
			var got uint64
			if err := conn.QueryRow(t.Context(), `SELECT n FROM many WHERE n = {n:UInt64}`, clickhouse.Named("n", n)).Scan(&got); err != nil || got != n {
				t.Errorf("the row %d is read as %d, %v", n, got, err)
			}
		})
	}
	all.Wait()
	if n := count(t, conn, `SELECT count() FROM many`); n != 40 {
		t.Errorf("%d rows are stored, want 40", n)
	}
}

// TestCutInsertStoresNothing: an INSERT stores nothing if its connection is cut in the middle of the data.
func TestCutInsertStoresNothing(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	conn := open(t)
	run(t, conn, `CREATE TABLE cut (n UInt64) ENGINE = MergeTree ORDER BY n`)
	var database string
	if err := conn.QueryRow(t.Context(), `SELECT currentDatabase()`).Scan(&database); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	raw, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"query": {"INSERT INTO cut FORMAT RowBinary"}, "database": {database}}.Encode()
	_, err = io.WriteString(raw, "POST /?"+query+" HTTP/1.1\r\nHost: x\r\nX-ClickHouse-Key: "+password+
		"\r\nContent-Length: 160\r\n\r\n"+strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x00", 10))
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(raw) // the answer comes once the server has given up the insert
	_ = raw.Close()
	if err != nil || !strings.Contains(string(text), "HTTP/1.1 500") {
		t.Errorf("the answer to an insert that was cut off is %q, %v, want status 500", text, err)
	}
	if n := count(t, conn, `SELECT count() FROM cut`); n != 0 {
		t.Errorf("%d rows are stored from an insert that was cut off", n)
	}
}

// TestStrangersAreRefused: a request with a wrong password gets the code of a failed authentication.
func TestStrangersAreRefused(t *testing.T) {
	parttest.ClickHouse.Only(t)
	t.Parallel()
	u, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	u.User, u.Path, u.RawQuery = url.UserPassword("default", "guess"), "/", "query=SELECT+1"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if code := res.Header.Get("X-ClickHouse-Exception-Code"); code != "516" {
		t.Errorf("a wrong password gets status %d, code %q, want code 516", res.StatusCode, code)
	}
}
