package db

import "context"

// InParts repeats a statement that changes at most size rows, its last argument, until it finds fewer, so that no
// statement holds locks for long and what is done stays done when the context ends. It tells how many rows it changed.
func InParts(ctx context.Context, c Conn, query string, size int, args ...any) (int64, error) {
	var total int64
	for {
		res, err := c.ExecContext(ctx, query, append(args[:len(args):len(args)], size)...)
		if err != nil {
			return total, err
		}
		n, err := res.RowsAffected()
		total += n
		if err != nil || n < int64(size) {
			return total, err
		}
	}
}
