package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/models"
	"switchyard/models/flow"
)

// Change changes the settings of a campaign. edit gets the saved ones, under a lock; its error changes nothing. by is
// who changes them: api, dashboard or copilot.
//
// A zero DomainID moves the campaign to the shared link domain. A campaign that moves from an own to a shared domain
// gets a generated alias. When an active campaign becomes paused, campaign.paused is stored in the same transaction.
// The caller dispatches its deliveries after the commit.
func (k Campaigns) Change(ctx context.Context, account, id uuid.UUID, by string, edit func(*models.Campaign) error) (
	saved models.Campaign, deliveries []uuid.UUID, err error,
) {
	err = k.s.Tx(ctx, func(s *Store) error {
		k := s.Campaigns()
		before, err := campaignTable.findLocked(ctx, s, account, id)
		if err != nil {
			return err
		}
		after := before
		after.Tags, after.TrackedGoalKeys = slices.Clone(before.Tags), slices.Clone(before.TrackedGoalKeys)
		if err := edit(&after); err != nil {
			return err
		}
		generate, err := k.checkChange(ctx, before, &after)
		if err != nil {
			return err
		}
		saved, err = withAlias(ctx, s, generate, &after.Alias, func(s *Store) (models.Campaign, error) {
			return campaignTable.save(ctx, s, after)
		})
		if err != nil {
			return err
		}
		if before.Status == models.CampaignActive && after.Status == models.CampaignPaused {
			event := models.NewEvent(account, models.EventCampaignPaused, time.Now(), after.Paused(by))
			deliveries, err = delivery.AddEvent(ctx, s.c, event)
		}
		return err
	})
	return saved, deliveries, err
}

// checkChange checks the changed settings against the rest of the account, and returns whether the alias must be
// generated. Unchanged settings are not checked: what they name may be gone by now.
func (k Campaigns) checkChange(ctx context.Context, before models.Campaign, after *models.Campaign) (bool, error) {
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
		if err := sourceTable.check(ctx, k.s, after.AccountID, after.SourceID, "source"); err != nil {
			return false, err
		}
	}
	if after.MeasurementSiteID != before.MeasurementSiteID {
		if err := k.s.checkSite(ctx, *after); err != nil {
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

// ChangeFlow replaces the flow of a campaign by what edit makes of it, and returns it as saved. edit gets the saved
// flow, as Flow gives it, under a lock; its error changes nothing. A path keeps its id, and so its statistics, if the
// old flow had it. Any other path gets a new id.
func (k Campaigns) ChangeFlow(ctx context.Context, account, id uuid.UUID,
	edit func(CampaignFlow) ([]flow.Path, error),
) (saved CampaignFlow, err error) {
	err = k.s.Tx(ctx, func(s *Store) error {
		old, err := routedTable.findLocked(ctx, s, account, id)
		if err != nil {
			return err
		}
		if err := s.inlineDeleted(ctx, account, old.Paths); err != nil {
			return err
		}
		paths, err := edit(CampaignFlow{old.FlowVersion, old.Paths})
		if err != nil {
			return err
		}
		identify(paths, old.Paths)
		bytes, err := s.allowFlow(ctx, account, id, paths, old.Paths)
		if err != nil {
			return err
		}
		set := campaignTable.set(`streams = $3, match_bytes = $4`) + ` RETURNING left(md5(streams::text), 16)`
		saved.Paths = paths
		saved.Version, err = db.Get[string](ctx, s.c, campaignTable.what, set, account, id, db.Document(paths), bytes)
		return err
	})
	return saved, err
}
