package v1

import (
	"fmt"
	"slices"
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/token"
)

// When the unmatched or refused postbacks of a network in a day are an alert: there are leastBad, and they are half of
// all, or a tenth and three times their share of the week before.
const (
	leastBad    = 10
	badShare    = 0.5
	badIfJumped = 0.1
	jump        = 3
)

func tooMany(bad, total, before, beforeTotal int64) bool {
	share, usual := float64(bad)/float64(max(total, 1)), float64(before)/float64(max(beforeTotal, 1))
	return bad >= leastBad && (share >= badShare || share >= badIfJumped && share >= jump*usual)
}

// badPostbacks lists the networks whose postbacks do not become conversions.
func badPostbacks(c *route.Call) ([]Alert, error) {
	list, err := c.Store.Networks().Troubled(c.Context(), c.Account.ID, time.Now(), leastBad)
	var out []Alert
	add := func(n store.NetworkPostbacks, kind, what string, bad, before int64) {
		if !tooMany(bad, n.Day.Total, before, n.Before.Total) {
			return
		}
		out = append(out, Alert{
			Type: kind, Severity: "warning", Kind: "network", ID: n.ID.String(), Name: n.Name, Threats: []string{},
			Message: fmt.Sprintf("of the last day's %d postbacks %d are %s, of the %d of the week before %d; see GET /logs/postbacks",
				n.Day.Total, bad, what, n.Before.Total, before),
			Since: answer.Stamp(n.Since),
		})
	}
	for _, n := range list {
		add(n, "postbacks.unmatched", "unmatched", n.Day.Unmatched, n.Before.Unmatched)
		add(n, "postbacks.refused", "refused", n.Day.Refused, n.Before.Refused)
	}
	return out, err
}

// failingSources lists the active traffic sources that do not hear of conversions: the last attempts at one of their
// hosts all failed, models.FailingReceiver of them at least.
func failingSources(c *route.Call) ([]Alert, error) {
	list, err := c.Store.Sources().Failing(c.Context(), c.Account.ID, models.FailingReceiver)
	var out []Alert
	for _, s := range list {
		urls := s.URLs()
		i := slices.IndexFunc(urls, func(url string) bool { return token.Origin(url) == s.Origin })
		if i < 0 {
			continue // it has another host by now
		}
		out = append(out, Alert{
			Type: "source.failing", Severity: "warning", Kind: "source", ID: s.ID.String(), Name: s.Name, URL: &urls[i],
			Message: fmt.Sprintf("the last %d attempts to tell it of conversions failed; see "+
				"GET /logs/postbacks?direction=out&source=%s", s.Failures, s.ID),
			Threats: []string{}, Since: answer.Stamp(s.Since),
		})
	}
	return out, err
}
