package v1

import (
	"fmt"
	"strings"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/store"
	"switchyard/jobs"
)

// edge returns the routes of /edge. The edge is a script in a content delivery network, which answers tracking links near the
// visitors.
func edge(d Deps) []route.Route {
	const group = "Account"
	return []route.Route{
		route.New("GET", "/edge", group, "whether campaigns are published to the edge", route.Handle(d.readEdge)),
		route.New("POST", "/edge", group, "publish every campaign to the edge now",
			route.Handle(d.publishEdge)).WithShare(route.Sends).Awaits(publishEdgeJob.Answer()),
	}
}

// EdgeAnswer describes an account's campaigns at the edge.
type EdgeAnswer struct {
	Configured             bool    `json:"configured" doc:"false: this install has no edge that routes"`
	RoutableCampaigns      int     `json:"routableCampaigns" doc:"active campaigns on verified domains of the account"`
	CampaignsWithoutDomain int     `json:"campaignsWithoutDomain" doc:"active campaigns on shared link domains: they are never published"`
	PublishedCampaigns     int     `json:"publishedCampaigns" doc:"campaigns that are published at the edge; their latest changes may still wait, as hint says"`
	PublishedAt            *string `json:"publishedAt" doc:"when campaigns were last published successfully; null: never"`
	Hint                   *string `json:"hint" doc:"advice, such as which requests the edge leaves to this service, or why publishing fails"`
}

func (d Deps) readEdge(c *route.Call) (EdgeAnswer, error) {
	state, err := c.Store.Edge().State(c.Context(), c.Account.ID)
	out := EdgeAnswer{
		Configured: d.EdgePublishing, RoutableCampaigns: state.Routable, CampaignsWithoutDomain: state.WithoutDomain,
		Hint: answer.OrNull(d.edgeHint(state)),
	}
	if d.EdgePublishing {
		out.PublishedCampaigns, out.PublishedAt = state.Published, answer.StampOrNull(state.PublishedAt)
	}
	return out, err
}

func (d Deps) edgeHint(s store.EdgeState) string {
	if !d.EdgePublishing {
		return "This install has no edge that routes: its operator can set one up. All links are answered by the service itself."
	}
	var hints []string
	if s.Failure != "" {
		hints = append(hints, "The last publishing failed and will be retried automatically: "+s.Failure+".")
	} else if s.Waiting {
		hints = append(hints, "Changes are about to be published.")
	}
	if s.Routable == 0 {
		hints = append(hints, "Only campaigns on a verified domain of the account are published: add one by POST /domains.")
	}
	if len(s.Origin) > 0 {
		parts := answer.Each(s.Origin, func(o store.EdgeOrigin) string { return fmt.Sprintf("%s (campaigns: %d)", o.What, o.Campaigns) })
		hints = append(hints, "The service itself routes visitors for whom a campaign needs a feature that the edge does not have: "+strings.Join(parts, ", ")+".")
	}
	return strings.Join(hints, " ")
}

// EdgePublished is the result of publishing the campaigns of an account.
type EdgePublished struct {
	Configured bool    `json:"configured" doc:"false: this install has no edge that routes, and nothing was done"`
	Published  int     `json:"published" doc:"campaigns whose current state is now published at the edge, including unchanged campaigns"`
	Removed    int     `json:"removed" doc:"campaigns that were removed from the edge"`
	Failed     int     `json:"failed" doc:"campaigns that could not be published or removed; both are retried automatically"`
	Rules      int     `json:"rules" doc:"saved rules in the published campaigns"`
	RulesError *string `json:"rulesError" doc:"why some of these rules match no visitor; null: all rules can be used"`
	MS         int64   `json:"ms" doc:"how long the publishing took, in milliseconds"`
}

var publishEdgeJob = slow.New(jobs.PublishEdge, func(p jobs.PublishedEdge) EdgePublished {
	return EdgePublished{
		Configured: p.Configured, Published: p.Published, Removed: p.Removed, Failed: p.Failed, Rules: p.Rules,
		RulesError: answer.OrNull(p.RulesError), MS: p.MS,
	}
})

func (d Deps) publishEdge(c *route.Call) (EdgePublished, error) {
	return publishEdgeJob.Run(c, d.Jobs, jobs.None{})
}
