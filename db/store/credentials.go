package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"switchyard/db/seal"
	"switchyard/models"
)

// sealCredentials parts credentials into those that are stored as they are and the others, sealed for their place.
func (s *Store) sealCredentials(at seal.Place, form models.CredentialForm, credentials map[string]string) (
	open map[string]string, sealed []byte, err error,
) {
	open, secrets := form.Split(credentials)
	raw, err := json.Marshal(secrets)
	if err != nil {
		return nil, nil, fmt.Errorf("store: credentials of %s: %w", at.Table, err)
	}
	sealed, err = s.box.Seal(at, raw)
	return open, sealed, err
}

// openCredentials gives the credentials that sealCredentials parted. seal.ErrOpen: the key of the install has changed.
func (s *Store) openCredentials(ctx context.Context, at seal.Place, sealed []byte, open map[string]string) (
	map[string]string, error,
) {
	raw, err := s.box.Open(ctx, at, sealed)
	if err != nil {
		return nil, fmt.Errorf("store: credentials of %s %s: %w", at.Table, at.Row, err)
	}
	all := map[string]string{}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("store: credentials of %s %s: %w", at.Table, at.Row, err)
	}
	maps.Copy(all, open)
	return all, nil
}
