package db

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// InParts repeats a statement until it changes fewer than size rows, and returns the total number of changed rows. size is the
// last argument of the statement, which must change at most that many rows. So no lock is held for long, and completed parts stay
// when the context ends.
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
	Prepare     string // SQL that runs before the partition is attached
}

// Ensure creates the partition if it does not exist. c must be a transaction with a lock that all callers for the table take. The
// partition is created as a separate table and then attached, because creating it directly would wait for all readers of the
// table and block later ones.
func (p Partition) Ensure(ctx context.Context, c Conn) error {
	what := "make partition of " + p.Table
	if attached, err := Get[bool](ctx, c, what, partitionAttached, p.Table, p.Name); err != nil || attached {
		return err
	}
	return Run(ctx, c, what, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s (LIKE %s INCLUDING ALL); %s;
		ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')`,
		p.Name, p.Table, p.Prepare, p.Table, p.Name, p.Low, p.High))
}
