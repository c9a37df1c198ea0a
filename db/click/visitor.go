package click

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

// Visitor selects a visitor's clicks in an account: all clicks with the visitor ID, and the click ClickID. A zero id selects
// nothing.
type Visitor struct {
	AccountID uuid.UUID `db:"account_id"`
	ID        uuid.UUID `db:"visitor_id"`
	ClickID   uuid.UUID `db:"click_id"`
}

// ThawVisitorEverywhere thaws the clicks of a visitor in all accounts.
func (l Log) ThawVisitorEverywhere(ctx context.Context, visitor uuid.UUID) error {
	s, err := ReadCopy(ctx, l.Conn)
	if err != nil || s.ColdBefore.IsZero() {
		return err
	}
	list, err := l.Store().readCopy(ctx, "clicks of a visitor", IDColumn, ` FROM clicks FINAL WHERE visitor_id = $1 AND `+
		schema.Window("at", time.Unix(0, 0), s.ColdBefore), visitor)
	if err != nil || len(list) == 0 {
		return err
	}
	_, err = l.Store().Thaw(ctx, l.Conn, uuid.Nil, IDs(list))
	return err
}

const copiedOfVisitor = ` FROM clicks FINAL WHERE account_id = $1 AND visitor_id = $2 AND $2 <> ` + schema.NoID + ` AND `

// ThawVisitor thaws the cold clicks of a visitor in [from, to).
func (s Store) ThawVisitor(ctx context.Context, c db.Conn, v Visitor, from, to time.Time) error {
	days, err := s.frozen(ctx, c, v.AccountID, models.FloorClickID(from), models.FloorClickID(to))
	if err != nil || len(days) == 0 {
		return err
	}
	var ids []uuid.UUID
	if v.ID != uuid.Nil {
		list, err := s.readCopy(ctx, "clicks of a visitor", IDColumn, copiedOfVisitor+schema.Window("at", from, to), v.AccountID, v.ID)
		if err != nil {
			return err
		}
		ids = IDs(list)
	}
	if at := models.ClickTime(v.ClickID); v.ClickID != uuid.Nil && !at.Before(from) && at.Before(to) {
		ids = append(ids, v.ClickID)
	}
	_, err = s.Thaw(ctx, c, v.AccountID, ids)
	return err
}
