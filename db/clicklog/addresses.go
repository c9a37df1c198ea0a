package clicklog

import (
	"context"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
)

// AddressQuery names the clicks of an account in [From, To) behind After.
type AddressQuery struct {
	AccountID uuid.UUID
	After     uuid.UUID
	From, To  time.Time
	Limit     int
}

// ClickAddress is a click and where it came from.
type ClickAddress struct {
	ID uuid.UUID
	IP netip.Addr
}

const selectAddresses = `
SELECT id, ip FROM clicks WHERE account_id = $1 AND id > $2 AND id >= $3 AND id < $4 AND ip IS NOT NULL
ORDER BY id LIMIT $5`

// Addresses lists the addresses of clicks, in the order of the clicks. Clicks without one are left out.
func (l Log) Addresses(ctx context.Context, q AddressQuery) (list []ClickAddress, err error) {
	err = db.EachRow(ctx, l.Conn, "addresses of clicks", func(rows *sqlx.Rows) error {
		var a ClickAddress
		if err := rows.Scan(&a.ID, (*addrValue)(&a.IP)); err != nil {
			return err
		}
		list = append(list, a)
		return nil
	}, selectAddresses, q.AccountID, q.After, models.FloorClickID(q.From), models.FloorClickID(q.To), q.Limit)
	return list, err
}
