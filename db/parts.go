package db

import "context"

// InParts repeats a statement until it changes fewer than size rows, and returns how many rows it changed in all. The
// statement gets size as its last argument and must change at most that many rows. So no lock is held for long, and
// what is done stays done when the context ends.
func InParts(ctx context.Context, c Conn, what, query string, size int, args ...any) (int64, error) {
	var total int64
	for {
		n, err := Exec(ctx, c, what, query, append(args[:len(args):len(args)], size)...)
		total += n
		if err != nil || n < int64(size) {
			return total, err
		}
	}
}
