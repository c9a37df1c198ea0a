package people

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// DeviceKey returns the key that signs the cookies of known browsers.
func (p People) DeviceKey(ctx context.Context) ([]byte, error) {
	return seal.InstallSecret(ctx, p.s.Conn(), "devices")
}

// Visit is a signed-in person with the session and its account.
type Visit struct {
	Account models.Account `db:"account"`
	Person  models.Person  `db:"person"`
	Session models.Session `db:"session"`
	Role    models.Role    `db:"role"`
}

var sessionColumns = db.Columns[models.Session]("")

// findVisit selects a session, and records its use at most once a minute.
var findVisit = `
WITH seen AS (UPDATE sessions SET seen_at = now() WHERE hash = $1 AND seen_at < now() - interval '1 minute'
	AND seen_at > now() - make_interval(secs => $3))
SELECT m.role, ` + store.Nested(store.AccountColumns, "a", "account") + `, ` + store.Nested(sessionColumns, "s", "session") + `,
	` + store.Nested("id, email, name, password, theme, language, letter_keys", "u", "person") + `, u.totp IS NOT NULL AS "person.has_totp"
FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = s.account_id
	JOIN memberships m ON m.account_id = s.account_id AND m.user_id = s.user_id
WHERE s.hash = $1 AND s.created_at > now() - make_interval(secs => $2) AND s.seen_at > now() - make_interval(secs => $3)`

// FindSession returns the session of a token. For an unknown or ended session the error is 401 unauthenticated. It always reads
// the database, so that every process refuses an ended session at once.
func (p People) FindSession(ctx context.Context, token string) (Visit, error) {
	v, ok, err := db.First[Visit](ctx, p.s.Conn(), "session", findVisit, models.HashToken(token),
		models.SessionLife.Seconds(), models.SessionIdle.Seconds())
	if err == nil && !ok {
		err = models.Errorf(models.KindUnauthenticated, "unauthenticated", "you are not signed in, or your session has ended")
	}
	return v, err
}

// maxSessions is the maximum number of sessions of a person. A further one ends the session that has been unused for longest.
const maxSessions = 50

// OpenSession starts a session of a person in an account. The returned token cannot be read later.
func (p People) OpenSession(ctx context.Context, id, account uuid.UUID, address, agent string) (string, error) {
	token := models.NewToken()
	err := p.s.Tx(ctx, func(s *store.Store) error {
		const q = `INSERT INTO sessions (id, hash, user_id, account_id, address, agent) VALUES ($1, $2, $3, $4, $5, $6)`
		if err := db.Run(ctx, s.Conn(), "session", q, uuid.Must(uuid.NewV7()), models.HashToken(token), id, account, address, agent); err != nil {
			return err
		}
		const drop = `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, id DESC OFFSET $2)`
		return db.Run(ctx, s.Conn(), "drop sessions", drop, id, maxSessions)
	})
	return token, err
}

// Sessions lists the sessions of a person, the most recently used first.
func (p People) Sessions(ctx context.Context, id uuid.UUID) ([]models.Session, error) {
	q := `SELECT ` + sessionColumns + ` FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, id DESC LIMIT $2`
	return db.Select[models.Session](ctx, p.s.Conn(), "sessions", q, id, maxSessions)
}

// EndSession ends a session of a person at once.
func (p People) EndSession(ctx context.Context, id, session uuid.UUID) error {
	return db.ExecOne(ctx, p.s.Conn(), "session", `DELETE FROM sessions WHERE user_id = $1 AND id = $2`, id, session)
}

// EndSessions ends all sessions of a person except one.
func (p People) EndSessions(ctx context.Context, id, except uuid.UUID) error {
	return db.Run(ctx, p.s.Conn(), "end sessions", `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, id, except)
}

// EndToken ends the session of a token, if there is one.
func (p People) EndToken(ctx context.Context, token string) error {
	return db.Run(ctx, p.s.Conn(), "end session", `DELETE FROM sessions WHERE hash = $1`, models.HashToken(token))
}

// ConfirmSession records that the person has just proved their identity.
func (p People) ConfirmSession(ctx context.Context, id, session uuid.UUID) error {
	return db.ExecOne(ctx, p.s.Conn(), "session", `UPDATE sessions SET confirmed_at = now() WHERE user_id = $1 AND id = $2`, id, session)
}

// MoveSession moves a session to another account of the person. The error is not_found if the person is not a member of it.
func (p People) MoveSession(ctx context.Context, id, session, account uuid.UUID) error {
	const q = `UPDATE sessions s SET account_id = $3 WHERE user_id = $1 AND id = $2
		AND EXISTS (SELECT FROM memberships m WHERE m.account_id = $3 AND m.user_id = $1)`
	return db.ExecOne(ctx, p.s.Conn(), "account", q, id, session, account)
}

// recordWrongProof counts a refusal in each account of a person. Each account has one entry an hour for the person. The id of the
// entry is made from the hour ($2), the account and the person. The duration of the call must not show whether an e-mail address
// is known, so this statement also runs for unknown addresses, and the commit does not wait for the disk.
const recordWrongProof = `
WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
entry AS (
	SELECT m.account_id, u.id AS user_id, u.name, u.email, md5(m.account_id::text || u.id::text) AS sum
	FROM quick, users u JOIN memberships m ON m.user_id = u.id WHERE u.email = $1
)
INSERT INTO audit (id, account_id, user_id, who, email, address, route, record, fields, refused)
SELECT ($2 || '7' || substr(sum, 1, 3) || '8' || substr(sum, 4, 15))::uuid, account_id, user_id, name, email, $4, $3, '', '{}', 1 FROM entry
ON CONFLICT (id) DO UPDATE SET refused = audit.refused + 1, address = excluded.address, route = excluded.route`

// RecordWrongProof records a wrong password or code in the audit logs of all accounts of a person. It writes one entry an hour,
// with the number of refusals and the last operation and address, so that guessing passwords cannot fill a log.
func (p People) RecordWrongProof(ctx context.Context, email, operation, address string) error {
	hour := fmt.Sprintf("%012x", time.Now().Truncate(time.Hour).UnixMilli())
	return db.Run(ctx, p.s.Conn(), "wrong proof", recordWrongProof, email, hour, operation, address)
}
