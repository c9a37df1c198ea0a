package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"switchyard/db"
)

// A block of rows is written when it has at least blockSize bytes, or at the end of the table.
const blockSize = 256 << 10

// session makes the text of values the same on every server. The transaction may take as long as it needs, but it waits at most a
// minute for a lock.
const session = `
SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL extra_float_digits = 3;
SET LOCAL bytea_output = 'hex'; SET LOCAL timezone = 'UTC'; SET LOCAL statement_timeout = 0;
SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '1min'`

// Write writes a backup of the whole database to w, in its state at one moment. The service keeps running. Only changes of the
// schema and the dropping of partitions wait until the backup is done. program is the version of this program, for the header of
// the file.
func Write(ctx context.Context, d *db.DB, w io.Writer, program string, progress Progress) (Summary, error) {
	applied, err := db.Applied(ctx, d)
	if err != nil {
		return Summary{}, err
	}
	if len(applied) == 0 {
		return Summary{}, ErrNeverMigrated
	}
	before, err := tablesOf(ctx, d)
	if err != nil {
		return Summary{}, err
	}
	tx, err := d.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return Summary{}, fmt.Errorf("backup: begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it has changed nothing
	if err := db.Run(ctx, tx, "set session", session); err != nil {
		return Summary{}, err
	}
	// The locks come before the snapshot, so that no table changes its columns between the two.
	if err := lock(ctx, tx, before, "ACCESS SHARE"); err != nil {
		return Summary{}, err
	}
	tables, err := tablesOf(ctx, tx)
	if err != nil {
		return Summary{}, err
	}
	if !slices.EqualFunc(before, tables, func(a, b table) bool {
		return a.Name == b.Name && slices.Equal(a.Columns, b.Columns)
	}) {
		return Summary{}, errors.New("backup: the schema has just changed; run the backup again")
	}
	frames, err := newFrameWriter(w)
	if err != nil {
		return Summary{}, err
	}
	if err := writeHeader(ctx, tx, frames, program); err != nil {
		return Summary{}, err
	}
	sum := Summary{Tables: len(tables)}
	for _, t := range tables {
		n, err := writeTable(ctx, tx, frames, t, progress)
		if err != nil {
			return sum, fmt.Errorf("backup: %s: %w", t.Name, err)
		}
		sum.Rows += n
	}
	if err := frames.writeJSON(frameLast, sum); err != nil {
		return sum, err
	}
	return sum, frames.close()
}

func writeHeader(ctx context.Context, c db.Conn, w *frameWriter, program string) (err error) {
	h := Header{Format: format, Program: program}
	if h.TakenAt, err = db.Get[time.Time](ctx, c, "now", `SELECT now()`); err != nil {
		return err
	}
	if h.Migrations, err = db.Applied(ctx, c); err != nil {
		return err
	}
	if h.Partitions, err = partitionsOf(ctx, c); err != nil {
		return err
	}
	if h.Sequences, err = sequencesOf(ctx, c); err != nil {
		return err
	}
	return w.writeJSON(frameHeader, h)
}

// writeTable reads a table row by row. The driver has no COPY TO, so the lines are made here.
func writeTable(ctx context.Context, c db.Conn, w *frameWriter, t table, progress Progress) (n int64, err error) {
	if err := w.writeJSON(frameTable, t); err != nil {
		return 0, err
	}
	sum := sha256.New()
	var block []byte
	flush := func() error {
		_, _ = sum.Write(block) // never fails
		err := w.write(frameRows, block)
		block = block[:0]
		return err
	}
	values := make([]sql.RawBytes, len(t.Columns))
	cells := make([]any, len(values))
	for i := range values {
		cells[i] = &values[i]
	}
	const done = true
	err = db.EachRow(ctx, c, "read", func(rows *sqlx.Rows) error {
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		block = appendLine(block, values)
		n++
		if n%progressRows == 0 {
			progress(t.Name, n, !done)
		}
		if len(block) < blockSize {
			return nil
		}
		return flush()
	}, `SELECT `+t.columns("::text")+` FROM `+t.quoted())
	if err == nil && len(block) > 0 {
		err = flush()
	}
	if err != nil {
		return n, err
	}
	progress(t.Name, n, done)
	return n, w.writeJSON(frameEnd, tableEnd{Rows: n, SHA256: hex.EncodeToString(sum.Sum(nil))})
}

// appendLine adds a row in the text form of COPY.
func appendLine(line []byte, values []sql.RawBytes) []byte {
	for i, v := range values {
		if i > 0 {
			line = append(line, '\t')
		}
		if v == nil {
			line = append(line, `\N`...)
			continue
		}
		for len(v) > 0 {
			at := bytes.IndexAny(v, "\\\t\n\r")
			if at < 0 {
				line = append(line, v...)
				break
			}
			line = append(line, v[:at]...)
			line = append(line, '\\', escaped[v[at]])
			v = v[at+1:]
		}
	}
	return append(line, '\n')
}

var escaped = [...]byte{'\\': '\\', '\t': 't', '\n': 'n', '\r': 'r'}
