package store

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// DeviceKey returns the key that signs the cookies of browsers on which people have signed in.
func (s *Store) DeviceKey(ctx context.Context) ([]byte, error) {
	return seal.InstallSecret(ctx, s.c, "devices")
}

// Visit is a signed-in person, with the account that the session shows.
type Visit struct {
	Account models.Account `db:"account"`
	Person  models.Person  `db:"person"`
	Session models.Session `db:"session"`
	Role    models.Role    `db:"role"`
}

// named lists columns of a table as fields of a nested struct.
func named(columns, table, field string) string {
	return strings.Join(db.Map(strings.Split(columns, ", "), func(c string) string {
		return table + `.` + c + ` AS "` + field + `.` + c + `"`
	}), ", ")
}

var sessionColumns = db.Columns[models.Session]("")

// findVisit selects a session. At most once a minute it also records the session's use.
var findVisit = `
WITH seen AS (UPDATE sessions SET seen_at = now() WHERE hash = $1 AND seen_at < now() - interval '1 minute'
	AND seen_at > now() - make_interval(secs => $3))
SELECT m.role, ` + named(accountColumns, "a", "account") + `, ` + named(sessionColumns, "s", "session") + `,
	` + named("id, email, name, password, theme, language, letter_keys", "u", "person") + `, u.totp IS NOT NULL AS "person.has_totp"
FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = s.account_id
	JOIN memberships m ON m.account_id = s.account_id AND m.user_id = s.user_id
WHERE s.hash = $1 AND s.created_at > now() - make_interval(secs => $2) AND s.seen_at > now() - make_interval(secs => $3)`

// Visit returns the session of a token. For an unknown or ended session the error is 401 unauthenticated. It reads the database
// each time, so that every process refuses an ended session at once.
func (s *Store) Visit(ctx context.Context, token string) (Visit, error) {
	v, ok, err := db.First[Visit](ctx, s.c, "session", findVisit, models.HashToken(token),
		models.SessionLife.Seconds(), models.SessionIdle.Seconds())
	if err == nil && !ok {
		err = models.Errorf(models.KindUnauthenticated, "unauthenticated", "you are not signed in, or not any more")
	}
	return v, err
}

// maxSessions is the maximum number of sessions of a person. Above it, the session that has been unused longest ends.
const maxSessions = 50

// OpenSession starts a session of a person in an account. It returns the token, which cannot be read later.
func (p People) OpenSession(ctx context.Context, id, account uuid.UUID, address, agent string) (string, error) {
	token := models.NewToken()
	err := p.s.Tx(ctx, func(s *Store) error {
		const q = `INSERT INTO sessions (id, hash, user_id, account_id, address, agent) VALUES ($1, $2, $3, $4, $5, $6)`
		if _, err := s.exec(ctx, "session", q, uuid.Must(uuid.NewV7()), models.HashToken(token), id, account, address, agent); err != nil {
			return err
		}
		const drop = `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, id DESC OFFSET $2)`
		_, err := s.exec(ctx, "drop sessions", drop, id, maxSessions)
		return err
	})
	return token, err
}

// Sessions lists the sessions of a person. The most recently used comes first.
func (p People) Sessions(ctx context.Context, id uuid.UUID) ([]models.Session, error) {
	q := `SELECT ` + sessionColumns + ` FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, id DESC LIMIT $2`
	return db.Select[models.Session](ctx, p.s.c, "sessions", q, id, maxSessions)
}

// EndSession ends a session of a person at once.
func (p People) EndSession(ctx context.Context, id, session uuid.UUID) error {
	return p.s.one(ctx, "session", `DELETE FROM sessions WHERE user_id = $1 AND id = $2`, id, session)
}

// EndSessions ends all sessions of a person except the session but.
func (p People) EndSessions(ctx context.Context, id, but uuid.UUID) error {
	_, err := p.s.exec(ctx, "end sessions", `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, id, but)
	return err
}

// EndToken ends the session of a token, if there is one.
func (p People) EndToken(ctx context.Context, token string) error {
	_, err := p.s.exec(ctx, "end session", `DELETE FROM sessions WHERE hash = $1`, models.HashToken(token))
	return err
}

// ConfirmSession records that the person has just proved their identity.
func (p People) ConfirmSession(ctx context.Context, id, session uuid.UUID) error {
	return p.s.one(ctx, "session", `UPDATE sessions SET confirmed_at = now() WHERE user_id = $1 AND id = $2`, id, session)
}

// MoveSession moves a session to another account of the person. If the person is not a member of the account, the error is
// not_found.
func (p People) MoveSession(ctx context.Context, id, session, account uuid.UUID) error {
	const q = `UPDATE sessions s SET account_id = $3 WHERE user_id = $1 AND id = $2
		AND EXISTS (SELECT FROM memberships m WHERE m.account_id = $3 AND m.user_id = $1)`
	return p.s.one(ctx, "account", q, id, session, account)
}
