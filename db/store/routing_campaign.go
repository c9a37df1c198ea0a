package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/flow"
)

// CampaignRouting loads a campaign, the campaigns to which it can hand visitors over, and the offers, landing pages, saved rules
// and blocked values of all these. A deleted campaign, or one of another account, is left out.
func CampaignRouting(ctx context.Context, c db.Conn, account, id uuid.UUID) (*Routing, error) {
	return loadAround(ctx, c, account, &Routing{}, []uuid.UUID{id}, nil)
}

const (
	campaignsNamed  = `SELECT id FROM campaigns WHERE account_id = $1 AND alias = $2 AND deleted_at IS NULL LIMIT 100`
	smartlinksNamed = `SELECT id FROM smartlinks WHERE account_id = $1 AND slug = $2 AND deleted_at IS NULL LIMIT 100`
	botEntriesOf    = `SELECT id FROM bot_entries WHERE account_id = $1`
	blockListsOf    = `SELECT id FROM block_lists WHERE account_id = $1 AND scope_id = ANY ($2::uuid[])`
	domainsOf       = `SELECT id FROM domains WHERE account_id = $1 OR account_id IS NULL`
)

// LinkRouting does the same as CampaignRouting, and also loads everything else that decides where a tracking link of the account
// leads: the campaigns and smartlinks whose alias or slug is in the link, domains, sources, networks and bot lists.
func LinkRouting(ctx context.Context, c db.Conn, account, id uuid.UUID, word string) (*Routing, error) {
	named, err := db.Select[uuid.UUID](ctx, c, "campaigns of a link", campaignsNamed, account, word)
	if err != nil {
		return nil, err
	}
	r, err := loadAround(ctx, c, account, &Routing{}, append(named, id), nil)
	if err != nil {
		return nil, err
	}
	smart, err := db.Select[uuid.UUID](ctx, c, "smartlinks of a link", smartlinksNamed, account, word)
	if err != nil {
		return nil, err
	}
	read, err := readersOf(ctx, c, account, r)
	if err != nil {
		return nil, err
	}
	keys := append(keysOf("smartlinks", smart, nil), read...)
	return addDomains(ctx, c, account, r, keys)
}

// CampaignsRouting does the same as CampaignRouting for several campaigns. It also loads what decides how visitors' requests are
// read: sources, networks and bot lists.
func CampaignsRouting(ctx context.Context, c db.Conn, account uuid.UUID, ids []uuid.UUID) (*Routing, error) {
	r, err := loadAround(ctx, c, account, &Routing{}, ids, nil)
	if err != nil {
		return nil, err
	}
	keys, err := readersOf(ctx, c, account, r)
	if err != nil {
		return nil, err
	}
	found, err := LoadRouting(ctx, c, keys)
	if err != nil {
		return nil, err
	}
	r.Rows = append(r.Rows, found.Rows...)
	return r, nil
}

// readersOf returns the keys of an account's bot lists, and of the sources and networks to which the campaigns and offers in r
// refer.
func readersOf(ctx context.Context, c db.Conn, account uuid.UUID, r *Routing) ([]RoutingKey, error) {
	entries, err := db.Select[uuid.UUID](ctx, c, "bot lists of a link", botEntriesOf, account)
	if err != nil {
		return nil, err
	}
	known := map[uuid.UUID]bool{uuid.Nil: true}
	keys := keysOf("bot_entries", entries, known)
	for _, row := range RoutingRows[*RoutingCampaign](r) {
		keys = append(keys, keysOf("traffic_sources", []uuid.UUID{row.SourceID.UUID}, known)...)
	}
	for _, row := range RoutingRows[*RoutingOffer](r) {
		keys = append(keys, keysOf("networks", []uuid.UUID{row.NetworkID.UUID}, known)...)
	}
	return keys, nil
}

// NetworkRouting loads the records that decide how a postback from a network of the account is read.
func NetworkRouting(ctx context.Context, c db.Conn, account, id uuid.UUID) (*Routing, error) {
	keys := []RoutingKey{{Table: "accounts", ID: account}, {Table: "networks", ID: id}}
	return addDomains(ctx, c, account, &Routing{}, keys)
}

// addDomains adds to r the records with the given keys, and the domains that an account may use.
func addDomains(ctx context.Context, c db.Conn, account uuid.UUID, r *Routing, keys []RoutingKey) (*Routing, error) {
	domains, err := db.Select[uuid.UUID](ctx, c, "domains of an account", domainsOf, account)
	if err != nil {
		return nil, err
	}
	found, err := LoadRouting(ctx, c, append(keys, keysOf("domains", domains, nil)...))
	if err != nil {
		return nil, err
	}
	r.Rows = append(r.Rows, found.Rows...)
	return r, nil
}

// FlowRouting does the same as CampaignRouting for a campaign that is not stored.
func FlowRouting(ctx context.Context, c db.Conn, campaign RoutingCampaign, paths []flow.Path) (*Routing, error) {
	_, next, _ := flow.References(paths)
	r := &Routing{Rows: []RoutingRow{&campaign}}
	return loadAround(ctx, c, campaign.AccountID, r, next, paths)
}

// loadAround adds to r the campaigns with the given ids, the campaigns to which they hand visitors over, and all records to which
// these campaigns and the given paths refer.
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
				continue
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
	blocked, err := blockListsAround(ctx, c, account, r)
	if err != nil {
		return nil, err
	}
	found, err := LoadRouting(ctx, c, append(keys, blocked...))
	if err != nil {
		return nil, err
	}
	r.Rows = append(r.Rows, found.Rows...)
	return r, nil
}

func blockListsAround(ctx context.Context, c db.Conn, account uuid.UUID, r *Routing) ([]RoutingKey, error) {
	scopes := []uuid.UUID{account}
	for _, row := range RoutingRows[*RoutingCampaign](r) {
		scopes = append(scopes, row.ID, row.SourceID.UUID)
	}
	lists, err := db.Select[uuid.UUID](ctx, c, "lists of blocked values", blockListsOf, account, scopes)
	return keysOf("block_lists", lists, nil), err
}

// keysOf returns the keys of the ids that are not in known, and adds these ids to known. If known is nil, it returns the keys of
// all ids.
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

// CheckFlow returns the error that saving these paths as a flow would return. It does not check the limits of the plan.
func (k Campaigns) CheckFlow(ctx context.Context, account uuid.UUID, paths []flow.Path) error {
	flow.Canonical(paths)
	_, err := k.s.checkFlow(ctx, account, paths, nil)
	return err
}
