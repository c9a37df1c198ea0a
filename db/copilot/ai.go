package copilot

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// AIConnections stores the accounts' connections to AI providers, and the usage of their chats.
type AIConnections struct{ s *store.Store }

// NewAIConnections returns AIConnections in a store.
func NewAIConnections(s *store.Store) AIConnections { return AIConnections{s} }

// Find returns the connection of an account. The error is models.NotFound if the account has no connection.
func (a AIConnections) Find(ctx context.Context, account uuid.UUID) (models.AIConnection, error) {
	return db.Get[models.AIConnection](ctx, a.s.Conn(), "AI connection",
		`SELECT account_id, provider, model, saved_at FROM ai_connections WHERE account_id = $1`, account)
}

func aiKeyPlace(account uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "ai_connections", Row: account.String(), Column: "key"}
}

// Seal encrypts a key for Save. Without an ENCRYPTION_KEY the error is seal.ErrNoKey.
func (a AIConnections) Seal(account uuid.UUID, key string) ([]byte, error) {
	return a.s.Box().Seal(aiKeyPlace(account), []byte(key))
}

// Open decrypts a key that Seal has encrypted.
func (a AIConnections) Open(ctx context.Context, account uuid.UUID, sealed []byte) (string, error) {
	key, err := a.s.Box().Open(ctx, aiKeyPlace(account), sealed)
	return string(key), err
}

// Key returns the decrypted key of an account. The error is models.NotFound if the account has no connection.
func (a AIConnections) Key(ctx context.Context, account uuid.UUID) (string, error) {
	sealed, err := db.Get[[]byte](ctx, a.s.Conn(), "AI connection", `SELECT key FROM ai_connections WHERE account_id = $1`, account)
	if err != nil {
		return "", err
	}
	return a.Open(ctx, account, sealed)
}

const saveAI = `
INSERT INTO ai_connections (account_id, provider, model, key) VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id) DO UPDATE SET provider = $2, model = $3, key = $4, saved_at = now()
RETURNING account_id, provider, model, saved_at`

// Save stores a connection to a provider with an encrypted key. An existing connection is replaced.
func (a AIConnections) Save(ctx context.Context, account uuid.UUID, provider, model string, sealed []byte) (models.AIConnection, error) {
	return db.Get[models.AIConnection](ctx, a.s.Conn(), "AI connection", saveAI, account, provider, model, sealed)
}

// Choose sets the model of a connection to a provider. The error is models.NotFound if the account is not connected to this
// provider.
func (a AIConnections) Choose(ctx context.Context, account uuid.UUID, provider, model string) error {
	return db.ExecOne(ctx, a.s.Conn(), "AI connection", `UPDATE ai_connections SET model = $3 WHERE account_id = $1 AND provider = $2`,
		account, provider, model)
}

// Delete deletes the connection of an account and its key. ok is false if there was no connection.
func (a AIConnections) Delete(ctx context.Context, account uuid.UUID) (ok bool, err error) {
	n, err := db.Exec(ctx, a.s.Conn(), "delete AI connection", `DELETE FROM ai_connections WHERE account_id = $1`, account)
	return n > 0, err
}

// AIDay identifies the AI usage of an account on a day, with the account's own key or with the install's key.
type AIDay struct {
	Account uuid.UUID
	Day     time.Time // only the date counts
	OwnKey  bool
}

const reserveAI = `
INSERT INTO ai_usage AS u (account_id, day, own_key, questions, tokens) VALUES ($1, $2::date, $3, 1, $4)
ON CONFLICT (account_id, day, own_key) DO UPDATE SET questions = u.questions + 1, tokens = u.tokens + $4
WHERE u.questions < $5 AND u.tokens + $4 <= $6
RETURNING u.questions`

// Reserve counts a question and reserves its tokens. ok is false if the day's budget has no room for it. The first question of a
// day is always accepted.
func (a AIConnections) Reserve(ctx context.Context, u AIDay, tokens int, budget models.AIBudget) (ok bool, err error) {
	_, err = db.Get[int](ctx, a.s.Conn(), "AI usage", reserveAI, u.Account, u.Day.Format(time.DateOnly), u.OwnKey, tokens,
		budget.Questions, budget.Tokens)
	if errors.Is(err, models.NotFound("AI usage")) {
		return false, nil
	}
	return err == nil, err
}

// Charge replaces the number of reserved tokens with the number of used tokens.
func (a AIConnections) Charge(ctx context.Context, u AIDay, reserved, used int) error {
	return db.Run(ctx, a.s.Conn(), "charge AI usage", `UPDATE ai_usage SET tokens = greatest(tokens - $4 + $5, 0)
		WHERE account_id = $1 AND day = $2::date AND own_key = $3`, u.Account, u.Day.Format(time.DateOnly), u.OwnKey, reserved, used)
}

// Exhausted reports whether the budget of a day has no room for a question that needs the given tokens.
func (a AIConnections) Exhausted(ctx context.Context, u AIDay, tokens int, budget models.AIBudget) (bool, error) {
	return db.Get[bool](ctx, a.s.Conn(), "AI usage", `SELECT EXISTS (SELECT FROM ai_usage
		WHERE account_id = $1 AND day = $2::date AND own_key = $3 AND (questions >= $4 OR tokens + $5 > $6))`,
		u.Account, u.Day.Format(time.DateOnly), u.OwnKey, budget.Questions, tokens, budget.Tokens)
}

// DeleteExpiredUsage deletes the usage of the days before the given day, at most `limit` rows.
func (a AIConnections) DeleteExpiredUsage(ctx context.Context, before time.Time, limit int) error {
	return db.Run(ctx, a.s.Conn(), "delete old AI usage", `DELETE FROM ai_usage WHERE ctid IN (
		SELECT ctid FROM ai_usage WHERE day < $1::date LIMIT $2)`, before.Format(time.DateOnly), limit)
}
