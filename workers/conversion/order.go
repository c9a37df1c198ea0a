package conversion

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	dbconversion "switchyard/db/conversion"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// maxEarlier is the maximum number of earlier postbacks of the same click that one attempt decides together with its own
// postback. A higher maximum would be expensive if thousands of postbacks of one click wait.
const maxEarlier = 3

// patient lets Read wait for data that may still arrive. believed says that the sender of a message is authenticated, so
// MaskParams masks no parameters.
const patient, believed = true, true

// earlier reads the last maxEarlier undecided postbacks of the same click that arrived before v, in the order of arrival. It
// leaves out postbacks that have to wait.
func (rec *recorder) earlier(ctx context.Context, v dbconversion.Verdict) ([]dbconversion.Verdict, error) {
	ids, err := dbconversion.UndecidedBefore(ctx, rec.store.Conn(), v.Decision.ClickID, v.Message.ID, maxEarlier)
	if err != nil {
		return nil, err
	}
	list := make([]dbconversion.Verdict, 0, len(ids))
	for _, id := range ids {
		m, err := rec.reader.Find(ctx, id)
		if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound {
			continue // deleted since its id was read
		}
		if err != nil {
			return nil, err
		}
		if m.Outcome != dbconversion.PostbackPending {
			continue // decided since its id was read
		}
		before, err := rec.reader.Read(ctx, m, !patient)
		if err != nil {
			return nil, err
		}
		if before.Wait == "" {
			list = append(list, before)
		}
	}
	return list, nil
}

// commit records the conversion in the transaction that ends the job. It records the earlier postbacks of the click first,
// because the jobs of one click run at the same time, and their events must be announced in the order of arrival.
func (rec *recorder) commit(ctx context.Context, u *run, v dbconversion.Verdict) error {
	list, err := rec.earlier(ctx, v)
	if err != nil {
		return err
	}
	ids := db.Map(list, func(v dbconversion.Verdict) uuid.UUID { return v.Message.ID })
	list = append(list, v)
	var announced []models.JobRef
	var decisions []dbconversion.PostbackDecision
	err = u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
		locked, err := dbconversion.LockPostbacks(ctx, c, v.Message.ID, ids)
		if err != nil {
			return err
		}
		for _, verdict := range list {
			if !slices.Contains(locked, verdict.Message.ID) {
				continue
			}
			d, more, err := rec.decide(ctx, c, verdict)
			if err != nil && (verdict.Message.ID == v.Message.ID || !errors.Is(err, dbconversion.ErrUnknownClick)) {
				return err
			}
			if err == nil {
				decisions = append(decisions, d)
			}
			announced = append(announced, more...)
		}
		return nil
	})
	if errors.Is(err, dbconversion.ErrUnknownClick) { // deleted since it was found
		return rec.retry(ctx, u, v, dbconversion.ClickNotKnown)
	}
	if err == nil {
		for _, d := range decisions {
			rec.count(d)
			rec.countWord(ctx, d)
		}
		rec.runtime.Client().Dispatch(ctx, announced...)
	}
	return err
}

// decide records the conversion of a postback and stores the decision, in the transaction of c. announced are the jobs to
// dispatch.
func (rec *recorder) decide(ctx context.Context, c db.Conn, v dbconversion.Verdict) (
	d dbconversion.PostbackDecision, announced []models.JobRef, err error,
) {
	var out dbconversion.Outcome
	if v.Decision.Outcome == "" {
		out, err = v.Record(ctx, rec.clicks, c)
		e, refused := models.AsError(err)
		switch {
		case refused && e.Kind == models.KindInvalid:
			v.End(dbconversion.PostbackRefused, e.Message)
		case err != nil:
			return v.Decision, nil, err
		default:
			decision := &v.Decision
			decision.Outcome, decision.Detail, decision.ConversionID = dbconversion.PostbackRecorded, out.Result, out.Conversion.ID
			if out.Result == dbconversion.ResultIgnored {
				decision.Outcome, decision.Detail = dbconversion.PostbackIgnored, out.Reason
			}
			v.MaskParams(believed)
		}
	}
	return v.Decision, out.Jobs, dbconversion.DecidePostback(ctx, c, v.Message.ID, v.Decision)
}

// retry ends the attempt, so that the next attempt follows after a wait. After the last attempt the postback becomes unmatched.
// The sealed proof of the sender stays, because the postback may be decided again.
func (rec *recorder) retry(ctx context.Context, u *run, v dbconversion.Verdict, detail string) error {
	cause := models.Errorf(models.KindNotFound, "unknown_click", "%s", detail)
	d := v.Decision
	err := u.Retry(ctx, cause, func(c db.Conn, f workers.NextAttempt) error {
		d.Outcome, d.Detail = dbconversion.PostbackPending, detail
		if f.Final {
			d.Outcome, d.Detail = dbconversion.PostbackUnmatched, dbconversion.ClickNeverCame
			if len(v.Message.Proof) == 0 { // a process of the previous version stored the proof unsealed
				last := v
				last.Decision = d
				last.MaskParams(!believed)
				d = last.Decision
			}
		}
		return dbconversion.DecidePostback(ctx, c, v.Message.ID, d)
	})
	if errors.Is(err, cause) { // committed
		rec.count(d)
	}
	return err
}
