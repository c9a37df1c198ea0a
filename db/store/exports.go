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

// Exports accesses the report files of accounts.
type Exports struct{ s *Store }

// Exports returns access to the report files.
func (s *Store) Exports() Exports { return Exports{s} }

// Files that were created before this time are treated as deleted.
func expired() time.Time { return time.Now().AddDate(0, 0, -models.ExportDays) }

var exportColumns = db.Columns[models.Export]("")

// List lists the finished files, newest first.
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

// Open finds a file and returns a function that writes the file's text. It reads one chunk at a time, so it holds no connection
// while a slow reader receives a chunk.
func (e Exports) Open(ctx context.Context, account, id uuid.UUID) (models.Export, WriteFunc, error) {
	q := `SELECT ` + exportColumns + ` FROM exports WHERE account_id = $1 AND id = $2 AND created_at > $3`
	x, err := db.Get[models.Export](ctx, e.s.c, "file", q, account, id, expired())
	if err != nil {
		return x, nil, err
	}
	first, err := db.Get[[]byte](ctx, e.s.c, "file", selectChunk, account, id, 0)
	if err != nil { // the file may have been deleted between the two queries
		return x, nil, err
	}
	return x, func(ctx context.Context, w io.Writer) error {
		return unpack(w, &chunkReader{unread: first, next: func(n int) ([]byte, error) {
			content, ok, err := db.First[[]byte](ctx, e.s.c, "read export", selectChunk, account, id, n)
			if err == nil && !ok {
				err = io.EOF
			}
			return content, err
		}})
	}, nil
}

type chunkReader struct {
	unread []byte // bytes that Read has not returned yet; at the start all of chunk 0
	last   int
	next   func(n int) ([]byte, error) // reads chunk n; returns io.EOF after the last chunk
}

// Read implements io.Reader.
func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.unread) == 0 {
		content, err := r.next(r.last + 1)
		if err != nil {
			return 0, err
		}
		r.unread, r.last = content, r.last+1
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
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
WITH deleted AS (DELETE FROM exports WHERE account_id = $1 AND id = $2 AND created_at > $3 RETURNING id),
	deleted_chunks AS (DELETE FROM export_chunks WHERE export_id IN (SELECT id FROM deleted))
SELECT id FROM deleted`

// Delete deletes a file.
func (e Exports) Delete(ctx context.Context, account, id uuid.UUID) error {
	return e.s.execOne(ctx, "file", deleteExport, account, id, expired())
}

const sumExports = `SELECT coalesce(sum(byte_size), 0)::bigint FROM exports WHERE account_id = $1 AND created_at > $2`

// Reserve returns the error plan_limit if the plan of the account has no room for another export. An unfinished export counts as
// if it had the maximum size. Submit the job first, then call Reserve in the same transaction.
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

// AddChunk stores chunk n of a file. fence identifies the attempt that creates the file.
func (e Exports) AddChunk(ctx context.Context, id uuid.UUID, fence int64, n int, content []byte) error {
	return e.s.run(ctx, "store export", insertChunk, id, fence, n, content)
}

var insertExport = `INSERT INTO exports (` + exportColumns + `, fence)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

const deleteOtherChunks = `DELETE FROM export_chunks WHERE export_id = $1 AND fence <> $2`

// Finish creates a file from the chunks of one attempt and deletes the chunks of all other attempts. Call it in the transaction
// that ends the attempt.
func (e Exports) Finish(ctx context.Context, x models.Export, fence int64) error {
	const what = "finish export"
	err := e.s.run(ctx, what, insertExport, x.ID, x.AccountID, x.Kind, x.Name, x.RowCount, x.ByteSize, x.CreatedAt, fence)
	if err == nil {
		err = e.s.run(ctx, what, deleteOtherChunks, x.ID, fence)
	}
	return err
}

// DeleteChunks deletes the chunks of a failed attempt.
func (e Exports) DeleteChunks(ctx context.Context, id uuid.UUID, fence int64) error {
	const q = `DELETE FROM export_chunks WHERE export_id = $1 AND fence = $2`
	return e.s.run(ctx, "drop export", q, id, fence)
}

// No attempt runs for a whole day, so older chunks without a file are orphans.
const deleteExpiredExports = `
WITH deleted AS (DELETE FROM exports WHERE created_at < $1 RETURNING id),
	deleted_chunks AS (
		DELETE FROM export_chunks c WHERE export_id IN (SELECT id FROM deleted)
			OR created_at < $2 AND NOT EXISTS (SELECT FROM exports e WHERE e.id = c.export_id)
	)
SELECT count(*) FROM deleted`

// DeleteExpired deletes expired files and orphaned chunks. It returns the number of deleted files.
func (e Exports) DeleteExpired(ctx context.Context) (int64, error) {
	return db.Get[int64](ctx, e.s.c, "sweep exports", deleteExpiredExports, expired(), time.Now().AddDate(0, 0, -1))
}
