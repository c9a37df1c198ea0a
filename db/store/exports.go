package store

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Exports are the report files of accounts.
type Exports struct{ s *Store }

// Exports gives the report files on this store's connection.
func (s *Store) Exports() Exports { return Exports{s} }

// expired is the time of the newest file that has expired. Expired files cannot be found, deleted or not.
func expired() time.Time { return time.Now().AddDate(0, 0, -models.ExportDays) }

var exportColumns = db.Columns[models.Export]("")

// List lists the files that are finished, newest first.
func (e Exports) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Export, string, error) {
	return readPage(ctx, e.s, account, p, pageQuery[models.Export]{
		Name:  "exports",
		SQL:   `SELECT ` + exportColumns + ` FROM exports t WHERE account_id = $1 AND created_at > $2`,
		Args:  []any{account, expired()},
		Order: newest,
		Place: func(x models.Export, _ time.Time) []string { return placeOf(x.CreatedAt, x.ID) },
	})
}

const selectChunk = `
SELECT c.content FROM export_chunks c JOIN exports e ON e.id = c.export_id AND e.fence = c.fence
WHERE e.account_id = $1 AND e.id = $2 AND c.n = $3`

// WriteFunc writes the text of a file. It fails if the file is deleted while it writes.
type WriteFunc = func(context.Context, io.Writer) error

// Open finds a file and returns a function that writes its text. That function reads one chunk after the other, so a slow
// reader holds neither a connection nor more than a chunk in memory.
func (e Exports) Open(ctx context.Context, account, id uuid.UUID) (models.Export, WriteFunc, error) {
	q := `SELECT ` + exportColumns + ` FROM exports WHERE account_id = $1 AND id = $2 AND created_at > $3`
	x, err := db.Get[models.Export](ctx, e.s.c, "file", q, account, id, expired())
	if err != nil {
		return x, nil, err
	}
	first, err := db.Get[[]byte](ctx, e.s.c, "file", selectChunk, account, id, 0)
	if err != nil { // perhaps it was deleted between the two queries
		return x, nil, err
	}
	return x, func(ctx context.Context, w io.Writer) error {
		return unpack(w, &chunkReader{rest: first, next: func(n int) ([]byte, error) {
			content, ok, err := db.First[[]byte](ctx, e.s.c, "read export", selectChunk, account, id, n)
			if err == nil && !ok {
				err = io.EOF
			}
			return content, err
		}})
	}, nil
}

// chunkReader reads chunks of bytes one after the other.
type chunkReader struct {
	rest []byte                      // of the last chunk that was read; at first chunk 0
	last int                         // its number
	next func(n int) ([]byte, error) // reads chunk n; io.EOF after the last
}

// Read implements io.Reader.
func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		content, err := r.next(r.last + 1)
		if err != nil {
			return 0, err
		}
		r.rest, r.last = content, r.last+1
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func unpack(w io.Writer, packed io.Reader) error {
	text, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("db: unpack export: %w", err)
	}
	if _, err := io.Copy(w, io.LimitReader(text, models.MaxExportBytes)); err != nil {
		return fmt.Errorf("db: unpack export: %w", err)
	}
	return nil
}

const deleteExport = `
WITH gone AS (DELETE FROM exports WHERE account_id = $1 AND id = $2 AND created_at > $3 RETURNING id),
	pieces AS (DELETE FROM export_chunks WHERE export_id IN (SELECT id FROM gone))
SELECT id FROM gone`

// Delete deletes a file.
func (e Exports) Delete(ctx context.Context, account, id uuid.UUID) error {
	_, err := db.Get[uuid.UUID](ctx, e.s.c, "file", deleteExport, account, id, expired())
	return err
}

const sumExports = `SELECT coalesce(sum(byte_size), 0)::bigint FROM exports WHERE account_id = $1 AND created_at > $2`

// Reserve refuses an export for which the plan of the account has no room: plan_limit. Exports that are not finished
// count with the largest size that a file may have. Call it in the transaction that submits the job, which is of this
// kind, after that.
func (e Exports) Reserve(ctx context.Context, account uuid.UUID, kind string) error {
	plan, err := e.s.lockedPlan(ctx, account)
	if err != nil {
		return err
	}
	stored, err := db.Get[int64](ctx, e.s.c, "size of exports", sumExports, account, expired())
	if err != nil {
		return err
	}
	open, err := jobrow.CountOpen(ctx, e.s.c, account, kind)
	if err == nil && open > 0 && stored+int64(open)*models.MaxExportBytes > plan.ExportBytes {
		err = models.PlanLimit("the plan %q stores %d bytes of report files; delete some", plan.Name, plan.ExportBytes)
	}
	return err
}

const insertChunk = `INSERT INTO export_chunks (export_id, fence, n, content) VALUES ($1, $2, $3, $4)`

// AddChunk stores chunk n of a file that the attempt with this fence makes.
func (e Exports) AddChunk(ctx context.Context, id uuid.UUID, fence int64, n int, content []byte) error {
	_, err := e.s.exec(ctx, "store export", insertChunk, id, fence, n, content)
	return err
}

var insertExport = `INSERT INTO exports (` + exportColumns + `, fence)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

const dropOtherChunks = `DELETE FROM export_chunks WHERE export_id = $1 AND fence <> $2`

// Finish makes a file of the chunks of an attempt and deletes the chunks of other attempts. Call it in the transaction that ends
// the attempt.
func (e Exports) Finish(ctx context.Context, x models.Export, fence int64) error {
	const what = "finish export"
	_, err := e.s.exec(ctx, what, insertExport, x.ID, x.AccountID, x.Kind, x.Name, x.RowCount, x.ByteSize, x.CreatedAt, fence)
	if err == nil {
		_, err = e.s.exec(ctx, what, dropOtherChunks, x.ID, fence)
	}
	return err
}

// Drop deletes the chunks of a failed attempt.
func (e Exports) Drop(ctx context.Context, id uuid.UUID, fence int64) error {
	const q = `DELETE FROM export_chunks WHERE export_id = $1 AND fence = $2`
	_, err := e.s.exec(ctx, "drop export", q, id, fence)
	return err
}

// No attempt runs for a day, so older chunks without a file are orphans.
const sweepExports = `
WITH gone AS (DELETE FROM exports WHERE created_at < $1 RETURNING id),
	pieces AS (
		DELETE FROM export_chunks c WHERE export_id IN (SELECT id FROM gone)
			OR created_at < $2 AND NOT EXISTS (SELECT FROM exports e WHERE e.id = c.export_id)
	)
SELECT count(*) FROM gone`

// Sweep deletes expired files, and chunks that have had no file for a day. It returns the number of files.
func (e Exports) Sweep(ctx context.Context) (int64, error) {
	return db.Get[int64](ctx, e.s.c, "sweep exports", sweepExports, expired(), time.Now().AddDate(0, 0, -1))
}
