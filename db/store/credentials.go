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

// CredentialTable is a table whose rows contain credentials of accounts at providers. The column settings has the credentials
// that are stored in clear, and the column secrets has the sealed ones.
type CredentialTable struct {
	Name string
	Key  string
	What string // what a row is called in error messages
}

func (t CredentialTable) place(account, row uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: t.Name, Row: row.String(), Column: "secrets"}
}

// Seal splits the credentials of a row and seals the secret ones.
func (t CredentialTable) Seal(s *Store, account, row uuid.UUID, form models.CredentialForm, credentials map[string]string) (
	open map[string]string, sealed []byte, err error,
) {
	open, secrets := form.Split(credentials)
	for _, f := range form.Fields {
		if f.Secret && secrets[f.Name] == "" {
			open[f.Name] = "" // CredentialForm.Masked shows it as not stored
		}
	}
	raw, err := json.Marshal(secrets)
	if err != nil {
		return nil, nil, fmt.Errorf("store: credentials of %s: %w", t.Name, err)
	}
	sealed, err = s.box.Seal(t.place(account, row), raw)
	return open, sealed, err
}

// Read returns all credentials of a row. open has the credentials that are stored in clear. The error is seal.ErrOpen if the
// encryption key of the install has changed.
func (t CredentialTable) Read(ctx context.Context, s *Store, account, row uuid.UUID, open map[string]string) (
	map[string]string, error,
) {
	sealed, err := db.Get[[]byte](ctx, s.c, t.What,
		`SELECT secrets FROM `+t.Name+` WHERE account_id = $1 AND `+t.Key+` = $2`, account, row)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	what := fmt.Sprintf("store: credentials of %s %s", t.Name, row)
	if err := s.openJSON(ctx, t.place(account, row), sealed, what, &all); err != nil {
		return nil, err
	}
	maps.Copy(all, open)
	return all, nil
}

// Stored returns the stored credentials, for a change in which a blank credential keeps its value. If the encryption
// key of the install has changed, it returns only the open credentials, and the customer has to enter all secrets again.
func (t CredentialTable) Stored(ctx context.Context, s *Store, account, row uuid.UUID, open map[string]string) (
	map[string]string, error,
) {
	all, err := t.Read(ctx, s, account, row, open)
	if errors.Is(err, seal.ErrOpen) {
		return open, nil
	}
	return all, err
}
