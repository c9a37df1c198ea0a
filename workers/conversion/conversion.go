// Package conversion handles conversion:record, which records the conversion that a stored postback reports.
//
// A postback whose click is not stored yet is retried. One whose click is never stored becomes unmatched. It is kept,
// so that it can be inspected and run again. A conversion is never recorded for a click that the postback does not
// name.
package conversion

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/postback"
	"switchyard/workers"
)

type run = workers.Run[jobs.None, jobs.None]

type recorder struct {
	runtime *workers.Runtime
	store   *store.Store
	clicks  Clicks
}

// Clicks finds the click that a postback names and records the conversion: clicklog.Log.
type Clicks interface {
	FindByID(ctx context.Context, id uuid.UUID) (click clicklog.StoredClick, ok bool, err error)
	RecordConversion(ctx context.Context, c db.Conn, in clicklog.ConversionInput) (clicklog.ConversionOutcome, error)
}

// Register adds the handler to a runtime.
func Register(r *workers.Runtime, s *store.Store, clicks Clicks, opts ...workers.RowOption) {
	rec := &recorder{runtime: r, store: s, clicks: clicks}
	workers.RegisterRow(r, jobs.RecordConversion, rec.record, opts...)
}

// offerAttempts is how many attempts wait for the click-out of a visitor of a lander. The click-out decides the offer,
// the payout and the network's secret, and it may wait in the spool of another process. Later attempts record a
// conversion without an offer.
const offerAttempts = 3

func (rec *recorder) record(ctx context.Context, u *run) error {
	p, outcome, err := clicklog.FindPostback(ctx, rec.store.Conn(), u.Job.ID)
	if err != nil {
		return err
	}
	if outcome == clicklog.PostbackRecorded || outcome == clicklog.PostbackIgnored {
		return u.Commit(ctx, jobs.None{}, nil)
	}
	named, err := rec.network(ctx, p.NetworkID)
	if err != nil {
		return err
	}
	d := clicklog.PostbackDecision{AccountID: p.AccountID, ClickID: p.ClickID}
	if d.AccountID == uuid.Nil {
		d.AccountID = named.AccountID
	}
	if p.NetworkID != uuid.Nil && (named.ID == uuid.Nil || named.AccountID != d.AccountID) {
		return rec.end(ctx, u, d, clicklog.PostbackRefused, "there is no such network")
	}
	click, reason := postback.NamedClick(p.Params, named.Network, time.Now())
	if reason != "" {
		return rec.end(ctx, u, d, clicklog.PostbackUnmatched, reason)
	}
	d.ClickID = click
	found, ok, err := rec.clicks.FindByID(ctx, click)
	if err != nil {
		return err
	}
	if !ok || d.AccountID != uuid.Nil && found.AccountID != d.AccountID {
		return rec.wait(ctx, u, d)
	}
	if found.LanderID != uuid.Nil && found.OfferID == uuid.Nil && u.Attempt <= offerAttempts {
		return rec.retry(ctx, u, d, "the visitor's step from the lander to an offer is not known yet")
	}
	network, authentic, err := rec.authenticate(ctx, p, named, found.NetworkID)
	if err != nil {
		return err
	}
	d.AccountID = found.AccountID
	if !authentic {
		return rec.end(ctx, u, d, clicklog.PostbackRefused, "the secret of the network is missing or wrong")
	}
	return rec.commit(ctx, u, p, d, input(p, network, click, found.AccountID))
}

// network reads a network by its id. The zero id, and one that does not exist, return a network without settings.
func (rec *recorder) network(ctx context.Context, id uuid.UUID) (store.PostbackNetwork, error) {
	if id == uuid.Nil {
		return store.PostbackNetwork{}, nil
	}
	n, _, err := rec.store.PostbackNetwork(ctx, id)
	return n, err
}

// authenticate checks the secret of the network that the address names. If it names none, or one without a secret, it
// checks the secret of the click's network, so that a sender cannot avoid the check by leaving out the id. It returns
// the network whose settings apply to the message: the one that the address names, else the click's.
func (rec *recorder) authenticate(ctx context.Context, p models.Postback, named store.PostbackNetwork, of uuid.UUID,
) (store.PostbackNetwork, bool, error) {
	if named.ID != uuid.Nil && (named.Secret != "" || named.ID == of) {
		return named, authentic(named, p), nil
	}
	own, err := rec.network(ctx, of)
	if err != nil {
		return own, false, err
	}
	read := named
	if named.ID == uuid.Nil {
		read = own
	}
	return read, authentic(own, p), nil
}

func authentic(n store.PostbackNetwork, p models.Postback) bool {
	given := postback.Read(p.Params, postback.Network{}).Secret
	return postback.Authentic(n.Secret, given, p.Signature, p.SignedText)
}

// input is the argument of RecordConversion for a message. Without a status word, a new conversion is approved and the
// status of a recorded one does not change, because a repeated message must not undo a rejection.
func input(p models.Postback, n store.PostbackNetwork, click, account uuid.UUID) clicklog.ConversionInput {
	m := postback.Read(p.Params, n.Network)
	received := models.ClickTime(p.ID)
	in := clicklog.ConversionInput{
		AccountID: account, ClickID: click, NetworkID: n.ID, ConversionID: m.ConversionID, Goal: m.Goal,
		Status: m.Status, OriginalStatus: m.OriginalStatus, Payout: m.Payout, Cost: m.Cost,
		Currency: m.Currency, At: received, Source: p.Source,
	}
	if m.OriginalStatus == "" && m.Status == models.StatusApproved {
		in.Status = ""
	}
	if !m.Time.IsZero() && m.Time.Before(received.Add(time.Minute)) && !m.Time.Before(models.ClickTime(click)) {
		in.At = m.Time
	}
	return in
}

// commit records the conversion and decides the postback, in the transaction that ends the job.
func (rec *recorder) commit(ctx context.Context, u *run, p models.Postback, d clicklog.PostbackDecision,
	in clicklog.ConversionInput,
) error {
	var out clicklog.ConversionOutcome
	err := u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
		var err error
		if out, err = rec.clicks.RecordConversion(ctx, c, in); err != nil {
			return err
		}
		d.Outcome, d.Detail, d.ConversionID = clicklog.PostbackRecorded, out.Result, out.Conversion.ID
		if out.Result == clicklog.ResultIgnored {
			d.Outcome, d.Detail = clicklog.PostbackIgnored, out.Reason
		}
		return clicklog.DecidePostback(ctx, c, p.ID, d)
	})
	if errors.Is(err, clicklog.ErrUnknownClick) { // deleted since it was found
		return rec.wait(ctx, u, d)
	}
	if e, ok := models.AsError(err); ok && e.Kind == models.KindInvalid {
		return rec.end(ctx, u, d, clicklog.PostbackRefused, e.Message)
	}
	if err == nil {
		rec.runtime.Client().DispatchFor(ctx, d.AccountID, models.KindDeliverWebhook, out.Deliveries...)
	}
	return err
}

// end decides a postback that another attempt cannot help.
func (rec *recorder) end(ctx context.Context, u *run, d clicklog.PostbackDecision, outcome, detail string) error {
	d.Outcome, d.Detail = outcome, detail
	return u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
		return clicklog.DecidePostback(ctx, c, u.Job.ID, d)
	})
}

// wait retries a postback whose click is not stored.
func (rec *recorder) wait(ctx context.Context, u *run, d clicklog.PostbackDecision) error {
	return rec.retry(ctx, u, d, "its click is not known yet")
}

// retry makes the next attempt wait. After the last one the postback is unmatched; running its job again repeats it.
func (rec *recorder) retry(ctx context.Context, u *run, d clicklog.PostbackDecision, detail string) error {
	cause := models.Errorf(models.KindNotFound, "unknown_click", "%s", detail)
	return u.Retry(ctx, cause, func(c db.Conn, f workers.NextAttempt) error {
		d.Outcome, d.Detail = clicklog.PostbackPending, detail
		if f.Final {
			d.Outcome, d.Detail = clicklog.PostbackUnmatched, "its click never came"
		}
		return clicklog.DecidePostback(ctx, c, u.Job.ID, d)
	})
}
