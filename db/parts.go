package db

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// InParts repeats a statement until it changes fewer than size rows, and returns the total number of changed rows. The statement
// gets size as its last argument and must change at most that many rows. No lock is therefore held for long, and the changes of
// completed statements stay when the context ends.
func InParts(ctx context.Context, c Conn, what, query string, size int, args ...any) (int64, error) {
	var total int64
	for {
		n, err := Exec(ctx, c, what, query, append(slices.Clone(args), size)...)
		total += n
		if err != nil || n < int64(size) {
			return total, err
		}
	}
}

const partitionAttached = `
SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = $1::regclass AND inhrelid = to_regclass($2))`

// Partition is a partition of a table for ids in [Low, High).
type Partition struct {
	Table, Name string
	Low, High   uuid.UUID
	Prepare     string // SQL that runs before the partition is attached; may be empty
}

// Ensure creates the partition if it does not exist. c must be a transaction that holds a lock which all callers for the table take,
// so that two callers do not create the same partition. The partition is created as a separate table and then attached. Creating
// it directly as a partition would wait for all readers of the table and block later readers.
func (p Partition) Ensure(ctx context.Context, c Conn) error {
	what := "make partition of " + p.Table
	if attached, err := Get[bool](ctx, c, what, partitionAttached, p.Table, p.Name); err != nil || attached {
		return err
	}
	return Run(ctx, c, what, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s (LIKE %s INCLUDING ALL); %s;
		ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')`,
		p.Name, p.Table, p.Prepare, p.Table, p.Name, p.Low, p.High))
}
