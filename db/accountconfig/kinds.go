package accountconfig

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/flow"
)

var kinds = map[accountconfig.Kind]kind{
	accountconfig.Domains:  domains(),
	accountconfig.Networks: networks(),
	accountconfig.Sources:  sources(),
	accountconfig.Landers:  landers(),
	accountconfig.Offers:   offers(),
	accountconfig.Sites:    sites(),
	accountconfig.Rules: plain[models.Rule, *models.Rule]((*store.Store).Rules, accountconfig.RuleCodec,
		func(r models.Rule) string { return r.Name }),
	accountconfig.Campaigns:  campaigns(),
	accountconfig.Flows:      flows(),
	accountconfig.Smartlinks: smartlinks(),
	accountconfig.BotLists: plain[models.BotEntry, *models.BotEntry]((*store.Store).BotEntries, accountconfig.BotListCodec,
		func(e models.BotEntry) string { return e.ListType + " " + e.Attribute }),
	accountconfig.CopilotRules: copilotRules(),
	accountconfig.BotDetection: botDetection(),
}

func networks() kind {
	return switched[models.Network, *models.Network]((*store.Store).Networks, accountconfig.NetworkCodec,
		func(n models.Network) string { return n.Name }, func(n models.Network) bool { return bool(n.IsActive) })
}

func sources() kind {
	return switched[models.TrafficSource, *models.TrafficSource]((*store.Store).Sources, accountconfig.SourceCodec,
		func(o models.TrafficSource) string { return o.Name }, func(o models.TrafficSource) bool { return bool(o.IsActive) })
}

func landers() kind {
	a := switched[models.Lander, *models.Lander]((*store.Store).Landers, accountconfig.LanderCodec,
		func(l models.Lander) string { return l.Name }, func(l models.Lander) bool { return bool(l.IsActive) })
	update := a.update
	a.update = func(ctx context.Context, s *store.Store, r, old models.Lander) error {
		if err := update(ctx, s, r, old); err != nil {
			return err
		}
		_, err := s.Landers().Protect(ctx, r.AccountID, r.ID, func(p *models.Protection) { *p = r.Protection })
		return err
	}
	return a
}

func offers() kind {
	a := switched[models.Offer, *models.Offer]((*store.Store).Offers, accountconfig.OfferCodec,
		func(o models.Offer) string { return o.Name }, func(o models.Offer) bool { return bool(o.IsActive) })
	a.refs = func(o models.Offer) []uuid.UUID { return []uuid.UUID{o.NetworkID.UUID} }
	return a
}

func flows() kind {
	a := switched[flow.Saved, *flow.Saved]((*store.Store).Flows, accountconfig.FlowCodec,
		func(f flow.Saved) string { return f.Name }, func(f flow.Saved) bool { return bool(f.IsActive) })
	a.list = func(ctx context.Context, s *store.Store, account uuid.UUID) ([]flow.Saved, error) {
		return s.Flows().AllWithRules(ctx, account)
	}
	a.refs = func(f flow.Saved) []uuid.UUID { return pathRefs(f.Paths) }
	a.removed = nil // a removed flow is deleted from the database
	update := a.update
	a.update = func(ctx context.Context, s *store.Store, r, old flow.Saved) error {
		copyPathIDs(r.Paths, old.Paths)
		return update(ctx, s, r, old)
	}
	return a
}

// copyPathIDs gives paths the ids of the old paths with the same names, so that they keep their statistics.
func copyPathIDs(paths, old []flow.Path) {
	for i := range paths {
		if at := slices.IndexFunc(old, func(p flow.Path) bool { return p.Name == paths[i].Name }); at >= 0 {
			paths[i].ID = old[at].ID
		}
	}
}

func campaigns() kind {
	document := func(c store.RoutedCampaign) accountconfig.Campaign {
		return accountconfig.Campaign{Campaign: c.Campaign, Paths: c.Paths}
	}
	return access[accountconfig.Campaign, *accountconfig.Campaign]{
		codec: accountconfig.CampaignCodec,
		list: func(ctx context.Context, s *store.Store, account uuid.UUID) (list []accountconfig.Campaign, err error) {
			all, err := s.Campaigns().AllWithFlows(ctx, account)
			for _, c := range all {
				list = append(list, document(c))
			}
			return list, err
		},
		name: func(c accountconfig.Campaign) string { return c.Name },
		refs: func(c accountconfig.Campaign) []uuid.UUID { return append(pathRefs(c.Paths), c.SourceID.UUID) },
		one: func(ctx context.Context, s *store.Store, account, id uuid.UUID) (accountconfig.Campaign, error) {
			c, err := s.Campaigns().WithFlow(ctx, account, id)
			return document(c), err
		},
		create: func(ctx context.Context, s *store.Store, _ string, c accountconfig.Campaign) (uuid.UUID, error) {
			saved, err := s.Campaigns().Create(ctx, c.Campaign, c.Paths)
			return saved.ID, err
		},
		update: updateCampaign,
		delete: func(ctx context.Context, s *store.Store, account, id uuid.UUID) error {
			return s.Campaigns().Remove(ctx, account, id)
		},
	}
}

// updateCampaign replaces the settings and the flow of a campaign.
func updateCampaign(ctx context.Context, s *store.Store, c, old accountconfig.Campaign) error {
	_, _, err := s.Campaigns().Change(ctx, c.AccountID, c.ID, store.Author{Part: models.ByConfig}, func(saved *models.Campaign) error {
		saved.Name, saved.Status, saved.CampaignSettings = c.Name, c.Status, c.CampaignSettings
		if !old.SharedHost {
			saved.Alias = c.Alias
		}
		return nil
	})
	if err != nil || len(c.Paths)+len(old.Paths) == 0 {
		return err
	}
	copyPathIDs(c.Paths, old.Paths)
	flow.Canonical(c.Paths)
	_, err = s.Campaigns().ChangeFlow(ctx, c.AccountID, c.ID, func(store.CampaignFlow) ([]flow.Path, error) { return c.Paths, nil })
	return err
}

func smartlinks() kind {
	a := plain[models.Smartlink, *models.Smartlink]((*store.Store).Smartlinks, accountconfig.SmartlinkCodec,
		func(l models.Smartlink) string { return l.Name })
	a.refs = func(l models.Smartlink) []uuid.UUID { return []uuid.UUID{l.SourceID.UUID} }
	update := a.update
	a.update = func(ctx context.Context, s *store.Store, l, old models.Smartlink) error {
		for i := range l.Rules {
			if at := slices.IndexFunc(old.Rules, func(r models.SmartlinkRule) bool { return r.Name == l.Rules[i].Name }); at >= 0 {
				l.Rules[i].ID = old.Rules[at].ID
			}
		}
		return update(ctx, s, l, old)
	}
	return a
}

func domains() kind {
	a := access[models.Domain, *models.Domain]{
		codec: func(models.Account) *accountconfig.Codec[models.Domain] { return accountconfig.DomainCodec },
		list: func(ctx context.Context, s *store.Store, account uuid.UUID) ([]models.Domain, error) {
			return s.Domains().All(ctx, account)
		},
		name: func(d models.Domain) string { return d.Host },
		one: func(ctx context.Context, s *store.Store, account, id uuid.UUID) (models.Domain, error) {
			return s.Domains().Find(ctx, account, id)
		},
		delete: func(ctx context.Context, s *store.Store, account, id uuid.UUID) error {
			return s.Domains().Remove(ctx, account, id)
		},
	}
	a.create = func(ctx context.Context, s *store.Store, host string, d models.Domain) (uuid.UUID, error) {
		added, _, err := s.Domains().Add(ctx, d.AccountID, []string{host}, d.DomainSettings)
		if err != nil {
			return uuid.Nil, err
		}
		if d.IsDefault {
			_, err = s.Domains().SetDefault(ctx, d.AccountID, added[0].ID)
		}
		return added[0].ID, err
	}
	a.update = func(ctx context.Context, s *store.Store, d, old models.Domain) error {
		_, err := s.Domains().Update(ctx, d.AccountID, d.ID, func(set *models.DomainSettings) { *set = d.DomainSettings })
		if err == nil && d.IsDefault && !old.IsDefault {
			_, err = s.Domains().SetDefault(ctx, d.AccountID, d.ID)
		}
		return err
	}
	return a
}

func sites() kind {
	withGoals := func(ctx context.Context, s *store.Store, list ...models.Site) ([]accountconfig.Site, error) {
		out := make([]accountconfig.Site, len(list))
		for i, site := range list {
			goals, err := s.Sites().Goals(ctx, site.AccountID, site.ID)
			if err != nil {
				return nil, err
			}
			out[i] = accountconfig.Site{Site: site, Goals: goals}
		}
		return out, nil
	}
	return access[accountconfig.Site, *accountconfig.Site]{
		codec: func(models.Account) *accountconfig.Codec[accountconfig.Site] { return accountconfig.SiteCodec },
		list: func(ctx context.Context, s *store.Store, account uuid.UUID) ([]accountconfig.Site, error) {
			list, err := s.Sites().List(ctx, account)
			if err != nil {
				return nil, err
			}
			return withGoals(ctx, s, list...)
		},
		name: func(s accountconfig.Site) string { return s.Name },
		one: func(ctx context.Context, s *store.Store, account, id uuid.UUID) (accountconfig.Site, error) {
			site, err := s.Sites().Find(ctx, account, id)
			if err != nil {
				return accountconfig.Site{}, err
			}
			list, err := withGoals(ctx, s, site)
			if err != nil {
				return accountconfig.Site{}, err
			}
			return list[0], nil
		},
		create: func(ctx context.Context, s *store.Store, _ string, site accountconfig.Site) (uuid.UUID, error) {
			saved, err := s.Sites().Create(ctx, site.Site, false)
			if err == nil {
				err = saveGoals(ctx, s, saved.ID, site, accountconfig.Site{})
			}
			return saved.ID, err
		},
		update: func(ctx context.Context, s *store.Store, site, old accountconfig.Site) error {
			_, err := s.Sites().Update(ctx, site.Site, &site.IsActive)
			if err == nil {
				err = saveGoals(ctx, s, site.ID, site, old)
			}
			return err
		},
		delete: func(ctx context.Context, s *store.Store, account, id uuid.UUID) error {
			_, _, err := s.Sites().Remove(ctx, account, id)
			return err
		},
	}
}

// saveGoals gives a site the goals of a document, and removes the site's other goals.
func saveGoals(ctx context.Context, s *store.Store, id uuid.UUID, site, old accountconfig.Site) error {
	kept := map[string]bool{}
	for _, g := range site.Goals {
		kept[g.Key] = true
		_, err := s.Sites().SaveGoal(ctx, site.AccountID, id, g.Key, func(saved *models.Goal) error {
			saved.Name, saved.GoalTerms, saved.IsPrimary = g.Name, g.GoalTerms, g.IsPrimary
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, g := range old.Goals {
		if !kept[g.Key] {
			if _, err := s.Sites().RemoveGoal(ctx, site.AccountID, id, g.Key); err != nil {
				return err
			}
		}
	}
	return nil
}
