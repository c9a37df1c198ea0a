package alerts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math/big"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/models"
)

// Channels accesses the channels to which accounts have their alerts sent, and the messages.
type Channels struct{ s *store.Store }

// NewChannels returns the Channels that use the store's connection.
func NewChannels(s *store.Store) Channels { return Channels{s} }

const channelColumns = `id, account_id, kind, name, least, is_active, settings, code <> '' AS waits, created_at, sent_at,
	failures, failure, failing_since`

var channelCredentials = store.CredentialTable{Name: "alert_channels", Key: "id", What: "alert channel"}

// List lists the channels of an account in the order in which they were added.
func (a Channels) List(ctx context.Context, account uuid.UUID) ([]models.AlertChannel, error) {
	return db.Select[models.AlertChannel](ctx, a.s.Conn(), "alert channels", `SELECT `+channelColumns+`
		FROM alert_channels WHERE account_id = $1 ORDER BY id`, account)
}

// Find returns a channel.
func (a Channels) Find(ctx context.Context, account, id uuid.UUID) (models.AlertChannel, error) {
	return db.Get[models.AlertChannel](ctx, a.s.Conn(), "alert channel", `SELECT `+channelColumns+`
		FROM alert_channels WHERE account_id = $1 AND id = $2`, account, id)
}

// Credentials returns all credentials of a channel, decrypted. The error is seal.ErrOpen if they can no longer be decrypted.
func (a Channels) Credentials(ctx context.Context, c models.AlertChannel) (map[string]string, error) {
	return channelCredentials.Read(ctx, a.s, c.AccountID, c.ID, c.Settings)
}

const (
	countChannels = `SELECT count(*) FROM alert_channels WHERE account_id = $1`
	insertChannel = `
INSERT INTO alert_channels (id, account_id, kind, name, least, settings, secrets, code, code_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9)) RETURNING ` + channelColumns

	// A new watch has announced nothing, so an account's first channel also gets the alerts that exist already.
	watchAccount = `INSERT INTO alert_watches (account_id) VALUES ($1) ON CONFLICT DO NOTHING`

	countCodes = `SELECT count(*) FROM alert_messages WHERE account_id = $1 AND confirms AND created_at > now() - interval '1 day'`
)

// Add adds a channel with complete credentials. If its kind needs confirmation, the returned jobs send a code, and the channel
// waits for it. Errors: too_many, no_encryption_key.
func (a Channels) Add(ctx context.Context, c models.AlertChannel, kind models.AlertChannelKind, credentials map[string]string) (
	_ models.AlertChannel, messages []uuid.UUID, err error,
) {
	c.ID = uuid.Must(uuid.NewV7())
	open, sealed, err := channelCredentials.Seal(a.s, c.AccountID, c.ID, kind.CredentialForm, credentials)
	if err != nil {
		return c, nil, err
	}
	code := ""
	if kind.Confirmed {
		if code, err = newCode(); err != nil {
			return c, nil, err
		}
	}
	err = a.s.LockedTx(ctx, c.AccountID, func(s *store.Store) error {
		if err := NewChannels(s).checkRoom(ctx, c.AccountID, kind); err != nil {
			return err
		}
		if c, err = db.Get[models.AlertChannel](ctx, s.Conn(), "alert channel", insertChannel, c.ID, c.AccountID, kind.Name, c.Name,
			c.MinSeverity, db.Document(open), sealed, code, models.AlertCodeValid.Seconds()); err != nil {
			return err
		}
		if err := db.Run(ctx, s.Conn(), "watch alerts", watchAccount, c.AccountID); err != nil || code == "" {
			return err
		}
		m := models.AlertMessage{
			AccountID: c.AccountID, ChannelID: c.ID, Confirms: true, Subject: "Confirm alerts of Switchyard: " + code,
			Body: "Somebody asked Switchyard to send the alerts of an account to this address.\n\nThe code is " + code +
				". It is valid for a day.\n\nIf that was not you, do nothing: no alerts will be sent.\n",
		}
		messages, err = NewChannels(s).send(ctx, m)
		return err
	})
	return c, messages, err
}

// checkRoom returns the error too_many if the account has the maximum number of channels or, for a kind that needs confirmation,
// was sent the maximum number of codes in the last day. The caller must have locked the account.
func (a Channels) checkRoom(ctx context.Context, account uuid.UUID, kind models.AlertChannelKind) error {
	have, err := db.Get[int](ctx, a.s.Conn(), "alert channels", countChannels, account)
	if err == nil && have >= models.MaxAlertChannels {
		return models.Invalid("too_many", "an account may have at most %d alert channels", models.MaxAlertChannels)
	}
	if err != nil || !kind.Confirmed {
		return err
	}
	sent, err := db.Get[int](ctx, a.s.Conn(), "alert codes", countCodes, account)
	if err == nil && sent >= models.MaxAlertCodes {
		return models.Invalid("too_many", "at most %d codes are sent for an account in a day: try again tomorrow", models.MaxAlertCodes)
	}
	return err
}

func newCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		return "", fmt.Errorf("alerts: code: %w", err)
	}
	return fmt.Sprintf("%08d", n), nil
}

const (
	codeOf = `SELECT code, code_tries FROM alert_channels
WHERE account_id = $1 AND id = $2 AND code <> '' AND code_until > now() FOR UPDATE`
	confirmChannel = `UPDATE alert_channels SET code = '', code_tries = 0 WHERE account_id = $1 AND id = $2`
	wrongCode      = `UPDATE alert_channels SET code_tries = code_tries + 1 WHERE account_id = $1 AND id = $2`
)

// Confirm compares `code` with the code of a channel, and confirms the channel if both are the same. A channel that waits for no code
// is not changed. Errors: not_found, invalid_code.
func (a Channels) Confirm(ctx context.Context, account, id uuid.UUID, code string) error {
	wrong := models.Invalid("invalid_code", "this is not the code, or the code has expired: delete the channel and add it again")
	right := false
	err := a.s.Tx(ctx, func(s *store.Store) error {
		c, err := NewChannels(s).Find(ctx, account, id)
		if err != nil || !c.Unconfirmed {
			right = err == nil
			return err
		}
		want, found, err := db.First[struct {
			Code  string `db:"code"`
			Tries int    `db:"code_tries"`
		}](ctx, s.Conn(), "alert code", codeOf, account, id)
		if err != nil || !found || want.Tries >= models.AlertCodeTries {
			return err
		}
		if right = subtle.ConstantTimeCompare([]byte(want.Code), []byte(code)) == 1; right {
			return db.ExecOne(ctx, s.Conn(), "alert channel", confirmChannel, account, id)
		}
		return db.ExecOne(ctx, s.Conn(), "alert channel", wrongCode, account, id)
	})
	if err == nil && !right {
		err = wrong
	}
	return err
}

const updateChannel = `
UPDATE alert_channels SET name = coalesce($3, name), least = coalesce($4, least), is_active = coalesce($5, is_active)
WHERE account_id = $1 AND id = $2 RETURNING ` + channelColumns

// Update changes a channel. Nil leaves a setting unchanged.
func (a Channels) Update(ctx context.Context, account, id uuid.UUID, name, least *string, active *bool) (models.AlertChannel, error) {
	return db.Get[models.AlertChannel](ctx, a.s.Conn(), "alert channel", updateChannel, account, id, name, least, active)
}

// Delete deletes a channel. With the account's last channel, it also deletes the account's watch and announced alerts.
func (a Channels) Delete(ctx context.Context, account, id uuid.UUID) error {
	return a.s.LockedTx(ctx, account, func(s *store.Store) error {
		if err := db.ExecOne(ctx, s.Conn(), "alert channel", `DELETE FROM alert_channels WHERE account_id = $1 AND id = $2`, account, id); err != nil {
			return err
		}
		for _, q := range []string{
			`DELETE FROM alert_watches w WHERE account_id = $1 AND NOT EXISTS (SELECT FROM alert_channels c WHERE c.account_id = $1)`,
			`DELETE FROM announced_alerts a WHERE account_id = $1 AND NOT EXISTS (SELECT FROM alert_channels c WHERE c.account_id = $1)`,
		} {
			if err := db.Run(ctx, s.Conn(), "delete announced alerts", q, account); err != nil {
				return err
			}
		}
		return nil
	})
}

const insertMessage = `
INSERT INTO alert_messages (id, account_id, channel_id, confirms, subject, body) VALUES ($1, $2, $3, $4, $5, $6)`

// send stores a message and its job in the caller's transaction. The caller dispatches the returned job after the commit.
func (a Channels) send(ctx context.Context, m models.AlertMessage) ([]uuid.UUID, error) {
	m.ID = uuid.Must(uuid.NewV7())
	err := db.Run(ctx, a.s.Conn(), "alert message", insertMessage, m.ID, m.AccountID, m.ChannelID, m.Confirms, m.Subject, m.Body)
	if err != nil {
		return nil, err
	}
	return []uuid.UUID{m.ID}, jobrow.Insert(ctx, a.s.Conn(), models.Job{
		ID: m.ID, AccountID: uuid.NullUUID{UUID: m.AccountID, Valid: true}, Kind: models.KindSendAlert,
	})
}

// Message returns a message.
func (a Channels) Message(ctx context.Context, account, id uuid.UUID) (models.AlertMessage, error) {
	return db.Get[models.AlertMessage](ctx, a.s.Conn(), "alert message", `SELECT `+db.Columns[models.AlertMessage]("")+`
		FROM alert_messages WHERE account_id = $1 AND id = $2`, account, id)
}

const (
	recordSent   = `UPDATE alert_channels SET sent_at = now(), failures = 0, failure = '', failing_since = NULL WHERE account_id = $1 AND id = $2`
	recordUnsent = `UPDATE alert_channels SET failures = failures + 1, failure = left($3, 500), failing_since = coalesce(failing_since, now())
WHERE account_id = $1 AND id = $2`
)

// RecordResult records the result of sending to a channel. An empty failure means success.
func (a Channels) RecordResult(ctx context.Context, account, id uuid.UUID, failure string) error {
	q, args := recordSent, []any{account, id}
	if failure != "" {
		q, args = recordUnsent, append(args, failure)
	}
	return db.Run(ctx, a.s.Conn(), "record result of alert channel", q, args...)
}
