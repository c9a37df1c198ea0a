// Package incoming interprets a received postback: which click it names, whether its sender is believed, and which conversion it
// reports. It stores nothing, so that a test of a postback is read exactly like a received one.
package incoming

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db/clicklog"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/postback"
)

// Reader reads postbacks.
type Reader struct {
	Store  *store.Store
	Clicks Clicks
}

// Clicks finds the click that a postback names: clicklog.Log.
type Clicks interface {
	FindByID(ctx context.Context, id uuid.UUID) (click clicklog.StoredClick, ok bool, err error)
}

// Message is a postback with all its parameters, and what proves its sender.
type Message struct {
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

// Stored finds a stored postback. The error is models.NotFound if it does not exist.
func (r Reader) Stored(ctx context.Context, id uuid.UUID) (m Message, err error) {
	if m.StoredPostback, err = clicklog.FindPostback(ctx, r.Store.Conn(), id); err != nil {
		return m, err
	}
	m.open = m.Params
	m.proof, err = r.Store.OpenProof(ctx, id, m.Proof)
	if errors.Is(err, seal.ErrOpen) {
		m.proofLost = true
		return m, nil
	}
	if len(m.Proof) == 0 { // an older version of the program stored it in clear
		m.proof = postback.Proof{Signature: m.Signature, SignedText: m.SignedText}
	}
	m.Params = m.proof.Reveal(m.Params)
	return m, err
}

// Received is a postback as it arrived, before it is stored.
func Received(p models.Postback) Message {
	return Message{
		StoredPostback: clicklog.StoredPostback{Postback: p}, open: p.Params,
		proof: postback.Proof{Signature: p.Signature, SignedText: p.SignedText},
	}
}

// Verdict is what a postback says: it waits for something, or it is decided, or there is a conversion to record.
type Verdict struct {
	Message  Message
	Decision clicklog.PostbackDecision // its outcome is empty if it is not decided
	Wait     string                    // what a later attempt may find
	Input    clicklog.ConversionInput
	// Click is the click that the postback names, or nil if it is not known.
	Click *clicklog.StoredClick
}

// End decides a postback that another attempt cannot help.
func (v *Verdict) End(outcome, detail string) {
	v.Decision.Outcome, v.Decision.Detail = outcome, detail
	v.Show(false)
	if len(v.Message.Proof) > 0 { // it stays sealed: the postback can be replayed when the network's settings are right
		v.Decision.Params = nil
	}
}

// Show replaces the stored parameters of a decided message, with secrets masked. A believed message shows all its parameters. Any
// other message shows only the parameters that were stored in clear, because an unknown parameter may be a secret under a wrong
// name.
func (v *Verdict) Show(believed bool) {
	m := &v.Message
	params := m.open
	if believed {
		params = m.Params
	} else if hidden := m.proof.Names(); len(hidden) > 0 {
		v.Decision.Detail += "; not shown: " + strings.Join(hidden, ", ")
	}
	v.Decision.Params = postback.Masked(params, m.secrets)
}

// Read finds out what a postback says. With patient it waits for the visitor's step to an offer.
func (r Reader) Read(ctx context.Context, m Message, patient bool) (v Verdict, err error) {
	v.Message, v.Decision = m, clicklog.PostbackDecision{AccountID: m.AccountID, ClickID: m.ClickID}
	if m.proofLost {
		v.End(clicklog.PostbackRefused, proofLost)
		return v, nil
	}
	named, err := r.network(ctx, m.NetworkID)
	if err != nil {
		return v, err
	}
	d := &v.Decision
	if d.AccountID == uuid.Nil {
		d.AccountID = named.AccountID
	}
	if m.NetworkID != uuid.Nil && (named.ID == uuid.Nil || named.AccountID != d.AccountID) {
		v.End(clicklog.PostbackRefused, clicklog.NoSuchNetwork)
		return v, nil
	}
	v.Message.read, v.Message.trust = named, named
	click, reason := postback.NamedClick(m.Params, named.Network, time.Now())
	if reason != "" {
		v.End(clicklog.PostbackUnmatched, reason)
		return v, nil
	}
	d.ClickID = click
	found, ok, err := r.Clicks.FindByID(ctx, click)
	switch {
	case err != nil:
		return v, err
	case !ok || d.AccountID != uuid.Nil && found.AccountID != d.AccountID:
		v.Wait = clicklog.ClickNotKnown
		return v, nil
	}
	v.Click = &found
	if found.LanderID != uuid.Nil && found.OfferID == uuid.Nil && patient && !m.OfGoal() {
		v.Wait = "the visitor's step from the lander to an offer is not known yet"
		return v, nil
	}
	d.AccountID = found.AccountID
	return v, r.believe(ctx, &v, named, found.NetworkID)
}

// GoalNotReached is the detail of a goal that was refused when it arrived: what it is worth was not worked out.
const GoalNotReached = "it was refused when it arrived: let the server report it again"

// WrongSecret is the detail of a postback that does not prove its sender.
const WrongSecret = "the secret of the network is missing or wrong"

// believe refuses a postback that does not prove its sender, and reads any other one. of is the network of its click. The
// postback of a goal needs no proof, because it was believed when its event arrived.
func (r Reader) believe(ctx context.Context, v *Verdict, named store.PostbackNetwork, of uuid.UUID) error {
	m := &v.Message
	if m.OfGoal() && m.Params[postback.Param("payout")] == "" { // a sample that was refused as it arrived
		v.End(clicklog.PostbackRefused, GoalNotReached)
		return nil
	}
	if m.OfGoal() { // the settings of networks say nothing about it
		v.Input, _ = m.input(v.Decision.ClickID, v.Decision.AccountID)
		v.Input.OwnValue = true
		return nil
	}
	if err := r.choose(ctx, m, named, of); err != nil {
		return err
	}
	var err error
	if m.secrets, err = r.Store.SecretParams(ctx, v.Decision.AccountID); err != nil {
		return err
	}
	if m.ConversionID == uuid.Nil && !m.Authentic() { // what was recorded before was believed
		v.End(clicklog.PostbackRefused, WrongSecret)
		return nil
	}
	v.Input, v.Decision.InvalidPayout = m.input(v.Decision.ClickID, v.Decision.AccountID)
	return nil
}

// network reads a network by its id. It returns a network without settings for the zero id and for an unknown id.
func (r Reader) network(ctx context.Context, id uuid.UUID) (store.PostbackNetwork, error) {
	if id == uuid.Nil {
		return store.PostbackNetwork{}, nil
	}
	n, _, err := r.Store.PostbackNetwork(ctx, id)
	return n, err
}

// choose decides which network's settings a message is read by, and which network's secret it must prove. The message is read by
// the settings of the network that its address names, or else of the click's network. If the click's network has a secret, only
// that secret is accepted: a sender cannot avoid it by leaving out the id, nor by naming a network whose secret they know.
func (r Reader) choose(ctx context.Context, m *Message, named store.PostbackNetwork, of uuid.UUID) error {
	own := named
	if named.ID != of {
		var err error
		if own, err = r.network(ctx, of); err != nil {
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

// Authentic reports whether the message proves its sender by the secret of the network in trust. Every message passes if
// that network is unknown or has no secret.
func (m *Message) Authentic() bool {
	given := postback.Read(m.Params, m.trust.Network).Secret
	return postback.Authentic(m.trust.Secret, given, m.proof.Signature, m.proof.SignedText)
}

// WantsSecret reports whether the message must prove its sender.
func (m *Message) WantsSecret() bool { return m.trust.Secret != "" }

// Said is what the message says. A secret of the click's network is no field of the network that the address names.
func (m *Message) Said() postback.Message {
	params := maps.Clone(m.Params)
	if secret := m.trust.SecretParam(); secret != "" && m.read.ID != m.trust.ID {
		maps.DeleteFunc(params, func(name, _ string) bool { return strings.EqualFold(name, secret) })
	}
	return postback.Read(params, m.read.Network)
}

// input is the argument of RecordConversion for a message. Without a status word, a new conversion is approved and the
// status of a recorded one does not change, because a repeated message must not undo a rejection.
func (m *Message) input(click, account uuid.UUID) (in clicklog.ConversionInput, invalidPayout string) {
	said := m.Said()
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
