package jobrow

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/db"
)

const saveArgs = `UPDATE jobs SET args = $3 WHERE id = $1 AND fence = $2 AND state = 'running'`

// SaveArgs replaces the arguments of a row that is being worked on, in the transaction of a part of its effect, so that
// the next attempt goes on from there; ErrFenced as in Complete.
func SaveArgs(ctx context.Context, c db.Conn, id uuid.UUID, fence int64, args json.RawMessage) error {
	return fenced(ctx, c, saveArgs, id, fence, []byte(args))
}
