package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/models"
)

const accountColumns = `id, name, plan, currency, timezone, date_format, time_format, site_key, created_at`

// CreateAccount makes an account on a plan with the default settings.
func (s *Store) CreateAccount(ctx context.Context, name, plan string) (models.Account, error) {
	const q = `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, $2, $3, $4) RETURNING ` + accountColumns
	var a models.Account
	id := uuid.Must(uuid.NewV7())
	if err := sqlx.GetContext(ctx, s.c, &a, q, id, name, plan, strings.ToLower(rand.Text())); err != nil {
		return a, fmt.Errorf("db: create account: %w", err)
	}
	return a, nil
}

// FindAccount finds one account.
func (s *Store) FindAccount(ctx context.Context, id uuid.UUID) (models.Account, error) {
	return get[models.Account](ctx, s, "account", `SELECT `+accountColumns+` FROM accounts WHERE id = $1`, id)
}

// ListAccounts lists all accounts of the install, newest first. It is for operators only.
func (s *Store) ListAccounts(ctx context.Context) ([]models.Account, error) {
	out := []models.Account{}
	err := sqlx.SelectContext(ctx, s.c, &out, `SELECT `+accountColumns+` FROM accounts ORDER BY created_at DESC, id DESC`)
	if err != nil {
		return nil, fmt.Errorf("db: list accounts: %w", err)
	}
	return out, nil
}
