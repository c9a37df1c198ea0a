package conversion

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/money"
	"switchyard/models/notification"
	"switchyard/models/postback"
)

// Why a notification did not become a conversion.
const (
	NoSecretYet  = "the network has no secret yet: enter the platform's secret, then read the message again"
	NamesNoClick = "it names no click and refers to no conversion: the order came through no link, or the shop does not pass on the click id"
	PartRefunded = "a part of the sale was refunded: correct the payout, or let the shop send the order's updates"
	NotKept      = "only the values that were read from it are stored, not the notification: let the platform send the notification again"
	OlderState   = "the shop had already sent a later state of the order"
	SaleNotKnown = "the sale that it is about is not known yet"
)

// part is one conversion that a notification reports.
type part struct {
	params map[string]string
	keys   []string
	payout string // amount of the sale
}

// readNotification verifies a notification and returns the conversions that it reports. The message gets the parameters of the
// first one. open is false if the notification is decided or waits. If the notification names no click and its sale is unknown, it
// waits only if patient is set.
func (r Reader) readNotification(ctx context.Context, v *Verdict, patient bool) (parts []part, open bool, err error) {
	m := &v.Message
	scheme, known := notification.Find(m.network.Scheme)
	if !known || m.network.Secret == "" {
		v.End(PostbackRefused, NoSecretYet)
		return nil, false, nil
	}
	result, err := m.verify(scheme)
	e, explained := models.AsError(err)
	switch {
	case errors.Is(err, notification.ErrUnproven):
		v.End(PostbackRefused, WrongSecret)
		return nil, false, nil
	case explained && e.Kind == models.KindInvalid:
		v.End(PostbackRefused, e.Message)
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	m.verified = m.network.ID
	m.buyer, m.consent = result.Buyer, result.Consent
	event := map[string]string{eventParam: postback.Clean(result.Event, postback.MaxName)}
	reason := result.Ignored
	for _, report := range result.Reports {
		var more []part
		if more, reason, err = r.resolve(ctx, m, report, patient); err != nil {
			return nil, false, err
		}
		parts = append(parts, more...)
	}
	switch {
	case len(parts) == 0 && reason == SaleNotKnown:
		v.Wait = reason
		return nil, false, nil
	case len(parts) == 0:
		v.Decision.Outcome, v.Decision.Detail, v.Decision.Params = PostbackIgnored, reason, event
		return nil, false, nil
	}
	for i := range parts {
		parts[i].params[eventParam] = event[eventParam]
	}
	m.eventKey, m.version = result.Key, result.Version
	m.Params, m.open = parts[0].params, parts[0].params
	return parts, true, nil
}

// eventParam is the parameter for the platform's name of the event. No field of a postback has this name.
const eventParam = "notification"

// verify opens the stored message and reads it.
func (m *Message) verify(scheme *notification.Scheme) (notification.Result, error) {
	body, err := postback.UnpackBody(m.proof.Raw.Body, notification.MaxBody)
	if err != nil {
		return notification.Result{}, err
	}
	return scheme.Read(notification.Request{
		Header: m.proof.Raw.Header, Query: m.proof.Raw.Query, Body: body, Received: models.ClickTime(m.ID),
	}, m.network.Secret, m.network.Params)
}

// resolve returns the conversions that a report is about, or the reason why it is about no conversion. patient is as in
// readNotification.
func (r Reader) resolve(ctx context.Context, m *Message, report notification.Report, patient bool) (parts []part, reason string, err error) {
	var found []Reference
	if len(report.About) > 0 && (report.Same || report.Click == "") {
		found, err = FindReferences(ctx, r.Store.Conn(), m.network.AccountID, m.network.ID, cleanIDs(report.About))
		if err != nil {
			return nil, "", err
		}
	}
	switch {
	case report.Same && len(found) > 0:
		parts, reason = partsOfKnown(report, found)
		return parts, reason, nil
	case report.Click == "" && len(found) > 0:
		report.Click = models.FormatClickID(found[0].ClickID)
	case report.Click == "" && len(report.About) > 0 && patient:
		return nil, SaleNotKnown, nil
	case report.Click == "":
		return nil, NamesNoClick, nil
	case report.ConversionID == "":
		return nil, SaleNotKnown, nil
	}
	p := part{params: paramsOf(report), keys: cleanIDs(report.Keys)}
	if !strings.HasPrefix(report.Payout, "-") {
		p.payout = cmp.Or(report.Price, report.Payout)
	}
	return []part{p}, "", nil
}

// partsOfKnown returns the parts of a report about known conversions. If there are several, a report
// with an amount can only reverse all of them.
func partsOfKnown(report notification.Report, found []Reference) (parts []part, reason string) {
	if report.Part != "" && isLess(report.Part, found) {
		return nil, PartRefunded
	}
	for _, f := range found {
		single := report
		single.Click, single.ConversionID, single.Goal = models.FormatClickID(f.ClickID), f.ConversionID, f.Goal
		if len(found) > 1 {
			if single.Payout != "" && !strings.HasPrefix(single.Payout, "-") {
				return nil, PartRefunded
			}
			if single.Payout != "" && f.Payout != "" {
				single.Payout = "-" + f.Payout
			}
		}
		parts = append(parts, part{params: paramsOf(single), keys: cleanIDs(report.Keys), payout: f.Payout})
	}
	return parts, ""
}

// isLess reports whether an amount is less than the sum of the payouts. The result is false if an amount is
// not known.
func isLess(amount string, found []Reference) bool {
	total := decimal.Zero
	for _, f := range found {
		d, ok := notification.Number(f.Payout)
		if !ok {
			return false
		}
		total = total.Add(d)
	}
	d, ok := notification.Number(amount)
	return ok && d.LessThan(total)
}

// paramsOf returns a report as the parameters of a postback.
func paramsOf(report notification.Report) map[string]string {
	params := map[string]string{}
	for field, value := range map[string]string{
		"click_id": report.Click, "payout": money.Exact(report.Payout), "currency": report.Currency, "status": report.Word,
		"conversion_id": report.ConversionID, "goal": report.Goal, "time": report.Time,
	} {
		if value = postback.Clean(value, postback.MaxValue); value != "" {
			params[postback.Param(field)] = value
		}
	}
	return params
}

const maxKeys = 10

func cleanIDs(ids []string) (out []string) {
	for _, id := range ids[:min(len(ids), maxKeys)] {
		if id = postback.Clean(id, 255); id != "" {
			out = append(out, id)
		}
	}
	return out
}

// addReports adds all conversions of a notification but the first to the verdict, and the ids of all conversions. The first id is
// the id of the platform's event.
func (v *Verdict) addReports(parts []part) {
	m := v.Message
	for i, p := range parts {
		in := v.Input
		if i > 0 {
			m.Params = p.params
			click, _ := postback.NamedClick(p.params, m.network.Network, models.ClickTime(m.ID))
			in = m.input(cmp.Or(click, v.Decision.ClickID), v.Decision.AccountID, m.Fields())
			in.Again = uuid.Nil // only the first conversion is stored with the postback
			v.More = append(v.More, in)
		}
		ids := Reference{
			AccountID: v.Decision.AccountID, NetworkID: m.network.ID, ClickID: in.ClickID, Goal: in.Goal, ConversionID: in.ConversionID,
			Payout: postback.Clean(p.payout, 64),
		}
		keys := p.keys
		if i == 0 {
			keys = append([]string{"event " + postback.Clean(m.eventKey, 200)}, keys...)
			if m.version != "" {
				keys = append(keys, versionKey+m.version)
			}
		}
		for _, key := range keys {
			ids.Reference = key
			v.Keys = append(v.Keys, ids)
		}
	}
}

// Record records the conversions of the verdict in the transaction of c. It returns the outcome of the first one, with the jobs
// of all. If the first did not change, Result and Reason come from the first that did. A notification that was recorded before
// changes nothing unless it is replayed.
func (v *Verdict) Record(ctx context.Context, l click.Log, c db.Conn) (Outcome, error) {
	if len(v.Keys) > 0 { // a notification
		isNew, err := StoreReferences(ctx, c, v.Keys[:1])
		if err != nil {
			return Outcome{}, err
		}
		if isNew == 0 && v.Message.ConversionID == uuid.Nil {
			return Outcome{Result: ResultDuplicate}, nil
		}
		if late, err := hasLaterVersion(ctx, c, v.Keys[0], v.Message.version); err != nil || late && v.Message.ConversionID == uuid.Nil {
			return Outcome{Result: ResultIgnored, Reason: OlderState}, err
		}
	}
	out, err := Record(ctx, l, c, v.Input)
	if err != nil {
		return out, err
	}
	for _, in := range v.More {
		more, err := Record(ctx, l, c, in)
		if e, refused := models.AsError(err); refused && e.Kind == models.KindInvalid {
			continue // the other conversions may still be recorded
		}
		if err != nil {
			return out, err
		}
		if !out.changes() && more.changes() {
			out.Result, out.Reason = more.Result, more.Reason
		}
		out.Jobs = append(out.Jobs, more.Jobs...)
	}
	if len(v.Keys) > 0 {
		if _, err = StoreReferences(ctx, c, v.Keys[1:]); err != nil {
			return out, err
		}
	}
	return out, v.storeKeys(ctx, c)
}
