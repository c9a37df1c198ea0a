package alerts

import (
	"context"
	"fmt"
	"time"

	"switchyard/db/ingest"
)

// lateClicks returns an alert if clicks or postbacks have waited for storage too long.
func lateClicks(ctx context.Context, l reading) ([]Alert, error) {
	s, err := ingest.ReadStored(ctx, l.Store.Conn(), l.now)
	if err != nil || s.Since == nil || s.Until == nil {
		return nil, err
	}
	return []Alert{{
		Type: "clicks.behind", Severity: Warning, Kind: "account", ID: l.account.ID, Name: "clicks",
		Message: fmt.Sprintf("clicks or postbacks are recorded and wait to be stored: figures are complete only up to %s", s.Until.UTC().Format(time.RFC3339)),
		Since:   *s.Since,
	}}, nil
}
