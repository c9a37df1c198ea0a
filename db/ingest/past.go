package ingest

import (
	"context"
	"time"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
)

// ReadyPast creates the partitions for clicks at past times. Call it before the transaction of StorePast. Times that are too old
// for any click are refused with click.ErrRefused.
func ReadyPast(ctx context.Context, l click.Log, moments []time.Time) error {
	return click.Days{}.Ensure(ctx, l, moments)
}

// StorePast stores clicks from the log of another tracker, in the transaction of c. Clicks that are already stored do not change.
// It returns the number of new clicks.
func StorePast(ctx context.Context, l click.Log, c db.Conn, clicks []models.Click) (int, error) {
	if len(clicks) == 0 {
		return 0, nil
	}
	b := batch{clicks: db.Map(clicks, newStored)}
	ids := db.SortedIDs(db.ByKey(b.clicks, (*click.StoredClick).ClickID))
	known, err := l.Store().Known(ctx, c, ids)
	if err == nil {
		_, err = b.store(ctx, c, l.Store())
	}
	return len(ids) - len(known), err
}
