package clicklog

import (
	"context"
	"log/slog"
	"time"
)

// ForgetHistory deletes postbacks that are older than the plan of their account keeps them. It may be missed, repeated or
// run in parallel.
func (l Log) ForgetHistory(ctx context.Context) error {
	postbacks, err := l.forgetPostbacks(ctx, time.Now())
	slog.InfoContext(ctx, "history forgotten", "postbacks", postbacks)
	return err
}
