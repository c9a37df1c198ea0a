package adupload

import (
	"context"
	"errors"
	"log/slog"

	"github.com/google/uuid"

	"switchyard/db"
	dbmatchkey "switchyard/db/matchkey"
	"switchyard/db/seal"
	"switchyard/models"
	"switchyard/models/matchkey"
)

// keys returns the hashed personal data of the clicks of uploads, if the traffic source's settings allow them to be sent. Hashed
// data are stored only with the person's consent. If several messages about a click contain the same kind of data, the latest
// message counts.
func (s *sending) keys(ctx context.Context, list []models.ConversionUpload) (map[uuid.UUID]matchkey.Hashes, error) {
	out := map[uuid.UUID]matchkey.Hashes{}
	if !s.SendKeys {
		return out, nil
	}
	clicks := db.Map(list, func(u models.ConversionUpload) uuid.UUID { return u.ClickID })
	rows, err := dbmatchkey.ForClicks(ctx, s.store.Conn(), s.account.ID, clicks, s.o.Now())
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		h, err := s.store.OpenKeys(ctx, s.account.ID, row.ID, row.Sealed)
		switch {
		case errors.Is(err, seal.ErrOpen):
			if !s.keysLost {
				s.keysLost = true
				slog.WarnContext(ctx, "hashed personal data cannot be opened: ENCRYPTION_KEY has changed", "source", s.TargetID)
			}
			continue
		case err != nil:
			return nil, err
		}
		out[row.ClickID] = out[row.ClickID].With(h)
	}
	return out, nil
}
