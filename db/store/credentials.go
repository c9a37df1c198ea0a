package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// credentialTable is a table whose rows have the credentials of accounts at providers: those in clear in settings, the
// others sealed in secrets.
type credentialTable struct {
	name string
	key  string // column that names a row
	what string // a row of it, as a person is told
}

func (t credentialTable) place(account, row uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: t.name, Row: row.String(), Column: "secrets"}
}

// seal splits the credentials of a row into credentials that are stored in clear and secrets, which it seals.
func (t credentialTable) seal(s *Store, account, row uuid.UUID, form models.CredentialForm, credentials map[string]string) (
	open map[string]string, sealed []byte, err error,
) {
	open, secrets := form.Split(credentials)
	for _, f := range form.Fields {
		if f.Secret && secrets[f.Name] == "" {
			open[f.Name] = "" // which CredentialForm.Masked shows as not stored
		}
	}
	raw, err := json.Marshal(secrets)
	if err != nil {
		return nil, nil, fmt.Errorf("store: credentials of %s: %w", t.name, err)
	}
	sealed, err = s.box.Seal(t.place(account, row), raw)
	return open, sealed, err
}

// read returns all credentials of a row. open are the credentials that are stored in clear. The error is seal.ErrOpen if the key
// of the install has changed.
func (t credentialTable) read(ctx context.Context, s *Store, account, row uuid.UUID, open map[string]string) (
	map[string]string, error,
) {
	sealed, err := db.Get[[]byte](ctx, s.c, t.what,
		`SELECT secrets FROM `+t.name+` WHERE account_id = $1 AND `+t.key+` = $2`, account, row)
	if err != nil {
		return nil, err
	}
	raw, err := s.box.Open(ctx, t.place(account, row), sealed)
	if err != nil {
		return nil, fmt.Errorf("store: credentials of %s %s: %w", t.name, row, err)
	}
	all := map[string]string{}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("store: credentials of %s %s: %w", t.name, row, err)
	}
	maps.Copy(all, open)
	return all, nil
}

// kept is read for a change, in which a blank credential keeps its stored value. If the key of the install has changed, it
// returns only the credentials in clear, so that all secrets have to be sent.
func (t credentialTable) kept(ctx context.Context, s *Store, account, row uuid.UUID, open map[string]string) (
	map[string]string, error,
) {
	all, err := t.read(ctx, s, account, row, open)
	if errors.Is(err, seal.ErrOpen) {
		return open, nil
	}
	return all, err
}
