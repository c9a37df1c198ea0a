package assistant

import (
	"context"
	"time"

	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// maxRegistered is the maximum number of clients that have registered themselves.
const maxRegistered = 10_000

const insertClient = `INSERT INTO assistant_clients (id, kind, name, redirect_uris, read_at, used_at)
SELECT $1, $2, $3, $4::text[], $5::timestamptz, $5::timestamptz WHERE $2 <> 'registered' OR (SELECT count(*) FROM assistant_clients WHERE kind = 'registered') < $6
ON CONFLICT (id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris, read_at = excluded.read_at`

// StoreClient stores a client, or updates it. Error: too_many, if too many clients have registered themselves.
func (a Assistants) StoreClient(ctx context.Context, c models.AssistantClient, now time.Time) error {
	n, err := db.Exec(ctx, a.s.Conn(), "client", insertClient, c.ID, c.Kind, c.Name, pq.Array(c.RedirectURIs), now, maxRegistered)
	if err == nil && n == 0 {
		err = models.Errorf(models.KindTooMany, "too_many", "too many clients have registered: try again tomorrow, or use a client metadata document")
	}
	return err
}

// FindClient returns a client. ok is false if the id is unknown.
func (a Assistants) FindClient(ctx context.Context, id string) (c models.AssistantClient, ok bool, err error) {
	const q = `SELECT id, kind, name, redirect_uris, read_at FROM assistant_clients WHERE id = $1`
	return db.First[models.AssistantClient](ctx, a.s.Conn(), "client", q, id)
}
