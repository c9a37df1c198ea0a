package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/delivery"
	"switchyard/models"
	"switchyard/models/flow"
)

// Change changes the settings of a campaign. It calls the function edit with the saved settings, under a lock.
//
// A zero DomainID moves the campaign to the shared link domain. A campaign that moves from its own domain to a shared one gets a
// generated alias. When an active campaign is paused, Change stores the event campaign.paused, and the caller dispatches the
// deliveries after the commit.
func (k Campaigns) Change(ctx context.Context, account, id uuid.UUID, by Author, edit func(*models.Campaign) error) (
	saved models.Campaign, deliveries []uuid.UUID, err error,
) {
	err = k.s.Tx(ctx, func(s *Store) error {
		before, err := campaignTable.findLocked(ctx, s, account, id)
		if err != nil {
			return err
		}
		saved, deliveries, err = s.Campaigns().change(ctx, before, by, false, edit)
		return err
	})
	return saved, deliveries, err
}

// change does the same as Change for a campaign that is already locked. If keepAlias is true, a campaign that moves to a shared
// domain keeps its alias.
func (k Campaigns) change(ctx context.Context, before models.Campaign, by Author, keepAlias bool, edit func(*models.Campaign) error) (
	saved models.Campaign, deliveries []uuid.UUID, err error,
) {
	after := before
	after.Tags, after.TrackedGoalKeys = slices.Clone(before.Tags), slices.Clone(before.TrackedGoalKeys)
	if err := edit(&after); err != nil {
		return saved, nil, err
	}
	generate, err := k.checkChange(ctx, before, &after)
	if err != nil {
		return saved, nil, err
	}
	saved, err = withAlias(ctx, k.s, generate && !keepAlias, &after.Alias, func(s *Store) (models.Campaign, error) {
		return campaignTable.save(ctx, s, after)
	})
	if err == nil && before.Status == models.CampaignActive && after.Status == models.CampaignPaused {
		deliveries, err = k.s.addPaused(ctx, after, by)
	}
	return saved, deliveries, err
}

func (s *Store) addPaused(ctx context.Context, c models.Campaign, by Author) (deliveries []uuid.UUID, err error) {
	data := c.PausedData(cmp.Or(by.Part, models.ByPerson), by.Person)
	if by.Part == "" && by.Person == "" && by.Key.Valid {
		data.By = models.ByAPI
		if data.Who, err = s.nameOfKey(ctx, c.AccountID, by.Key.UUID); err != nil {
			return nil, err
		}
	}
	return delivery.AddEvent(ctx, s.c, models.NewEvent(c.AccountID, models.EventCampaignPaused, time.Now(), data))
}

// ChangeAll does the same as Change for several campaigns. It returns the changed campaigns, and a failure for each id
// whose campaign could not be changed. The store must be in a transaction.
func (k Campaigns) ChangeAll(ctx context.Context, account uuid.UUID, ids []uuid.UUID, by Author, keepAlias bool, edit func(*models.Campaign) error) (
	edits []Edit[models.Campaign], failures []Failure, deliveries []uuid.UUID, err error,
) {
	failures, err = k.s.each(ctx, ids, func(s *Store, id uuid.UUID) (string, error) {
		before, err := campaignTable.findLocked(ctx, s, account, id)
		if err != nil {
			return "", err
		}
		after, events, err := s.Campaigns().change(ctx, before, by, keepAlias, edit)
		if err == nil {
			edits, deliveries = append(edits, Edit[models.Campaign]{before, after}), append(deliveries, events...)
		}
		return before.Name, err
	})
	return edits, failures, deliveries, err
}

// checkChange checks the changed settings, and reports whether the campaign moves from its own domain to a shared one. It does not
// check unchanged settings, because the records to which they refer may have been deleted.
func (k Campaigns) checkChange(ctx context.Context, before models.Campaign, after *models.Campaign) (bool, error) {
	moved := before.DomainID != after.DomainID
	shared := before.SharedHost
	if moved {
		const accountDefault = false
		d, err := k.s.linkDomain(ctx, after.AccountID, after.DomainID, accountDefault)
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

// ChangeFlow replaces the flow of a campaign by the paths that the function edit returns for the saved flow. The campaign is
// locked. A path that was in the old flow keeps its id, and so its statistics.
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
