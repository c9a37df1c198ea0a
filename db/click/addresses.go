package click

import (
	"context"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// AddressQuery selects at most Limit clicks of an account in [From, To) that are later than After.
type AddressQuery struct {
	AccountID uuid.UUID
	After     uuid.UUID
	From, To  time.Time
	Limit     int
}

// Each account costs one index probe.
const selectBehind = `
SELECT k.account_id FROM unnest($1::uuid[], $2::uuid[]) AS k (account_id, after)
WHERE EXISTS (SELECT FROM clicks c WHERE c.account_id = k.account_id AND c.id > k.after AND c.id >= $3 AND c.id < $4) ORDER BY 1`

// Behind finds accounts with new clicks. The map `after` has a click for each account. Behind returns the accounts that have clicks
// in [from, to) later than this click.
func (l Log) Behind(ctx context.Context, after map[uuid.UUID]uuid.UUID, from, to time.Time) ([]uuid.UUID, error) {
	if len(after) == 0 {
		return nil, nil
	}
	accounts := db.SortedIDs(after)
	return db.Select[uuid.UUID](ctx, l.Conn, "accounts behind", selectBehind, db.UUIDs(accounts),
		db.UUIDsOf(accounts, func(id uuid.UUID) uuid.UUID { return after[id] }), models.FloorClickID(from), models.FloorClickID(to))
}

// Address is the id of a click and the address that it came from.
type Address struct {
	ID uuid.UUID  `db:"id"`
	IP netip.Addr `db:"ip"`
}

const selectAddresses = `
SELECT id, ip FROM clicks WHERE account_id = $1 AND id > $2 AND id >= $3 AND id < $4 AND ip IS NOT NULL
ORDER BY id LIMIT $5`

// Addresses returns the addresses of clicks. It leaves out clicks without an address.
func (l Log) Addresses(ctx context.Context, q AddressQuery) ([]Address, error) {
	return db.Select[Address](ctx, l.Conn, "addresses of clicks", selectAddresses, q.AccountID, q.After, models.FloorClickID(q.From),
		models.FloorClickID(q.To), q.Limit)
}
