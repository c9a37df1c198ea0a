package copilot

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/copilot"
)

// NetworkInbox describes a network with unmatched postbacks.
type NetworkInbox struct {
	NetworkID uuid.UUID           `db:"network_id"`
	Total     int64               `db:"total"` // number of postbacks with any outcome
	Unmatched int64               `db:"unmatched"`
	Since     time.Time           `db:"since"` // time of the first unmatched postback
	Params    []map[string]string // of the newest unmatched postbacks, with masked secrets
}

const countInbox = `
SELECT network_id, count(*) AS total, count(*) FILTER (WHERE outcome = 'unmatched') AS unmatched,
	coalesce(min(received_at) FILTER (WHERE outcome = 'unmatched'), $2) AS since
FROM (SELECT network_id, outcome, received_at FROM postbacks WHERE account_id = $1 AND received_at >= $2
	ORDER BY received_at DESC LIMIT 50000) p
GROUP BY network_id HAVING count(*) FILTER (WHERE outcome = 'unmatched') > 0 ORDER BY network_id LIMIT 200`

const selectInbox = `
SELECT params FROM postbacks WHERE account_id = $1 AND network_id = $2 AND received_at >= $3 AND outcome = 'unmatched'
ORDER BY received_at DESC, id DESC LIMIT $4`

// Inbox lists the account's networks with unmatched postbacks since the given time, among its newest 50,000 postbacks. The
// argument `rows` is the maximum number of postbacks whose parameters are read. When this number is reached, the remaining networks
// are left out.
func (k Suggestions) Inbox(ctx context.Context, account uuid.UUID, since time.Time, rows int) ([]NetworkInbox, error) {
	counted, err := db.Select[NetworkInbox](ctx, k.s.Conn(), "inbox", countInbox, account, since)
	if err != nil {
		return nil, err
	}
	var list []NetworkInbox
	for _, n := range counted {
		if n.NetworkID == uuid.Nil || rows <= 0 {
			continue
		}
		found, err := db.Select[[]byte](ctx, k.s.Conn(), "inbox", selectInbox, account, n.NetworkID, since, min(rows, 200))
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			var params map[string]string
			if json.Unmarshal(raw, &params) == nil {
				n.Params = append(n.Params, params)
			}
		}
		rows -= len(found)
		list = append(list, n)
	}
	return list, nil
}

// recorded_at is when a conversion happened. An import finds a conversion hours after that, so an imported conversion counts as
// arrived one day after it happened.
const selectArrivals = `
SELECT campaign_id, click_id, CASE source WHEN 'network_sync' THEN recorded_at + interval '1 day' ELSE recorded_at END AS came
FROM conversions WHERE account_id = $1 AND recorded_at >= $2 AND source <> 'correction' ORDER BY recorded_at DESC, id DESC LIMIT $3`

// Arrivals returns the click time and the arrival time of the newest conversions since the given time, at most `limit` of them.
func (k Suggestions) Arrivals(ctx context.Context, account uuid.UUID, since time.Time, limit int) ([]copilot.Arrival, error) {
	list, err := db.Select[struct {
		Campaign uuid.UUID `db:"campaign_id"`
		Click    uuid.UUID `db:"click_id"`
		Came     time.Time `db:"came"`
	}](ctx, k.s.Conn(), "arrivals", selectArrivals, account, since, limit)
	out := make([]copilot.Arrival, len(list))
	for i, a := range list {
		out[i] = copilot.Arrival{Campaign: a.Campaign, Clicked: models.ClickTime(a.Click), Came: a.Came}
	}
	return out, err
}
