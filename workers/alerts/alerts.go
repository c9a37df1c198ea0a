// Package alerts announces the alerts of accounts by e-mail and in chats: once when they begin and once when they end.
package alerts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db/alerts"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/providers/chat"
	"switchyard/workers/providers/mail"
)

// Options of Register. Alerts and Chat are required.
type Options struct {
	Alerts alerts.Reader
	Chat   *chat.Client
	Mail   *mail.Client     // nil if this install sends no e-mail
	From   string           // the address of the API, for the texts of messages
	Now    func() time.Time // default time.Now
	// Schedule has the waits between the attempts of a message. The default is the job's policy.
	Schedule []time.Duration
}

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	w := &worker{o: o, store: s, client: r.Client()}
	workers.RegisterTick(r, jobs.SweepAlerts, w.sweep)
	workers.RegisterRow(r, jobs.SendAlert, w.send, workers.WithRetries(o.Schedule))
	workers.Register(r, jobs.TestAlert, w.test)
}

type worker struct {
	o      Options
	store  *store.Store
	client *jobs.Client
}

const (
	// pause is the minimum time between two checks of the same account.
	pause = 50 * time.Second
	// watchedAtOnce is how many accounts one statement claims at most.
	watchedAtOnce    = 100
	messageRetention = 30 * 24 * time.Hour
	// deletedAtOnce is how many old messages one sweep deletes at most.
	deletedAtOnce = 10_000
)

// sweep writes the alert messages of the accounts that have channels and are due. A failing account does not stop the others. Each
// sweep also records that jobs run, and deletes old messages.
func (w *worker) sweep(ctx context.Context) error {
	now := w.o.Now()
	failed := w.store.Links().SaveService(ctx, models.LinkService{Name: models.ServiceJobs, Status: models.ServiceOK, CheckedAt: now})
	for n := watchedAtOnce; n == watchedAtOnce && ctx.Err() == nil; {
		list, err := alerts.NewChannels(w.store).ClaimDue(ctx, now, now.Add(-pause), watchedAtOnce)
		if err != nil {
			return errors.Join(failed, err)
		}
		for _, account := range list {
			if err := w.announce(ctx, account); err != nil {
				slog.WarnContext(ctx, "alerts not announced", "account_id", account, "error", err)
				failed = errors.Join(failed, err)
			}
		}
		n = len(list)
	}
	return errors.Join(failed, alerts.NewChannels(w.store).DeleteExpiredMessages(ctx, now.Add(-messageRetention), deletedAtOnce))
}

// announce stores messages about the alerts of an account that began or ended. The messages are for the account's channels.
func (w *worker) announce(ctx context.Context, id uuid.UUID) error {
	account, err := w.store.FindAccount(ctx, id)
	if err != nil {
		return err
	}
	found, err := w.o.Alerts.List(ctx, account, w.o.Now())
	if err != nil {
		return err
	}
	do, now := map[string]string{}, make([]alerts.AnnouncedAlert, len(found))
	for i, a := range found {
		do[a.Type] = a.Do
		now[i] = alerts.AnnouncedAlert{
			Type: a.Type, RecordID: a.ID, Name: a.Name, Severity: a.Severity, Message: a.Message, Since: a.Since,
		}
	}
	n := notice{account: account.Name, apiURL: w.o.From, advice: do}
	messages, err := alerts.NewChannels(w.store).Announce(ctx, id, now, n.write)
	w.client.DispatchFor(ctx, id, models.KindSendAlert, messages...)
	return err
}

type run = workers.Run[jobs.None, jobs.None]

// send sends a message, unless its channel is deleted or switched off. An unconfirmed channel gets only its confirmation code.
func (w *worker) send(ctx context.Context, u *run) error {
	all, account := alerts.NewChannels(w.store), u.Job.AccountID.UUID
	m, err := all.Message(ctx, account, u.Job.ID)
	if errors.Is(err, models.NotFound("alert message")) {
		return u.Commit(ctx, jobs.None{}, nil)
	}
	if err != nil {
		return err
	}
	c, err := all.Find(ctx, account, m.ChannelID)
	if errors.Is(err, models.NotFound("alert channel")) || err == nil && (!c.IsActive || c.Unconfirmed != m.Confirms) {
		return u.Commit(ctx, jobs.None{}, nil)
	}
	if err != nil {
		return err
	}
	failure := w.deliver(ctx, c, m)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := all.RecordResult(ctx, account, c.ID, text(failure)); err != nil {
		return err
	}
	if failure != nil {
		after := time.Duration(0)
		if refused, ok := errors.AsType[*chat.Error](failure); ok {
			after = refused.After
		}
		return u.RetryAfter(ctx, after, fmt.Errorf("alert channel: %w", failure), nil)
	}
	return u.Commit(ctx, jobs.None{}, nil)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// deliver sends a message to the channel's service. The error is a text for a person and contains no credential.
func (w *worker) deliver(ctx context.Context, c models.AlertChannel, m models.AlertMessage) error {
	credentials, err := alerts.NewChannels(w.store).Credentials(ctx, c)
	if err != nil {
		return errors.New("the channel's credentials cannot be read: delete the channel and add it again")
	}
	if chat.Has(c.Kind) {
		return w.o.Chat.Send(ctx, c.Kind, credentials, m.Subject+"\n\n"+m.Body)
	}
	if w.o.Mail == nil {
		return errors.New("this install sends no e-mail")
	}
	return w.o.Mail.Send(ctx, mail.Message{To: credentials["address"], Subject: m.Subject, Text: m.Body, ID: m.ID.String()})
}

// test sends a test message. It refuses a channel that is not confirmed yet, because the receiver may not want messages.
func (w *worker) test(ctx context.Context, a jobs.TestAlertArgs) (out jobs.TestedAlert, err error) {
	c, err := alerts.NewChannels(w.store).Find(ctx, workers.Account(ctx), a.ID)
	if err != nil {
		return out, err
	}
	if c.Unconfirmed {
		return out, models.Invalid("not_confirmed", "the channel is not confirmed yet: confirm it first with the code that was sent to its receiver")
	}
	failure := w.deliver(ctx, c, models.AlertMessage{
		ID: uuid.New(), Subject: "Switchyard: a test", Body: "This is a test of this channel. Nothing is wrong.\n",
	})
	if err := ctx.Err(); err != nil {
		return out, err
	}
	return jobs.TestedAlert{Sent: failure == nil, Error: text(failure)}, alerts.NewChannels(w.store).RecordResult(ctx, c.AccountID, c.ID, text(failure))
}
