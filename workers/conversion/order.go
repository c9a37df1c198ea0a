package conversion

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/incoming"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// maxEarlier is how many earlier postbacks of its click one attempt decides, the last ones. What is left is recorded later
// and counts in its place all the same. More would cost much where thousands of postbacks of one click wait.
const maxEarlier = 3

// earlier reads the postbacks of the same click that arrived before and are not decided, in the order of arrival. One
// that has to wait is left out.
func (rec *recorder) earlier(ctx context.Context, v incoming.Verdict) ([]incoming.Verdict, error) {
	ids, err := clicklog.UndecidedBefore(ctx, rec.store.Conn(), v.Decision.ClickID, v.Message.ID, maxEarlier)
	if err != nil {
		return nil, err
	}
	list := make([]incoming.Verdict, 0, len(ids))
	for _, id := range ids {
		m, err := rec.reader.Stored(ctx, id)
		if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		if m.Outcome != clicklog.PostbackPending {
			continue // decided meanwhile
		}
		before, err := rec.reader.Read(ctx, m, false)
		if err != nil {
			return nil, err
		}
		if before.Wait == "" {
			list = append(list, before)
		}
	}
	return list, nil
}

// commit records the conversion in the transaction that ends the job. Before it come the earlier postbacks of the click:
// the jobs of one click run side by side, and what was said shall be announced in the order of arrival. An earlier one
// that is stored later still counts in its place.
func (rec *recorder) commit(ctx context.Context, u *run, v incoming.Verdict) error {
	list, err := rec.earlier(ctx, v)
	if err != nil {
		return err
	}
	ids := db.Map(list, func(v incoming.Verdict) uuid.UUID { return v.Message.ID })
	list = append(list, v)
	var tell []models.JobRef
	var decisions []clicklog.PostbackDecision
	err = u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
		locked, err := clicklog.LockPostbacks(ctx, c, v.Message.ID, ids)
		if err != nil {
			return err
		}
		open := map[uuid.UUID]bool{}
		for _, id := range locked {
			open[id] = true
		}
		for _, one := range list {
			if !open[one.Message.ID] {
				continue
			}
			d, more, err := rec.decide(ctx, c, one)
			if err != nil && (one.Message.ID == v.Message.ID || !errors.Is(err, clicklog.ErrUnknownClick)) {
				return err
			}
			if err == nil {
				decisions = append(decisions, d)
			}
			tell = append(tell, more...)
		}
		return nil
	})
	if errors.Is(err, clicklog.ErrUnknownClick) { // deleted since it was found
		return rec.retry(ctx, u, v, clicklog.ClickNotKnown)
	}
	if err == nil {
		for _, d := range decisions {
			rec.count(d)
		}
		rec.runtime.Client().Dispatch(ctx, tell...)
	}
	return err
}

// decide records the conversion of a postback and notes what became of it, in the transaction of c. It returns that
// and the jobs to dispatch.
func (rec *recorder) decide(ctx context.Context, c db.Conn, v incoming.Verdict) (
	d clicklog.PostbackDecision, tell []models.JobRef, err error,
) {
	d = v.Decision
	var out clicklog.ConversionOutcome
	if d.Outcome == "" {
		out, err = rec.clicks.RecordConversion(ctx, c, v.Input)
		switch e, refused := models.AsError(err); {
		case refused && e.Kind == models.KindInvalid:
			v.End(clicklog.PostbackRefused, e.Message)
			d = v.Decision
		case err != nil:
			return d, nil, err
		default:
			d.Outcome, d.Detail, d.ConversionID = clicklog.PostbackRecorded, out.Result, out.Conversion.ID
			if out.Result == clicklog.ResultIgnored {
				d.Outcome, d.Detail = clicklog.PostbackIgnored, out.Reason
			}
			v.Decision = d
			v.Show(true)
			d = v.Decision
		}
	}
	return d, out.Tell, clicklog.DecidePostback(ctx, c, v.Message.ID, d)
}

// retry makes the next attempt wait. After the last one the postback is unmatched. Running its job again repeats it, so
// what proves its sender stays sealed.
func (rec *recorder) retry(ctx context.Context, u *run, v incoming.Verdict, detail string) error {
	cause := models.Errorf(models.KindNotFound, "unknown_click", "%s", detail)
	d := v.Decision
	err := u.Retry(ctx, cause, func(c db.Conn, f workers.NextAttempt) error {
		d.Outcome, d.Detail = clicklog.PostbackPending, detail
		if f.Final {
			d.Outcome, d.Detail = clicklog.PostbackUnmatched, clicklog.ClickNeverCame
			if len(v.Message.Proof) == 0 { // a process of before has stored it in clear
				last := v
				last.Decision = d
				last.Show(false)
				d = last.Decision
			}
		}
		return clicklog.DecidePostback(ctx, c, v.Message.ID, d)
	})
	rec.count(d)
	return err
}
