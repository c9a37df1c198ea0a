// Package conversion handles three jobs. conversion:record records the conversion that a stored postback reports. postbacks:match
// starts that job for postbacks that came before their click. postback:replay makes unmatched postbacks undecided again.
//
// A postback whose click is never stored becomes unmatched. It is kept, so that it can be inspected and replayed.
package conversion

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db"
	"switchyard/db/click"
	dbconversion "switchyard/db/conversion"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

type run = workers.Run[jobs.None, jobs.None]

type recorder struct {
	runtime *workers.Runtime
	store   *store.Store
	clicks  click.Log
	reader  dbconversion.Reader
	decided *prometheus.CounterVec
}

// Register adds the handlers to a runtime. The options are for conversion:record.
func Register(r *workers.Runtime, s *store.Store, clicks click.Log, opts ...workers.RowOption) {
	rec := &recorder{
		runtime: r, store: s, clicks: clicks, reader: dbconversion.Reader{Store: s, Clicks: clicks},
		decided: r.NewCounter("switchyard_postbacks_decided_total",
			"Received postbacks, by result. A replayed postback counts again.", "result"),
	}
	for _, result := range []string{
		models.PostbackMatched, models.PostbackDuplicate, models.PostbackIgnored, models.PostbackRefused,
		models.PostbackUnmatched,
	} {
		rec.decided.WithLabelValues(result) // exports 0, so that the first decision is an increase
	}
	workers.RegisterRow(r, jobs.RecordConversion, rec.record, opts...)
	workers.RegisterTick(r, jobs.MatchPostbacks, rec.match)
	workers.Register(r, jobs.ReplayPostbacks, rec.replay)
}

// matchAtOnce is the maximum number of postbacks that are checked in one statement.
const matchAtOnce = 2000

// match checks the postbacks that wait for their click. It starts the job of a postback whose click is stored now.
func (rec *recorder) match(ctx context.Context) error {
	for looked := matchAtOnce; looked == matchAtOnce; {
		m, err := dbconversion.MatchPostbacks(ctx, rec.clicks, jobs.ConversionSchedule, matchAtOnce)
		if err != nil {
			return err
		}
		for outcome, n := range m.Decided {
			rec.decided.WithLabelValues(outcome).Add(float64(n))
		}
		rec.runtime.Client().Dispatch(ctx, m.Jobs...)
		looked = m.Examined
	}
	return nil
}

// offerAttempts is how many attempts wait for the visitor's click-out, if the click went to a lander. The click-out determines
// the offer, the payout and the network's secret, and it may still be in the spool of another process. Later attempts record the
// conversion without an offer.
const offerAttempts = 3

func (rec *recorder) record(ctx context.Context, u *run) error {
	m, err := rec.reader.Find(ctx, u.Job.ID)
	if err != nil {
		return err
	}
	if m.Outcome == dbconversion.PostbackRecorded || m.Outcome == dbconversion.PostbackIgnored {
		return u.Commit(ctx, jobs.None{}, nil)
	}
	v, err := rec.reader.Read(ctx, m, u.Attempt <= offerAttempts)
	switch {
	case err != nil:
		return err
	case v.Wait != "":
		return rec.retry(ctx, u, v, v.Wait)
	case v.Decision.Outcome != "":
		err := u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
			return dbconversion.DecidePostback(ctx, c, m.ID, v.Decision)
		})
		if err == nil {
			rec.count(v.Decision)
		}
		return err
	}
	return rec.commit(ctx, u, v)
}

// count increments the metric for a committed decision. A pending postback is not decided.
func (rec *recorder) count(d dbconversion.PostbackDecision) {
	if d.Outcome != "" && d.Outcome != dbconversion.PostbackPending {
		rec.decided.WithLabelValues(d.Result()).Inc()
	}
}

// countWord counts a status word whose meaning is not known, so that the account can give the word a meaning in its network. It
// runs after the commit: inside the transaction, all postbacks of a network would wait for each other.
func (rec *recorder) countWord(ctx context.Context, d dbconversion.PostbackDecision) {
	if d.UnknownWord.NetworkID == uuid.Nil {
		return
	}
	err := rec.store.Networks().CountWord(ctx, d.AccountID, d.UnknownWord.NetworkID, d.UnknownWord.Text)
	if err != nil {
		slog.WarnContext(ctx, "an unknown status word is not counted", "network", d.UnknownWord.NetworkID, "error", err)
	}
}
