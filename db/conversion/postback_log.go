package conversion

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
)

// PostbackEntry is a postback in the log.
type PostbackEntry struct {
	StoredPostback
	CampaignID uuid.UUID `db:"campaign_id"`
	Result     string    `db:"result"`
}

// Sampled reports whether the postback is only a sample: similar postbacks may not have been stored. This holds for
// unmatched postbacks that name no click.
func (p PostbackEntry) Sampled() bool {
	return p.ClickID == uuid.Nil && p.Result == models.PostbackUnmatched
}

// PostbackQuery selects postbacks of an account.
type PostbackQuery struct {
	click.LogQuery
	Network  uuid.UUID // the network in the URL of the postback; zero: all
	Campaign uuid.UUID // the campaign of the click; zero: all
	Click    uuid.UUID // zero: all
	Result   string    // empty: all
	// Conversion is the conversion that the postback created or changed; zero: all.
	Conversion uuid.UUID
	// Transaction is a value that one of the postback's parameters has; empty: all.
	Transaction string
}

// If the click is no longer in PostgreSQL, its campaign is read from the postback.
var selectPostbackLog = `
SELECT ` + db.Columns[StoredPostback]("p.") + `, coalesce(k.campaign_id, p.campaign_id) AS campaign_id, r.result
FROM postbacks p
CROSS JOIN LATERAL (SELECT CASE WHEN p.outcome = 'pending' THEN 'accepted' WHEN p.outcome <> 'recorded' THEN p.outcome
	WHEN p.detail = '` + ResultDuplicate + `' THEN 'duplicate' ELSE 'matched' END AS result) r
LEFT JOIN LATERAL (
	SELECT c.campaign_id FROM clicks c WHERE c.id = p.click_id AND c.account_id = p.account_id OFFSET 0
) k ON true
WHERE p.account_id = $1`

var (
	selectPostbackPage = selectPostbackLog + ` AND p.received_at >= $2 AND p.received_at < $3
	AND ($6::uuid IS NULL OR p.network_id = $6) AND ($7::uuid IS NULL OR coalesce(k.campaign_id, p.campaign_id) = $7) AND ($8 = '' OR r.result = $8)
	AND ($9::uuid IS NULL OR p.click_id = $9) AND ($10::uuid IS NULL OR p.conversion_id = $10)
	AND ($11 = '' OR jsonb_path_exists(p.params, '$.* ? (@ == $v)', jsonb_build_object('v', $11::text)))
ORDER BY p.received_at DESC, p.id DESC LIMIT $4 OFFSET $5`

	selectPostbackEntry = selectPostbackLog + ` AND p.id = $2`
)

// ListPostbacks reads a page of the log of postbacks.
func ListPostbacks(ctx context.Context, l click.Log, q PostbackQuery) ([]PostbackEntry, error) {
	list, err := db.Select[PostbackEntry](ctx, l.Conn, "list postbacks", selectPostbackPage, q.AccountID, q.From, q.To, q.Limit,
		q.Offset, db.OrNull(q.Network), db.OrNull(q.Campaign), q.Result, db.OrNull(q.Click),
		db.OrNull(q.Conversion), q.Transaction)
	if err != nil {
		return nil, err
	}
	return list, nameColdCampaigns(ctx, l, q.AccountID, list)
}

// ReadPostback reads one of the account's postbacks. It returns models.NotFound if the account does not have it.
func ReadPostback(ctx context.Context, l click.Log, account, id uuid.UUID) (PostbackEntry, error) {
	p, err := db.Get[PostbackEntry](ctx, l.Conn, "postback", selectPostbackEntry, account, id)
	if err != nil {
		return p, err
	}
	list := []PostbackEntry{p}
	err = nameColdCampaigns(ctx, l, account, list)
	return list[0], err
}

// nameColdCampaigns sets the missing campaigns of postbacks whose clicks are only in ClickHouse.
func nameColdCampaigns(ctx context.Context, l click.Log, account uuid.UUID, list []PostbackEntry) error {
	named := map[uuid.UUID]bool{}
	for _, p := range list {
		if p.CampaignID == uuid.Nil && p.ClickID != uuid.Nil {
			named[p.ClickID] = true
		}
	}
	if len(named) == 0 {
		return nil
	}
	cold, err := l.FindCold(ctx, account, db.SortedIDs(named)...)
	if err != nil {
		return err
	}
	clicks := db.ByKey(cold, func(c click.StoredClick) uuid.UUID { return c.ID })
	for i := range list {
		if p := &list[i]; p.CampaignID == uuid.Nil {
			p.CampaignID = clicks[p.ClickID].CampaignID
		}
	}
	return nil
}
