package ads

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// googleUploads sends conversions to Google Ads by the Data Manager API (POST /v1/events:ingest), or by UploadClickConversions if
// the install chooses that. A project that may not use UploadClickConversions falls back to Data Manager. Both APIs recognize
// a conversion by its transaction or order id, so an event that is sent again counts once. Data Manager refuses a whole request
// because of one event of a wrong form. It reports the outcome of a request later (GET /v1/requestStatus:retrieve), by reason and
// not by event. If a request failed in part, all its events stay accepted.
//
// A change is a ConversionAdjustment of the Google Ads API, except that a restatement in Data Manager is the event with its new
// value. Data Manager takes conversions only for the customer that owns the conversion action, which may be a manager of the
// account. Adjustments are not documented for wbraid. Unverified: the exact details of Data Manager's refusals.
var googleUploads = uploads{
	base: "https://datamanager.googleapis.com", maxEvents: 2000, maxAge: 90 * 24 * time.Hour,
	click: func(e Event) string { _, id := googleClick(e); return id }, clicks: "gclid, gbraid or wbraid",
	needs: func(u *uploading) string {
		if u.action == "" {
			return "the connection has no conversion_action"
		}
		return u.missing("customer_id")
	},
	send: func(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
		if u.o.GoogleClicks {
			return googleClickConversions(ctx, u, events)
		}
		return googleIngest(ctx, u, events)
	},
	change: googleChange,
	whyFixed: func(e Event) string {
		if name, _ := googleClick(e); name == "wbraid" {
			return "cannot be changed or taken back: the platform does not support this for wbraid"
		}
		return ""
	},
	validates: true,
	outcome:   googleOutcome,
	fault:     googleFault,
}

// googleClick returns the name and the value of the parameter with the click id of an event.
func googleClick(e Event) (name, id string) {
	for _, name := range []string{"gclid", "gbraid", "wbraid"} {
		if id := e.param(name); id != "" {
			return name, id
		}
	}
	return "", ""
}

func accountDigits(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "-", "") }

func googleIngest(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	account := func(id string) map[string]any {
		return map[string]any{"accountType": "GOOGLE_ADS", "accountId": accountDigits(id)}
	}
	owner, action := models.GoogleAction(u.action)
	to := map[string]any{
		"reference": "d1", "operatingAccount": account(cmp.Or(owner, u.c["customer_id"])), "productDestinationId": action,
	}
	if manager := u.c["login_customer_id"]; manager != "" {
		to["loginAccount"] = account(manager)
	}
	list := make([]map[string]any, len(events))
	for i, e := range events {
		name, id := googleClick(e)
		list[i] = map[string]any{
			"destinationReferences": []string{"d1"}, "transactionId": e.ID, "eventTimestamp": e.Time.UTC().Format(time.RFC3339),
			"adIdentifiers": map[string]any{name: id}, "currency": e.Currency, "conversionValue": e.amount(), "eventSource": "WEB",
		}
		if device := googleDevice(e); len(device) > 0 {
			list[i]["eventDeviceInfo"] = device
		}
		if known := googleIdentifiers(e, "emailAddress", "phoneNumber"); len(known) > 0 {
			list[i]["userData"] = map[string]any{"userIdentifiers": known}
		}
	}
	var answer struct {
		RequestID string `json:"requestId"`
	}
	body := map[string]any{"destinations": []any{to}, "events": list, "validateOnly": u.shadow, "encoding": "HEX"}
	u.consent(body, "CONSENT_")
	if err := u.post(ctx, u.API, "/v1/events:ingest", body, &answer); err != nil {
		return nil, err
	}
	if answer.RequestID == "" {
		return accepted(events, ""), nil
	}
	out := accepted(events, "request "+answer.RequestID)
	for i := range out {
		if !u.shadow {
			out[i].Request = text(rest.Text(answer.RequestID))
		}
	}
	return out, nil
}

// googleNoAddress has the countries whose visitors' IP addresses Google Ads does not take: the European Economic Area, the
// United Kingdom and Switzerland.
var googleNoAddress = strings.Fields(
	"AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK")

// googleDevice describes the visitor's device. The IP address is left out for an unknown country and for googleNoAddress.
func googleDevice(e Event) map[string]any {
	out := map[string]any{}
	if e.UserAgent != "" {
		out["userAgent"] = e.UserAgent
	}
	if e.IP != "" && e.Country != "" && !slices.Contains(googleNoAddress, strings.ToUpper(e.Country)) {
		out["ipAddress"] = e.IP
	}
	return out
}

// googleIdentifiers returns the hashed personal data of an event. Names and postal addresses are left out, because Google needs
// the postal code and the country without a hash.
func googleIdentifiers(e Event, email, phone string) (out []map[string]any) {
	if e.Keys.Email != "" {
		out = append(out, map[string]any{email: e.Keys.Email})
	}
	if e.Keys.Phone != "" {
		out = append(out, map[string]any{phone: e.Keys.Phone})
	}
	return out
}

// consent adds the account's statement about its visitors' consent to a message, if there is one. The words of the two APIs
// differ by a prefix.
func (u *uploading) consent(message map[string]any, prefix string) {
	if stated := u.c["consent"]; stated != "" {
		word := prefix + strings.ToUpper(stated)
		message["consent"] = map[string]any{"adUserData": word, "adPersonalization": word}
	}
}

// googleAds returns the Google Ads API and the path of a call for the customer. Requests name the manager account, if there is
// one.
func (u *uploading) googleAds(call string) (rest.API, string) {
	api := u.API
	if u.o.URL == "" {
		api.Base = "https://googleads.googleapis.com"
	}
	if manager := accountDigits(u.c["login_customer_id"]); manager != "" {
		api.Sign = rest.Header("login-customer-id", manager)
	}
	return api, fmt.Sprintf("/%s/customers/%s:%s", u.o.version(models.GoogleAds), accountDigits(u.c["customer_id"]), call)
}

func googleTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05-07:00") }

func (u *uploading) googleAction() string {
	owner, action := models.GoogleAction(u.action)
	return "customers/" + accountDigits(cmp.Or(owner, u.c["customer_id"])) + "/conversionActions/" + action
}

func googleClickConversions(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		name, id := googleClick(e)
		list[i] = map[string]any{
			name: id, "conversionAction": u.googleAction(), "conversionDateTime": googleTime(e.Time), "orderId": e.ID,
			"conversionValue": e.amount(), "currencyCode": e.Currency,
		}
		if known := googleIdentifiers(e, "hashedEmail", "hashedPhoneNumber"); len(known) > 0 {
			list[i]["userIdentifiers"] = known
		}
		u.consent(list[i], "")
	}
	verdicts, err := u.googlePartly(ctx, "uploadClickConversions", "conversions", list)
	if notAllowed(err) { // the install's project is too new for this call
		return googleIngest(ctx, u, events)
	}
	return verdicts, err
}

func notAllowed(err error) bool {
	f, ok := asFault(err)
	return ok && strings.Contains(f.text, googleNotAllowed)
}

const googleNotAllowed = "CUSTOMER_NOT_ALLOWLISTED_FOR_THIS_FEATURE"

func googleChange(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	out := make([]Verdict, len(events))
	var restated []Event
	var places, adjusted []int
	var list []map[string]any
	for i, e := range events {
		if e.Action == models.UploadRestate && !u.o.GoogleClicks {
			restated, places = append(restated, e), append(places, i)
			continue
		}
		a := map[string]any{
			"conversionAction": u.googleAction(), "orderId": e.ID, "adjustmentType": "RETRACTION",
			"adjustmentDateTime": googleTime(e.ChangedAt),
		}
		if e.Action == models.UploadRestate {
			a["adjustmentType"] = "RESTATEMENT"
			a["restatementValue"] = map[string]any{"adjustedValue": e.amount(), "currencyCode": e.Currency}
		}
		list, adjusted = append(list, a), append(adjusted, i)
	}
	if len(restated) > 0 {
		verdicts, err := googleIngest(ctx, u, restated)
		if f, ok := asFault(err); ok && f.event {
			return nil, &faultError{f.moved(places)}
		}
		if err != nil {
			return out, err
		}
		for n, i := range places {
			out[i] = verdicts[n]
		}
	}
	if len(list) == 0 {
		return out, nil
	}
	verdicts, err := u.googlePartly(ctx, "uploadConversionAdjustments", "conversionAdjustments", list)
	for n, v := range verdicts {
		out[adjusted[n]] = v
	}
	if f, ok := asFault(err); ok && (f.scope || f.stop || notAllowed(err)) { // uploads of new conversions go on
		for _, i := range adjusted {
			out[i] = Verdict{Result: models.UploadSkipped, Reason: "cannot be changed or taken back: " + f.text}
		}
		return out, nil
	}
	return out, err
}

type googleError struct {
	Code     map[string]string `json:"errorCode"`
	Message  string            `json:"message"`
	Location struct {
		Path []struct {
			Field string `json:"fieldName"`
			Index int    `json:"index"` // left out for 0
		} `json:"fieldPathElements"`
	} `json:"location"`
}

func (e googleError) code() string {
	for _, code := range e.Code {
		return code
	}
	return ""
}

// Codes of the Google Ads API for an event.
var (
	// Google already has the event or a later change, for example from a request whose answer was lost.
	googleKnows = map[string]bool{
		"CLICK_CONVERSION_ALREADY_EXISTS": true, "ORDER_ID_ALREADY_IN_USE": true, "DUPLICATE_ORDER_ID": true,
		"CONVERSION_ALREADY_RETRACTED": true, "MORE_RECENT_RESTATEMENT_FOUND": true,
	}
	googleTooEarly = map[string]time.Duration{
		"TOO_RECENT_EVENT": 6 * time.Hour, "TOO_RECENT_CONVERSION_ACTION": 6 * time.Hour, "TOO_RECENT_CLICK": 6 * time.Hour,
		"TOO_RECENT_CONVERSION": 24 * time.Hour,
	}
)

func (e googleError) text() string { return strings.TrimSpace(e.code() + ": " + e.Message) }

func (e googleError) verdict() Verdict {
	v := Verdict{Result: models.UploadRejected, Reason: e.text()}
	code := e.code()
	switch {
	case googleKnows[code]:
		v.Result = models.UploadAccepted
	case googleTooEarly[code] > 0:
		v.Result, v.After = models.UploadPending, googleTooEarly[code]
	}
	return v
}

// googlePartly makes a call that may accept some items of a list and refuse others.
func (u *uploading) googlePartly(ctx context.Context, call, name string, list []map[string]any) ([]Verdict, error) {
	api, path := u.googleAds(call)
	var answer struct {
		Partial struct {
			Message string `json:"message"`
			Details []struct {
				Errors []googleError `json:"errors"`
			} `json:"details"`
		} `json:"partialFailureError"`
	}
	err := u.post(ctx, api, path, map[string]any{name: list, "partialFailure": true, "validateOnly": u.shadow}, &answer)
	if err != nil {
		return nil, err
	}
	out, placed := accepted(make([]Event, len(list)), ""), false
	var setting *faultError // the refusal of a setting; the events that it concerns have no verdict
	for _, d := range answer.Partial.Details {
		for _, e := range d.Errors {
			n, ok := e.place(name)
			if !ok || n < 0 || n >= len(out) { // the error is about the whole request: nothing was accepted
				return nil, &faultError{&fault{text: e.text(), stop: e.ofSetting()}}
			}
			placed = true
			switch {
			case e.ofSetting() && name == "conversions":
				out[n], setting = Verdict{}, &faultError{&fault{text: e.text(), stop: true}}
			case out[n].Result == models.UploadAccepted:
				out[n] = e.verdict()
			}
		}
	}
	if answer.Partial.Message != "" && !placed {
		return nil, &faultError{&fault{text: answer.Partial.Message}}
	}
	if setting != nil {
		return out, setting
	}
	return out, nil
}

func (e googleError) place(list string) (n int, ok bool) {
	for _, p := range e.Location.Path {
		if p.Field == list {
			return p.Index, true
		}
	}
	return 0, false
}
