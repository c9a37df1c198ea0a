package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db/seal"
	"switchyard/models/matchkey"
)

// keysPlace returns the place of the sealed hashes of a message's personal data.
func keysPlace(account, message uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "conversion_match_keys", Row: message.String(), Column: "sealed"}
}

// SealKeys encrypts the hashes of a message's personal data, so that no dump, spool or log contains them in clear. Without
// ENCRYPTION_KEY the first call needs PostgreSQL.
func (s *Store) SealKeys(ctx context.Context, account, message uuid.UUID, h matchkey.Hashes) ([]byte, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("db: seal match keys: %w", err)
	}
	sealed, err := s.box.SealOwn(ctx, keysPlace(account, message), raw)
	if err != nil {
		return nil, fmt.Errorf("db: seal match keys: %w", err)
	}
	return sealed, nil
}

// OpenKeys decrypts hashes from SealKeys. The error is seal.ErrOpen if the key has changed.
func (s *Store) OpenKeys(ctx context.Context, account, message uuid.UUID, sealed []byte) (h matchkey.Hashes, err error) {
	raw, err := s.box.Open(ctx, keysPlace(account, message), sealed)
	if err == nil {
		err = json.Unmarshal(raw, &h)
	}
	if err != nil {
		return h, fmt.Errorf("db: match keys: %w", err)
	}
	return h, nil
}
