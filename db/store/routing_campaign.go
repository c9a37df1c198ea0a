package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/flow"
)

// CampaignRouting loads what one campaign of an account is routed by: itself, the campaigns it may hand over to, and
// the offers, landing pages and saved rules of them all. A campaign that is deleted or another account's is not in it.
func CampaignRouting(ctx context.Context, c db.Conn, account, id uuid.UUID) (*Routing, error) {
	return loadAround(ctx, c, account, &Routing{}, []uuid.UUID{id}, nil)
}

// FlowRouting is CampaignRouting for a campaign that is not stored.
func FlowRouting(ctx context.Context, c db.Conn, campaign RoutingCampaign, paths []flow.Path) (*Routing, error) {
	_, next, _ := flow.References(paths)
	r := &Routing{Rows: []RoutingRow{&campaign}}
	return loadAround(ctx, c, campaign.AccountID, r, next, paths)
}

func loadAround(ctx context.Context, c db.Conn, account uuid.UUID, r *Routing, next []uuid.UUID, paths []flow.Path,
) (*Routing, error) {
	known := map[uuid.UUID]bool{}
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

// keysOf names the records that are not known yet.
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

// CheckFlow refuses, with the code of the contract, paths that the account could not save.
func (k Campaigns) CheckFlow(ctx context.Context, account uuid.UUID, paths []flow.Path) error {
	return k.s.checkFlow(ctx, account, paths)
}
