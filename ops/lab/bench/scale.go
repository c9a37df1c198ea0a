package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickcopy"
	"switchyard/db/clickhouse"
	"switchyard/db/report"
	"switchyard/ops/lab/chdb"
)

// Goals of the copy of clicks in ClickHouse.
const (
	goalSmaller = 5.0                   // times smaller is a click
	goalCopied  = 5000                  // clicks brought there a second, twice what is promised to be stored
	goalRows    = 4.0                   // times faster is what needs clicks one by one
	goalLedgers = 1.5                   // times faster is what no copy of the ledger has
	goalRepeats = 1.0                   // times faster are repeated addresses
	goalLookup  = 50 * time.Millisecond // one click, and the newest page of the log
	goalSlower  = 4.0                   // times as long takes an export
	goalBehind  = 3 * time.Second       // after the last click until reports count it
)

// scale is a week of clicks in both engines. Either takes one thread for a statement.
type scale struct {
	*week

	serial *db.DB
	to     *clickhouse.Conn
	copy   clickcopy.Copy
	reader *click.CopyReader
}

// scaling measures the same week of clicks in ClickHouse.
func (r *run) scaling(ctx context.Context) error {
	return r.onWeek(ctx, func(w *week) []measured { return []measured{w.clickHouse} })
}

// clickHouse starts the engine and measures with it.
func (w *week) clickHouse(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "switchyard-bench-")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the engine writes until the process ends
	url, err := chdb.Start(ctx, chdb.Options{Dir: dir, Listen: "127.0.0.1:0", Out: w.Out})
	if err != nil {
		return err
	}
	to, err := clickhouse.Open(url+"?read_timeout=1h&max_threads=1", "") // parts are merged by one statement
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	serial, err := db.Open(ctx, endless(w.fleet.DatabaseURL), db.Options{Name: serialName, MaxConns: 1, Serial: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serial.Close()) }()
	s := &scale{week: w, serial: serial, to: to, copy: clickcopy.Copy{From: w.d, To: to}, reader: click.NewCopyReader(to)}
	for _, step := range []measured{s.fill, s.audit, s.asParts, s.size, s.merged, s.ledgers, s.lookups, s.changes, s.behind} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fill copies the clicks.
func (s *scale) fill(ctx context.Context) error {
	if err := s.copy.Begin(ctx); err != nil {
		return err
	}
	var clicks int64
	began := time.Now()
	if err := s.copy.Fill(ctx, func(_ time.Time, n int64) { clicks += n }); err != nil {
		return err
	}
	s.rate("clicks copied from PostgreSQL to ClickHouse by day", clicks, time.Since(began))
	return nil
}

func (s *scale) rate(what string, clicks int64, took time.Duration) {
	rate := float64(clicks) / took.Seconds()
	s.add(what, fmt.Sprintf("%d in %s: %.0f a second", clicks, short(took), rate), fmt.Sprintf(">= %d", goalCopied), rate >= goalCopied)
}

// audit compares the rows of ClickHouse with the ledger.
func (s *scale) audit(ctx context.Context) error {
	differ := 0
	for n := range weekDays { // the day before them has clicks without a ledger
		list, _, err := s.copy.Audit(ctx, s.account, s.start.AddDate(0, 0, n))
		if err != nil {
			return err
		}
		if differ += len(list); len(list) > 0 {
			s.logf("differs: %s", list[0])
		}
	}
	s.add("keys of the ledger that differ after that from ClickHouse's rows", strconv.Itoa(differ), "0", differ == 0)
	return nil
}

const (
	sizeHere  = `SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_user_tables WHERE relname ~ '^clicks_p'`
	sizeThere = `SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active AND database = currentDatabase() AND table = 'clicks'`
)

// size compares what clicks take on disk, once ClickHouse has merged its parts.
func (s *scale) size(ctx context.Context) error {
	if err := s.to.Exec(ctx, "merge clicks", `OPTIMIZE TABLE clicks FINAL`); err != nil {
		return err
	}
	here, err := db.Get[int64](ctx, s.d, "size", sizeHere)
	if err != nil {
		return err
	}
	var there, clicks uint64
	if err := s.to.Each(ctx, "size", func(scan func(...any) error) error { return scan(&there, &clicks) }, sizeThere); err != nil {
		return err
	}
	ratio := float64(here) / float64(there)
	s.add("bytes per click, rows with indexes: PostgreSQL, ClickHouse",
		fmt.Sprintf("%d, %d: %.1f times", uint64(here)/clicks, there/clicks, ratio), fmt.Sprintf(">= %.0f", goalSmaller), ratio >= goalSmaller)
	return nil
}

func (s *scale) asParts(ctx context.Context) error { return s.questions(ctx, "") }

func (s *scale) merged(ctx context.Context) error { return s.questions(ctx, ", days merged") }

// here and there answer from PostgreSQL and from ClickHouse.
func (s *scale) here() report.Reader { return report.Reader{Conn: s.serial} }

func (s *scale) there() report.Reader {
	return report.Reader{Conn: s.serial, Copy: s.reader, CopyOnly: true}
}
