package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/postback"
)

// PostbackNetwork is what is needed to understand and to believe a network's messages.
type PostbackNetwork struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	Secret    string // empty: none is asked for
	postback.Network
}

const selectPostbackNetwork = `
SELECT account_id, postback_params, status_map, postback_secret FROM networks WHERE id = $1`

// PostbackNetwork reads a network by its id alone, as the address of a postback names it; a network that was switched
// off still understands what was accepted before. An unknown id gives false.
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
	// Settings that are not what they should be add nothing; the aliases of the field remain.
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
