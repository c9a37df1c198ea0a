package v1

import (
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/integration"
	"switchyard/models"
)

// IntegrationRun describes a run of an integration.
type IntegrationRun struct {
	ID        uuid.UUID `json:"id" doc:"id of the run's job"`
	Kind      string    `json:"kind" enum:"network_sync,network_changes,cost_sync,conversion_upload" doc:"the kind of run, such as cost_sync, network_sync or conversion_upload"`
	Origin    string    `json:"origin" enum:"api,clock" doc:"api: a call started the run; clock: the run was scheduled"`
	From      *string   `json:"from"`
	To        *string   `json:"to"`
	Applied   bool      `json:"applied" doc:"false: a dry run"`
	StartedAt string    `json:"startedAt"`
	EndedAt   *string   `json:"endedAt" doc:"null: the run has not ended yet"`
	Ms        *int64    `json:"ms"`
	Requests  int       `json:"requests"`
	Pages     int       `json:"pages"`
	Read      int       `json:"read" doc:"how many orders or rows of spend were read, or how many conversions were sent"`
	Matched   int       `json:"matched"`
	Changed   int       `json:"changed" doc:"how many conversions are new, have changed or were accepted by the platform, or for how many days the spend has changed"`
	Error     *string   `json:"error"`
}

// listedRuns is the maximum number of runs of each kind in the answer of GET .../integration.
const listedRuns = 20

// listRuns lists the last runs of a network or of a traffic source.
func listRuns(c *route.Call, target uuid.UUID) ([]IntegrationRun, error) {
	runs, err := integration.NewRuns(c.Store).List(c.Context(), c.Account.ID, target, listedRuns)
	return answer.Each(runs, runAnswer), err
}

func runAnswer(r models.IntegrationRun) IntegrationRun {
	day := func(at *time.Time) *string {
		if at == nil {
			return nil
		}
		return new(at.Format(time.DateOnly))
	}
	out := IntegrationRun{
		ID: r.ID, Kind: r.Kind, Origin: r.Origin, From: day(r.From), To: day(r.To), Applied: r.Applied, StartedAt: answer.Stamp(r.StartedAt),
		EndedAt: answer.StampOrNull(r.EndedAt), Requests: r.Requests, Pages: r.Pages, Read: r.Read, Matched: r.Matched,
		Changed: r.Changed, Error: answer.OrNull(r.Failure),
	}
	if r.EndedAt != nil {
		out.Ms = new(r.EndedAt.Sub(r.StartedAt).Milliseconds())
	}
	return out
}

// lastStatus returns "ok" or "error" for the last request to a platform, or nil before the first one.
func lastStatus(i models.Integration) *string {
	switch {
	case i.CheckedAt == nil:
		return nil
	case i.Failure != "":
		return new("error")
	}
	return new("ok")
}

// nextSync returns the time of the next automatic import, or nil. active is false if the network or source is paused.
func nextSync(i models.Integration, active models.Active) *string {
	if !i.IsEnabled || !bool(active) {
		return nil
	}
	return answer.StampOrNull(&i.NextAt)
}

// firstSync is the longest time from connecting a platform to its first automatic import.
const firstSync = 5 * time.Minute

// firstSyncAt returns the time of the first automatic import, one to five minutes from now. It is random, to spread the imports
// of connections that were made together.
func firstSyncAt() time.Time {
	return time.Now().Add(firstSync/5 + rand.N(firstSync*4/5)) //nolint:gosec // it only spreads load
}

// maxSyncDays is the longest range of an import.
const maxSyncDays = 366

// checkRange returns an error with the code if the range of days cannot be requested.
func checkRange(code string, from, to time.Time) error {
	switch {
	case to.Before(from):
		return models.Invalid(code, "to lies before from")
	case to.Sub(from) >= maxSyncDays*24*time.Hour:
		return models.Invalid(code, "the range may have at most %d days", maxSyncDays)
	}
	return nil
}
