package conversion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	dbmatchkey "switchyard/db/matchkey"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/models/postback"
)

// Reader reads postbacks.
type Reader struct {
	Store  *store.Store
	Clicks click.Log
}

// Message is a postback with its parameters and the proof of its sender.
type Message struct {
	StoredPostback
	open      map[string]string // the parameters that were stored unencrypted
	proof     postback.Proof
	network   store.PostbackNetwork // the network whose settings apply
	proofLost bool
	// secretNetwork is the network by whose secret or scheme the message must prove its sender. If it has neither, every message
	// is accepted.
	secretNetwork store.PostbackNetwork
	// verified is the network whose notification proved its sender by the network's scheme.
	verified uuid.UUID
	eventKey string // key of the event of the verified notification
	version  string // version of the order that the notification describes, or empty
	// currency is the currency of amounts that state none. It is empty if the amounts do not depend on it.
	currency string
	// secrets are the parameters in which the account's networks send their secrets.
	secrets []string
	// buyer holds the personal data of the notification's buyer. consent is the notification's word for the buyer's consent.
	buyer   matchkey.Person
	consent string
}

// proofLost is the detail of a postback whose proof was encrypted with a key that no longer exists.
const proofLost = "the stored proof of the sender cannot be decrypted: ENCRYPTION_KEY has changed"

// Find returns a stored postback. The error is models.NotFound if it does not exist.
func (r Reader) Find(ctx context.Context, id uuid.UUID) (m Message, err error) {
	if m.StoredPostback, err = FindPostback(ctx, r.Store.Conn(), id); err != nil {
		return m, err
	}
	m.open = m.Params
	m.proof, err = r.Store.OpenProof(ctx, id, m.Proof)
	if errors.Is(err, seal.ErrOpen) {
		m.proofLost = true
		return m, nil
	}
	if len(m.Proof) == 0 { // an older version of the program stored it unencrypted
		m.proof = postback.Proof{Signature: m.Signature, SignedText: m.SignedText}
	}
	m.Params = m.proof.Reveal(m.Params)
	return m, err
}

// NewMessage returns the message of a postback that is not stored yet.
func NewMessage(p models.Postback) Message {
	return Message{
		StoredPostback: NewPostback(p), open: p.Params,
		proof: postback.Proof{Signature: p.Signature, SignedText: p.SignedText, Raw: p.Raw, Personal: p.Personal},
	}
}

// Verdict is the result of reading a postback.
type Verdict struct {
	Message  Message
	Decision PostbackDecision // no outcome: not decided
	Wait     string           // the missing data, which a later attempt may find
	Input    Input
	More     []Input // the other conversions of a notification that reports several
	// Keys are the ids by which later notifications refer to the conversions. The first key is the notification's own.
	Keys []Reference
	// Click is the click that the postback names. It is nil if it is not known.
	Click *click.StoredClick
	// keys are the hashed personal data of a trusted message. If withdraws is set, the person refuses their use.
	keys      []dbmatchkey.Row
	withdraws bool
}

// End decides a postback for which another attempt cannot help.
func (v *Verdict) End(outcome, detail string) {
	v.Decision.Outcome, v.Decision.Detail = outcome, detail
	v.MaskParams(false)           // not trusted
	if len(v.Message.Proof) > 0 { // keep the encrypted proof for a replay
		v.Decision.Params = nil
	}
}

// MaskParams sets the parameters that are stored for a decided message, and masks secrets. An untrusted message keeps only the
// parameters that were stored unencrypted, because an unknown parameter may be a secret under a wrong name.
func (v *Verdict) MaskParams(believed bool) {
	m := &v.Message
	params := m.open
	if believed {
		params = m.Params
	} else if hidden := m.proof.Names(); len(hidden) > 0 {
		v.Decision.Detail += "; not shown: " + strings.Join(hidden, ", ")
	}
	v.Decision.Params = postback.Masked(params, m.secrets)
}

// Read interprets a postback. The postback waits if its click is not known. If patient is set, it also waits for other data that
// may still arrive.
func (r Reader) Read(ctx context.Context, m Message, patient bool) (v Verdict, err error) {
	v.Message, v.Decision = m, PostbackDecision{AccountID: m.AccountID, ClickID: m.ClickID}
	if m.proofLost {
		v.End(PostbackRefused, proofLost)
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
		v.End(PostbackRefused, NoSuchNetwork)
		return v, nil
	}
	v.Message.network, v.Message.secretNetwork = named, named
	var parts []part
	if m.proof.Raw == nil && m.ConversionID == uuid.Nil && (m.Params[eventParam] != "" || len(m.Params) == 0) && named.Scheme != "" {
		v.End(PostbackRefused, NotKept)
		return v, nil
	}
	if m.proof.Raw != nil && named.Scheme != "" {
		var open bool
		if parts, open, err = r.readNotification(ctx, &v, patient); err != nil || !open {
			return v, err
		}
		m = v.Message
	}
	click, reason := postback.NamedClick(m.Params, named.Network, time.Now())
	switch {
	case reason != "" && m.ClickID != uuid.Nil: // an imported click, named by its id at another tracker
		click = m.ClickID
	case reason != "":
		v.End(PostbackUnmatched, reason)
		return v, nil
	}
	d.ClickID = click
	found, ok, err := r.Clicks.FindByID(ctx, click)
	switch {
	case err != nil:
		return v, err
	case !ok || d.AccountID != uuid.Nil && found.AccountID != d.AccountID:
		v.Wait = ClickNotKnown
		return v, nil
	}
	v.Click = &found
	if found.LanderID != uuid.Nil && found.OfferID == uuid.Nil && patient && !m.IsFromGoal() {
		v.Wait = "the visitor's step from the landing page to an offer is not known yet"
		return v, nil
	}
	d.AccountID = found.AccountID
	if err := r.authenticate(ctx, &v, named, found.NetworkID); err != nil || v.Decision.Outcome != "" {
		return v, err
	}
	v.addReports(parts)
	return v, r.sealKeys(ctx, &v)
}

// GoalNotReached is the detail of a goal that was refused when it arrived, before its value was computed.
const GoalNotReached = "it was refused when it arrived: let the server report it again"

// WrongSecret is the detail of a postback that does not prove its sender.
const WrongSecret = "the secret of the network is missing or wrong"

// noConversion is the detail of a postback whose status word reports no conversion.
const noConversion = "the status %.100q reports no conversion: nothing was paid or taken back"

// authenticate reads a postback. It refuses a postback that does not prove its sender, and a goal that was stored without its
// value. The parameter named is the network in the postback's address. A goal needs no proof, because the sender of its event was
// checked.
func (r Reader) authenticate(ctx context.Context, v *Verdict, named store.PostbackNetwork, clickNetwork uuid.UUID) error {
	m := &v.Message
	if m.IsFromGoal() && m.Params[postback.Param("payout")] == "" { // the goal was refused, and stored without its value
		v.End(PostbackRefused, GoalNotReached)
		return nil
	}
	if m.IsFromGoal() { // the settings of networks do not apply to goals
		v.setInput(m.Fields())
		v.Input.OwnValue = true
		return nil
	}
	if err := r.chooseNetworks(ctx, m, named, clickNetwork); err != nil {
		return err
	}
	var err error
	if m.secrets, err = r.Store.SecretParams(ctx, v.Decision.AccountID); err != nil {
		return err
	}
	if m.ConversionID == uuid.Nil && !m.Authentic() { // a postback that has a conversion was trusted before
		v.End(PostbackRefused, WrongSecret)
		return nil
	}
	fields := m.Fields()
	if fields.DependsOnCurrency {
		currencyOf, err := CurrenciesThatHold(ctx, r.Clicks, r.Store.Conn(), v.Decision.AccountID, []uuid.UUID{v.Click.ID})
		if err != nil {
			return err
		}
		m.currency = currencyOf(Key{ClickID: v.Click.ID, Goal: fields.Goal, ConversionID: fields.ConversionID})
		fields = m.Fields()
	}
	if v.setInput(fields); fields.NoConversion {
		v.Decision.Outcome, v.Decision.Detail = PostbackIgnored, fmt.Sprintf(noConversion, fields.OriginalStatus)
		v.MaskParams(true) // trusted
		return nil
	}
	if fields.UnknownWord && m.ConversionID == uuid.Nil {
		v.Decision.UnknownWord = Word{m.network.ID, fields.OriginalStatus}
	}
	return nil
}

// setInput sets the argument of Record, and the decision's remarks about amounts and time.
func (v *Verdict) setInput(fields postback.Message) {
	v.Input = v.Message.input(v.Decision.ClickID, v.Decision.AccountID, fields)
	v.Decision.InvalidPayout, v.Decision.AmountReason, v.Decision.InvalidTime = fields.InvalidPayout, fields.AmountReason(), v.Input.InvalidTime
}

// network returns a network by its id. For an unknown id it has no settings.
func (r Reader) network(ctx context.Context, id uuid.UUID) (store.PostbackNetwork, error) {
	if id == uuid.Nil {
		return store.PostbackNetwork{}, nil
	}
	n, _, err := r.Store.PostbackNetwork(ctx, id)
	return n, err
}

// chooseNetworks selects the network whose settings apply to a message, and the network by whose secret or scheme it must prove its
// sender. The settings come from the network in the address or else from the click's network. If the click's network has a secret
// or a scheme, only that proof counts, so a sender cannot avoid it by naming no network or another one.
func (r Reader) chooseNetworks(ctx context.Context, m *Message, named store.PostbackNetwork, clickNetwork uuid.UUID) error {
	ofClick := named
	if named.ID != clickNetwork {
		var err error
		if ofClick, err = r.network(ctx, clickNetwork); err != nil {
			return err
		}
	}
	m.network, m.secretNetwork = named, ofClick
	if named.ID == uuid.Nil {
		m.network = ofClick
	}
	if ofClick.Secret == "" && ofClick.Scheme == "" {
		m.secretNetwork = named
	}
	return nil
}

// Authentic reports whether the message proves its sender with the secret or by the scheme of secretNetwork. It returns true if
// the network has neither.
func (m *Message) Authentic() bool {
	if m.secretNetwork.Scheme != "" || m.verified != uuid.Nil { // the proof of one network is no proof for another
		return m.verified == m.secretNetwork.ID || m.secretNetwork.Secret == "" && m.secretNetwork.Scheme == ""
	}
	given := postback.Read(m.Params, m.secretNetwork.Network, "").Secret
	return postback.Authentic(m.secretNetwork.Secret, given, m.proof.Signature, m.proof.SignedText)
}

// NeedsSecret reports whether the message must prove its sender.
func (m *Message) NeedsSecret() bool {
	return m.secretNetwork.Secret != "" || m.secretNetwork.Scheme != ""
}

// Fields returns the fields of the message. It does not read a parameter with the secret of the click's network as a field of
// another network.
func (m *Message) Fields() postback.Message {
	params := maps.Clone(m.Params)
	if secret := m.secretNetwork.SecretParam(); secret != "" && m.network.ID != m.secretNetwork.ID {
		maps.DeleteFunc(params, func(name, _ string) bool { return strings.EqualFold(name, secret) })
	}
	return postback.Read(params, m.network.Network, m.currency)
}

// input returns the argument of Record. Without a status word it leaves the status open, because a repeated message must not undo
// a rejection.
func (m *Message) input(click, account uuid.UUID, fields postback.Message) Input {
	in := Input{
		AccountID: account, ClickID: click, NetworkID: m.network.ID, ConversionID: fields.ConversionID, Goal: fields.Goal,
		WordGoal: fields.WordGoal, Status: fields.Status, Reversal: fields.Reversal, OriginalStatus: fields.OriginalStatus, Payout: fields.Payout,
		Cost: fields.Cost, Currency: fields.Currency, Source: m.Source, Arrival: m.ID,
		Again: m.ConversionID, InvalidPayout: fields.InvalidPayout != "", PayoutReason: fields.PayoutReason,
	}
	if fields.OriginalStatus == "" && fields.Status == models.StatusApproved {
		in.Status = ""
	}
	in.At, in.InvalidTime = fields.Moment(click, models.ClickTime(m.ID))
	if m.Source == models.FromTag { // a wrong clock of a visitor's browser is not worth a remark
		in.InvalidTime = ""
	}
	return in
}
