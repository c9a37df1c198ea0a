package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"switchyard/db"
	"switchyard/db/clickhouse"
	"switchyard/db/clicklog"
	"switchyard/ops/lab/chdb"
)

// goalSmaller is how many times smaller a click is in ClickHouse.
const goalSmaller = 5.0

// scaling measures the same week of clicks in ClickHouse.
func (r *run) scaling(ctx context.Context) error {
	return r.onWeek(ctx, func(w *week) []measured { return []measured{w.mirrored} })
}

// mirrored copies the clicks to ClickHouse, audits them and compares what they take on disk.
func (w *week) mirrored(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "switchyard-bench-")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the engine writes until the process ends
	url, err := chdb.Start(ctx, chdb.Options{Dir: dir, Listen: "127.0.0.1:0", Out: w.Out})
	if err != nil {
		return err
	}
	to, err := clickhouse.Open(url+"?read_timeout=1h", "") // parts are merged by one statement
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	k := clicklog.Copy{From: w.d, To: to}
	if err := k.Begin(ctx); err != nil {
		return err
	}
	var clicks int64
	began := time.Now()
	if err := k.Fill(ctx, func(_ time.Time, n int64) { clicks += n }); err != nil {
		return err
	}
	took := time.Since(began)
	w.say("%d clicks copied in %s", clicks, short(took))
	w.add("clicks copied from PostgreSQL to ClickHouse", fmt.Sprintf("%.0f a second", float64(clicks)/took.Seconds()), "", true)
	differ := 0
	for n := range weekDays { // the day before them has clicks without a ledger
		list, _, err := k.Audit(ctx, w.account, w.start.AddDate(0, 0, n))
		if err != nil {
			return err
		}
		if differ += len(list); len(list) > 0 {
			w.say("differs: %s", list[0])
		}
	}
	w.add("keys of the ledger that differ after that from ClickHouse's rows", strconv.Itoa(differ), "0", differ == 0)
	return w.sizes(ctx, to, clicks)
}

const (
	sizeHere  = `SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_user_tables WHERE relname ~ '^clicks_p'`
	sizeThere = `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase() AND table = 'clicks'`
)

// sizes compares what clicks take on disk, once ClickHouse has merged its parts.
func (w *week) sizes(ctx context.Context, to *clickhouse.Conn, clicks int64) error {
	if err := to.Exec(ctx, "merge clicks", `OPTIMIZE TABLE clicks FINAL`); err != nil {
		return err
	}
	here, err := db.Get[int64](ctx, w.d, "size", sizeHere)
	if err != nil {
		return err
	}
	var there uint64
	if err := to.Each(ctx, "size", func(scan func(...any) error) error { return scan(&there) }, sizeThere); err != nil {
		return err
	}
	ratio := float64(here) / float64(there)
	w.add("bytes per click, rows with indexes: PostgreSQL, ClickHouse",
		fmt.Sprintf("%d, %d: %.1f times", here/clicks, there/uint64(clicks), ratio), fmt.Sprintf(">= %.0f", goalSmaller), ratio >= goalSmaller)
	return nil
}
