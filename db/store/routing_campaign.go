package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/flow"
)

// CampaignRouting loads the records that route a campaign: itself, the campaigns it may hand over to, and their
// offers, landing pages and saved rules. A deleted campaign, or one of another account, is left out.
func CampaignRouting(ctx context.Context, c db.Conn, account, id uuid.UUID) (*Routing, error) {
	return loadAround(ctx, c, account, &Routing{}, []uuid.UUID{id}, nil)
}

// FlowRouting is CampaignRouting for a campaign that is not stored.
func FlowRouting(ctx context.Context, c db.Conn, campaign RoutingCampaign, paths []flow.Path) (*Routing, error) {
	_, next, _ := flow.References(paths)
	r := &Routing{Rows: []RoutingRow{&campaign}}
	return loadAround(ctx, c, campaign.AccountID, r, next, paths)
}

// loadAround adds to r the campaigns of next, those they hand over to, and the records that they and paths name.
func loadAround(ctx context.Context, c db.Conn, account uuid.UUID, r *Routing, next []uuid.UUID, paths []flow.Path,
) (*Routing, error) {
	known := map[uuid.UUID]bool{}
	for _, c := range RoutingRows[*RoutingCampaign](r) {
		known[c.ID] = true
	}
	for range flow.MaxHandovers + 1 {
		found, err := LoadRouting(ctx, c, keysOf("campaigns", next, known))
		if err != nil {
			return nil, err
		}
		next = nil
		for _, row := range RoutingRows[*RoutingCampaign](found) {
			if row.AccountID != account {
				continue
			}
			r.Rows = append(r.Rows, row)
			list, err := flow.Parse(row.Streams)
			if err != nil {
				continue // a campaign without paths
			}
			paths = append(paths, list...)
			_, more, _ := flow.References(list)
			next = append(next, more...)
		}
	}
	destinations, _, rules := flow.References(paths)
	keys := []RoutingKey{{Table: "accounts", ID: account}}
	keys = append(keys, keysOf("offers", destinations, nil)...)
	keys = append(keys, keysOf("landers", destinations, nil)...)
	keys = append(keys, keysOf("rules", rules, nil)...)
	found, err := LoadRouting(ctx, c, keys)
	if err != nil {
		return nil, err
	}
	r.Rows = append(r.Rows, found.Rows...)
	return r, nil
}

// keysOf makes keys of the ids that are not known, and adds them to known.
func keysOf(table string, ids []uuid.UUID, known map[uuid.UUID]bool) []RoutingKey {
	var keys []RoutingKey
	for _, id := range ids {
		if known[id] {
			continue
		}
		if known != nil {
			known[id] = true
		}
		keys = append(keys, RoutingKey{Table: table, ID: id})
	}
	return keys
}

// CheckFlow returns the documented error for paths that the account could not save.
func (k Campaigns) CheckFlow(ctx context.Context, account uuid.UUID, paths []flow.Path) error {
	flow.Canonical(paths)
	_, err := k.s.checkFlow(ctx, account, paths, nil)
	return err
}
