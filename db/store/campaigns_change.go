package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db/delivery"
	"switchyard/models"
	"switchyard/models/flow"
)

const updateCampaign = `
UPDATE campaigns SET name = $3, alias = $4, domain_id = $5, source_id = $6, status = $7, mode = $8,
	destination_url = $9, primary_goal_key = $10, measurement_site_id = $11, tracked_goal_keys = $12, cost_model = $13,
	cost_value = $14, currency = $15, flow_rotation = $16, bind_visitors = $17, uniqueness_method = $18,
	uniqueness_param = $19, uniqueness_ttl_hours = $20, traffic_loss_pct = $21, group_name = $22, country = $23,
	tags = $24, is_pinned = $25, notes = $26, fallback_url = $27, updated_at = clock_timestamp()
WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`

// Change changes the settings of a campaign: edit gets them as they are, under a lock, and may refuse. By says who
// changes it: api, dashboard or copilot.
//
// A zero DomainID moves the campaign to the shared link domain. A campaign that comes to a shared domain from one of
// the account's own gets a generated alias. When an active campaign becomes paused, campaign.paused is stored in the same
// transaction; the ids of its deliveries are for the caller to dispatch after the commit.
func (k Campaigns) Change(ctx context.Context, account, id uuid.UUID, by string, edit func(*models.Campaign) error) (
	saved models.Campaign, deliveries []uuid.UUID, err error,
) {
	err = k.s.Tx(ctx, func(s *Store) error {
		k := s.Campaigns()
		before, err := k.lock(ctx, account, id)
		if err != nil {
			return err
		}
		after := before
		after.Tags, after.TrackedGoalKeys = slices.Clone(before.Tags), slices.Clone(before.TrackedGoalKeys)
		if err := edit(&after); err != nil {
			return err
		}
		generate, err := k.settle(ctx, before, &after)
		if err != nil {
			return err
		}
		if after.Alias, err = k.write(ctx, after, generate, updateCampaign); err != nil {
			return err
		}
		if before.Status == models.CampaignActive && after.Status == models.CampaignPaused {
			event := models.NewEvent(account, models.EventCampaignPaused, time.Now(), after.Paused(by))
			if deliveries, err = delivery.AddEvent(ctx, s.c, event); err != nil {
				return err
			}
		}
		saved, err = k.Find(ctx, account, id)
		return err
	})
	return saved, deliveries, err
}

// settle checks what changed against the rest of the account, and says whether the alias is to be generated. What did
// not change passes, although it might not if it were new.
func (k Campaigns) settle(ctx context.Context, before models.Campaign, after *models.Campaign) (bool, error) {
	moved := before.DomainID != after.DomainID
	shared := before.SharedHost
	if moved {
		d, err := k.s.linkDomain(ctx, after.AccountID, after.DomainID, false)
		if err != nil {
			return false, err
		}
		after.DomainID, shared = d.ID, d.Shared
	}
	if shared && after.Alias != before.Alias {
		return false, models.Invalid("shared_alias", "an alias on the shared link domain cannot be chosen")
	}
	if after.SourceID != before.SourceID {
		if err := k.s.checkSource(ctx, after.AccountID, after.SourceID); err != nil {
			return false, err
		}
	}
	if after.Mode != before.Mode {
		if err := k.s.checkMode(ctx, *after); err != nil {
			return false, err
		}
	}
	return shared && !before.SharedHost, nil
}

const updateStreams = `
UPDATE campaigns SET streams = $3, updated_at = clock_timestamp()
WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`

// ReplaceFlow replaces the flow of a campaign and gives it as saved. A path keeps its id, and with it its statistics,
// if the flow had a path with that id; any other gets a new one.
func (k Campaigns) ReplaceFlow(ctx context.Context, account, id uuid.UUID, paths []flow.Path) ([]flow.Path, error) {
	err := k.s.Tx(ctx, func(s *Store) error {
		if _, err := s.Campaigns().lock(ctx, account, id); err != nil {
			return err
		}
		old, err := s.Campaigns().Flow(ctx, account, id)
		if err != nil {
			return err
		}
		flow.Identify(paths, func(id string) bool {
			return slices.ContainsFunc(old, func(p flow.Path) bool { return p.ID == id })
		})
		if err := s.checkFlow(ctx, account, paths); err != nil {
			return err
		}
		streams, err := json.Marshal(paths)
		if err != nil {
			return fmt.Errorf("db: save flow: %w", err)
		}
		return s.one(ctx, "campaign", updateStreams, account, id, streams)
	})
	return paths, err
}
