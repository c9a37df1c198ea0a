package accountconfig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"switchyard/db"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/jobs"
	"switchyard/models/foreign"
	"switchyard/models/trackerimport"
	"switchyard/workers"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/binom"
	"switchyard/workers/providers/trackers/csv"
	"switchyard/workers/providers/trackers/keitaro"
	"switchyard/workers/providers/trackers/redtrack"
	"switchyard/workers/providers/trackers/voluum"
)

type importRun = workers.Run[jobs.ImportConfigArgs, jobs.ConfigPlanned]

// readers reads other trackers by their names.
var readers = map[string]reader{
	foreign.Keitaro: func(ctx context.Context, k *keeper, a trackers.Access, dump []byte, p trackers.Progress) (trackerimport.Result, error) {
		if len(dump) > 0 {
			return keitaro.ReadDump(ctx, bytes.NewReader(dump), a.URL, p)
		}
		return keitaro.Read(ctx, k.client, a, p)
	},
	foreign.Binom:    byAPI(binom.Read),
	foreign.Voluum:   byAPI(voluum.Read),
	foreign.RedTrack: byAPI(redtrack.Read),
	trackerimport.FromCSV: func(_ context.Context, _ *keeper, a trackers.Access, dump []byte, _ trackers.Progress) (trackerimport.Result, error) {
		var t struct{ Offers, Campaigns, Links string }
		if err := json.Unmarshal(dump, &t); err != nil {
			return trackerimport.Result{}, fmt.Errorf("accountconfig: tables: %w", err)
		}
		return csv.Read(csv.Tables{Name: a.URL, Offers: table(t.Offers), Campaigns: table(t.Campaigns), Links: table(t.Links)})
	},
}

// table returns a reader of a table, or nil for a table that was not sent.
func table(text string) io.Reader {
	if text == "" {
		return nil
	}
	return strings.NewReader(text)
}

type (
	reader    func(ctx context.Context, k *keeper, a trackers.Access, dump []byte, p trackers.Progress) (trackerimport.Result, error)
	apiReader func(ctx context.Context, client *http.Client, a trackers.Access, p trackers.Progress) (trackerimport.Result, error)
)

// byAPI returns the reader of a tracker that has no dumps.
func byAPI(read apiReader) reader {
	return func(ctx context.Context, k *keeper, a trackers.Access, _ []byte, p trackers.Progress) (trackerimport.Result, error) {
		return read(ctx, k.client, a, p)
	}
}

// importTracker reads another tracker and plans the document that it has read. A tracker that refuses gives a plan that is refused. The
// credentials are deleted with the end of the reading.
func (k *keeper) importTracker(ctx context.Context, u *importRun) error {
	account, id := u.Job.AccountID.UUID, u.Job.ID
	plans := dbconfig.PlansOf(k.store)
	found, err := plans.Find(ctx, account, id)
	if err != nil {
		return err
	}
	read, known := readers[found.Origin]
	if !known {
		return fmt.Errorf("accountconfig: there is no reader of %q", found.Origin)
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
	result, err := read(ctx, k, access, dump, func(what string, done, of int) {
		text := fmt.Sprintf("%s: %d", what, done)
		if of > 0 {
			text = fmt.Sprintf("%s: %d of %d", what, done, of)
		}
		_ = plans.SetProgress(ctx, account, id, text) // the next one follows
	})
	if err != nil {
		return k.refuseImport(ctx, u, err)
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

// maxNotes is the number of notes that a plan shows as a whole. Each record shows its own.
const maxNotes = 2000

// refuseImport ends a run whose tracker cannot be read.
func (k *keeper) refuseImport(ctx context.Context, u *importRun, cause error) error {
	failure, ok := errors.AsType[*trackers.FailureError](cause)
	text := cause.Error()
	if ok {
		text = failure.Text
	}
	return u.Commit(ctx, jobs.ConfigPlanned{PlanID: u.Job.ID}, func(c db.Conn) error {
		return dbconfig.PlansOf(k.store.On(c)).SetState(ctx, u.Job.AccountID.UUID, u.Job.ID, dbconfig.Refused, text)
	})
}

// foreignLinks has the addresses of another tracker, by the keys of the campaigns to which they lead.
type foreignLinks map[string][]trackerimport.Link

func (k *keeper) linksOf(ctx context.Context, account, plan uuid.UUID) (foreignLinks, error) {
	list, err := dbconfig.PlansOf(k.store).Links(ctx, account, plan)
	by := foreignLinks{}
	for _, l := range list {
		by[l.Campaign] = append(by[l.Campaign], l)
	}
	return by, err
}
