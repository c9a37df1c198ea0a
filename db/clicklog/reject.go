package clicklog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// reject puts a record aside that PostgreSQL will never take, in the file "rejected" of its home: one line of JSON
// with the reason and the record as it was in the spool. The line is durable before the mark moves on.
func (g *Ingester) reject(ctx context.Context, q *queue, it item, why error) error {
	line, err := json.Marshal(struct {
		At     time.Time `json:"at"`
		Error  string    `json:"error"`
		Record []byte    `json:"record"`
	}{time.Now().UTC(), why.Error(), it.raw})
	if err != nil {
		return fmt.Errorf("clicklog: reject: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(q.home.path, "rejected"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("clicklog: reject: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("clicklog: reject: %w", err)
	}
	g.spool.rejected.Add(1)
	slog.ErrorContext(ctx, "record rejected", "error", why, "path", q.home.path)
	return nil
}
