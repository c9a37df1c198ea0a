package alerts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/jobrow"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/token"
)

// A network's unmatched or refused postbacks of a day raise an alert if there are at least leastBad, and they are at least
// badShare of all postbacks. If their share is at least jump times the share in the week before, badIfJumped is enough.
const (
	leastBad    = 10
	badShare    = 0.5
	badIfJumped = 0.1
	jump        = 3
)

// tooMany reports whether the bad postbacks of a day raise an alert. before and beforeTotal are the same counts for the week before.
func tooMany(bad, total, before, beforeTotal int64) bool {
	share, usual := float64(bad)/float64(max(total, 1)), float64(before)/float64(max(beforeTotal, 1))
	return bad >= leastBad && (share >= badShare || share >= badIfJumped && share >= jump*usual)
}

// BadPostbacks returns the alerts about an account's networks with too many unmatched or refused postbacks.
func (r Reader) BadPostbacks(ctx context.Context, account models.Account, now time.Time) ([]Alert, error) {
	return badPostbacks(ctx, reading{r, account, now})
}

func badPostbacks(ctx context.Context, l reading) ([]Alert, error) {
	list, err := l.networksWithBadPostbacks(ctx, leastBad)
	var out []Alert
	add := func(n networkPostbacks, kind, what string, bad, before int64) {
		if !tooMany(bad, n.Day.Total, before, n.Before.Total) {
			return
		}
		out = append(out, Alert{
			Type: kind, Severity: Warning, Kind: "network", ID: n.ID, Name: n.Name,
			Message: fmt.Sprintf("%d of the last day's %d postbacks are %s; in the week before, %d of %d were",
				bad, n.Day.Total, what, before, n.Before.Total),
			Since: n.Since,
		})
	}
	for _, n := range list {
		add(n, "postbacks.unmatched", "unmatched", n.Day.Unmatched, n.Before.Unmatched)
		add(n, "postbacks.refused", "refused", n.Day.Refused, n.Before.Refused)
	}
	return out, err
}

// failingSources lists the active traffic sources with a host at which at least the last models.FailingReceiver attempts failed.
func failingSources(ctx context.Context, l reading) ([]Alert, error) {
	list, err := l.sourcesWithFailures(ctx, models.FailingReceiver)
	var out []Alert
	for _, s := range list {
		urls := s.URLs()
		i := slices.IndexFunc(urls, func(url string) bool { return token.Origin(url) == s.Origin })
		if i < 0 {
			continue // it uses another host now
		}
		out = append(out, Alert{
			Type: "source.failing", Severity: Warning, Kind: "source", ID: s.ID, Name: s.Name, URL: &urls[i],
			Message: fmt.Sprintf("the last %d attempts to report conversions were not accepted", s.Failures), Since: s.Since,
		})
	}
	return out, err
}

// unfilledTokens lists the parameters of tracking links that traffic sources never fill in, from the open suggestions of the
// Copilot.
func unfilledTokens(ctx context.Context, l reading) ([]Alert, error) {
	found, err := dbcopilot.NewSuggestions(l.Store).OpenOf(ctx, l.account.ID, copilot.KindToken, l.now)
	return db.Map(found, func(s copilot.Suggestion) Alert {
		source, sub := copilot.TokenOf(s.Key)
		at := s.JudgedAt.Time
		return Alert{
			Type: "source.unfilled", Severity: Warning, Kind: "source", ID: source, Name: sub,
			Message: s.Title + ". " + s.Detail, Since: s.CreatedAt.Time, CheckedAt: &at,
		}
	}), err
}

// lateAfter is how long a job may wait after it was due.
const lateAfter = 10 * time.Minute

// lateJobs returns an alert for each kind of the account's late jobs.
func lateJobs(ctx context.Context, l reading) ([]Alert, error) {
	found, err := jobrow.ListLate(ctx, l.Store.Conn(), l.account.ID, l.now.Add(-lateAfter))
	return db.Map(found, func(j jobrow.LateJobs) Alert {
		return Alert{
			Type: "jobs.behind", Severity: Warning, Kind: "account", ID: l.account.ID, Name: j.Kind,
			Message: fmt.Sprintf("%d jobs are due and do not run, the oldest since %s", j.Rows, j.Since.UTC().Format(time.RFC3339)),
			Since:   j.Since,
		}
	}), err
}
