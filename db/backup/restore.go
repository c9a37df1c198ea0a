package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/db"
)

// copyRows is the number of rows after which a COPY ends and the next one begins. The server keeps the checks of foreign keys in
// memory until the COPY ends.
const copyRows = 500_000

// Restore loads a backup into an empty database and brings its schema up to date. Empty means that it has no tables, or only our
// own tables, with rows in "installation" alone. If loading fails, the database is still empty. If the migrations after it
// fail, the rows stay: run `switchyard migrate`. The role must be allowed to create tables. It need not be a superuser. Errors:
// ErrNotBackup, ErrDamaged, ErrNewer, ErrNotEmpty.
func Restore(ctx context.Context, d *db.DB, r io.Reader, progress Progress) (Header, Summary, error) {
	frames, err := newFrameReader(r)
	if err != nil {
		return Header{}, Summary{}, err
	}
	h, err := readHeader(frames)
	if err != nil {
		return h, Summary{}, err
	}
	if err := prepare(ctx, d, h); err != nil {
		return h, Summary{}, err
	}
	sum, err := load(ctx, d, h, frames, progress)
	if err != nil {
		return h, Summary{}, err
	}
	if _, err := db.Migrate(ctx, d); err != nil {
		return h, sum, fmt.Errorf("backup: the rows are loaded; run `switchyard migrate`: %w", err)
	}
	return h, sum, db.Analyze(ctx, d)
}

func readHeader(r *frameReader) (h Header, err error) {
	kind, content, err := r.next()
	switch {
	case err != nil:
		return h, err
	case kind != frameHeader:
		return h, ErrNotBackup
	}
	if err := decode(content, &h); err != nil {
		return h, err
	}
	if h.Format > format {
		return h, fmt.Errorf("%w: %s, format %d", ErrNewer, h.Program, h.Format)
	}
	return h, nil
}

// prepare checks that the database is empty, and creates the schema of the rows in the file.
func prepare(ctx context.Context, d *db.DB, h Header) error {
	applied, err := db.Applied(ctx, d)
	if err != nil {
		return err
	}
	tables, err := tablesOf(ctx, d)
	if err != nil {
		return err
	}
	if len(applied) == 0 && len(tables) > 0 {
		return fmt.Errorf("%w: it has a table %s", ErrNotEmpty, tables[0].Name)
	}
	if err := checkEmpty(ctx, d, tables); err != nil {
		return err
	}
	err = db.MigrateTo(ctx, d, h.Migrations)
	switch {
	case errors.Is(err, db.ErrSchemaAhead):
		return fmt.Errorf("%w: its schema is newer than the file's (%w)", ErrNotEmpty, err)
	case errors.Is(err, db.ErrProgramBehind):
		return fmt.Errorf("%w: %s (%w)", ErrNewer, h.Program, err)
	}
	return err
}

// checkEmpty returns ErrNotEmpty if a table other than installation has rows.
func checkEmpty(ctx context.Context, c db.Conn, tables []table) error {
	for _, t := range tables {
		if t.Name == installation {
			continue
		}
		full, err := db.Get[bool](ctx, c, "look for rows", `SELECT EXISTS (SELECT FROM `+t.quoted()+`)`)
		if err != nil {
			return err
		}
		if full {
			return fmt.Errorf("%w: %s has rows", ErrNotEmpty, t.Name)
		}
	}
	return nil
}

func load(ctx context.Context, d *db.DB, h Header, r *frameReader, progress Progress) (sum Summary, err error) {
	conn, err := d.Connx(ctx)
	if err != nil {
		return sum, fmt.Errorf("backup: connect: %w", err)
	}
	defer func() {
		_ = conn.Close() // the transaction has ended, and its result is known
		if ctx.Err() != nil && err != nil {
			err = fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}()
	tx, err := conn.BeginTxx(ctx, nil)
	if err != nil {
		return sum, fmt.Errorf("backup: begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing; after an error, that error is returned
	l := loader{conn: conn, tx: tx, frames: r, progress: progress}
	if err := l.begin(ctx, h); err != nil {
		return sum, err
	}
	sum, err = l.loadTables(ctx)
	if err != nil {
		return sum, err
	}
	if err := l.finish(ctx, h); err != nil {
		return sum, err
	}
	if err := tx.Commit(); err != nil {
		return sum, fmt.Errorf("backup: commit: %w", err)
	}
	return sum, nil
}

// loader loads the rows of a file in a transaction.
type loader struct {
	conn     *sqlx.Conn
	tx       *sqlx.Tx
	frames   *frameReader
	progress Progress
	tables   []table
}

func (l *loader) exec(ctx context.Context, what, query string, args ...any) error {
	return db.Run(ctx, l.tx, what, query, args...)
}

// begin locks all tables against other writers and creates the partitions. It switches our triggers off until finish, because
// they already ran when the rows were first written. Foreign keys are still checked.
func (l *loader) begin(ctx context.Context, h Header) (err error) {
	if err := l.exec(ctx, "set session", session); err != nil {
		return err
	}
	if l.tables, err = tablesOf(ctx, l.tx); err != nil {
		return err
	}
	if err := lock(ctx, l.tx, l.tables, "SHARE ROW EXCLUSIVE"); err != nil {
		return err
	}
	if err := checkEmpty(ctx, l.tx, l.tables); err != nil {
		return err
	}
	for _, t := range l.tables {
		if err := l.exec(ctx, "triggers off", `ALTER TABLE `+t.quoted()+` DISABLE TRIGGER USER`); err != nil {
			return err
		}
	}
	for _, p := range h.Partitions {
		if !slices.ContainsFunc(l.tables, func(t table) bool { return t.Name == p.Table }) {
			return damaged(fmt.Errorf("a partition of an unknown table %q", p.Table))
		}
		partition := db.Partition{Table: pq.QuoteIdentifier(p.Table), Name: pq.QuoteIdentifier(p.Name), Low: p.Low, High: p.High}
		if err := partition.Ensure(ctx, l.tx); err != nil {
			return err
		}
	}
	return l.exec(ctx, "empty "+installation, `DELETE FROM `+installation)
}

func (l *loader) finish(ctx context.Context, h Header) error {
	for _, s := range h.Sequences {
		set := `SELECT setval($1::regclass, $2, $3)`
		if err := l.exec(ctx, "set sequence", set, pq.QuoteIdentifier(s.Name), s.Last, s.Called); err != nil {
			return err
		}
	}
	for _, t := range l.tables {
		if err := l.exec(ctx, "triggers on", `ALTER TABLE `+t.quoted()+` ENABLE TRIGGER USER`); err != nil {
			return err
		}
	}
	return nil
}

// loadTables reads the file to its end.
func (l *loader) loadTables(ctx context.Context) (got Summary, err error) {
	for {
		kind, content, err := l.frames.next()
		if err != nil {
			return got, err
		}
		if kind == frameLast {
			var want Summary
			if err := decode(content, &want); err != nil {
				return got, err
			}
			if got != want || got.Tables != len(l.tables) {
				return got, damaged(fmt.Errorf("%+v in %d tables of the schema were read, and the file says %+v", got, len(l.tables), want))
			}
			return got, l.frames.end()
		}
		var t table
		if kind != frameTable {
			return got, damaged(fmt.Errorf("a frame %q between tables", kind))
		}
		if err := decode(content, &t); err != nil {
			return got, err
		}
		n, err := l.loadTable(ctx, t)
		if err != nil {
			return got, fmt.Errorf("backup: %s: %w", t.Name, err)
		}
		got.Tables, got.Rows = got.Tables+1, got.Rows+n
	}
}

func (l *loader) loadTable(ctx context.Context, t table) (int64, error) {
	i := slices.IndexFunc(l.tables, func(of table) bool { return of.Name == t.Name })
	if i < 0 || !slices.Equal(slices.Sorted(slices.Values(t.Columns)), slices.Sorted(slices.Values(l.tables[i].Columns))) {
		return 0, damaged(errors.New("the table or its columns are not those of the schema"))
	}
	t.Self = l.tables[i].Self
	rows := tableRows{frames: l.frames, sum: sha256.New()}
	for !rows.done {
		err := l.conn.Raw(func(c any) error { return rows.copy(ctx, c, t) })
		if err != nil {
			return rows.n, err
		}
		l.progress(t.Name, rows.n, rows.done)
	}
	if sum := hex.EncodeToString(rows.sum.Sum(nil)); rows.end.Rows != rows.n || rows.end.SHA256 != sum {
		return rows.n, damaged(fmt.Errorf("read %d rows, want %d, or their checksum is wrong", rows.n, rows.end.Rows))
	}
	return rows.n, nil
}

// tableRows reads the rows of one table.
type tableRows struct {
	frames *frameReader
	sum    hash.Hash
	n      int64    // rows read so far
	done   bool     // the table has ended
	end    tableEnd // set when the table has ended
}

// copier is a COPY FROM STDIN of the driver.
type copier interface {
	CopyData(ctx context.Context, lines string) (driver.Result, error)
	Exec(none []driver.Value) (driver.Result, error) // ends the COPY
	Close() error
}

// copy sends blocks of rows by one COPY. send decides how many.
func (r *tableRows) copy(ctx context.Context, conn any, t table) error {
	c, ok := conn.(driver.Conn)
	if !ok {
		return fmt.Errorf("a connection %T", conn)
	}
	stmt, err := c.Prepare(`COPY ` + t.quoted() + ` (` + t.columns("") + `) FROM STDIN`)
	if err != nil {
		return err
	}
	to, ok := stmt.(copier)
	if !ok {
		return errors.Join(fmt.Errorf("a statement %T", stmt), stmt.Close())
	}
	sent, err := r.send(ctx, to, t.Self)
	if err != nil {
		return errors.Join(err, to.Close()) // the transaction undoes what was sent
	}
	res, err := to.Exec(nil)
	if err != nil {
		return err
	}
	if stored, err := res.RowsAffected(); err != nil || stored != sent {
		return errors.Join(err, damaged(fmt.Errorf("%d rows sent, %d stored", sent, stored)))
	}
	return nil
}

// send sends rows until the table ends or copyRows rows are sent. If entireTable is true, it sends all rows. A table with a
// foreign key to itself needs this, because a row may refer to a later one.
func (r *tableRows) send(ctx context.Context, to copier, entireTable bool) (sent int64, err error) {
	for entireTable || sent < copyRows {
		if err := ctx.Err(); err != nil {
			return sent, err
		}
		kind, content, err := r.frames.next()
		if err != nil {
			return sent, err
		}
		switch kind {
		case frameRows:
			lines, ok := bytes.CutSuffix(content, []byte{'\n'})
			if !ok {
				return sent, damaged(errors.New("a row that does not end"))
			}
			_, _ = r.sum.Write(content) // never fails
			// With a context that can end, the driver would start a goroutine for each block.
			if _, err := to.CopyData(context.WithoutCancel(ctx), string(lines)); err != nil {
				return sent, err
			}
			n := int64(bytes.Count(content, []byte{'\n'}))
			sent, r.n = sent+n, r.n+n
		case frameEnd:
			r.done = true
			return sent, decode(content, &r.end)
		default:
			return sent, damaged(fmt.Errorf("a frame %q among rows", kind))
		}
	}
	return sent, nil
}
