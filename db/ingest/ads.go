package ingest

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/spend"
	"switchyard/models"
	"switchyard/models/token"
)

const insertAds = `
INSERT INTO ad_clicks (account_id, ad, click_id)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) ON CONFLICT DO NOTHING`

// storeAds stores the ad platforms' click ids of new clicks.
func storeAds(ctx context.Context, c db.Conn, clicks []*click.StoredClick) error {
	var accounts, ads, ids []uuid.UUID
	for _, click := range clicks {
		for _, ad := range adsIn(click.Params) {
			accounts, ads, ids = append(accounts, click.AccountID), append(ads, ad), append(ids, click.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return db.Run(ctx, c, "store ads", insertAds, db.UUIDs(accounts), db.UUIDs(ads), db.UUIDs(ids))
}

// adsIn returns the keys of the ad platforms' click ids in the query of a link. It skips a macro that the platform did not
// replace, because all visitors would share that value.
func adsIn(query string) (list []uuid.UUID) {
	// Few links have such ids, and two searches are cheaper than splitting every link.
	if !strings.Contains(query, "clid=") && !strings.Contains(query, "msclkid=") {
		return nil
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if value = spend.Unescaped(value); value != "" && slices.Contains(models.AdArrivals, name) && !token.LooksLikeMacro(value) {
			list = append(list, models.AdKey(name, value))
		}
	}
	return list
}

const selectAds = `
SELECT DISTINCT ON (a.account_id, a.ad) a.account_id, a.ad, a.click_id
FROM ad_clicks a JOIN (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS k (account_id, ad)) k USING (account_id, ad)
ORDER BY a.account_id, a.ad, a.click_id DESC`

// findAds sets the click of events that name only an ad platform's click id: the last click with that id. It is usually stored,
// because the visitor loaded a page before the event.
func findAds(ctx context.Context, c db.Conn, events []*models.SiteEvent) error {
	type key struct {
		Account uuid.UUID `db:"account_id"`
		Ad      uuid.UUID `db:"ad"`
	}
	named := map[key][]*models.SiteEvent{}
	var accounts, ads []uuid.UUID
	for _, e := range events {
		if e.ClickID == uuid.Nil && e.AdID != "" && slices.Contains(models.AdArrivals, e.Arrival) {
			k := key{e.AccountID, models.AdKey(e.Arrival, spend.Unescaped(e.AdID))}
			named[k] = append(named[k], e)
			accounts, ads = append(accounts, k.Account), append(ads, k.Ad)
		}
	}
	if len(named) == 0 {
		return nil
	}
	found, err := db.Select[struct {
		key
		Click uuid.UUID `db:"click_id"`
	}](ctx, c, "clicks of ads", selectAds, db.UUIDs(accounts), db.UUIDs(ads))
	for _, f := range found {
		for _, e := range named[f.key] {
			e.ClickID = f.Click
		}
	}
	return err
}
