package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/ClickHouse/clickhouse-go/v2"

	"switchyard/db/columnar"
)

// Put stores rows that have a key, and tries until it is answered or ctx ends. The rows have all columns of the table.
func (c *Conn) Put(ctx context.Context, t columnar.Table, rows iter.Seq[[]any]) error {
	_, err := c.untilAnswered(ctx, func(ctx context.Context) error { return c.send(ctx, t, rows, "") })
	if err != nil {
		return fmt.Errorf("clickhouse: put into %s: %w", t.Name, err)
	}
	return nil
}

// send sends rows as one block.
func (c *Conn) send(ctx context.Context, t columnar.Table, rows iter.Seq[[]any], token string) error {
	settings := clickhouse.Settings{"max_insert_block_size": maxBlock, "async_insert": 0}
	if token != "" {
		settings["insert_deduplicate"], settings["insert_deduplication_token"] = 1, token
	}
	batch, err := c.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(settings)), insert(t))
	if err != nil {
		return err
	}
	for row := range rows {
		if err := batch.Append(row...); err != nil {
			return errors.Join(err, batch.Abort())
		}
	}
	return batch.Send()
}

// maxBlock is how many rows a batch has at most: what is sent must stay one block.
const maxBlock = 1_000_000

// month is the partition of a row.
func month(r columnar.Row) uint32 {
	at := r.Hour.UTC()
	return uint32(at.Year()*100 + int(at.Month())) //nolint:gosec // years have four digits
}

// ErrTorn says that a partition has other rows of a batch than the batch has. Nobody but Once writes them, so this is
// damage of the table.
var ErrTorn = errors.New("clickhouse: a batch is stored in part")

// maxRepairs is how often a batch is completed before it is left to the next call.
const maxRepairs = 10

// Once stores a batch once, however often it is called and killed. It tries until the batch is stored, ctx ends or the server
// refuses it. After an error it may be called again, with Again set.
func (c *Conn) Once(ctx context.Context, b columnar.Batch) error {
	if len(b.Rows) == 0 {
		return nil
	}
	token := strconv.FormatUint(b.Number, 10)
	atOnce, err := c.untilAnswered(ctx, func(ctx context.Context) error {
		return c.send(ctx, b.Table, cells(b, nil), token)
	})
	if err != nil {
		return fmt.Errorf("clickhouse: batch %s of %s: %w", token, b.Table.Name, err)
	}
	if atOnce && !b.Again {
		return nil
	}
	return c.complete(ctx, b, token)
}

// complete asks which partitions of a batch are missing, and sends them again until none is.
func (c *Conn) complete(ctx context.Context, b columnar.Batch, token string) error {
	for n := 2; n < 2+maxRepairs; n++ {
		missing, err := c.missing(ctx, b, token)
		if err != nil || len(missing) == 0 {
			return err
		}
		_, err = c.untilAnswered(ctx, func(ctx context.Context) error {
			return c.send(ctx, b.Table, cells(b, missing), token+":"+strconv.Itoa(n))
		})
		if err != nil {
			return fmt.Errorf("clickhouse: complete batch %s of %s: %w", token, b.Table.Name, err)
		}
	}
	return fmt.Errorf("clickhouse: batch %s of %s is still not complete after %d tries", token, b.Table.Name, maxRepairs)
}

// Settle ends a batch that was given up, whatever of it was sent: it is stored now or never will be. The row takes the batch's
// token in its partition; it must add nothing to any sum. A batch of more than one partition has a row for each.
func (c *Conn) Settle(ctx context.Context, t columnar.Table, number uint64, row columnar.Row) error {
	token := strconv.FormatUint(number, 10)
	b := columnar.Batch{Table: t, Number: number, Rows: []columnar.Row{row}}
	_, err := c.untilAnswered(ctx, func(ctx context.Context) error { return c.send(ctx, t, cells(b, nil), token) })
	if err == nil {
		_, err = c.untilAnswered(ctx, func(ctx context.Context) error { return c.idle(ctx, token) })
	}
	if err != nil {
		return fmt.Errorf("clickhouse: settle batch %s of %s: %w", token, t.Name, err)
	}
	return nil
}

// idle gives errRunning while a try of a batch runs in the server.
func (c *Conn) idle(ctx context.Context, token string) error {
	var running uint64
	err := c.Each(ctx, "tries of batch "+token, func(scan func(...any) error) error { return scan(&running) }, selectRunning,
		clickhouse.Named("token", token), clickhouse.Named("prefix", token+":"))
	if err == nil && running > 0 {
		err = errRunning
	}
	return err
}

// cells gives the rows of some partitions, or of all.
func cells(b columnar.Batch, months map[uint32]bool) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for _, r := range b.Rows {
			if (months == nil || months[month(r)]) && !yield(r.Cells) {
				return
			}
		}
	}
}

// What still runs in the server may store rows after they were asked for.
const selectRunning = `SELECT count() FROM system.processes
WHERE Settings['insert_deduplication_token'] = {token:String} OR startsWith(Settings['insert_deduplication_token'], {prefix:String})`

// missing gives the partitions that have nothing of a batch, once no try of it is running any more.
func (c *Conn) missing(ctx context.Context, b columnar.Batch, token string) (map[uint32]bool, error) {
	what := "ask for batch " + token + " of " + b.Table.Name
	first, last := b.Rows[0].Hour, b.Rows[0].Hour
	expected := map[uint32]uint64{}
	for _, r := range b.Rows {
		expected[month(r)]++
		if r.Hour.Before(first) {
			first = r.Hour
		}
		if r.Hour.After(last) {
			last = r.Hour
		}
	}
	var found map[uint32]uint64
	_, err := c.untilAnswered(ctx, func(ctx context.Context) error {
		if err := c.idle(ctx, token); err != nil {
			return err
		}
		found = map[uint32]uint64{}
		return c.Each(ctx, what, func(scan func(...any) error) error {
			var month uint32
			var n uint64
			err := scan(&month, &n)
			found[month] = n
			return err
		}, `SELECT toYYYYMM(hour) AS month, count() FROM `+b.Table.Name+` WHERE batch = {batch:UInt64}
			AND hour BETWEEN fromUnixTimestamp({first:Int64}) AND fromUnixTimestamp({last:Int64}) GROUP BY month`,
			clickhouse.Named("batch", token), clickhouse.Named("first", strconv.FormatInt(first.Unix(), 10)),
			clickhouse.Named("last", strconv.FormatInt(last.Unix(), 10)))
	})
	if err != nil {
		return nil, err
	}
	missing := map[uint32]bool{}
	for month, n := range expected {
		switch found[month] {
		case n:
		case 0:
			missing[month] = true
		default:
			return nil, fmt.Errorf("%w: batch %s of %s in %d: %d of %d rows", ErrTorn, token, b.Table.Name, month, found[month], n)
		}
	}
	return missing, nil
}

var errRunning = errors.New("a try is still running")
