package store

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// AccountColumns lists the columns of an account, for queries that read models.Account.
var AccountColumns = db.Columns[models.Account]("")

// CreateAccount creates an account on a plan, with the default settings.
func (s *Store) CreateAccount(ctx context.Context, name, plan string) (models.Account, error) {
	q := `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, $2, $3, $4) RETURNING ` + AccountColumns
	id := uuid.Must(uuid.NewV7())
	return db.Get[models.Account](ctx, s.c, "account", q, id, name, plan, strings.ToLower(rand.Text()))
}

// UpdateAccount changes the name and the plan of an account. An empty name or plan keeps the stored value. It is for operators only.
func (s *Store) UpdateAccount(ctx context.Context, id uuid.UUID, name, plan string) (models.Account, error) {
	q := `UPDATE accounts SET name = coalesce(nullif($2, ''), name), plan = coalesce(nullif($3, ''), plan)
		WHERE id = $1 RETURNING ` + AccountColumns
	return db.Get[models.Account](ctx, s.c, "account", q, id, name, plan)
}

const saveSettings = `
UPDATE accounts SET name = $2, currency = CASE currency WHEN $7 THEN $3 ELSE currency END, timezone = $4, date_format = $5,
	time_format = $6, assistants = $8, assistant_changes = $9
WHERE id = $1 RETURNING currency`

// SaveSettings saves an account's name, currency, time zone, formats and settings for assistants. The last argument is the currency
// that the account had when the caller read it. If another change has set a different currency since, the error is a conflict. Call
// SaveSettings in a transaction, which the caller must roll back after an error.
func (s *Store) SaveSettings(ctx context.Context, a models.Account, was string) error {
	currency, err := db.Get[string](ctx, s.c, "account", saveSettings, a.ID, a.Name, a.Currency, a.Timezone, a.DateFormat, a.TimeFormat, was,
		a.Assistants, a.AssistantChanges)
	if err == nil && currency != a.Currency {
		err = models.Conflict("busy", "the currency was changed to %s at the same moment: nothing was saved, try again", currency)
	}
	return err
}

// FindAccount returns an account.
func (s *Store) FindAccount(ctx context.Context, id uuid.UUID) (models.Account, error) {
	return db.Get[models.Account](ctx, s.c, "account", `SELECT `+AccountColumns+` FROM accounts WHERE id = $1`, id)
}

// ListAccounts lists all accounts of the install, newest first. It is for operators only.
func (s *Store) ListAccounts(ctx context.Context) ([]models.Account, error) {
	q := `SELECT ` + AccountColumns + ` FROM accounts ORDER BY created_at DESC, id DESC`
	return db.Select[models.Account](ctx, s.c, "list accounts", q)
}
