package alerts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/money"
)

// unreadAmounts counts the postbacks of a network or the clicks of a traffic source. Unread is the number of those whose
// amount or currency does not count as it was received.
type unreadAmounts struct {
	ID     uuid.UUID `db:"id"`
	Name   string    `db:"name"`
	Total  int64     `db:"total"`
	Unread int64     `db:"unread"`
	Since  time.Time `db:"since"` // time of the day's first unread amount
}

// Postbacks without an active network are counted under the zero id. Only the newest 20,000 postbacks of the day are counted.
const selectUnreadPostbacks = `
SELECT coalesce(n.id, '` + db.ZeroID + `') AS id, coalesce(n.name, '') AS name, count(*) AS total,
	count(*) FILTER (WHERE amount_reason <> '') AS unread, min(received_at) FILTER (WHERE amount_reason <> '') AS since
FROM (
	SELECT network_id, received_at, amount_reason FROM postbacks
	WHERE account_id = $1 AND received_at >= $2 AND outcome <> 'pending' ORDER BY received_at DESC LIMIT 20000
) p LEFT JOIN networks n ON n.id = p.network_id AND n.account_id = $1 AND n.deactivated_at IS NULL
GROUP BY 1, 2 HAVING count(*) FILTER (WHERE amount_reason <> '') >= $3 ORDER BY 1 LIMIT $4`

// The clicks are scanned only if account_rates has an unknown currency on the day $3 or later. Only the newest 20,000 clicks of
// the day are counted.
const selectUnreadClicks = `
SELECT s.id, s.name, count(*) AS total, count(*) FILTER (WHERE currency = '` + money.Unknown + `') AS unread,
	min(k.at) FILTER (WHERE currency = '` + money.Unknown + `') AS since
FROM (
	SELECT source_id, at, currency FROM clicks
	WHERE account_id = $1 AND id >= $2 AND EXISTS (
		SELECT FROM account_rates r WHERE r.account_id = $1 AND r.currency = '` + money.Unknown + `' AND r.day >= $3::date)
	ORDER BY id DESC LIMIT 20000
) k JOIN traffic_sources s ON s.id = k.source_id AND s.account_id = $1 AND s.deactivated_at IS NULL
GROUP BY 1, 2 HAVING count(*) FILTER (WHERE currency = '` + money.Unknown + `') >= $4 ORDER BY 1 LIMIT $5`

// unreadMoney lists the networks and the traffic sources with too many unread amounts in the last day. No amounts of the week
// before are counted, so the share badIfJumped is enough for an alert.
func unreadMoney(ctx context.Context, l reading) ([]Alert, error) {
	day := l.now.AddDate(0, 0, -1)
	postbacks, err := db.Select[unreadAmounts](ctx, l.Store.Conn(), "unread payouts", selectUnreadPostbacks, l.account.ID, day, leastBad, store.MaxAlerts)
	if err != nil {
		return nil, err
	}
	clicks, err := db.Select[unreadAmounts](ctx, l.Store.Conn(), "unread costs", selectUnreadClicks, l.account.ID, models.FloorClickID(day),
		day.UTC().Format(time.DateOnly), leastBad, store.MaxAlerts)
	few := func(n unreadAmounts) bool { return !tooMany(n.Unread, n.Total, 0, 0) }
	var out []Alert
	for _, n := range slices.DeleteFunc(postbacks, few) {
		a := n.alert("postbacks.unread", "network", "of the last day's %d postbacks %d have a payout, a cost or a currency that does not count as it "+
			"was received; the log of postbacks says why")
		if n.ID == uuid.Nil {
			a.Kind, a.ID, a.Name = "account", l.account.ID, l.account.Name
		}
		out = append(out, a)
	}
	for _, s := range slices.DeleteFunc(clicks, few) {
		out = append(out, s.alert("clicks.unread", "source", "of the last day's %d clicks %d have a cost that cannot be read: the cost of these clicks counts as 0"))
	}
	return out, err
}

func (n unreadAmounts) alert(kind, about, message string) Alert {
	return Alert{
		Type: kind, Severity: Warning, Kind: about, ID: n.ID, Name: n.Name, Message: fmt.Sprintf(message, n.Total, n.Unread), Since: n.Since,
	}
}
