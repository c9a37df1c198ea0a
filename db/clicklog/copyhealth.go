package clicklog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"switchyard/models"
)

// askTimeout is the time that CopyHealth waits for ClickHouse.
const askTimeout = 2 * time.Second

// CopyHealth returns the status of the copy, in the terms of GET /alerts, and a message that says what to do if there is a
// problem. Without a copy the status is models.ServiceOff.
func (l Log) CopyHealth(ctx context.Context) (status, message string, err error) {
	if l.Copy == nil {
		return models.ServiceOff, "", nil
	}
	s, err := ReadCopy(ctx, l.Conn)
	if err != nil {
		return "", "", err
	}
	w, err := ReadWaiting(ctx, l.Conn)
	if err != nil {
		return "", "", err
	}
	away := l.Copy.ask(ctx)
	old := ""
	if !s.ColdBefore.IsZero() {
		old = ", but not about clicks of before " + s.ColdBefore.UTC().Format(time.DateOnly)
	}
	switch {
	case errors.Is(away, errLost):
		return models.ServiceFailing, "CLICKS_URL is not set, and clicks of old days are in ClickHouse alone: PostgreSQL answers reports" + old, nil
	case away != nil:
		return models.ServiceFailing, "ClickHouse does not answer. Clicks are stored, and PostgreSQL answers reports" + old +
			": bring ClickHouse back, see ops/runbooks/clickhouse.md", nil
	case !s.Begun:
		return models.ServiceWaiting, "nothing is copied yet: `switchyard clicks move --to clickhouse` begins", nil
	case !s.On:
		return models.ServiceFailing, "changes of clicks are not noted, as after a restore, and PostgreSQL answers reports" + old +
			": run `switchyard clicks move --to clickhouse`", nil
	case w.Age > lateAfter:
		return models.ServiceBehind, fmt.Sprintf("changes of clicks wait for ClickHouse for %s, and PostgreSQL answers reports%s: "+
			"see that a worker has CLICKS_URL, and what its log says", w.Age.Round(time.Second), old), nil
	case !s.Done:
		return models.ServiceOK, "clicks are being copied, day by day", nil
	}
	return models.ServiceOK, "", nil
}

// ask checks whether the copy answers. After the copy did not answer, it returns an error without a query for the time leftAlone.
func (k *CopyReader) ask(ctx context.Context) error {
	if time.Now().UnixNano() < k.away.Load() {
		return errNotAnswered
	}
	timed, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var one uint8
	err := k.Each(timed, "is it there", func(scan func(...any) error) error { return scan(&one) }, `SELECT 1`)
	if timed.Err() != nil && ctx.Err() == nil {
		k.away.Store(time.Now().Add(leftAlone).UnixNano())
	}
	return err
}

var errNotAnswered = errors.New("clicklog: the copy has not answered some seconds ago")
