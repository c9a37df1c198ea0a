// Package conversion handles conversion:record, which records the conversion that a stored postback reports, and
// postbacks:match, which starts that job for postbacks that came before their click.
//
// A postback whose click is not stored yet waits. One whose click is never stored becomes unmatched. It is kept, so
// that it can be inspected and looked for again. A conversion is never recorded for a click that the postback does not
// name.
package conversion

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/seal"
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
	MatchPostbacks(ctx context.Context, waits []time.Duration, limit int) (rows []models.JobRef, looked int, err error)
	FindByID(ctx context.Context, id uuid.UUID) (click clicklog.StoredClick, ok bool, err error)
	RecordConversion(ctx context.Context, c db.Conn, in clicklog.ConversionInput) (clicklog.ConversionOutcome, error)
}

// Register adds the handlers to a runtime. The options are for conversion:record.
func Register(r *workers.Runtime, s *store.Store, clicks Clicks, opts ...workers.RowOption) {
	rec := &recorder{runtime: r, store: s, clicks: clicks}
	workers.RegisterRow(r, jobs.RecordConversion, rec.record, opts...)
	workers.RegisterTick(r, jobs.MatchPostbacks, rec.match)
	workers.Register(r, jobs.ReplayPostbacks, rec.replay)
}

// matchAtOnce is how many postbacks one statement of match looks at.
const matchAtOnce = 2000

// match starts the jobs of postbacks that waited for their click, and whose click is stored by now.
func (rec *recorder) match(ctx context.Context) error {
	for looked := matchAtOnce; looked == matchAtOnce; {
		rows, n, err := rec.clicks.MatchPostbacks(ctx, jobs.ConversionSchedule, matchAtOnce)
		if err != nil {
			return err
		}
		rec.runtime.Client().Dispatch(ctx, rows...)
		looked = n
	}
	return nil
}

// offerAttempts is how many attempts wait for the click-out of a visitor of a lander. The click-out decides the offer,
// the payout and the network's secret, and it may wait in the spool of another process. Later attempts record a
// conversion without an offer.
const offerAttempts = 3

// message is a stored postback with all its parameters, and what proves its sender.
type message struct {
	clicklog.StoredPostback
	open      map[string]string // the parameters that were stored in clear
	proof     postback.Proof
	read      store.PostbackNetwork // by whose settings it is read
	trust     store.PostbackNetwork // whose secret it must prove; an empty secret is proved by every message
	proofLost bool
	// secrets are the parameters in which any network of the click's account sends its secret.
	secrets []string
}

// proofLost is the detail of a postback whose proof was sealed under a key that is gone.
const proofLost = "what proves the sender cannot be opened: ENCRYPTION_KEY has changed"

func (rec *recorder) find(ctx context.Context, id uuid.UUID) (m message, err error) {
	if m.StoredPostback, err = clicklog.FindPostback(ctx, rec.store.Conn(), id); err != nil {
		return m, err
	}
	m.open = m.Params
	m.proof, err = rec.store.OpenProof(ctx, id, m.Proof)
	if errors.Is(err, seal.ErrOpen) {
		m.proofLost = true
		return m, nil
	}
	if len(m.Proof) == 0 { // a process of before has stored it in clear
		m.proof = postback.Proof{Signature: m.Signature, SignedText: m.SignedText}
	}
	m.Params = m.proof.Reveal(m.Params)
	return m, err
}

func (rec *recorder) record(ctx context.Context, u *run) error {
	m, err := rec.find(ctx, u.Job.ID)
	if err != nil {
		return err
	}
	if m.Outcome == clicklog.PostbackRecorded || m.Outcome == clicklog.PostbackIgnored {
		return u.Commit(ctx, jobs.None{}, nil)
	}
	v, err := rec.read(ctx, m, u.Attempt <= offerAttempts)
	switch {
	case err != nil:
		return err
	case v.wait != "":
		return rec.retry(ctx, u, v, v.wait)
	case v.d.Outcome != "":
		return u.Commit(ctx, jobs.None{}, func(c db.Conn) error {
			return clicklog.DecidePostback(ctx, c, m.ID, v.d)
		})
	}
	return rec.commit(ctx, u, v)
}

// verdict is what a postback says: it waits for something, or it is decided, or there is a conversion to record.
type verdict struct {
	m     message
	d     clicklog.PostbackDecision // its outcome is empty if it is not decided
	wait  string                    // what a later attempt may find
	input clicklog.ConversionInput
}

// end decides a postback that another attempt cannot help.
func (v *verdict) end(outcome, detail string) {
	v.d.Outcome, v.d.Detail = outcome, detail
	v.m.show(&v.d, false)
	if len(v.m.Proof) > 0 { // it stays sealed: the postback can be replayed when the network's settings are right
		v.d.Params = nil
	}
}

// read finds out what a stored postback says. With patient it waits for the visitor's step to an offer.
func (rec *recorder) read(ctx context.Context, m message, patient bool) (v verdict, err error) {
	v.m, v.d = m, clicklog.PostbackDecision{AccountID: m.AccountID, ClickID: m.ClickID}
	if m.proofLost {
		v.end(clicklog.PostbackRefused, proofLost)
		return v, nil
	}
	named, err := rec.network(ctx, m.NetworkID)
	if err != nil {
		return v, err
	}
	d := &v.d
	if d.AccountID == uuid.Nil {
		d.AccountID = named.AccountID
	}
	if m.NetworkID != uuid.Nil && (named.ID == uuid.Nil || named.AccountID != d.AccountID) {
		v.end(clicklog.PostbackRefused, clicklog.NoSuchNetwork)
		return v, nil
	}
	click, reason := postback.NamedClick(m.Params, named.Network, time.Now())
	if reason != "" {
		v.end(clicklog.PostbackUnmatched, reason)
		return v, nil
	}
	d.ClickID = click
	found, ok, err := rec.clicks.FindByID(ctx, click)
	switch {
	case err != nil:
		return v, err
	case !ok || d.AccountID != uuid.Nil && found.AccountID != d.AccountID:
		v.wait = clicklog.ClickNotKnown
		return v, nil
	case found.LanderID != uuid.Nil && found.OfferID == uuid.Nil && patient:
		v.wait = "the visitor's step from the lander to an offer is not known yet"
		return v, nil
	}
	d.AccountID = found.AccountID
	return v, rec.believe(ctx, &v, named, found.NetworkID)
}

// believe refuses a postback that does not prove its sender, and reads any other one. of is the network of its click.
func (rec *recorder) believe(ctx context.Context, v *verdict, named store.PostbackNetwork, of uuid.UUID) error {
	if err := rec.choose(ctx, &v.m, named, of); err != nil {
		return err
	}
	var err error
	if v.m.secrets, err = rec.store.SecretParams(ctx, v.d.AccountID); err != nil {
		return err
	}
	if v.m.ConversionID == uuid.Nil && !v.m.authentic() { // what was recorded before was believed
		v.end(clicklog.PostbackRefused, "the secret of the network is missing or wrong")
		return nil
	}
	v.input, v.d.InvalidPayout = v.m.input(v.d.ClickID, v.d.AccountID)
	return nil
}

// network reads a network by its id. The zero id, and one that does not exist, return a network without settings.
func (rec *recorder) network(ctx context.Context, id uuid.UUID) (store.PostbackNetwork, error) {
	if id == uuid.Nil {
		return store.PostbackNetwork{}, nil
	}
	n, _, err := rec.store.PostbackNetwork(ctx, id)
	return n, err
}

// choose finds by whose settings a message is read, and whose secret it must prove. It is read as the network that the
// address names says, else as that of the click. If the click's network has a secret, only that one is believed: a sender
// cannot avoid it by leaving out the id, nor by naming a network whose secret he knows.
func (rec *recorder) choose(ctx context.Context, m *message, named store.PostbackNetwork, of uuid.UUID) error {
	own := named
	if named.ID != of {
		var err error
		if own, err = rec.network(ctx, of); err != nil {
			return err
		}
	}
	m.read, m.trust = named, own
	if named.ID == uuid.Nil {
		m.read = own
	}
	if own.Secret == "" {
		m.trust = named
	}
	return nil
}

// authentic reports whether the message proves its sender.
func (m *message) authentic() bool {
	given := postback.Read(m.Params, m.trust.Network).Secret
	return postback.Authentic(m.trust.Secret, given, m.proof.Signature, m.proof.SignedText)
}

// show puts the parameters of a decided message, secrets masked, in the place of what was stored. Of a message that was
// believed these are all. Of another one any parameter that nobody knows may be a secret under a wrong name.
func (m *message) show(d *clicklog.PostbackDecision, believed bool) {
	params := m.open
	if believed {
		params = m.Params
	} else if hidden := m.proof.Names(); len(hidden) > 0 {
		d.Detail += "; not shown: " + strings.Join(hidden, ", ")
	}
	d.Params = postback.Masked(params, m.secrets)
}

// input is the argument of RecordConversion for a message. Without a status word, a new conversion is approved and the
// status of a recorded one does not change, because a repeated message must not undo a rejection. A secret of the click's
// network is no field of the network that the address names.
func (m *message) input(click, account uuid.UUID) (in clicklog.ConversionInput, invalidPayout string) {
	params := maps.Clone(m.Params)
	if secret := m.trust.SecretParam(); secret != "" && m.read.ID != m.trust.ID {
		maps.DeleteFunc(params, func(name, _ string) bool { return strings.EqualFold(name, secret) })
	}
	said := postback.Read(params, m.read.Network)
	received := models.ClickTime(m.ID)
	in = clicklog.ConversionInput{
		AccountID: account, ClickID: click, NetworkID: m.read.ID, ConversionID: said.ConversionID, Goal: said.Goal,
		Status: said.Status, Reversal: said.Reversal, OriginalStatus: said.OriginalStatus, Payout: said.Payout,
		Cost: said.Cost, Currency: said.Currency, At: received, Source: m.Source, Arrival: m.ID,
		Again: m.ConversionID, InvalidPayout: said.InvalidPayout != "",
	}
	if said.OriginalStatus == "" && said.Status == models.StatusApproved {
		in.Status = ""
	}
	if !said.Time.IsZero() && said.Time.Before(received.Add(time.Minute)) && !said.Time.Before(models.ClickTime(click)) {
		in.At = said.Time
	}
	return in, said.InvalidPayout
}
