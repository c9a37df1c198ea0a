// Package flowreplay routes recorded clicks again, with another flow or the present one, so that a user can judge a flow before
// saving it.
package flowreplay

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/workers"
)

// Router decides where a click goes, as the redirect does.
type Router interface {
	Route(click *click.StoredClick) models.RoutedTo
}

// Options of Register.
type Options struct {
	Clicks click.Log
	// NewRouter makes a router for a campaign.
	NewRouter func(r *store.Routing, campaign uuid.UUID) (Router, error)
	// WentTo returns where a click went when it was recorded.
	WentTo func(click *click.StoredClick) models.RoutedTo
}

// Register registers the handler.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	p := &replayer{s, o}
	workers.RegisterRow(r, jobs.ReplayFlow, p.replay)
}

type replayer struct {
	store *store.Store
	Options
}

func (p *replayer) replay(ctx context.Context, u *workers.Run[jobs.FlowReplayArgs, jobs.FlowReplayAnswer]) error {
	account, a := u.Job.AccountID.UUID, u.Args
	records, paths, err := p.records(ctx, account, a)
	if err != nil {
		return err
	}
	router, err := p.NewRouter(records, a.CampaignID)
	if err != nil {
		return err
	}
	answer := jobs.FlowReplayAnswer{CampaignID: a.CampaignID, TimeRange: a.TimeRange}
	rows := map[models.RoutedTo]*jobs.FlowReplayRow{}
	row := func(to models.RoutedTo) *jobs.FlowReplayRow {
		if rows[to] == nil {
			rows[to] = &jobs.FlowReplayRow{RoutedTo: to}
		}
		return rows[to]
	}
	q := click.CampaignClicks{
		AccountID: account, CampaignID: a.CampaignID, TimeRange: a.TimeRange, Newest: jobs.MaxFlowReplay,
	}
	answer.Cut, err = p.Clicks.Walk(ctx, q, func(click *click.StoredClick) {
		to, was := router.Route(click), p.WentTo(click)
		if click.IsBot {
			answer.BotClicks++
			return
		}
		answer.Clicks++
		row(to).Clicks++
		row(was).Was++
		if to != was {
			answer.Changed++
		}
	})
	if err != nil {
		return err
	}
	for _, r := range rows {
		answer.Rows = append(answer.Rows, *r)
	}
	slices.SortFunc(answer.Rows, func(a, b jobs.FlowReplayRow) int {
		return cmp.Or(cmp.Compare(b.Clicks, a.Clicks), cmp.Compare(b.Was, a.Was), cmp.Compare(a.StreamID.String(), b.StreamID.String()),
			cmp.Compare(a.LanderID.String(), b.LanderID.String()), cmp.Compare(a.OfferID.String(), b.OfferID.String()))
	})
	answer.Rows = answer.Rows[:min(len(answer.Rows), jobs.MaxFlowReplayRows)]
	if answer.Names, err = p.names(ctx, account, answer.Rows, paths); err != nil {
		return err
	}
	return u.Commit(ctx, answer, func(c db.Conn) error {
		return jobrow.RetainNewest(ctx, c, u.Job.Kind, account, jobs.StoredReports)
	})
}

// records returns the records that route the campaign, and the paths of its flow. Settings in the job replace the campaign's own.
func (p *replayer) records(ctx context.Context, account uuid.UUID, a jobs.FlowReplayArgs) (*store.Routing, []flow.Path, error) {
	r, err := store.CampaignRouting(ctx, p.store.Conn(), account, a.CampaignID)
	if err != nil {
		return nil, nil, err
	}
	rows := store.RoutingRows[*store.RoutingCampaign](r)
	i := slices.IndexFunc(rows, func(c *store.RoutingCampaign) bool { return c.ID == a.CampaignID })
	if i < 0 {
		return nil, nil, models.NotFound("campaign")
	}
	c := *rows[i]
	c.Status = models.CampaignActive // a paused campaign is replayed as if active
	if len(a.Streams) > 0 {
		c.Streams = a.Streams
	}
	c.FlowRotation, c.BindVisitors = cmp.Or(a.FlowRotation, c.FlowRotation), cmp.Or(a.BindVisitors, c.BindVisitors)
	c.FallbackURL, c.DestinationURL = cmp.Or(a.FallbackURL, c.FallbackURL), cmp.Or(a.DestinationURL, c.DestinationURL)
	var paths []flow.Path
	if err := json.Unmarshal(c.Streams, &paths); err != nil {
		return nil, nil, err
	}
	r, err = store.FlowRouting(ctx, p.store.Conn(), c, paths)
	return r, paths, err
}

// names returns the names of the records in rows, by id. A path of the replayed flow has its name in that flow.
func (p *replayer) names(ctx context.Context, account uuid.UUID, rows []jobs.FlowReplayRow, paths []flow.Path) (
	map[string]string, error,
) {
	ids := map[string][]string{}
	for _, r := range rows {
		ids["campaign_id"] = append(ids["campaign_id"], r.CampaignID.String())
		ids["stream_id"] = append(ids["stream_id"], r.StreamID.String())
		ids["lander_id"] = append(ids["lander_id"], r.LanderID.String())
		ids["offer_id"] = append(ids["offer_id"], r.OfferID.String())
	}
	names, err := p.store.NamesOf(ctx, account, ids)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		names[path.ID] = path.Name
	}
	return names, nil
}
