// Package export makes report files, and answers reports that are too large for a request. It streams rows into a CSV file, and
// stores the file in compressed chunks in PostgreSQL, where every web process can read it.
//
// A file becomes visible in the transaction that ends its job. Chunks that a killed worker left are deleted after a day.
package export

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/export"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

type run = workers.Run[jobs.ExportArgs, jobs.ExportAnswer]

type maker struct {
	store   *store.Store
	rows    Rows
	reports Reports
}

// Rows counts and reads the rows of a file.
type Rows interface {
	Count(ctx context.Context, t export.Table, q export.Query, atMost int) (int, error)
	Each(ctx context.Context, t export.Table, q export.Query, fn func([]sql.RawBytes) error) error
}

// Reports reads figures.
type Reports interface {
	Each(ctx context.Context, q report.Query, fn func(report.Row) error) error
	Answer(ctx context.Context, account uuid.UUID, a models.ReportArgs, maxClicks int64) ([]report.Row, error)
	Losses(ctx context.Context, q report.Query) (report.Losses, error)
	Trends(ctx context.Context, q report.TrendQuery) ([]report.Trend, error)
}

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, s *store.Store, rows Rows, reports Reports) {
	m := &maker{s, rows, reports}
	workers.RegisterRow(r, jobs.MakeExport, m.make)
	workers.RegisterTick(r, jobs.DeleteExpiredExports, m.sweep)
	for _, j := range jobs.ReadReports {
		workers.RegisterRow(r, j, m.read)
	}
	workers.RegisterRow(r, jobs.ReadDifference, m.compare)
}

type fill func(*maker, context.Context, *run, *file) error

var kinds = map[string]fill{
	models.ExportPerformance: (*maker).performance,
	models.ExportTrends:      (*maker).trends,
	models.ExportClicks:      rowsOf(export.Clicks),
	models.ExportConversions: rowsOf(export.Conversions),
	models.ExportSmartlinks:  (*maker).smartlinkClicks,
	models.ExportDifference:  (*maker).difference,
}

func (m *maker) make(ctx context.Context, u *run) error {
	write, ok := kinds[u.Args.Kind]
	if !ok {
		return models.Invalid("invalid_kind", "there is no export of the kind %.50q", u.Args.Kind)
	}
	f := newFile(m.store.Exports(), u.Job.ID, u.Job.Fence)
	err := write(m, ctx, u, f)
	if err == nil {
		err = f.close(ctx)
	}
	if err != nil {
		m.deleteChunks(ctx, f)
		return err
	}
	x := models.Export{
		ID: u.Job.ID, AccountID: u.Job.AccountID.UUID, Kind: u.Args.Kind, Name: u.Args.Name, RowCount: f.rows,
		ByteSize: f.bytes, CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	return u.Commit(ctx, jobs.ExportAnswer{Export: x, BaseURL: u.Args.BaseURL}, func(c db.Conn) error {
		return m.store.On(c).Exports().Finish(ctx, x, f.fence)
	})
}

// deleteChunks deletes the chunks of a failed attempt. If that fails, sweep deletes them later.
func (m *maker) deleteChunks(ctx context.Context, f *file) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := f.files.DeleteChunks(ctx, f.id, f.fence); err != nil {
		slog.WarnContext(ctx, "chunks of a failed export not deleted", "error", err)
	}
}

func (m *maker) sweep(ctx context.Context) error {
	n, err := m.store.Exports().DeleteExpired(ctx)
	slog.InfoContext(ctx, "old exports deleted", "files", n)
	return err
}

// rowsOf returns the function that writes the rows of a table as they are stored. It counts them first, so that a file with too
// many rows is refused before it is begun.
func rowsOf(t export.Table) fill {
	return func(m *maker, ctx context.Context, u *run, f *file) error {
		q := export.Query{AccountID: u.Job.AccountID.UUID, From: u.Args.From, To: u.Args.To, Link: u.Args.Link}
		n, err := m.rows.Count(ctx, t, q, models.MaxExportRows+1)
		if err != nil {
			return err
		}
		if n > models.MaxExportRows {
			return tooLarge()
		}
		names, err := m.subNames(ctx, u)
		if err != nil {
			return err
		}
		w, err := m.write(ctx, u, f, t.Headings(), names)
		if err != nil {
			return err
		}
		err = m.rows.Each(ctx, t, q, func(cells []sql.RawBytes) error {
			return w.add(ctx, db.Map(cells, func(c sql.RawBytes) string { return string(c) }))
		})
		if err != nil {
			return err
		}
		return w.flush(ctx)
	}
}

func (m *maker) smartlinkClicks(ctx context.Context, u *run, f *file) error {
	names, err := m.store.Smartlinks().Names(ctx, u.Job.AccountID.UUID, nil)
	if err != nil {
		return err
	}
	slug := func(id uuid.UUID) string { return names[id].Slug }
	return rowsOf(export.SmartlinkClicks(slug))(m, ctx, u, f)
}
