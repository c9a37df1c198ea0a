package ingest

import (
	"context"
	"errors"
	"time"

	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/ledger"
)

const (
	clicksAtOnce = 1000
	hoursAtOnce  = 500
)

// Compact applies waiting click-outs and arrivals, and compacts the ledger. Calls may be missed, repeated or run at the same
// time.
func Compact(ctx context.Context, l click.Log) error {
	if _, err := conversion.ApplyWaitingHops(ctx, l, clicksAtOnce); err != nil {
		return err
	}
	if err := ApplyWaitingArrivals(ctx, l, clicksAtOnce); err != nil {
		return err
	}
	cold := conversion.ApplyColdHops(ctx, l, clicksAtOnce)
	_, err := ledger.Compact(ctx, l.Conn, time.Now(), hoursAtOnce)
	return errors.Join(err, cold)
}
