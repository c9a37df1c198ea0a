package clickcopy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"switchyard/db/click"
	"switchyard/models"
)

// Health returns the status of the copy for GET /alerts, and a message that says what to do or what is going on. The message may
// be empty. If l has no reader of the copy, the status is models.ServiceOff.
func Health(ctx context.Context, l click.Log) (status, message string, err error) {
	if l.Copy == nil {
		return models.ServiceOff, "", nil
	}
	s, err := click.ReadCopy(ctx, l.Conn)
	if err != nil {
		return "", "", err
	}
	w, err := ReadWaiting(ctx, l.Conn)
	if err != nil {
		return "", "", err
	}
	pingErr := l.Copy.Ping(ctx)
	exceptOld := "" // excludes the clicks that PostgreSQL no longer has
	if !s.ColdBefore.IsZero() {
		exceptOld = ", but not about clicks before " + s.ColdBefore.UTC().Format(time.DateOnly)
	}
	switch {
	case errors.Is(pingErr, click.ErrCopyUnknown):
		return models.ServiceFailing, "CLICKS_URL is not set, but clicks of old days are in ClickHouse alone: PostgreSQL answers reports" + exceptOld, nil
	case pingErr != nil:
		return models.ServiceFailing, "ClickHouse does not answer. Clicks are stored, and PostgreSQL answers reports" + exceptOld +
			": bring ClickHouse back, see ops/runbooks/clickhouse.md", nil
	case !s.Begun:
		return models.ServiceWaiting, "nothing is copied yet: `switchyard clicks move --to clickhouse` begins the copy", nil
	case !s.On:
		return models.ServiceFailing, "changes of clicks are not recorded, as after a restore, and PostgreSQL answers reports" + exceptOld +
			": run `switchyard clicks move --to clickhouse`", nil
	case w.Age > click.LateAfter:
		return models.ServiceBehind, fmt.Sprintf("changes of clicks wait for ClickHouse for %s, and PostgreSQL answers reports%s: "+
			"check that a worker has CLICKS_URL, and read its log", w.Age.Round(time.Second), exceptOld), nil
	case !s.Done:
		return models.ServiceOK, "clicks are being copied, day by day", nil
	}
	return models.ServiceOK, "", nil
}
