package copilot

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gonum.org/v1/gonum/mathext"

	"switchyard/models/flow"
)

// The minimum samples and thresholds of findings.
const (
	capDays          = 7   // reached caps are counted on this number of days at the end of the window
	capReached       = 3   // days on which the cap is reached, or on which many conversions are refused
	capStep          = 1.5 // factor by which a cap is raised
	minRefused       = 40  // approved and rejected conversions of an offer
	refusedPart      = 0.1 // share of refused conversions
	minSourceHits    = 500 // clicks, including bots
	botPart          = 0.3 // share of bots among clicks
	minTokenClicks   = 200 // clicks of a source
	minLanderViews   = 300 // views of a landing page
	minUnmatched     = 10  // postbacks
	minMapped        = 5   // postbacks with a click id in another parameter
	mappedPart       = 0.8 // their share among the postbacks that were examined
	certificateSoon  = 14 * 24 * time.Hour
	registrationSoon = 30 * 24 * time.Hour
)

// Weights of findings whose loss cannot be expressed in money. Findings with a larger weight come first.
const (
	weightBroken = 1e6
	weightSetUp  = 1e3
	weightAdvice = 1
)

func certainFinding(weight float64, s Suggestion) finding {
	if s.Evidence.Confidence == 0 {
		s.Evidence.Confidence, s.Evidence.Method = 1, "counted"
	}
	return finding{weight: weight, suggest: func([]int) Suggestion { return s }}
}

// inOrder returns the sorted keys of a map, so that the same input always gives the same suggestions.
func inOrder[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func findReachedCaps(in *Input) (list []finding) {
	for _, id := range inOrder(in.Offers) {
		o := in.Offers[id]
		if o.DailyCap == nil || !bool(o.IsActive) || len(o.Days) < capDays {
			continue
		}
		reached, taken := 0, int64(0)
		for _, d := range o.Days[len(o.Days)-capDays:] {
			if d.Approved+d.Pending >= int64(*o.DailyCap) {
				reached++
			}
			taken += d.Approved + d.Pending
		}
		raised := min(int(float64(*o.DailyCap)*capStep+1), MaxCap)
		if reached < capReached || raised <= *o.DailyCap {
			continue
		}
		s := Suggestion{
			Key: id, Title: fmt.Sprintf("Raise the cap of offer “%s” to %d", o.Name, raised),
			Detail: fmt.Sprintf("It reached its cap of %d conversions on %d of the last %d days, and visitors went elsewhere. "+
				"Agree upon the higher cap with the network first.", *o.DailyCap, reached, capDays),
			Evidence: Evidence{Sample: taken, Figures: []Figure{
				count(o.Name, "daily_cap", int64(*o.DailyCap)), count(o.Name, "days_at_cap", int64(reached)), count(o.Name, "conversions", taken),
			}},
			Action: &Action{Op: OpSetCap, OfferID: uuid.NullUUID{UUID: o.ID, Valid: true}, Cap: &raised},
		}
		s.Digest = s.Action.JudgedDigest(Record{Offer: &o.Offer})
		list = append(list, certainFinding(weightSetUp, s))
	}
	return list
}

func findRefusedCaps(in *Input) (list []finding) {
	for _, id := range inOrder(in.Offers) {
		o := in.Offers[id]
		if o.DailyCap == nil || !bool(o.IsActive) {
			continue
		}
		var approved []int64
		refused, all, days := int64(0), int64(0), 0
		for _, d := range o.Days {
			n := d.Approved + d.Rejected
			refused, all = refused+d.Rejected, all+n
			if float64(d.Rejected) > refusedPart*float64(n) {
				approved = append(approved, d.Approved)
				days++
			}
		}
		if all < minRefused || days < capReached {
			continue
		}
		// p is the posterior probability that at most refusedPart of the conversions are refused. The 0.5 is the Jeffreys prior.
		f := finding{p: mathext.RegIncBeta(float64(refused)+0.5, float64(all-refused)+0.5, refusedPart)}
		slices.Sort(approved)
		lowered := int(max(approved[len(approved)/2], 1))
		if lowered < *o.DailyCap {
			s := Suggestion{
				Key: id, Title: fmt.Sprintf("Lower the cap of offer “%s” to %d", o.Name, lowered),
				Detail: fmt.Sprintf("The network refused %d of %d conversions. On %d days it refused many of them, and approved %d a day (median).", refused, all, days, lowered),
				Evidence: Evidence{
					Sample: all, Confidence: rounded(1 - f.p), Method: "beta posterior of the refused share",
					Figures: []Figure{count(o.Name, "daily_cap", int64(*o.DailyCap)), count(o.Name, "rejected", refused), count(o.Name, "decided", all)},
				},
				Action: &Action{Op: OpSetCap, OfferID: uuid.NullUUID{UUID: o.ID, Valid: true}, Cap: &lowered},
			}
			s.Digest = s.Action.JudgedDigest(Record{Offer: &o.Offer})
			f.weight, f.suggest = weightSetUp, func([]int) Suggestion { return s }
		}
		list = append(list, f)
	}
	return list
}

func findBotSources(in *Input) (list []finding) {
	for _, v := range in.Sources {
		all := v.Clicks + v.Bots
		if all < minSourceHits {
			continue
		}
		// p is the posterior probability that at most botPart of the clicks are from bots.
		f := finding{p: mathext.RegIncBeta(float64(v.Bots)+0.5, float64(v.Clicks)+0.5, botPart)}
		low, high := shareInterval(float64(v.Bots), float64(all))
		s := Suggestion{
			Key: v.ID.String(), Title: fmt.Sprintf("Traffic source “%s” sends many bots", v.Name),
			Detail: fmt.Sprintf("%.0f %% of its clicks come from bots (%.0f to %.0f %%). Ask it for a refund of these clicks, and compare the bot_clicks of its placements.",
				100*float64(v.Bots)/float64(all), 100*low, 100*high),
			Evidence: Evidence{
				Sample: all, Confidence: rounded(1 - f.p), Method: "beta posterior of the share",
				Figures: []Figure{count(v.Name, "clicks", v.Clicks), count(v.Name, "bot_clicks", v.Bots)},
			},
		}
		f.weight, f.suggest = weightSetUp, func([]int) Suggestion { return s }
		list = append(list, f)
	}
	return list
}

func tokenKey(source uuid.UUID, sub string) string { return source.String() + "/" + sub }

// TokenOf returns the traffic source and the sub-parameter in the key of a suggestion of KindToken.
func TokenOf(key string) (source uuid.UUID, sub string) {
	id, sub, _ := strings.Cut(key, "/")
	source, _ = uuid.Parse(id) // the zero id if the text is not such a key
	return source, sub
}

// findEmptyTokens finds macros that the traffic source never fills.
func findEmptyTokens(in *Input) (list []finding) {
	for _, v := range in.Sources {
		for _, sub := range inOrder(v.Empty) {
			if v.Clicks < minTokenClicks || v.Empty[sub] < v.Clicks {
				continue
			}
			list = append(list, certainFinding(weightSetUp, Suggestion{
				Key: tokenKey(v.ID, sub), Title: fmt.Sprintf("Traffic source “%s” never fills %s", v.Name, sub),
				Detail: fmt.Sprintf("None of its %d clicks came with %s. Check that the link at the source has the parameter with its macro %s.",
					v.Clicks, sub, v.Macros[sub]),
				Evidence: Evidence{Sample: v.Clicks, Figures: []Figure{count(v.Name, "clicks", v.Clicks), count(v.Name, "without_"+sub, v.Empty[sub])}},
			}))
		}
	}
	return list
}

// findGaps finds landing pages from which no visitor comes to an offer. The usual cause is that the page does not use the
// click-out link.
func findGaps(in *Input) (list []finding) {
	for i := range in.Campaigns {
		c := &in.Campaigns[i]
		views, clicks, paths := map[string]int64{}, map[string]int64{}, map[string]string{}
		for _, r := range c.Rows {
			if r.Lander != "" {
				views[r.Lander], clicks[r.Lander], paths[r.Lander] = views[r.Lander]+r.LPViews, clicks[r.Lander]+r.LPClicks, r.Path
			}
		}
		for _, id := range inOrder(views) {
			l, ok := in.Landers[id]
			if !ok || !l.Active || views[id] < minLanderViews || clicks[id] > 0 || !c.leadsOn(in, paths[id]) {
				continue
			}
			list = append(list, certainFinding(weightBroken, Suggestion{
				Key: c.ID.String() + "/" + id, CampaignID: uuid.NullUUID{UUID: c.ID, Valid: true}, CampaignName: c.Name,
				Title: fmt.Sprintf("No visitor clicks on from landing page “%s”", l.Name),
				Detail: fmt.Sprintf("%d visitors of path “%s” were sent to the page, and none came to an offer. Check that the link on the page is the click-out link.",
					views[id], c.pathName(paths[id])),
				Evidence: Evidence{Sample: views[id], Figures: []Figure{count(l.Name, "lp_views", views[id]), count(l.Name, "lp_clicks", 0)}},
			}))
		}
	}
	return list
}

// leadsOn reports whether a path has a destination after its landing page.
func (c *CampaignInput) leadsOn(in *Input, path string) bool {
	i := findPath(c.Paths, path)
	return i >= 0 && c.Paths[i].IsActive && slices.ContainsFunc(c.Paths[i].Destinations, func(d flow.Destination) bool {
		_, offer := in.Offers[d.ID]
		return offer || d.URL != ""
	})
}

// findUnmatched finds networks whose postbacks find no click, and the parameter with their click ids.
func findUnmatched(in *Input) (list []finding) {
	for i := range in.Networks {
		n := &in.Networks[i]
		if n.Unmatched < minUnmatched {
			continue
		}
		s := Suggestion{
			Key: n.ID.String(), Title: fmt.Sprintf("Postbacks of network “%s” find no click", n.Name),
			Detail: "Compare the postback's address at the network with the one that is shown here.",
			Evidence: Evidence{Sample: n.Total, Figures: []Figure{
				count(n.Name, "postbacks", n.Total), count(n.Name, "unmatched", n.Unmatched),
			}},
		}
		known := n.Parameter != "" && n.Found >= minMapped && float64(n.Found) >= mappedPart*float64(n.Examined)
		switch {
		case known && 2*n.Read > n.Found:
			s.Detail = fmt.Sprintf("The click id is now read from “%s”. Replay the postbacks that arrived earlier.", n.Parameter)
		case known && 2*n.Unmatched > n.Total: // if fewer are unmatched, the present setting is right for most postbacks
			s.Detail = fmt.Sprintf("%d of the %d postbacks that were examined have a click id in “%s”. Read the click id from this parameter, then replay the postbacks.",
				n.Found, n.Examined, n.Parameter)
			s.Evidence.Figures = append(s.Evidence.Figures, count(n.Parameter, "with_click_id", n.Found))
			s.Action = &Action{Op: OpMapPostback, NetworkID: uuid.NullUUID{UUID: n.ID, Valid: true}, Field: "click_id", Parameter: n.Parameter}
			s.Digest = s.Action.JudgedDigest(Record{Network: &n.Network})
		}
		list = append(list, certainFinding(weightBroken, s))
	}
	return list
}

func findExpiring(in *Input) (list []finding) {
	for _, d := range in.Domains {
		soon := func(end time.Time, within time.Duration) bool { return !end.IsZero() && end.Sub(in.Now) <= within }
		add := func(key, what string, end time.Time, detail string) {
			list = append(list, certainFinding(weightBroken, Suggestion{
				Key: key, Title: fmt.Sprintf("%s of %s ends on %s", what, d.Host, end.UTC().Format(time.DateOnly)), Detail: detail,
				Evidence: Evidence{Sample: int64(d.Campaigns), Figures: []Figure{count(d.Host, "campaigns", int64(d.Campaigns))}},
			}))
		}
		if d.Campaigns > 0 && soon(d.RegisteredUntil, registrationSoon) {
			add(d.ID.String()+"/registration", "The registration", d.RegisteredUntil,
				"Renew the name where it was registered, or move the campaigns of the domain to another one.")
		}
		if d.Campaigns > 0 && soon(d.ExpiresAt, certificateSoon) {
			add(d.ID.String(), "The HTTPS certificate", d.ExpiresAt,
				"The certificate was not renewed. Renew it, or move the campaigns of the domain to another one.")
		}
	}
	return list
}

// findDuplicates finds campaigns with the same traffic source, mode, country and flow.
func findDuplicates(in *Input) (list []finding) {
	first := map[string]*CampaignInput{}
	for i := range in.Campaigns {
		c := &in.Campaigns[i]
		if len(c.Paths) == 0 || !c.SourceID.Valid {
			continue
		}
		paths := slices.Clone(c.Paths)
		for k := range paths {
			paths[k].ID, paths[k].Name = "", ""
		}
		key := digest([]any{c.SourceID, c.Mode, c.Country, c.FlowRotation, paths})
		other, twice := first[key]
		if !twice {
			first[key] = c
			continue
		}
		list = append(list, certainFinding(weightAdvice, Suggestion{
			Key: other.ID.String() + "/" + c.ID.String(), CampaignID: uuid.NullUUID{UUID: c.ID, Valid: true}, CampaignName: c.Name,
			Title:  fmt.Sprintf("Campaigns “%s” and “%s” are the same", other.Name, c.Name),
			Detail: "They have the same traffic source and the same flow, so each learns from half of the visitors only. Use one link for both.",
			Evidence: Evidence{Sample: 2, Figures: []Figure{
				count(other.Name, "clicks", other.clicks()), count(c.Name, "clicks", c.clicks()),
			}},
		}))
	}
	return list
}

func (c *CampaignInput) clicks() (n int64) {
	for _, r := range c.Rows {
		n += r.Clicks
	}
	return n
}
