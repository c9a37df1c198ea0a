package workers

import (
	"context"
	"encoding/json"
	"fmt"

	"switchyard/db"
	"switchyard/db/jobrow"
)

// Step commits a part of the effect and goes on: the part, and the arguments from which the rest continues, commit
// together under the fence, or nothing does. Whoever takes the row over after a crash begins with these arguments. The
// attempt still ends with Commit, Retry or Fail.
func (u *Run[A, R]) Step(ctx context.Context, part func(db.Conn) (A, error)) error {
	var next A
	err := db.Tx(ctx, u.r.o.DB, func(c db.Conn) error {
		var err error
		if next, err = part(c); err != nil {
			return err
		}
		raw, err := json.Marshal(next)
		if err != nil {
			return fmt.Errorf("workers: arguments: %w", err)
		}
		return jobrow.SaveArgs(ctx, c, u.Job.ID, u.Job.Fence, raw)
	})
	if err == nil {
		u.Args = next
	}
	return err
}
