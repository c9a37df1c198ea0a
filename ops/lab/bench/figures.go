package bench

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/ops/lab/fleet"
)

const (
	goalLedger = 20.0 // the ledger must be this many times faster than the rows
	goalManual = 1.2  // a report may take this many times as long as the SQL by hand
	goalCopy   = 3.0  // an export may take this many times as long as a COPY of the same rows
	goalMemory = 64   // MB that the exporting worker may use more than when idle
	repeats    = 3    // measured turns of each of two compared functions, after a first turn that is not counted
)

func (r *run) figures(ctx context.Context) error {
	return r.onWeek(ctx, func(w *week) []measured { return []measured{w.reports, w.manual, w.exports, w.correction} })
}

type measured = func(context.Context) error

func (r *run) onWeek(ctx context.Context, parts func(*week) []measured) (err error) {
	if err := r.fleet.StartAll(ctx); err != nil {
		return err
	}
	account, api, err := r.fleet.Account(ctx, "Figures", "scale")
	if err != nil {
		return err
	}
	r.api = api
	d, err := db.Open(ctx, endless(r.fleet.DatabaseURL), db.Options{Name: "bench"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	w := &week{
		run: r, d: d, account: uuid.MustParse(account), clicks: cmp.Or(r.Clicks/weekDays*weekDays, weekClicks), end: time.Now().UTC().Truncate(day),
	}
	w.start = w.end.AddDate(0, 0, -weekDays)
	for _, part := range append([]measured{w.load, w.equal}, parts(w)...) {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

func endless(url string) string {
	if strings.Contains(url, "?") {
		return url + "&statement_timeout=0"
	}
	return url + "?statement_timeout=0"
}

// week is an account with seven days of clicks, and a day before them with clicks for an export.
type week struct {
	*run
	d          *db.DB
	account    uuid.UUID
	clicks     int
	start, end time.Time
}

func (w *week) query(fromRows bool, dimensions ...string) report.Query {
	return report.Query{AccountID: w.account, From: w.start, To: w.end, Dimensions: dimensions, FromRows: fromRows}
}

func (w *week) equal(ctx context.Context) error {
	var answers [2]string
	for i := range answers {
		rows, err := report.Reader{Conn: w.d}.Performance(ctx, w.query(i == 1, "date", "campaign_id", "country"))
		if err != nil {
			return err
		}
		for _, r := range rows {
			answers[i] += fmt.Sprintf("%v %v\n", r.Dims, r.Figures)
		}
	}
	if answers[0] != answers[1] || answers[0] == "" {
		return errors.New("bench: ledger and rows do not agree")
	}
	return nil
}

// The first turn is not counted.
func timeBoth(first, second func() error) (a, b time.Duration, err error) {
	var times [2][]time.Duration
	for i := range repeats + 1 {
		for n, fn := range []func() error{first, second} {
			began := time.Now()
			if err := fn(); err != nil {
				return 0, 0, err
			}
			if i > 0 {
				times[n] = append(times[n], time.Since(began))
			}
		}
	}
	return median(times[0]), median(times[1]), nil
}

func (w *week) reports(ctx context.Context) error {
	for _, dimensions := range [][]string{
		{"campaign_id"}, {"source_id", "offer_id"}, {"country", "device_type"}, {"hour_of_day"}, {},
	} {
		var sizes [2]int
		perform := func(i int) func() error {
			return func() error {
				rows, err := report.Reader{Conn: w.d}.Performance(ctx, w.query(i == 1, dimensions...))
				sizes[i] = len(rows)
				return err
			}
		}
		ledger, rows, err := timeBoth(perform(0), perform(1))
		if err != nil {
			return err
		}
		if sizes[0] != sizes[1] {
			return fmt.Errorf("bench: %d groups from the ledger, %d from rows", sizes[0], sizes[1])
		}
		name, ratio := strings.Join(dimensions, ", "), float64(rows)/float64(ledger)
		if name == "" {
			name = "nothing (overview)"
		}
		w.logf("report by %s: ledger %s, rows %s", name, short(ledger), short(rows))
		w.add(fmt.Sprintf("report by %s of %d clicks: ledger against rows", name, w.clicks),
			fmt.Sprintf("%s, %s: %.0f times faster", short(ledger), short(rows), ratio), fmt.Sprintf(">= %.0f", goalLedger),
			ratio >= goalLedger)
	}
	return nil
}

//go:embed figures/manual.sql
var manual string

func (w *week) manual(ctx context.Context) error {
	var sizes [2]int
	engine := func() error {
		rows, err := report.Reader{Conn: w.d}.Performance(ctx, w.query(false, "country", "region", "city", "os_version", "browser_version"))
		sizes[0] = len(rows)
		return err
	}
	hand := func() (err error) {
		rows, err := w.d.QueryContext(ctx, manual, w.account, models.FloorClickID(w.start), models.FloorClickID(w.end))
		if err != nil {
			return fmt.Errorf("bench: by hand: %w", err)
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		sizes[1] = 0
		for rows.Next() {
			sizes[1]++
		}
		return rows.Err()
	}
	a, b, err := timeBoth(engine, hand)
	if err != nil {
		return err
	}
	if sizes[0] != sizes[1] || sizes[0] == 0 {
		return fmt.Errorf("bench: the report has %d groups, and the SQL by hand has %d", sizes[0], sizes[1])
	}
	ratio := float64(a) / float64(b)
	w.logf("report by five dimensions of the rows: %s, by hand %s", short(a), short(b))
	w.add(fmt.Sprintf("report by 5 dimensions from the rows of %d clicks against the SQL by hand", w.clicks),
		fmt.Sprintf("%s, %s: %.2f times", short(a), short(b), ratio), fmt.Sprintf("<= %.1f", goalManual), ratio <= goalManual)
	return nil
}

// The first export has as many clicks as a file may have, with few values. The second has fewer clicks, with long values.
func (w *week) exports(ctx context.Context) error {
	before := w.start.AddDate(0, 0, -1)
	if err := w.export(ctx, "clicks with few values", before, before.Add(day-time.Second)); err != nil {
		return err
	}
	return w.export(ctx, "clicks with long values", w.start, w.start.Add(longClicks*day/time.Duration(w.clicks/weekDays)-time.Second))
}

func (w *week) export(ctx context.Context, what string, from, to time.Time) error {
	var exported struct {
		ID       string `json:"id"`
		RowCount int    `json:"row_count"`
		ByteSize int    `json:"byte_size"`
	}
	worker := w.fleet.Find("worker")
	idle, err := worker.Memory("VmRSS")
	if err != nil {
		return err
	}
	peak := 0
	path := fmt.Sprintf("/reports/exports?from=%s&to=%s", stamp(from), stamp(to))
	file := func() error {
		if err := resetPeak(worker); err != nil {
			return err
		}
		err := w.api.Do(ctx, http.StatusCreated, http.MethodPost, path, object{"kind": "clicks"}, &exported)
		if err != nil {
			return err
		}
		top, err := worker.Memory("VmHWM")
		peak = max(peak, top)
		return err
	}
	copied := func() error { return w.copy(ctx, from, to.Add(time.Second)) }
	a, b, err := timeBoth(file, copied)
	if err != nil {
		return err
	}
	ratio, aboveIdle := float64(a)/float64(b), (peak-idle)>>10
	w.logf("export of %d %s, %d MB: %s, COPY %s; worker %d MB, idle %d MB", exported.RowCount, what, exported.ByteSize>>20, short(a),
		short(b), peak>>10, idle>>10)
	w.add(fmt.Sprintf("export of %d %s (%.1f MB) by the API against COPY TO STDOUT", exported.RowCount, what, float64(exported.ByteSize)/(1<<20)),
		fmt.Sprintf("%s, %s: %.2f times", short(a), short(b), ratio), fmt.Sprintf("<= %.0f", goalCopy), ratio <= goalCopy)
	w.add("peak memory of its worker, above idle", fmt.Sprintf("%d MB", aboveIdle), fmt.Sprintf("<= %d MB", goalMemory),
		aboveIdle <= goalMemory)
	return nil
}

const selectSome = `SELECT id FROM clicks WHERE account_id = $1 AND id >= $2 ORDER BY id LIMIT $3`

func (w *week) correction(ctx context.Context) error {
	const rows = 5000
	var ids []uuid.UUID
	if err := w.d.SelectContext(ctx, &ids, selectSome, w.account, models.FloorClickID(w.start), rows); err != nil {
		return fmt.Errorf("bench: clicks to correct: %w", err)
	}
	var csv strings.Builder
	csv.WriteString("Click ID,Payout,Status,Conversion ID\n")
	for i, id := range ids {
		fmt.Fprintf(&csv, "%s,%d.25,%s,order-%d\n", models.FormatClickID(id), i%90, []string{"approved", "pending"}[i%2], i)
	}
	var times [2]time.Duration
	for i, apply := range []bool{false, true} {
		var answer struct{ Total, Accepted int }
		began := time.Now()
		err := w.api.Do(ctx, http.StatusOK, http.MethodPost, "/corrections/conversions",
			object{"csv": csv.String(), "apply": apply}, &answer)
		if err != nil {
			return err
		}
		if times[i] = time.Since(began); answer.Total != rows || answer.Accepted != rows {
			return fmt.Errorf("bench: of %d rows %d were accepted, want %d", answer.Total, answer.Accepted, rows)
		}
	}
	w.logf("correction of %d rows: dry run %s, applied %s", rows, short(times[0]), short(times[1]))
	w.add(fmt.Sprintf("correction of %d rows by the API", rows),
		fmt.Sprintf("dry run %s, applied %s", short(times[0]), short(times[1])), "", true)
	return w.equal(ctx)
}

func stamp(t time.Time) string { return strings.ReplaceAll(t.Format(time.DateTime), " ", "%20") }

func (w *week) copy(ctx context.Context, from, to time.Time) error {
	statement := fmt.Sprintf(`COPY (SELECT * FROM clicks WHERE account_id = '%s' AND id >= '%s' AND id < '%s' ORDER BY id DESC)
		TO STDOUT WITH CSV`, w.account, models.FloorClickID(from), models.FloorClickID(to))
	cmd := exec.CommandContext(ctx, "psql", w.fleet.DatabaseURL, "-q", "-c", statement)
	var problem strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &problem
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bench: psql: %w: %s", err, problem.String())
	}
	return nil
}

func resetPeak(p *fleet.Process) error {
	err := os.WriteFile(filepath.Join("/proc", strconv.Itoa(p.PID()), "clear_refs"), []byte("5"), 0)
	if err != nil {
		return fmt.Errorf("bench: memory: %w", err)
	}
	return nil
}
