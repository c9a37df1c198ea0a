package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db/seal"
	"switchyard/models/matchkey"
)

func keysPlace(account, message uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "conversion_match_keys", Row: message.String(), Column: "sealed"}
}

// SealKeys encrypts the hashes of the personal data in a message, so that no dump, spool or log contains them in clear.
func (s *Store) SealKeys(ctx context.Context, account, message uuid.UUID, h matchkey.Hashes) ([]byte, error) {
	return s.sealJSON(ctx, keysPlace(account, message), "db: seal match keys", h)
}

// OpenKeys decrypts hashes that SealKeys has encrypted. The error is seal.ErrOpen if the encryption key has changed.
func (s *Store) OpenKeys(ctx context.Context, account, message uuid.UUID, sealed []byte) (h matchkey.Hashes, err error) {
	err = s.openJSON(ctx, keysPlace(account, message), sealed, "db: match keys", &h)
	return h, err
}

// sealJSON seals a value as JSON. It works without ENCRYPTION_KEY: see seal.Box. Errors begin with the text in the parameter what.
func (s *Store) sealJSON(ctx context.Context, place seal.Place, what string, value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err == nil {
		raw, err = s.box.SealForService(ctx, place, raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return raw, nil
}

// openJSON decrypts and decodes what sealJSON has sealed. The error is seal.ErrOpen if the encryption key has changed.
func (s *Store) openJSON(ctx context.Context, place seal.Place, sealed []byte, what string, into any) error {
	raw, err := s.box.Open(ctx, place, sealed)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
