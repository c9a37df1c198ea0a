package accountconfig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/jobs"
	"switchyard/models/trackerimport"
	"switchyard/workers"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/readers"
)

type importRun = workers.Run[jobs.ImportConfigArgs, jobs.ConfigPlanned]

// importTracker reads another tracker and plans the document that it has read. The credentials are deleted when the reading ends.
func (k *keeper) importTracker(ctx context.Context, u *importRun) error {
	account, id := u.Job.AccountID.UUID, u.Job.ID
	plans := dbconfig.PlansOf(k.store)
	found, err := plans.Find(ctx, account, id)
	if err != nil {
		return err
	}
	raw, err := plans.Access(ctx, account, id)
	if err != nil {
		return err
	}
	var access trackers.Access
	if err := json.Unmarshal(raw, &access); err != nil {
		return errors.New("accountconfig: the access to a tracker cannot be read") // err would contain a part of it
	}
	dump, err := plans.Document(ctx, account, id)
	if err != nil {
		return err
	}
	files := readers.Files{Dump: dump}
	if found.Origin == trackerimport.FromCSV {
		if files.Dump = nil; json.Unmarshal(dump, &files) != nil {
			return errors.New("accountconfig: the uploaded CSV tables cannot be read")
		}
	}
	result, err := readers.Read(ctx, k.client, found.Origin, access, files, func(what string, done, of int) {
		text := fmt.Sprintf("%s: %d", what, done)
		if of > 0 {
			text = fmt.Sprintf("%s: %d of %d", what, done, of)
		}
		_ = plans.SetProgress(ctx, account, id, text) // the text is only shown while the tracker is read
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return k.notRead(ctx, u, err)
	}
	document, err := result.Document.YAML()
	if err != nil {
		return err
	}
	items, err := Plan(ctx, k.store, account, result.Document, found.Prune, result.Notes)
	if err != nil {
		return err
	}
	return u.Commit(ctx, jobs.ConfigPlanned{PlanID: id}, func(c db.Conn) error {
		plans := dbconfig.PlansOf(k.store.On(c))
		if err := plans.SetImported(ctx, account, id, document, result.Links); err != nil {
			return err
		}
		return plans.SetItems(ctx, account, id, items, trackerimport.Worst(result.Notes, maxNotes))
	})
}

// maxNotes is the maximum number of notes in the plan's own list. Each record shows all its notes as warnings.
const maxNotes = 2000

// notRead ends a run whose tracker could not be read. If the tracker is away, the job is tried again later. For any other cause,
// and after the last attempt, the plan is refused.
func (k *keeper) notRead(ctx context.Context, u *importRun, cause error) error {
	account, id, text := u.Job.AccountID.UUID, u.Job.ID, cause.Error()
	if failure, ok := errors.AsType[*trackers.FailureError](cause); ok {
		if text = failure.Text; failure.Away() {
			if u.Job.Attempts < jobs.ImportConfig.Policy().AttemptLimit(u.Job) {
				return u.Retry(ctx, errors.New(text), func(c db.Conn, next workers.NextAttempt) error {
					wait := fmt.Sprintf("%s. It is asked again in %s.", text, next.Wait)
					return dbconfig.PlansOf(k.store.On(c)).SetProgress(ctx, account, id, wait)
				})
			}
			text = fmt.Sprintf("The tracker could not be read at any of %d attempts, so nothing was planned: %s. Import again when it answers.", u.Job.Attempts, text)
		}
	}
	return u.Commit(ctx, jobs.ConfigPlanned{PlanID: id}, func(c db.Conn) error {
		return dbconfig.PlansOf(k.store.On(c)).SetState(ctx, account, id, dbconfig.Refused, text)
	})
}

// foreignLinks has the links of another tracker, by the keys of their campaigns.
type foreignLinks map[string][]trackerimport.Link

func (k *keeper) linksOf(ctx context.Context, account, plan uuid.UUID) (foreignLinks, error) {
	list, err := dbconfig.PlansOf(k.store).Links(ctx, account, plan)
	by := foreignLinks{}
	for _, l := range list {
		by[l.Campaign] = append(by[l.Campaign], l)
	}
	return by, err
}
