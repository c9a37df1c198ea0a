package bench

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/export"
	"switchyard/db/report"
	"switchyard/models"
)

// compare runs the same query in both engines and adds a row with their processor times. The parameter rows runs the query and
// returns its number of rows, which must be the same in both engines.
func (s *scale) compare(ctx context.Context, what string, goal float64, rows func(report.Reader) (int, error)) error {
	var sizes [2]int
	perform := func(i int, r report.Reader) func() error {
		return func() (err error) {
			sizes[i], err = rows(r)
			return err
		}
	}
	here, there, err := s.cost(ctx, perform(0, s.here()), perform(1, s.there()))
	if err != nil {
		return err
	}
	if sizes[0] != sizes[1] || sizes[0] == 0 {
		return fmt.Errorf("bench: %s: %d rows of PostgreSQL, %d of ClickHouse", what, sizes[0], sizes[1])
	}
	ratio := float64(here) / float64(there)
	s.logf("%s: PostgreSQL %s, ClickHouse %s", what, short(here), short(there))
	s.add(what+": processor time of PostgreSQL, ClickHouse", fmt.Sprintf("%s, %s: %.1f times", short(here), short(there), ratio),
		fmt.Sprintf(">= %.1f", goal), ratio >= goal)
	return nil
}

// cost returns the median processor time of PostgreSQL for the function first, and of ClickHouse for the function second. The
// functions take turns, and the first turn is not counted. Unlike elapsed time, processor time grows little with other load on the
// machine.
func (s *scale) cost(ctx context.Context, first, second func() error) (here, there time.Duration, err error) {
	var took [2][]time.Duration
	for i := range repeats + 1 {
		for n, fn := range []func() error{first, second} {
			used, err := s.used(ctx, n)
			if err != nil {
				return 0, 0, err
			}
			if err := fn(); err != nil {
				return 0, 0, err
			}
			now, err := s.used(ctx, n)
			if err != nil {
				return 0, 0, err
			}
			if i > 0 {
				took[n] = append(took[n], now-used)
			}
		}
	}
	return median(took[0]), median(took[1]), nil
}

const serialName = "bench-serial"

// used returns the processor time that an engine has used so far. For PostgreSQL (0) it is the time of the measured sessions. For
// ClickHouse (1) it is the time of this process, in which ClickHouse runs.
func (s *scale) used(ctx context.Context, engine int) (time.Duration, error) {
	if engine == 1 {
		var u syscall.Rusage
		err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
	}
	var pids []int
	if err := s.d.SelectContext(ctx, &pids, `SELECT pid FROM pg_stat_activity WHERE application_name = $1`, serialName); err != nil {
		return 0, fmt.Errorf("bench: sessions: %w", err)
	}
	total := time.Duration(0)
	for _, pid := range pids {
		data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "schedstat"))
		if err != nil {
			return 0, fmt.Errorf("bench: processor time: %w", err)
		}
		ns, _, _ := strings.Cut(string(data), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("bench: processor time: %w", err)
		}
		total += time.Duration(n)
	}
	return total, nil
}

// questions compares the engines. Some of the reports have to read single clicks. The others need the ledger itself, because no
// rollup of the ledger in PostgreSQL has all dimensions of the report.
func (s *scale) questions(ctx context.Context, how string) error {
	perform := func(q report.Query) func(report.Reader) (int, error) {
		return func(r report.Reader) (int, error) {
			list, err := r.Performance(ctx, q)
			return len(list), err
		}
	}
	two := s.query(false, "offer_id", "country", "device_type")
	two.Filters = []report.Filter{{Dimension: "country", Values: []string{"DE", "US"}}}
	for _, x := range []struct {
		what string
		goal float64
		q    report.Query
	}{
		{"report by campaign from rows", goalRows, s.query(true, "campaign_id")},
		{"by 5 dimensions, 4 of them not in the ledger", goalRows, s.query(false, "country", "region", "city", "os_version", "browser_version")},
		{"by sub1", goalRows, s.query(false, "sub1")},
		{"by 5 dimensions of the ledger that no rollup of it has", goalLedgers, s.query(false, "campaign_id", "offer_id", "country", "os", "browser")},
		{"by offer, country, device of 2 countries", goalLedgers, two},
	} {
		if err := s.compare(ctx, x.what+how, x.goal, perform(x.q)); err != nil {
			return err
		}
	}
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	err = s.compare(ctx, "trend by hour in the zone Asia/Kathmandu"+how, goalRows, func(r report.Reader) (int, error) {
		q := s.query(false)
		q.Zone = zone
		list, err := r.Trends(ctx, report.TrendQuery{Query: q, Bucket: report.Hour})
		return len(list), err
	})
	if err != nil {
		return err
	}
	for what, days := range map[string]int{"a day": 1, "a week": weekDays} {
		err := s.compare(ctx, "repeated addresses of "+what+how, goalRepeats, func(r report.Reader) (int, error) {
			list, err := r.RepeatAddresses(ctx, report.AddressQuery{
				AccountID: s.account, From: s.end.AddDate(0, 0, -days), To: s.end, MinHits: 2, Limit: 500,
			})
			return len(list), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ledgers measures reports that are read from rollups of the ledger. A rollup is a copy of the ledger in PostgreSQL with fewer
// dimensions.
func (s *scale) ledgers(ctx context.Context) error {
	reader := report.Reader{Conn: s.serial, Copy: s.reader}
	asked := s.reader.Reports(click.FromCopy)
	for _, dims := range [][]string{{"campaign_id"}, {"source_id", "offer_id"}, {"date", "campaign_id", "country"}, {"hour"}} {
		perform := func() error {
			_, err := reader.Performance(ctx, s.query(false, dims...))
			return err
		}
		took, _, err := s.cost(ctx, perform, func() error { return nil })
		if err != nil {
			return err
		}
		s.add(fmt.Sprintf("report by %s from rollups of the ledger, only in PostgreSQL: processor time", strings.Join(dims, ", ")), short(took), "", true)
	}
	asked = s.reader.Reports(click.FromCopy) - asked
	s.add("number of these reports for which ClickHouse was asked", fmt.Sprint(asked), "0", asked == 0)
	return nil
}

// lookups measures queries at which a column store is slow: reading one click, the newest page of the log, and an export. It marks
// all days as days whose clicks have left PostgreSQL, so that ClickHouse answers without PostgreSQL.
func (s *scale) lookups(ctx context.Context) error {
	if _, err := s.d.ExecContext(ctx, `UPDATE click_copy SET cold_before = $1`, s.end.AddDate(0, 0, 2)); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	var id uuid.UUID
	if err := s.d.GetContext(ctx, &id, selectSome, s.account, models.FloorClickID(s.start.Add(day/3)), 1); err != nil {
		return fmt.Errorf("bench: a click: %w", err)
	}
	err := db.Tx(ctx, s.d, func(c db.Conn) error { // without triggers, so that the deletion is not copied to ClickHouse
		if _, err := c.ExecContext(ctx, `SET LOCAL session_replication_role = replica`); err != nil {
			return err
		}
		_, err := c.ExecContext(ctx, `DELETE FROM clicks WHERE id = $1`, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("bench: a cold click: %w", err)
	}
	here, there := click.Log{Conn: s.serial}, click.Log{Conn: s.serial, Copy: s.reader}
	page := func(l click.Log) func() error {
		return func() error {
			_, err := l.Clicks(ctx, click.LogQuery{AccountID: s.account, From: s.start, To: s.end, Limit: 100})
			return err
		}
	}
	one := func(l click.Log, id uuid.UUID) func() error {
		return func() error {
			_, err := l.FindClick(ctx, s.account, id)
			return err
		}
	}
	var other uuid.UUID
	if err := s.d.GetContext(ctx, &other, selectSome, s.account, models.FloorClickID(s.start.Add(day/2)), 1); err != nil {
		return fmt.Errorf("bench: a click: %w", err)
	}
	for _, x := range []struct {
		what        string
		here, there func() error
	}{
		{"one click", one(here, other), one(there, id)},
		{"newest page of the log", page(here), page(there)},
	} {
		a, b, err := s.cost(ctx, x.here, x.there)
		if err != nil {
			return err
		}
		s.add(x.what+": processor time of PostgreSQL, ClickHouse", short(a)+", "+short(b), "<= "+goalLookup.String(), b <= goalLookup)
	}
	if err := s.exportBoth(ctx); err != nil {
		return err
	}
	if _, err = s.d.ExecContext(ctx, `UPDATE click_copy SET cold_before = NULL`); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}

func (s *scale) exportBoth(ctx context.Context) error {
	q := export.Query{AccountID: s.account, From: s.start, To: s.end}
	if length := time.Duration(float64(s.end.Sub(s.start)) * models.MaxExportRows / float64(s.clicks)); length < s.end.Sub(s.start) {
		q.To = s.start.Add(length)
	}
	rows := 0
	read := func(r export.Reader) func() error {
		return func() error {
			rows = 0
			return r.Each(ctx, export.Clicks, q, func([]sql.RawBytes) error {
				rows++
				return nil
			})
		}
	}
	a, b, err := timeBoth(read(export.Reader{Conn: s.serial}), read(export.Reader{Conn: s.serial, Copy: s.reader}))
	if err != nil {
		return err
	}
	ratio := float64(b) / float64(a)
	s.add(fmt.Sprintf("export of %d rows: PostgreSQL, ClickHouse", rows), fmt.Sprintf("%s, %s: %.1f times as long", short(a), short(b), ratio),
		fmt.Sprintf("<= %.0f", goalSlower), ratio <= goalSlower)
	return nil
}

const changeClicks = `UPDATE clicks SET lp_views = lp_views WHERE id IN (
	SELECT id FROM clicks WHERE account_id = $1 AND id >= $2 ORDER BY id LIMIT $3)`

func (s *scale) changes(ctx context.Context) error {
	_, err := s.d.ExecContext(ctx, changeClicks, s.account, models.FloorClickID(s.start), min(100_000, s.clicks/2))
	if err != nil {
		return fmt.Errorf("bench: change clicks: %w", err)
	}
	began := time.Now()
	n, err := s.copy.Forward(ctx)
	s.rate("changes of clicks copied to ClickHouse", int64(n), time.Since(began))
	return err
}

const behindSeconds = 8

// behind stores clicks at the promised rate and copies them to ClickHouse every second, as a worker does.
func (s *scale) behind(ctx context.Context) error {
	q := s.query(true)
	q.From, q.To = s.end, s.end.AddDate(0, 0, 1)
	if err := (click.Log{Conn: s.d}).EnsurePartition(ctx, q.From); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
			if _, err := s.copy.Forward(ctx); err != nil && ctx.Err() == nil {
				failed <- err
				return
			}
		}
	}()
	began := time.Now()
	for n := range behindSeconds {
		if err := storeDay(ctx, s.d, s.account, q.From, goalIngest); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(began.Add(time.Duration(n+1) * time.Second))):
		}
	}
	last := time.Now()
	for {
		f, err := s.there().Totals(ctx, q)
		if err != nil {
			return err
		}
		if f.Clicks+f.BotClicks == behindSeconds*goalIngest {
			break
		}
		select {
		case err := <-failed:
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
	took := time.Since(last)
	s.add(fmt.Sprintf("time until ClickHouse's reports have all clicks, at %d clicks a second", goalIngest), short(took), "<= "+goalBehind.String(), took <= goalBehind)
	return nil
}
