// Package assistant stores the assistants that people connect by OAuth: the programs that request access, what people grant them,
// and their codes and tokens.
//
// Each grant has a key of the account, with the same id. The assistant has the rights of this key, but sends an access token instead
// of the key. Its changes are therefore counted and recorded as with any other key. A grant ends when its key is revoked or expires,
// or when the person who made it leaves the account.
//
// Codes and refresh tokens work once. A second use may come from a thief, so it ends the grant.
package assistant

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// Assistants accesses the connected assistants.
type Assistants struct{ s *store.Store }

// New returns access to the assistants on this store's connection.
func New(s *store.Store) Assistants { return Assistants{s} }

// Request is what a person grants to a client.
type Request struct {
	Account   uuid.UUID
	Person    models.Person
	Client    models.AssistantClient
	Rights    models.Rights
	Redirect  string
	Challenge string // by the method S256 of PKCE
	Resource  string
}

// maxGrants is the maximum number of assistants of a person in an account.
const maxGrants = 50

const (
	countGrants = `SELECT count(*) FROM assistant_grants g JOIN api_keys k ON k.id = g.id
WHERE g.account_id = $1 AND g.user_id = $2 AND k.revoked_at IS NULL AND k.expires_at > $3`
	insertKey = `INSERT INTO api_keys (id, account_id, kind, name, scope, hash, hint, created_at, expires_at)
VALUES ($1, $2, 'assistant', $3, $4, $5, '', $6, $7)`
	insertGrant = `INSERT INTO assistant_grants (id, account_id, user_id, client_id, client_name, client_host, rights, resource)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	insertCode = `INSERT INTO assistant_tokens (hash, account_id, grant_id, kind, expires_at, redirect_uri, challenge)
VALUES ($1, $2, $3, 'code', $4, $5, $6)`
	useClient = `UPDATE assistant_clients SET used_at = greatest(used_at, $2) WHERE id = $1`
)

// maxKeyName is the maximum length of the name of an assistant's key, in characters.
const maxKeyName = 255

// Grant stores a grant and returns its id, and the code for which the client gets its tokens. The grant ends after a minute if
// its code was not used. Error: too_many.
func (a Assistants) Grant(ctx context.Context, r Request, now time.Time) (id uuid.UUID, code string, err error) {
	id, code = uuid.Must(uuid.NewV7()), models.NewAuthorizationCode()
	expires := now.Add(models.AuthorizationCodeLife)
	err = a.s.LockedTx(ctx, r.Account, func(s *store.Store) error {
		c := s.Conn()
		n, err := db.Get[int](ctx, c, "assistants", countGrants, r.Account, r.Person.ID, now)
		if err == nil && n >= maxGrants {
			err = models.Invalid("too_many", "you have connected %d assistants: revoke one of them first", maxGrants)
		}
		if err != nil {
			return err
		}
		name := models.Cut(r.Client.Name+" ("+nameOf(r.Person)+")", maxKeyName)
		if err := db.Run(ctx, c, "key", insertKey, id, r.Account, name, r.Rights.KeyScope(), models.HashToken(rand.Text()+rand.Text()), now, expires); err != nil {
			return err
		}
		if err := db.Run(ctx, c, "grant", insertGrant, id, r.Account, r.Person.ID, r.Client.ID, r.Client.Name, r.Client.Host(r.Redirect),
			r.Rights, r.Resource); err != nil {
			return err
		}
		if err := db.Run(ctx, c, "code", insertCode, models.HashToken(code), r.Account, id, expires, r.Redirect, r.Challenge); err != nil {
			return err
		}
		return db.Run(ctx, c, "client", useClient, r.Client.ID, now)
	})
	return id, code, err
}

func nameOf(p models.Person) string {
	if p.Name != "" {
		return p.Name
	}
	return p.Email
}

const (
	grantColumns = `g.id, g.account_id, g.user_id, coalesce(nullif(u.name, ''), u.email) AS person, g.client_id, g.client_name, g.client_host,
	g.rights, g.resource, k.created_at, k.used_at`
	fromGrants = ` FROM assistant_grants g JOIN api_keys k ON k.id = g.id JOIN users u ON u.id = g.user_id
JOIN memberships m ON m.account_id = g.account_id AND m.user_id = g.user_id `
	isLive = ` k.revoked_at IS NULL AND k.expires_at > $2 `
)

// List lists the connected assistants of an account, the newest first. If person is set, it lists only that person's.
func (a Assistants) List(ctx context.Context, account uuid.UUID, person uuid.NullUUID, now time.Time) ([]models.AssistantGrant, error) {
	return db.Select[models.AssistantGrant](ctx, a.s.Conn(), "assistants", `SELECT `+grantColumns+fromGrants+`
		WHERE g.account_id = $1 AND `+isLive+` AND g.connected_at IS NOT NULL AND ($3::uuid IS NULL OR g.user_id = $3)
		ORDER BY k.created_at DESC, g.id DESC LIMIT 500`, account, now, person)
}

// Revoke ends a connected assistant at once. If person is set, it must be this person's. Error: not_found.
func (a Assistants) Revoke(ctx context.Context, account, id uuid.UUID, person uuid.NullUUID, now time.Time) error {
	return db.ExecOne(ctx, a.s.Conn(), "assistant", `UPDATE api_keys k SET revoked_at = $3 FROM assistant_grants g
		WHERE g.id = k.id AND k.account_id = $1 AND k.id = $2 AND k.revoked_at IS NULL AND ($4::uuid IS NULL OR g.user_id = $4)`, account, id, now, person)
}

// Caller is the connected assistant of an access token, with its account.
type Caller struct {
	Account models.Account        `db:"account"`
	Grant   models.AssistantGrant `db:"grant"`
	Person  models.Person         `db:"person"`
	Role    models.Role           `db:"role"`
	Seen    bool                  `db:"key_seen"` // a use was recorded in the last five minutes
}

var findCaller = `
SELECT ` + store.Nested(store.AccountColumns, "a", "account") + `,
	g.id AS "grant.id", g.account_id AS "grant.account_id", g.user_id AS "grant.user_id", g.client_id AS "grant.client_id",
	g.client_name AS "grant.client_name", g.client_host AS "grant.client_host", g.rights AS "grant.rights", g.resource AS "grant.resource",
	u.id AS "person.id", u.name AS "person.name", u.email AS "person.email", m.role,
	coalesce(k.used_at > $2::timestamptz - interval '5 minutes', false) AS key_seen` + fromGrants + `
JOIN accounts a ON a.id = g.account_id JOIN assistant_tokens t ON t.grant_id = g.id
WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at > $2 AND g.resource = $3 AND ` + isLive

// Authenticate returns the assistant of an access token for a resource. Any other token gets the error unauthenticated. Each call
// reads the database, so that every process refuses a revoked assistant at once.
func (a Assistants) Authenticate(ctx context.Context, token, resource string, now time.Time) (Caller, error) {
	found, ok, err := db.First[Caller](ctx, a.s.Conn(), "authenticate", findCaller, models.HashToken(token), now, resource)
	if err == nil && !ok {
		err = models.Errorf(models.KindUnauthenticated, "unauthenticated", "the access token is unknown, expired or revoked")
	}
	if err == nil && !found.Seen {
		a.s.RecordKeyUse(ctx, found.Grant.ID)
	}
	return found, err
}

// A used refresh token stays until it expires, so that a second use is noticed.
var deletions = []string{
	`DELETE FROM assistant_tokens WHERE expires_at < $1::timestamptz`,
	`DELETE FROM api_keys k USING assistant_grants g WHERE g.id = k.id AND g.connected_at IS NULL AND k.expires_at < $1::timestamptz - interval '1 day'`,
	`DELETE FROM assistant_clients c WHERE c.used_at < $1::timestamptz - CASE WHEN c.kind = 'registered' AND c.used_at = c.read_at
		THEN interval '1 day' ELSE interval '30 days' END
		AND NOT EXISTS (SELECT FROM assistant_grants g JOIN api_keys k ON k.id = g.id
			WHERE g.client_id = c.id AND k.revoked_at IS NULL AND k.expires_at > $1)`,
}

// DeleteExpired deletes expired codes and tokens, grants that were never used, and unused clients. It returns the number of
// deleted rows.
func (a Assistants) DeleteExpired(ctx context.Context, now time.Time) (n int64, err error) {
	for _, q := range deletions {
		rows, err := db.Exec(ctx, a.s.Conn(), "old data of assistants", q, now)
		n += rows
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
