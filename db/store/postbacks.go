package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/postback"
)

// PostbackNetwork is what is needed to read and authenticate a network's postbacks.
type PostbackNetwork struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	Secret    string // empty: none is required
	postback.Network
}

const selectPostbackNetwork = `
SELECT account_id, postback_params, status_map, postback_secret FROM networks WHERE id = $1`

// PostbackNetwork finds a network by its id alone, as a postback's address names it. Deactivated networks are found
// too, for postbacks that were accepted before. ok is false for an unknown id.
func (s *Store) PostbackNetwork(ctx context.Context, id uuid.UUID) (n PostbackNetwork, ok bool, err error) {
	row, ok, err := db.First[struct {
		Account uuid.UUID `db:"account_id"`
		Params  []byte    `db:"postback_params"`
		Words   []byte    `db:"status_map"`
		Sealed  []byte    `db:"postback_secret"`
	}](ctx, s.c, "network of postback", selectPostbackNetwork, id)
	if err != nil || !ok {
		return n, false, err
	}
	n.ID, n.AccountID = id, row.Account
	// Malformed settings add nothing. The common aliases still work.
	_ = json.Unmarshal(row.Params, &n.Params)
	_ = json.Unmarshal(row.Words, &n.Statuses)
	if len(row.Sealed) > 0 {
		secret, err := s.box.Open(ctx, postbackSecretPlace(n.AccountID, id), row.Sealed)
		if err != nil {
			return n, false, fmt.Errorf("db: secret of network: %w", err)
		}
		n.Secret = string(secret)
	}
	return n, true, nil
}
