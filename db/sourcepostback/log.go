package sourcepostback

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Query selects a page of an account's log: the postbacks created in [From, To), newest first. Each of the fields from
// Campaign to Result restricts the page, unless it has the zero value.
type Query struct {
	AccountID uuid.UUID
	From, To  time.Time
	Campaign  uuid.UUID
	Source    uuid.UUID
	Network   uuid.UUID
	Click     uuid.UUID
	// Conversion is our id of a conversion. Reference is the id that the network or shop gave to the conversion.
	Conversion uuid.UUID
	Reference  string
	Result     string
	Limit      int
	Offset     int
}

// Logged is a postback in the log.
type Logged struct {
	models.SentPostback

	NextAttempt *time.Time `db:"next_attempt"` // NULL unless the postback is pending
}

var selectLogged = `SELECT ` + columns + `, ` + jobrow.NextAttempt("p.id") + ` AS next_attempt FROM source_postbacks p
WHERE p.account_id = $1`

var (
	selectLog = selectLogged + ` AND p.created_at >= $2 AND p.created_at < $3 AND ($4::uuid IS NULL OR p.campaign_id = $4)
	AND ($5::uuid IS NULL OR p.source_id = $5) AND ($6::uuid IS NULL OR p.network_id = $6)
	AND ($7 = '' OR p.result = $7) AND ($10::uuid IS NULL OR p.click_id = $10)
	AND ($11::uuid IS NULL OR p.conversion_id = $11) AND ($12 = '' OR p.reference = $12)
ORDER BY p.created_at DESC, p.id DESC LIMIT $8 OFFSET $9`

	selectOne = selectLogged + ` AND p.id = $2`
)

// List returns a page of the log.
func List(ctx context.Context, c db.Conn, q Query) ([]Logged, error) {
	return db.Select[Logged](ctx, c, "list postbacks to sources", selectLog, q.AccountID, q.From, q.To, db.OrNull(q.Campaign),
		db.OrNull(q.Source), db.OrNull(q.Network), q.Result, q.Limit, q.Offset, db.OrNull(q.Click),
		db.OrNull(q.Conversion), q.Reference)
}

// Get returns a postback of an account. The error is models.NotFound if the account does not have the postback.
func Get(ctx context.Context, c db.Conn, account, id uuid.UUID) (Logged, error) {
	return db.Get[Logged](ctx, c, "postback", selectOne, account, id)
}
