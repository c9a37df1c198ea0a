package alerts

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// AnnouncedAlert is an alert in the form in which it is stored from its announcement until it ends.
type AnnouncedAlert struct {
	Type     string    `db:"type"`
	RecordID uuid.UUID `db:"record_id"`
	Name     string    `db:"name"`
	Severity string    `db:"severity"`
	Message  string    `db:"message"`
	Since    time.Time `db:"since"`
}

// Key returns the fields that identify an alert within its account.
func (a AnnouncedAlert) Key() AnnouncedAlert {
	return AnnouncedAlert{Type: a.Type, RecordID: a.RecordID, Name: a.Name}
}

const dueWatches = `
UPDATE alert_watches SET looked_at = $1 WHERE account_id IN (
	SELECT account_id FROM alert_watches w WHERE looked_at < $2 AND EXISTS (
		SELECT FROM alert_channels c WHERE c.account_id = w.account_id AND c.is_active AND c.code = '')
	ORDER BY looked_at LIMIT $3 FOR UPDATE SKIP LOCKED
) RETURNING account_id`

// ClaimDue claims accounts that have an active, confirmed channel and that no worker has claimed since the time claimedBefore. The
// parameter limit is the maximum number of accounts.
func (a Channels) ClaimDue(ctx context.Context, now, claimedBefore time.Time, limit int) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, a.s.Conn(), "watched accounts", dueWatches, now, claimedBefore, limit)
}

const (
	lockWatch     = `SELECT account_id FROM alert_watches WHERE account_id = $1 FOR UPDATE`
	listAnnounced = `SELECT type, record_id, name, severity, message, since FROM announced_alerts WHERE account_id = $1`
	countHour     = `
SELECT count(DISTINCT created_at) FROM alert_messages WHERE account_id = $1 AND NOT confirms AND created_at > now() - interval '1 hour'`
	insertAnnounced = `
INSERT INTO announced_alerts (account_id, type, record_id, name, severity, message, since) VALUES ($1, $2, $3, $4, $5, $6, $7)`
	raiseAnnounced = `
UPDATE announced_alerts SET severity = $5, message = $6 WHERE account_id = $1 AND type = $2 AND record_id = $3 AND name = $4`
	deleteAnnounced = `DELETE FROM announced_alerts WHERE account_id = $1 AND type = $2 AND record_id = $3 AND name = $4`
)

// Announcement is a message for one channel.
type Announcement struct {
	Channel       uuid.UUID
	Subject, Body string
}

// Changes is the difference between the present and the announced alerts. Risen has alerts that are critical now but were not
// when they were announced.
type Changes struct{ Begun, Risen, Ended []AnnouncedAlert }

// Announce compares the present alerts with the announced ones, and stores the difference and its messages in one transaction, so
// that each change is announced once. The function write returns the messages for the account's channels. An alert that has risen
// stays critical until it ends. Announce returns the jobs that send the messages. If the account received
// models.AlertMessagesAnHour announcements in the last hour, Announce leaves the difference to a later call.
func (a Channels) Announce(ctx context.Context, account uuid.UUID, present []AnnouncedAlert,
	write func(channels []models.AlertChannel, n Changes) []Announcement,
) (messages []uuid.UUID, err error) {
	err = a.s.Tx(ctx, func(s *store.Store) error {
		if _, watched, err := db.First[uuid.UUID](ctx, s.Conn(), "alert watch", lockWatch, account); err != nil || !watched {
			return err
		}
		have, err := db.Select[AnnouncedAlert](ctx, s.Conn(), "announced alerts", listAnnounced, account)
		if err != nil {
			return err
		}
		news := Changes{Begun: without(present, have), Risen: risen(present, have), Ended: without(have, present)}
		if len(news.Begun)+len(news.Risen)+len(news.Ended) == 0 {
			return nil
		}
		sent, err := db.Get[int](ctx, s.Conn(), "alert messages", countHour, account)
		if err != nil || sent >= models.AlertMessagesAnHour {
			return err
		}
		channels, err := NewChannels(s).List(ctx, account)
		if err != nil {
			return err
		}
		if err := NewChannels(s).recordNews(ctx, account, news); err != nil {
			return err
		}
		for _, m := range write(channels, news) {
			ids, err := NewChannels(s).send(ctx, models.AlertMessage{
				AccountID: account, ChannelID: m.Channel, Subject: m.Subject, Body: m.Body,
			})
			if err != nil {
				return err
			}
			messages = append(messages, ids...)
		}
		return nil
	})
	return messages, err
}

// without returns the alerts of the first list whose key is not in the second list.
func without(list, others []AnnouncedAlert) (out []AnnouncedAlert) {
	known := map[AnnouncedAlert]bool{}
	for _, o := range others {
		known[o.Key()] = true
	}
	for _, v := range list {
		if !known[v.Key()] {
			out, known[v.Key()] = append(out, v), true
		}
	}
	return out
}

// risen returns the alerts of list that are critical now but were not when they were announced.
func risen(list, announced []AnnouncedAlert) (out []AnnouncedAlert) {
	less := map[AnnouncedAlert]bool{}
	for _, v := range announced {
		less[v.Key()] = v.Severity != models.AlertCritical
	}
	for _, v := range list {
		if v.Severity == models.AlertCritical && less[v.Key()] {
			out, less[v.Key()] = append(out, v), false
		}
	}
	return out
}

func (a Channels) recordNews(ctx context.Context, account uuid.UUID, n Changes) error {
	for _, v := range n.Ended {
		if err := db.Run(ctx, a.s.Conn(), "alert ended", deleteAnnounced, account, v.Type, v.RecordID, v.Name); err != nil {
			return err
		}
	}
	for _, v := range n.Risen {
		if err := db.Run(ctx, a.s.Conn(), "alert risen", raiseAnnounced, account, v.Type, v.RecordID, v.Name, v.Severity, v.Message); err != nil {
			return err
		}
	}
	for _, v := range n.Begun {
		if err := db.Run(ctx, a.s.Conn(), "alert begun", insertAnnounced, account, v.Type, v.RecordID, v.Name, v.Severity, v.Message,
			v.Since); err != nil {
			return err
		}
	}
	return nil
}

// DeleteExpiredMessages deletes messages that are older than the given time. The parameter limit is the maximum number of messages.
func (a Channels) DeleteExpiredMessages(ctx context.Context, before time.Time, limit int) error {
	return db.Run(ctx, a.s.Conn(), "delete old alert messages", `DELETE FROM alert_messages WHERE id IN (
		SELECT id FROM alert_messages WHERE created_at < $1 LIMIT $2)`, before, limit)
}
