package conversion

import (
	"bytes"
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
)

// replayed makes the chosen postbacks undecided again. It sets the number of attempts so high that MatchPostbacks looks for their
// clicks only once.
var replayed = `, deleted AS (
	` + jobrow.DeleteFinishedFrom("chosen", recordKind) + `
)
UPDATE postbacks p SET outcome = 'pending', detail = '', decided_at = NULL, attempts = 1000, match_at = clock_timestamp()
FROM chosen WHERE p.id = chosen.id
RETURNING p.id, p.received_at`

var (
	replayPostback = `
WITH chosen AS MATERIALIZED (
	SELECT id FROM postbacks WHERE id = $2 AND account_id = $1 AND outcome <> 'pending' FOR UPDATE
)` + replayed

	replayPostbacks = `
WITH chosen AS MATERIALIZED (
	SELECT id FROM postbacks
	WHERE account_id = $1 AND (received_at, id) > ($2, $5) AND received_at >= $2 AND received_at < $3 AND outcome = 'unmatched'
		AND ($4::uuid IS NULL OR network_id = $4)
	ORDER BY received_at, id LIMIT $6 FOR UPDATE SKIP LOCKED
)` + replayed
)

// Replay selects unmatched postbacks of an account that arrived in [From, To).
type Replay struct {
	Account  uuid.UUID
	Network  uuid.UUID // the network that the postback's URL names; zero: all
	From, To time.Time
	Last     uuid.UUID // skips the postbacks of the moment From with ids up to Last
}

type replayedPostback struct {
	ID         uuid.UUID `db:"id"`
	ReceivedAt time.Time `db:"received_at"`
}

// ReplayPostback makes a postback of an account undecided again. It returns false if the postback is undecided already or does
// not exist.
func ReplayPostback(ctx context.Context, c db.Conn, account, id uuid.UUID) (bool, error) {
	list, err := db.Select[replayedPostback](ctx, c, "replay postback", replayPostback, account, id)
	return len(list) > 0, err
}

// ReplayPostbacks makes at most limit postbacks undecided again, the oldest first. It returns their number, and the query for the
// others.
func ReplayPostbacks(ctx context.Context, c db.Conn, q Replay, limit int) (int, Replay, error) {
	list, err := db.Select[replayedPostback](ctx, c, "replay postbacks", replayPostbacks, q.Account, q.From, q.To,
		db.OrNull(q.Network), q.Last, limit)
	for _, p := range list {
		if p.ReceivedAt.After(q.From) || p.ReceivedAt.Equal(q.From) && bytes.Compare(p.ID[:], q.Last[:]) > 0 {
			q.From, q.Last = p.ReceivedAt, p.ID
		}
	}
	return len(list), q, err
}
