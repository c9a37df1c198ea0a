package accountconfig

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/db/ingest"
	"switchyard/db/oldtracker"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/redtrack"
)

type historyRun = workers.Run[jobs.ImportHistoryArgs, jobs.HistoryImported]

// importHistory reads the log of RedTrack: the clicks of each day, then the conversions of each day. Each page is written once,
// together with the place where the next attempt continues.
func (k *keeper) importHistory(ctx context.Context, u *historyRun) error {
	account := u.Job.AccountID.UUID
	found, err := k.store.FindAccount(ctx, account)
	if err != nil {
		return err
	}
	log, err := k.openLog(ctx, u)
	if err != nil {
		return err
	}
	state, err := dbconfig.Load(ctx, k.store, account)
	if err != nil {
		return err
	}
	h := history{keeper: k, account: found, ids: state, oldest: time.Now().AddDate(0, 0, -found.Allowances().HistoryDays)}
	for u.Args.Day <= u.Args.To {
		if err := h.page(ctx, u, log); err != nil {
			if failure, ok := errors.AsType[*trackers.FailureError](err); ok && ctx.Err() == nil {
				return k.logNotRead(ctx, u, failure)
			}
			return err
		}
	}
	if err := deleteAccess(ctx, u); err != nil {
		return err
	}
	return u.Commit(ctx, u.Args.HistoryImported, nil)
}

// openLog opens the log. The first attempt begins with the first day.
func (k *keeper) openLog(ctx context.Context, u *historyRun) (*redtrack.Log, error) {
	raw, err := k.store.Box().Open(ctx, dbconfig.HistoryPlace(u.Job.AccountID.UUID), u.Args.Access)
	if err != nil {
		return nil, err
	}
	var access trackers.Access
	if json.Unmarshal(raw, &access) != nil {
		return nil, errors.New("accountconfig: the access to a tracker cannot be read") // the cause would contain a part of it
	}
	zone, err := time.LoadLocation(u.Args.Zone)
	if err != nil {
		return nil, fmt.Errorf("accountconfig: zone: %w", err)
	}
	if u.Args.Day == "" {
		u.Args.Day = u.Args.From
	}
	return redtrack.NewLog(k.client, access, zone, k.every)
}

// logNotRead ends an attempt that could not read the log. If RedTrack is away, the job is tried again later. For any other
// failure, and after the last attempt, it deletes the credentials and the job fails.
func (k *keeper) logNotRead(ctx context.Context, u *historyRun, failure *trackers.FailureError) error {
	if failure.Away() && u.Job.Attempts < jobs.ImportHistory.Policy().AttemptLimit(u.Job) {
		return u.Retry(ctx, failure, nil)
	}
	if err := deleteAccess(ctx, u); err != nil {
		return err
	}
	return u.Fail(ctx, models.Conflict("not_read", "%s. Everything read so far is kept. Import the history again to continue.", failure.Text), nil)
}

// deleteAccess deletes the credentials from the arguments of the job.
func deleteAccess(ctx context.Context, u *historyRun) error {
	return u.Step(ctx, func(db.Conn) (jobs.ImportHistoryArgs, error) {
		a := u.Args
		a.Access = nil
		return a, nil
	})
}

// history converts rows of the log and writes them to the account.
type history struct {
	*keeper
	account models.Account
	ids     accountconfig.IDs
	oldest  time.Time // older clicks are not kept
}

// The reasons why rows are left out.
const (
	skipUnread   = "without an id or a time"
	skipCampaign = "whose campaign does not exist here"
	skipOld      = "older than the plan keeps clicks"
	skipClick    = "whose click was not imported"
	skipStatus   = "with an unknown status"
	skipAmount   = "with an amount that cannot be read, or without a currency"
	skipRefused  = "refused"
)

func (h history) page(ctx context.Context, u *historyRun, log *redtrack.Log) error {
	a := u.Args
	a.Skipped = maps.Clone(a.Skipped)
	if a.Skipped == nil {
		a.Skipped = map[string]int{}
	}
	var write func(db.Conn) error
	var unread int
	var last bool
	var err error
	if a.Conversions {
		var list []trackerimport.OldConversion
		list, unread, last, err = log.Conversions(ctx, a.Day, a.Page+1)
		write = func(c db.Conn) error { return h.writeConversions(ctx, c, list, &a.HistoryImported) }
	} else {
		var list []trackerimport.OldClick
		if list, unread, last, err = log.Clicks(ctx, a.Day, a.Page+1); err == nil {
			list = h.wanted(list, &a.HistoryImported)
			err = ingest.ReadyPast(ctx, h.clicks, db.Map(list, func(k trackerimport.OldClick) time.Time { return k.At }))
		}
		write = func(c db.Conn) error { return h.writeClicks(ctx, c, list, &a.HistoryImported) }
	}
	if err != nil {
		return err
	}
	skip(&a.HistoryImported, skipUnread, unread)
	return u.Step(ctx, func(c db.Conn) (jobs.ImportHistoryArgs, error) {
		if err := write(c); err != nil {
			return a, err
		}
		if a.Page++; last {
			return next(a)
		}
		return a, nil
	})
}

func skip(n *jobs.HistoryImported, reason string, rows int) {
	if rows > 0 {
		n.Skipped[reason] += rows
	}
}

// next returns the arguments for the next day. The conversions of the first day come after the clicks of the last one.
func next(a jobs.ImportHistoryArgs) (jobs.ImportHistoryArgs, error) {
	day, err := time.Parse(time.DateOnly, a.Day)
	a.Day, a.Page = day.AddDate(0, 0, 1).Format(time.DateOnly), 0
	if a.Day > a.To && !a.Conversions {
		a.Day, a.Conversions = a.From, true
	}
	return a, err
}

// wanted returns the clicks that belong to a campaign here and that the account's plan keeps. A click with a time in the future
// counts as too old.
func (h history) wanted(list []trackerimport.OldClick, n *jobs.HistoryImported) (out []trackerimport.OldClick) {
	for _, k := range list {
		switch _, ok := h.ids.ID(accountconfig.Campaigns, k.Campaign); {
		case !ok:
			skip(n, skipCampaign, 1)
		case k.At.Before(h.oldest) || k.At.After(time.Now()):
			skip(n, skipOld, 1)
		default:
			out = append(out, k)
		}
	}
	return out
}

func (h history) writeClicks(ctx context.Context, c db.Conn, list []trackerimport.OldClick, n *jobs.HistoryImported) error {
	if len(list) == 0 {
		return nil
	}
	clicks := db.Map(list, h.click)
	fresh, err := ingest.StorePast(ctx, h.clicks, c, clicks)
	if err != nil {
		return err
	}
	n.Clicks += fresh
	old := make([]oldtracker.Click, len(list))
	for i, k := range list {
		old[i] = oldtracker.Click{OldID: k.ID, ClickID: clicks[i].ID}
	}
	return oldtracker.AddClicks(ctx, c, h.account.ID, old)
}

// uniqueHours is the number of hours in which the clicks of one visitor in a campaign count as one unique click.
const uniqueHours = 24

// click converts a click of the log. The new id is computed from the account, the old id and the time, so that a second run does
// not store the click again.
func (h history) click(k trackerimport.OldClick) models.Click {
	id := func(kind accountconfig.Kind, key string) uuid.UUID { found, _ := h.ids.ID(kind, key); return found }
	sum := sha256.Sum256([]byte(h.account.ID.String() + " " + k.ID))
	out := models.Click{
		AccountID: h.account.ID, CampaignID: id(accountconfig.Campaigns, k.Campaign), SourceID: id(accountconfig.Sources, k.Source),
		OfferID: id(accountconfig.Offers, k.Offer), LanderID: id(accountconfig.Landers, k.Lander), ExternalID: k.ExternalID, Subs: k.Subs,
		Visitor: k.Visitor, Currency: h.account.Currency, UniqueHours: uniqueHours,
	}
	copy(out.ID[:], sum[:])
	floor := models.FloorClickID(k.At)
	copy(out.ID[:6], floor[:6])
	out.ID[6], out.ID[8] = out.ID[6]&0x0f|0x70, out.ID[8]&0x3f|0x80 // a UUIDv7
	visitor := sha256.Sum256([]byte(h.account.ID.String() + k.Campaign + " " + k.Fingerprint))
	copy(out.UniqueKey[:], visitor[:])
	return out
}
