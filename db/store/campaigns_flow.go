package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// CampaignFlow is the flow of a campaign. The version changes whenever the paths change.
type CampaignFlow struct {
	Version string
	Paths   []flow.Path
}

// Flow returns the flow of a campaign. A path with a deleted saved rule gets the rule's conditions.
func (k Campaigns) Flow(ctx context.Context, account, id uuid.UUID) (CampaignFlow, error) {
	c, err := routedTable.find(ctx, k.s, account, id)
	if err != nil {
		return CampaignFlow{}, err
	}
	return CampaignFlow{c.FlowVersion, c.Paths}, k.s.inlineDeleted(ctx, account, c.Paths)
}

// FlowNetwork is the affiliate network of an offer in a flow.
type FlowNetwork struct {
	ID       uuid.UUID `db:"id"`
	Name     string    `db:"name"`
	Currency string    `db:"currency"`
	IsActive bool      `db:"is_active"`
}

const flowNetworks = `
SELECT id, name, currency, is_active FROM networks
WHERE account_id = $1 AND deactivated_at IS NULL
	AND id IN (SELECT network_id FROM offers WHERE account_id = $1 AND id = ANY ($2))
ORDER BY lower(name), id`

// FlowNetworks lists the affiliate networks of the offers in the paths, by name.
func (k Campaigns) FlowNetworks(ctx context.Context, account uuid.UUID, paths []flow.Path) ([]FlowNetwork, error) {
	destinations, _, _ := flow.References(paths)
	return db.Select[FlowNetwork](ctx, k.s.c, "networks of a flow", flowNetworks, account, destinations)
}

const flowReferences = `
SELECT id, 'offer' AS kind, 0 AS match_steps, 0 AS match_bytes FROM offers WHERE account_id = $1 AND id = ANY ($2)
	AND (deactivated_at IS NULL OR id = ANY ($5))
UNION ALL
SELECT id, 'lander', 0, 0 FROM landers WHERE account_id = $1 AND id = ANY ($2)
	AND (deactivated_at IS NULL OR id = ANY ($5))
UNION ALL
SELECT id, 'campaign', 0, 0 FROM campaigns WHERE account_id = $1 AND id = ANY ($3)
	AND (deleted_at IS NULL OR id = ANY ($5))
UNION ALL
SELECT id, 'rule', match_steps, match_bytes FROM rules WHERE account_id = $1 AND id = ANY ($4) AND deleted_at IS NULL`

// checkFlow refuses a flow that cannot be routed, or that refers to a record that is not a live record of the account. The
// condition values, offers, landing pages and campaigns of the old flow are accepted. cost does not include the flow's saved rules.
func (s *Store) checkFlow(ctx context.Context, account uuid.UUID, paths, old []flow.Path) (cost cond.Cost, err error) {
	destinations, campaigns, rules := flow.References(paths)
	oldDestinations, oldCampaigns, _ := flow.References(old)
	if len(rules) > 0 { // no saved rule can be deleted before the flow is saved
		if err := s.LockAccount(ctx, account); err != nil {
			return cost, err
		}
	}
	rows, err := db.Select[struct {
		ID   uuid.UUID `db:"id"`
		Kind string    `db:"kind"`
		cond.Cost
	}](ctx, s.c, "references of a flow", flowReferences, account, destinations, campaigns, rules, append(oldDestinations, oldCampaigns...))
	if err != nil {
		return cost, err
	}
	known := flow.Known{
		Offers: map[uuid.UUID]bool{}, Landers: map[uuid.UUID]bool{}, Campaigns: map[uuid.UUID]bool{},
		Rules: map[uuid.UUID]cond.Cost{}, Old: old,
	}
	sets := map[string]map[uuid.UUID]bool{"offer": known.Offers, "lander": known.Landers, "campaign": known.Campaigns}
	for _, r := range rows {
		if r.Kind == "rule" {
			known.Rules[r.ID] = r.Cost
		} else {
			sets[r.Kind][r.ID] = true
		}
	}
	if err := flow.Validate(paths, known); err != nil {
		return cost, err
	}
	return flow.CostOf(paths, nil), nil
}

// allowFlow does the same as checkFlow, and also refuses conditions that exceed the plan's allowance. For a new campaign, the id
// is zero. It returns the size of the conditions in bytes.
func (s *Store) allowFlow(ctx context.Context, account, campaign uuid.UUID, paths, old []flow.Path) (int, error) {
	cost, err := s.checkFlow(ctx, account, paths, old)
	if err == nil {
		err = s.allowMatching(ctx, account, campaign, cost.Bytes)
	}
	return cost.Bytes, err
}

func (s *Store) checkMode(ctx context.Context, c models.Campaign) error {
	if !c.TracksGoals() {
		return nil
	}
	name, err := db.Get[string](ctx, s.c, "account", `SELECT plan FROM accounts WHERE id = $1`, c.AccountID)
	if err != nil {
		return err
	}
	if plan, _ := models.PlanNamed(name); !plan.GoalTracking {
		return models.PlanLimit("the plan %q has no goal tracking, which the mode %q needs", name, c.Mode)
	}
	return nil
}

func (s *Store) checkSite(ctx context.Context, c models.Campaign) error {
	if !c.MeasurementSiteID.Valid {
		return nil
	}
	const q = `SELECT id FROM sites WHERE account_id = $1 AND id = $2 FOR KEY SHARE`
	_, ok, err := db.First[uuid.UUID](ctx, s.c, "site", q, c.AccountID, c.MeasurementSiteID)
	if err == nil && !ok {
		err = models.Invalid("invalid_site", "measurement_site_id is not a site of this account")
	}
	return err
}

// FOR KEY SHARE: the domain cannot be deleted before the campaign is saved.
const (
	namedDomain = `
SELECT id, account_id IS NULL AS shared FROM domains
WHERE id = $2 AND (account_id = $1 OR account_id IS NULL) FOR KEY SHARE`

	defaultDomain = `
SELECT id, account_id IS NULL AS shared FROM domains
WHERE account_id IS NULL OR $2 AND account_id = $1 AND is_default AND is_verified
ORDER BY account_id NULLS LAST, is_default DESC, created_at, id LIMIT 1 FOR KEY SHARE`
)

// linkDomain returns a domain of the account or a shared one. If id is zero, it returns the shared link domain. With
// accountDefault, the account's verified default domain takes precedence. Error: invalid_domain.
func (s *Store) linkDomain(ctx context.Context, account, id uuid.UUID, accountDefault bool) (LinkDomain, error) {
	query, second := defaultDomain, any(accountDefault)
	if id != uuid.Nil {
		query, second = namedDomain, id
	}
	d, err := db.Get[LinkDomain](ctx, s.c, "domain", query, account, second)
	if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound {
		err = models.Invalid("invalid_domain", "domain_id is not a tracking domain of this account")
		if id == uuid.Nil {
			err = models.Invalid("invalid_domain", "there is no shared link domain: name a domain in domain_id")
		}
	}
	return d, err
}

// AllWithFlows lists every campaign of an account with its flow, oldest first.
func (k Campaigns) AllWithFlows(ctx context.Context, account uuid.UUID) ([]RoutedCampaign, error) {
	list, err := records[RoutedCampaign]{k.s, routedTable}.All(ctx, account)
	if err == nil {
		err = k.s.inlineDeleted(ctx, account, db.Map(list, func(c RoutedCampaign) []flow.Path { return c.Paths })...)
	}
	return list, err
}

// WithFlow returns a campaign with its flow.
func (k Campaigns) WithFlow(ctx context.Context, account, id uuid.UUID) (RoutedCampaign, error) {
	c, err := routedTable.find(ctx, k.s, account, id)
	if err == nil {
		err = k.s.inlineDeleted(ctx, account, c.Paths)
	}
	return c, err
}
