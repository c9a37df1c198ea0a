package configuration

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/api/slow"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// ImportHistoryBody is the body of POST /config/history.
type ImportHistoryBody struct {
	Tracker  string `json:"tracker" required:"true" enum:"redtrack" doc:"the tracker whose log is read; its settings must be imported first"`
	URL      string `json:"url" trim:"true" maxLength:"2000" doc:"address of the tracker's API; empty: the usual address"`
	Key      string `json:"key" required:"true" trim:"true" maxLength:"2000" doc:"API key. It is used for this import and then deleted"`
	From     string `json:"from" required:"bad_range" bad:"bad_range" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"YYYY-MM-DD, the first day, as the other tracker counts days"`
	To       string `json:"to" required:"bad_range" bad:"bad_range" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"YYYY-MM-DD, the last day, as the other tracker counts days; it is included, and must be over"`
	Timezone string `json:"timezone" optional:"true" trim:"true" format:"timezone" doc:"time zone of the account in the other tracker, for times without an offset; default: the time zone of this account"`
}

// HistoryImported is the answer of POST /config/history.
type HistoryImported struct {
	Clicks      int            `json:"clicks" doc:"number of clicks that were not stored before"`
	Conversions int            `json:"conversions" doc:"number of conversions that were not stored before"`
	Skipped     map[string]int `json:"skipped" doc:"number of rows that were left out, by reason"`
}

var importHistoryJob = slow.New(jobs.ImportHistory, func(a jobs.HistoryImported) HistoryImported {
	if a.Skipped == nil {
		a.Skipped = map[string]int{}
	}
	return HistoryImported(a)
})

// maxHistoryDays is the age in days of the oldest click that can be stored.
const maxHistoryDays = 399

// days checks the days From and To. From must not be older than the clicks that the account's subscription keeps, nor more than
// maxHistoryDays ago. The day To must be over.
func (b ImportHistoryBody) days(account models.Account, now time.Time) error {
	from, err := time.Parse(time.DateOnly, b.From)
	to, err2 := time.Parse(time.DateOnly, b.To)
	kept := min(account.Allowances().HistoryDays, maxHistoryDays)
	switch oldest := now.UTC().AddDate(0, 0, -kept).Truncate(24 * time.Hour); {
	case err != nil || err2 != nil || to.Before(from):
		return models.Invalid("bad_range", "from and to must be days, and to must not be before from")
	case from.Before(oldest):
		return models.Invalid("bad_range", "clicks of the last %d days can be imported: from may be %s at the earliest", kept, oldest.Format(time.DateOnly))
	case !to.Before(now.UTC().Truncate(24 * time.Hour)):
		return models.Invalid("bad_range", "the last day must be over: to may be yesterday at the latest")
	}
	return nil
}

func (d Deps) importHistory(c *route.Call, b ImportHistoryBody) (HistoryImported, error) {
	if err := b.days(c.Account, time.Now()); err != nil {
		return HistoryImported{}, err
	}
	zone := cmp.Or(b.Timezone, c.Account.Timezone)
	plans := dbconfig.PlansOf(c.Store)
	has, err := plans.HasFrom(c.Context(), c.Account.ID, b.Tracker)
	if err == nil && !has {
		err = models.Conflict("not_imported", "no campaign was imported from this tracker: import its settings and apply the plan first")
	}
	if err != nil {
		return HistoryImported{}, err
	}
	access, err := json.Marshal(map[string]string{"URL": b.URL, "Key": b.Key})
	if err != nil {
		return HistoryImported{}, err
	}
	sealed, err := plans.SealHistory(c.Context(), c.Account.ID, access)
	if err != nil {
		return HistoryImported{}, err
	}
	args := jobs.ImportHistoryArgs{Access: sealed, From: b.From, To: b.To, Zone: zone}
	return importHistoryJob.Start(c, d.Jobs, args, func(*store.Store, uuid.UUID) error { return nil })
}
