// Package accountconfig plans what a document would change in an account, applies the plan and takes it back. It also reads the
// settings of other trackers as such a document, and the log of RedTrack as clicks and conversions. See models/accountconfig.
package accountconfig

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/db/click"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers"
	"switchyard/workers/providers/trackers/redtrack"
)

// Options of the handlers. Client and Clicks are required.
type Options struct {
	Client   *http.Client  // reads other trackers
	Clicks   click.Log     // stores the clicks of RedTrack's log
	LogEvery time.Duration // the least time between two requests for a log; default 3 seconds
}

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.LogEvery = cmp.Or(o.LogEvery, redtrack.LogEvery)
	k := &keeper{s, o.Clicks, o.Client, o.LogEvery}
	workers.RegisterRow(r, jobs.PlanConfig, k.plan)
	workers.RegisterRow(r, jobs.ImportConfig, k.importTracker)
	workers.RegisterRow(r, jobs.ApplyConfig, k.apply)
	workers.RegisterRow(r, jobs.ImportHistory, k.importHistory)
}

type keeper struct {
	store  *store.Store
	clicks click.Log
	client *http.Client
	every  time.Duration // between two requests for a log
}

type (
	planRun  = workers.Run[jobs.PlanConfigArgs, jobs.ConfigPlanned]
	applyRun = workers.Run[jobs.ApplyConfigArgs, jobs.ConfigApplied]
)

// plan makes a plan of the document that is stored under the id of the job. A document that cannot be read is refused.
func (k *keeper) plan(ctx context.Context, u *planRun) error {
	account, id := u.Job.AccountID.UUID, u.Job.ID
	raw, err := dbconfig.PlansOf(k.store).Document(ctx, account, id)
	if err != nil {
		return err
	}
	found, err := dbconfig.PlansOf(k.store).Find(ctx, account, id)
	if err != nil {
		return err
	}
	doc, wrong := accountconfig.Parse(raw)
	var items []accountconfig.Item
	if wrong == nil {
		if items, err = Plan(ctx, k.store, account, doc, found.Prune, found.Notes); err != nil {
			return err
		}
	}
	return u.Commit(ctx, jobs.ConfigPlanned{PlanID: id}, func(c db.Conn) error {
		plans := dbconfig.PlansOf(k.store.On(c))
		if wrong != nil {
			return plans.SetState(ctx, account, id, dbconfig.Refused, wrong.Error())
		}
		return plans.SetItems(ctx, account, id, items, found.Notes)
	})
}

// Plan returns the changes that make an account match a document. notes come from the reader of another tracker, and become
// warnings of their records.
func Plan(ctx context.Context, s *store.Store, account uuid.UUID, doc accountconfig.Document, prune accountconfig.Prune, notes []trackerimport.Note) (
	[]accountconfig.Item, error,
) {
	state, err := dbconfig.Load(ctx, s, account)
	if err != nil {
		return nil, err
	}
	if prune != (accountconfig.Prune{}) {
		if err := state.FindClicked(ctx, s); err != nil {
			return nil, err
		}
	}
	items := accountconfig.MakePlan(state.Current, doc, prune)
	byRecord := map[string][]string{}
	for _, n := range notes {
		at := string(n.Kind) + "." + n.Key
		byRecord[at] = append(byRecord[at], n.Text)
	}
	for i := range items {
		items[i].Warnings = append(items[i].Warnings, byRecord[string(items[i].Kind)+"."+items[i].Key]...)
	}
	return items, nil
}

// apply writes a plan, or takes it back.
func (k *keeper) apply(ctx context.Context, u *applyRun) error {
	account, plan := u.Job.AccountID.UUID, u.Args.PlanID
	work, err := dbconfig.PlansOf(k.store).Work(ctx, account, plan)
	if err != nil {
		return err
	}
	state, err := dbconfig.Load(ctx, k.store, account)
	if err != nil {
		return err
	}
	state.NameAll()
	if !u.Args.Begun && !u.Args.Undo {
		if changed := stale(state, work); changed != "" {
			return k.stop(ctx, u, models.Conflict("stale", "%s has changed since the plan was made: make a new plan", changed), dbconfig.Planned)
		}
	}
	if u.Args.Undo {
		slices.Reverse(work)
	}
	campaigns := map[string]accountconfig.Members{}
	for _, w := range work {
		if w.Kind == accountconfig.Campaigns {
			campaigns[w.Key] = wanted(w, u.Args.Undo)
		}
	}
	links, err := k.linksOf(ctx, account, plan)
	if err != nil {
		return err
	}
	for _, w := range work {
		if w.Done != u.Args.Undo {
			continue // an earlier attempt has done it, or an undo finds that it was never written
		}
		if err := k.step(ctx, u, state, campaigns, links, w); err != nil {
			if e, ok := models.AsError(err); ok && e.Kind != models.KindInternal && e.Kind < models.KindTooMany {
				place := fmt.Sprintf("%s.%s: ", w.Kind, w.Key)
				return k.stop(ctx, u, models.Errorf(e.Kind, e.Code, "%s%s", place, e.Message), dbconfig.Stopped)
			}
			return err
		}
	}
	end := dbconfig.Applied
	if u.Args.Undo {
		end = dbconfig.Undone
	}
	out := jobs.ConfigApplied{PlanID: plan, Done: len(work) - len(u.Args.Kept), Kept: append([]string{}, u.Args.Kept...)}
	return u.Commit(ctx, out, func(c db.Conn) error {
		return dbconfig.PlansOf(k.store.On(c)).SetState(ctx, account, plan, end, "")
	})
}

// stop ends a run that cannot go on, and sets the state of the plan. Written records stay, and can be taken back.
func (k *keeper) stop(ctx context.Context, u *applyRun, cause error, state string) error {
	return u.Fail(ctx, cause, func(c db.Conn, _ workers.NextAttempt) error {
		text := cause.Error()
		if e, ok := models.AsError(cause); ok {
			text = e.Message
		}
		return dbconfig.PlansOf(k.store.On(c)).SetState(ctx, u.Job.AccountID.UUID, u.Args.PlanID, state, text)
	})
}

// stale names a record that has changed since it was planned, or returns an empty text.
func stale(state *dbconfig.State, work []dbconfig.Work) string {
	for _, w := range work {
		if !accountconfig.Equal(state.Records[w.Kind][w.Key], w.Before) {
			return fmt.Sprintf("%s.%s", w.Kind, w.Key)
		}
	}
	return ""
}

// step writes one record in a transaction of its own. If an undo cannot write a record, for example because it has changed since,
// step adds the reason to Kept and the undo goes on.
func (k *keeper) step(ctx context.Context, u *applyRun, state *dbconfig.State, campaigns map[string]accountconfig.Members, links foreignLinks, w dbconfig.Work) error {
	return u.Step(ctx, func(c db.Conn) (jobs.ApplyConfigArgs, error) {
		a, s := u.Args, k.store.On(c)
		a.Begun = true
		before, after := w.Before, w.After
		if a.Undo {
			before, after = after, before
		}
		var now accountconfig.Members
		var former []store.FormerLink
		err := s.Tx(ctx, func(s *store.Store) (err error) {
			if now, former, err = write(ctx, s, state, campaigns, w, before, after); err == nil && w.Kind == accountconfig.BotDetection {
				err = rescore(ctx, s, u.Job.AccountID.UUID)
			}
			if err != nil || w.Kind != accountconfig.Campaigns {
				return err
			}
			switch planned := links[w.Key]; {
			case !a.Undo && after != nil:
				former, err = state.Link(ctx, s, w.Key, planned)
			case a.Undo && (len(planned) > 0 || w.After == nil):
				former, err = nil, state.Relink(ctx, s, w.Key, w.Former)
			}
			return err
		})
		if e, ok := models.AsError(err); ok && a.Undo && e.Kind != models.KindInternal {
			a.Kept, err = append(a.Kept, fmt.Sprintf("%s.%s: %s", w.Kind, w.Key, e.Message)), nil
		}
		if err != nil {
			return a, err
		}
		done := w.After
		if !a.Undo && w.After != nil {
			done = now // it includes what the service has generated, so that an undo finds the record as it was written
		}
		return a, dbconfig.PlansOf(s).SetDone(ctx, u.Job.AccountID.UUID, a.PlanID, w.Position, !a.Undo, done, former)
	})
}

// write writes or removes one record. For a removed campaign, `former` has the links of other trackers that led to it.
func write(ctx context.Context, s *store.Store, state *dbconfig.State, campaigns map[string]accountconfig.Members, w dbconfig.Work,
	before, after accountconfig.Members,
) (now accountconfig.Members, former []store.FormerLink, err error) {
	if after != nil {
		if err = reserve(ctx, s, state, campaigns, after); err == nil {
			now, err = state.Save(ctx, s, w.Kind, w.Key, before, after)
		}
		return now, nil, err
	}
	if w.Kind == accountconfig.Campaigns {
		if former, err = state.Links(ctx, s, w.Key); err != nil {
			return nil, nil, err
		}
	}
	return nil, former, state.Remove(ctx, s, w.Kind, w.Key, before)
}

// reserve creates the campaigns to which the paths of a record hand visitors over, if they do not exist yet.
func reserve(ctx context.Context, s *store.Store, state *dbconfig.State, campaigns map[string]accountconfig.Members, m accountconfig.Members) error {
	paths, _ := m["paths"].([]any)
	for _, p := range paths {
		path, _ := p.(map[string]any)
		key, ok := path["campaign"].(string)
		if _, there := state.ID(accountconfig.Campaigns, key); !ok || there || campaigns[key] == nil {
			continue
		}
		if err := state.Reserve(ctx, s, key, campaigns[key]); err != nil {
			return err
		}
	}
	return nil
}

// wanted returns the members that the record is to have.
func wanted(w dbconfig.Work, undo bool) accountconfig.Members {
	if undo {
		return w.Before
	}
	return w.After
}
