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

const (
	goalSmaller = 5.0                   // a click takes this many times less space
	goalCopied  = 5000                  // clicks copied per second: twice the promised ingest rate
	goalRows    = 4.0                   // reports that need single clicks are this many times faster
	goalLedgers = 1.5                   // reports that no rollup of the ledger can answer are this many times faster
	goalRepeats = 1.0                   // the report of repeated addresses is this many times faster
	goalLookup  = 50 * time.Millisecond // time to read one click, or the newest page of the log
	goalSlower  = 4.0                   // an export may take this many times as long
	goalBehind  = 3 * time.Second       // time from the last click until reports count it
)

// scale compares PostgreSQL and ClickHouse. Each uses one thread for a statement.
type scale struct {
	*week

	serial *db.DB
	to     *clickhouse.Conn
	copy   clickcopy.Copy
	reader *click.CopyReader
}

func (r *run) scaling(ctx context.Context) error {
	return r.onWeek(ctx, func(w *week) []measured { return []measured{w.clickHouse} })
}

func (w *week) clickHouse(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "switchyard-bench-")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // ClickHouse writes until the process ends, so an error is ignored
	url, err := chdb.Start(ctx, chdb.Options{Dir: dir, Listen: "127.0.0.1:0", Out: w.Out})
	if err != nil {
		return err
	}
	to, err := clickhouse.Open(url+"?read_timeout=1h&max_threads=1", "") // the long timeout is for the single statement that merges the parts
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

func (s *scale) audit(ctx context.Context) error {
	differ := 0
	for n := range weekDays { // not the day before the week: its clicks are not in the ledger
		list, _, err := s.copy.Audit(ctx, s.account, s.start.AddDate(0, 0, n))
		if err != nil {
			return err
		}
		if differ += len(list); len(list) > 0 {
			s.logf("differs: %s", list[0])
		}
	}
	s.add("keys of the ledger that differ from ClickHouse's rows after the copy", strconv.Itoa(differ), "0", differ == 0)
	return nil
}

const (
	sizeHere  = `SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_user_tables WHERE relname ~ '^clicks_p'`
	sizeThere = `SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active AND database = currentDatabase() AND table = 'clicks'`
)

// size compares the disk space of clicks in both engines, after ClickHouse has merged its parts.
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

// here returns a reader that takes clicks from PostgreSQL.
func (s *scale) here() report.Reader { return report.Reader{Conn: s.serial} }

// there returns a reader that takes clicks from ClickHouse.
func (s *scale) there() report.Reader {
	return report.Reader{Conn: s.serial, Copy: s.reader, CopyOnly: true}
}
