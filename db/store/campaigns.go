package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/flow"
)

// Campaigns are the campaigns of accounts with their flows.
type Campaigns struct{ s *Store }

// Campaigns gives the campaigns on this store's connection.
func (s *Store) Campaigns() Campaigns { return Campaigns{s} }

const tableCampaigns = "campaigns"

const selectCampaigns = `
SELECT c.id, c.account_id, c.name, c.alias, c.domain_id, c.source_id, c.status, c.mode, c.destination_url,
	c.primary_goal_key, c.measurement_site_id, c.tracked_goal_keys, c.cost_model, c.cost_value, c.currency,
	c.flow_rotation, c.bind_visitors, c.uniqueness_method, c.uniqueness_param, c.uniqueness_ttl_hours,
	c.traffic_loss_pct, c.group_name, c.country, c.tags, c.is_pinned, c.notes, c.fallback_url, c.created_at,
	c.updated_at, d.host, d.account_id IS NULL AS shared_host, coalesce(t.name, '') AS source_name,
	jsonb_array_length(c.streams) AS path_count
FROM campaigns c JOIN domains d ON d.id = c.domain_id LEFT JOIN traffic_sources t ON t.id = c.source_id
WHERE c.account_id = $1 AND c.deleted_at IS NULL`

type campaignRow struct {
	ID                 uuid.UUID      `db:"id"`
	AccountID          uuid.UUID      `db:"account_id"`
	Name               string         `db:"name"`
	Alias              string         `db:"alias"`
	DomainID           uuid.UUID      `db:"domain_id"`
	SourceID           uuid.NullUUID  `db:"source_id"`
	Status             string         `db:"status"`
	Mode               string         `db:"mode"`
	DestinationURL     string         `db:"destination_url"`
	PrimaryGoalKey     string         `db:"primary_goal_key"`
	MeasurementSiteID  uuid.NullUUID  `db:"measurement_site_id"`
	TrackedGoalKeys    pq.StringArray `db:"tracked_goal_keys"`
	CostModel          string         `db:"cost_model"`
	CostValue          models.Money   `db:"cost_value"`
	Currency           string         `db:"currency"`
	FlowRotation       string         `db:"flow_rotation"`
	BindVisitors       string         `db:"bind_visitors"`
	UniquenessMethod   string         `db:"uniqueness_method"`
	UniquenessParam    string         `db:"uniqueness_param"`
	UniquenessTTLHours int            `db:"uniqueness_ttl_hours"`
	TrafficLossPct     models.Money   `db:"traffic_loss_pct"`
	GroupName          string         `db:"group_name"`
	Country            string         `db:"country"`
	Tags               pq.StringArray `db:"tags"`
	IsPinned           bool           `db:"is_pinned"`
	Notes              string         `db:"notes"`
	FallbackURL        string         `db:"fallback_url"`
	CreatedAt          time.Time      `db:"created_at"`
	UpdatedAt          time.Time      `db:"updated_at"`
	Host               string         `db:"host"`
	SharedHost         bool           `db:"shared_host"`
	SourceName         string         `db:"source_name"`
	PathCount          int            `db:"path_count"`
}

func (r campaignRow) model() models.Campaign {
	return models.Campaign{
		ID: r.ID, AccountID: r.AccountID, Name: r.Name, Alias: r.Alias, DomainID: r.DomainID, SourceID: r.SourceID.UUID,
		Status: r.Status, Mode: r.Mode, DestinationURL: r.DestinationURL, PrimaryGoalKey: r.PrimaryGoalKey,
		MeasurementSiteID: r.MeasurementSiteID.UUID, TrackedGoalKeys: nonNil(r.TrackedGoalKeys), CostModel: r.CostModel,
		CostValue: r.CostValue, Currency: r.Currency, FlowRotation: r.FlowRotation, BindVisitors: r.BindVisitors,
		UniquenessMethod: r.UniquenessMethod, UniquenessParam: r.UniquenessParam,
		UniquenessTTLHours: r.UniquenessTTLHours, TrafficLossPct: r.TrafficLossPct, GroupName: r.GroupName,
		Country: r.Country, Tags: nonNil(r.Tags), IsPinned: r.IsPinned, Notes: r.Notes, FallbackURL: r.FallbackURL,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Host: r.Host, SharedHost: r.SharedHost,
		SourceName: r.SourceName, PathCount: r.PathCount,
	}
}

// List lists the campaigns that are not deleted, pinned first, then newest.
//
// Pins change while a walk goes on, so its order goes by the pins of its start, which every cursor carries: a campaign
// that is pinned and was not changed since then comes first, all others after. A change can only move a campaign from
// the first part to the second, never ahead of the walk, so none is missed. What may happen is that a pinned campaign
// which is changed during the walk comes a second time.
func (k Campaigns) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Campaign, string, error) {
	const name = "campaigns"
	start, err := k.s.walkStart(ctx, account, name, p.Cursor, 4)
	if err != nil {
		return nil, "", err
	}
	pinned := func(r campaignRow) bool { return r.IsPinned && !r.UpdatedAt.After(start) }
	rows, next, err := List(ctx, k.s, account, p, ListQuery[campaignRow]{
		Name: name, SQL: selectCampaigns, Args: []any{account, start},
		Order: []string{
			"(c.is_pinned AND c.updated_at <= $2):boolean", "c.created_at:timestamptz", "c.id:uuid",
			"CAST($2 AS timestamptz):timestamptz",
		},
		Place: func(r campaignRow) []string {
			place := append([]string{strconv.FormatBool(pinned(r))}, PlaceOf(r.CreatedAt, r.ID)...)
			return append(place, start.Format(time.RFC3339Nano))
		},
	})
	return modelsOf(rows, campaignRow.model), next, err
}

// Find finds one campaign that is not deleted.
func (k Campaigns) Find(ctx context.Context, account, id uuid.UUID) (models.Campaign, error) {
	row, err := get[campaignRow](ctx, k.s, "campaign", selectCampaigns+` AND c.id = $2`, account, id)
	return row.model(), err
}

const lockCampaign = `
SELECT id FROM campaigns WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`

// lock is Find for a change: the campaign stays as it is until the transaction ends.
func (k Campaigns) lock(ctx context.Context, account, id uuid.UUID) (models.Campaign, error) {
	if _, err := get[uuid.UUID](ctx, k.s, "campaign", lockCampaign, account, id); err != nil {
		return models.Campaign{}, err
	}
	return k.Find(ctx, account, id)
}

const countCampaigns = `SELECT count(*) FROM campaigns WHERE account_id = $1 AND deleted_at IS NULL`

const insertCampaign = `
INSERT INTO campaigns (account_id, id, name, alias, domain_id, source_id, status, mode, destination_url,
	primary_goal_key, measurement_site_id, tracked_goal_keys, cost_model, cost_value, currency, flow_rotation,
	bind_visitors, uniqueness_method, uniqueness_param, uniqueness_ttl_hours, traffic_loss_pct, group_name, country,
	tags, is_pinned, notes, fallback_url, streams)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
	$25, $26, $27, $28)`

// Create adds a campaign with its flow under new ids, within the plan. On a shared link domain the alias is replaced by
// a generated one; without an alias one is generated anywhere. A flow without paths needs a destination_url or a
// fallback_url to send visitors to.
func (k Campaigns) Create(ctx context.Context, c models.Campaign, paths []flow.Path) (models.Campaign, error) {
	c.ID = uuid.Must(uuid.NewV7())
	flow.Identify(paths, nil)
	err := k.s.Tx(ctx, func(s *Store) error {
		if err := s.Campaigns().allow(ctx, c.AccountID); err != nil {
			return err
		}
		var err error
		c, err = s.Campaigns().insert(ctx, c, paths)
		return err
	})
	return c, err
}

func (k Campaigns) allow(ctx context.Context, account uuid.UUID) error {
	return k.s.allow(ctx, account, "campaigns", countCampaigns, func(p models.Plan) int { return p.Campaigns })
}

func (k Campaigns) insert(ctx context.Context, c models.Campaign, paths []flow.Path) (models.Campaign, error) {
	if err := k.s.checkMode(ctx, c); err != nil {
		return c, err
	}
	if len(paths) > 0 || c.DestinationURL == "" && c.FallbackURL == "" {
		if err := k.s.checkFlow(ctx, c.AccountID, paths); err != nil {
			return c, err
		}
	}
	d, err := k.s.linkDomain(ctx, c.AccountID, c.DomainID, true)
	if err != nil {
		return c, err
	}
	if err := k.s.checkSource(ctx, c.AccountID, c.SourceID); err != nil {
		return c, err
	}
	streams, err := json.Marshal(nonNil(paths))
	if err != nil {
		return c, fmt.Errorf("db: save campaign: %w", err)
	}
	c.DomainID = d.ID
	c.Alias, err = k.write(ctx, c, d.Shared || c.Alias == "", insertCampaign, streams)
	if err != nil {
		return c, err
	}
	return k.Find(ctx, c.AccountID, c.ID)
}

const aliasTries = 5 // of a generated alias; one try in 10^15 or so meets another

// write runs a statement that writes the settings, whose arguments it gives in the order of insertCampaign, and more.
// With generate it makes an alias and another one should that be taken. The alias written is returned.
func (k Campaigns) write(ctx context.Context, c models.Campaign, generate bool, query string, more ...any) (
	alias string, err error,
) {
	for try := 1; ; try++ {
		if generate {
			c.Alias = models.NewAlias()
		}
		err := k.s.Tx(ctx, func(s *Store) error {
			return s.one(ctx, "campaign", query, append(campaignArgs(c), more...)...)
		})
		switch db.UniqueViolation(err) {
		case "campaigns_name":
			return "", models.Conflict("duplicate_name", "another campaign has this name")
		case "campaigns_address":
			if generate && try < aliasTries {
				continue
			}
			return "", models.Conflict("alias_taken", "the alias is in use on this domain")
		}
		return c.Alias, err
	}
}

func campaignArgs(c models.Campaign) []any {
	return []any{
		c.AccountID, c.ID, c.Name, c.Alias, c.DomainID, null(c.SourceID), c.Status, c.Mode, c.DestinationURL,
		c.PrimaryGoalKey, null(c.MeasurementSiteID), pq.StringArray(nonNil(c.TrackedGoalKeys)), c.CostModel,
		c.CostValue, c.Currency, c.FlowRotation, c.BindVisitors, c.UniquenessMethod, c.UniquenessParam, c.UniquenessTTLHours,
		c.TrafficLossPct, c.GroupName, c.Country, pq.StringArray(nonNil(c.Tags)), c.IsPinned, c.Notes, c.FallbackURL,
	}
}

const deleteCampaign = `
UPDATE campaigns SET deleted_at = now(), updated_at = now()
WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`

// Delete deletes a campaign: its name and its alias are free again, its clicks stay.
func (k Campaigns) Delete(ctx context.Context, account, id uuid.UUID) error {
	return k.s.one(ctx, "campaign", deleteCampaign, account, id)
}

// Clone copies a campaign and its flow within the plan. The copy is paused, has a new alias and a free name that ends
// in " (copy)". A flow that would be refused if it were sent by hand is refused here.
func (k Campaigns) Clone(ctx context.Context, account, id uuid.UUID) (models.Campaign, error) {
	var c models.Campaign
	err := k.s.Tx(ctx, func(s *Store) error {
		k := s.Campaigns()
		var err error
		if c, err = k.Find(ctx, account, id); err != nil {
			return err
		}
		paths, err := k.Flow(ctx, account, id)
		if err != nil {
			return err
		}
		if err := k.allow(ctx, account); err != nil { // locks the account, so that two clones find different names
			return err
		}
		if c.Name, err = s.copyName(ctx, tableCampaigns, "deleted_at IS NULL", account, c.Name); err != nil {
			return err
		}
		flow.Identify(paths, nil)
		c.ID, c.Alias, c.Status = uuid.Must(uuid.NewV7()), "", models.CampaignPaused
		c.SourceID, err = s.live(ctx, tableSources, account, c.SourceID)
		if err != nil {
			return err
		}
		c, err = k.insert(ctx, c, paths)
		return err
	})
	return c, err
}
