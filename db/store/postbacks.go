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
	var params, words, sealed []byte
	row := s.c.QueryRowxContext(ctx, selectPostbackNetwork, id)
	err = row.Scan(&n.AccountID, &params, &words, &sealed)
	if db.NoRows(err) {
		return n, false, nil
	}
	if err != nil {
		return n, false, fmt.Errorf("db: network of postback: %w", err)
	}
	n.ID = id
	// Malformed settings add nothing. The common aliases still work.
	_ = json.Unmarshal(params, &n.Params)
	_ = json.Unmarshal(words, &n.Statuses)
	if len(sealed) > 0 {
		secret, err := s.box.Open(ctx, postbackSecretPlace(n.AccountID, id), sealed)
		if err != nil {
			return n, false, fmt.Errorf("db: secret of network: %w", err)
		}
		n.Secret = string(secret)
	}
	return n, true, nil
}
