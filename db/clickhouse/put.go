package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/ClickHouse/clickhouse-go/v2"

	"switchyard/db/clickhouse/schema"
)

// Put stores rows as one block. It repeats the request until the server stores or refuses the rows, or ctx ends. Each row has all
// columns of the table.
func (c *Conn) Put(ctx context.Context, t schema.Table, rows iter.Seq[[]any]) error {
	err := c.untilAnswered(ctx, func(ctx context.Context) error { return c.send(ctx, t, rows) })
	if err != nil {
		return fmt.Errorf("clickhouse: put into %s: %w", t.Name, err)
	}
	return nil
}

// maxBlock is the largest number of rows that the server inserts as one block. A call of Put never has more rows.
const maxBlock = 1_000_000

func (c *Conn) send(ctx context.Context, t schema.Table, rows iter.Seq[[]any]) error {
	oneBlock := clickhouse.Settings{"max_insert_block_size": maxBlock, "async_insert": 0}
	batch, err := c.conn.PrepareBatch(c.settings(ctx, oneBlock), insert(t))
	if err != nil {
		return err
	}
	for row := range rows {
		if err := batch.Append(row...); err != nil {
			return errors.Join(err, batch.Abort())
		}
	}
	if batch.Rows() == 0 {
		return batch.Abort()
	}
	return batch.Send()
}
