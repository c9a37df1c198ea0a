package reporting

import (
	"cmp"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/click"
	"switchyard/api/route"
	"switchyard/api/routing"
	"switchyard/db/conversion"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/notification"
	"switchyard/models/postback"
	"switchyard/models/template"
	"switchyard/models/token"
)

// TestPostback returns the route POST /networks/{id}/test-postback.
func TestPostback(d Deps) route.Route {
	r := route.New("POST", "/networks/{id}/test-postback", "Affiliate networks",
		"read a postback of a network without recording anything, and report step by step what it says", route.HandleRecordBody((*store.Store).Networks, d.testPostback),
		route.Codes("400 invalid_url too_long"), answer.IDCodes).WithShare(route.Reads).WithOptionalBody()
	r.Checks = true // the audit log has no entry
	return r
}

// TestPostbackBody describes a postback, either by its address or by the values that the network fills in for its macros.
type TestPostbackBody struct {
	URL          string `json:"url" trim:"true" maxLength:"8000" doc:"the address as the network calls it, with the macros filled in; left out: the network's postback_url with the values of the other fields"`
	ClickID      string `json:"click_id" trim:"true" maxLength:"255" doc:"id of a recorded click, or any text. Left out: the network's latest click is used, if it is among the account's last 20,000 clicks; otherwise a made-up id"`
	Payout       string `json:"payout" trim:"true" maxLength:"64" doc:"the payout as the network writes it; left out: 1.23"`
	Status       string `json:"status" trim:"true" maxLength:"255" doc:"the network's status word; left out: a word that means approved, if the network sends a status word"`
	ConversionID string `json:"conversion_id" trim:"true" maxLength:"255" default:"test"`
	Goal         string `json:"goal" trim:"true" maxLength:"64" doc:"left out: test, if the network sends a goal"`
	Currency     string `json:"currency" trim:"true" maxLength:"64" doc:"left out: the network's currency, if the network sends a currency and the payout is left out too"`
}

// TestedPostback is the result of a test postback.
type TestedPostback struct {
	Test       bool              `json:"test" doc:"always true: nothing was recorded, and no notification was sent"`
	Params     map[string]string `json:"params" doc:"the parameters as they were read, with masked secrets"`
	Steps      []TestStep        `json:"steps" doc:"in order: address, click, secret, status, payout, time (if the postback states one and the click is known), goal, result. If the postback could not be read, there are only the first steps"`
	Result     string            `json:"result" enum:"recorded,duplicate,ignored,superseded,waiting,unmatched,refused" doc:"the result that the postback would have"`
	Conversion *TestedConversion `json:"conversion" doc:"the conversion as it would be afterwards; null: there would be no conversion"`
}

// TestedConversion is a conversion as a postback would leave it.
type TestedConversion struct {
	ClickID      string       `json:"click_id"`
	ConversionID string       `json:"conversion_id"`
	Goal         string       `json:"goal"`
	Status       string       `json:"status" enum:"pending,approved,rejected,chargeback"`
	Payout       models.Money `json:"payout"`
	Currency     string       `json:"currency"`
	CampaignID   uuid.UUID    `json:"campaign_id"`
	IsNew        bool         `json:"is_new"`
}

func (d Deps) testPostback(c *route.Call, network models.Network, b TestPostbackBody) (TestedPostback, error) {
	out := TestedPostback{Test: true, Params: map[string]string{}, Result: conversion.PostbackRefused}
	log := (*steps)(&out.Steps)
	if s, ok := notification.Find(network.PostbackScheme); ok {
		log.add("address", false, "%s signs its notifications, so a made-up one is refused: let %s send a test, and look for it in the log of postbacks",
			s.Platform, s.Platform)
		return out, nil
	}
	isMadeUp, err := d.chooseClick(c, network, &b)
	if err != nil {
		return out, err
	}
	p, err := d.testMessage(c, b, network)
	if e, ok := models.AsError(err); ok && e.Kind != models.KindInternal && e.Code != "invalid_url" {
		log.add("address", false, "%s", e.Message)
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if p.NetworkID != network.ID {
		log.add("address", false,
			"the address does not end in /postback/%s: it is read without the network's settings", network.ID)
	} else {
		log.add("address", true, "network %s, %d parameters", network.Name, len(p.Params))
	}
	p.AccountID = c.Account.ID // clicks of other accounts are not found
	reader := conversion.Reader{Store: c.Store, Clicks: d.clicks(c)}
	v, err := reader.Read(c.Context(), conversion.NewMessage(*p), false)
	if err != nil {
		return out, err
	}
	secrets, err := c.Store.SecretParams(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	out.Params = postback.Masked(p.Params, secrets)
	log.read(&v, isMadeUp)
	if isMadeUp && v.Wait != "" && v.Message.Authentic() {
		out.Result = "waiting"
		log.add("result", true, "the conversion would be recorded for a click of the network")
		return out, nil
	}
	return out, d.testOutcome(c, &v, &out)
}

// chooseClick sets the click id of a body that has neither an address nor a click id: the network's latest click, or a new id.
// isMadeUp reports that the id is new.
func (d Deps) chooseClick(c *route.Call, network models.Network, b *TestPostbackBody) (isMadeUp bool, err error) {
	if b.URL != "" || b.ClickID != "" {
		return false, nil
	}
	latest, ok, err := d.clicks(c).LatestOfNetwork(c.Context(), c.Account.ID, network.ID)
	if err != nil {
		return false, err
	}
	if !ok {
		latest.ID = models.NewClickID()
	}
	b.ClickID = models.FormatClickID(latest.ID)
	return !ok, nil
}

// testMessage returns the postback that the body describes, read like a live one.
func (d Deps) testMessage(c *route.Call, b TestPostbackBody, network models.Network) (*models.Postback, error) {
	records, err := store.NetworkRouting(c.Context(), c.Store.Conn(), c.Account.ID, network.ID)
	if err != nil {
		return nil, err
	}
	address := b.URL
	if address == "" {
		secrets, err := c.Store.Networks().Secrets(c.Context(), c.Account.ID, []uuid.UUID{network.ID})
		if err != nil {
			return nil, err
		}
		address = "http://localhost/postback/" + network.ID.String() + "?" + b.query(network, secrets[network.ID])
	}
	u, err := testURL(address)
	if err != nil {
		return nil, err
	}
	word, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	if word != "postback" {
		return nil, models.Invalid("invalid_input",
			"this is no address of postbacks: the path begins with /%.60s, not with /postback", word)
	}
	req, err := http.NewRequestWithContext(c.Context(), http.MethodGet, "http://localhost/postback", nil)
	if err != nil {
		return nil, errTestURL
	}
	req.URL, req.Host = u, u.Host
	req.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(click.TrialAddress), 1).String()
	return click.NewTester(d.Visitors).Postback(routing.NewExplainer(records).Snapshot(), req, strings.TrimRight(rest, "/"))
}

// query returns the query of the network's postback_url with the values of the body. Other macros get made-up values, so that no
// parameter is missing.
func (b TestPostbackBody) query(network models.Network, secret string) string {
	approved := models.StatusApproved
	if words := network.StatusMap[approved]; len(words) > 0 {
		approved = words[0]
	}
	samples := map[string]string{
		"status": approved, "goal": "test", "cost": "0.5", "time": time.Now().UTC().Format(time.RFC3339),
	}
	if b.Payout == "" { // a payout in the body may be in another currency
		samples["currency"] = network.Currency
	}
	t := template.FromNetwork(network)
	t.Macros = map[string]string{
		"click_id": b.ClickID, "payout": cmp.Or(b.Payout, "1.23"), "status": b.Status, "conversion_id": b.ConversionID, "goal": b.Goal,
		"currency": b.Currency,
	}
	for field, sample := range samples {
		if t.Macros[field] == "" && network.Macros[field] != "" {
			t.Macros[field] = sample
		}
	}
	return t.PostbackQuery(string(token.AppendEscaped(nil, secret)))
}

// read adds the steps click, secret, status, payout, time and goal. There is no step time if the click is unknown or the message
// states no time. isMadeUp says that the test has made up the click id.
func (s *steps) read(v *conversion.Verdict, isMadeUp bool) {
	d, fields := &v.Decision, v.Message.Fields()
	switch {
	case isMadeUp && v.Wait != "":
		s.add("click", true, "the click id is read; the test made it up, because the network has no click yet")
	case v.Click != nil:
		s.add("click", true, "click %s of campaign %s", models.FormatClickID(v.Click.ID), v.Click.CampaignID)
	case v.Wait != "":
		s.add("click", false, "%s: a live postback waits for the click, and becomes unmatched if it does not arrive", v.Wait)
	default:
		s.add("click", false, "%s", d.Detail)
	}
	switch {
	case !v.Message.NeedsSecret():
		s.add("secret", true, "the network has no secret, so a postback needs none")
	case v.Message.Authentic():
		s.add("secret", true, "right")
	default:
		s.add("secret", false, "%s", conversion.WrongSecret)
	}
	switch {
	case fields.OriginalStatus == "":
		s.add("status", true, "no status word: a new conversion is %s, a recorded one keeps its status", fields.Status)
	case fields.UnknownWord:
		s.add("status", false, "%.100q is not known: the conversion is %s until the network's status_map has the word", fields.OriginalStatus, fields.Status)
	case fields.NoConversion:
		s.add("status", true, "%.100q reports no conversion", fields.OriginalStatus)
	default:
		s.add("status", true, "%.100q is %s", fields.OriginalStatus, fields.Status)
	}
	switch {
	case fields.AmountReason() != "":
		s.add("payout", false, "%s", fields.AmountReason())
	case fields.Payout == nil:
		s.add("payout", true, "no payout stated: the offer's payout is used")
	case fields.Reversal:
		s.add("payout", true, "%s %s: the conversion is taken back, and keeps its payout", fields.Payout, fields.Currency)
	default:
		s.add("payout", true, "%s %s", fields.Payout, cmp.Or(fields.Currency, "in the currency of the offer"))
	}
	if v.Click != nil && fields.TimeText != "" {
		at, invalid := fields.Moment(v.Click.ID, time.Now())
		switch why := postback.TimeReason(invalid, v.Click.ID); why {
		case "":
			s.add("time", true, "%s UTC", at.UTC().Format(time.DateTime))
		default:
			s.add("time", false, "%.64q: %s", invalid, why)
		}
	}
	from := ""
	if fields.WordGoal {
		from = ", from the status word"
	}
	s.add("goal", true, "goal %q%s, conversion id %q", fields.Goal, from, fields.ConversionID)
}

// testOutcome adds the step result.
func (d Deps) testOutcome(c *route.Call, v *conversion.Verdict, out *TestedPostback) error {
	log := (*steps)(&out.Steps)
	switch {
	case v.Wait != "":
		out.Result = "waiting"
		log.add("result", false, "nothing is recorded before the click is known")
		return nil
	case v.Decision.Outcome != "":
		out.Result = v.Decision.Outcome
		log.add("result", false, "nothing would be recorded: %s", v.Decision.Detail)
		return nil
	}
	inputs := []conversion.Input{v.Input}
	list, _, err := conversion.Correct(c.Context(), d.clicks(c), c.Store.Conn(), v.Input.AccountID, inputs, false)
	if err != nil {
		return err
	}
	outcome := list[0]
	switch outcome.Result {
	case "":
		e, _ := models.AsError(outcome.Refusal)
		log.add("result", false, "nothing would be recorded: %s", e.Message)
		return nil
	case conversion.ResultCreated, conversion.ResultUpdated:
		out.Result = conversion.PostbackRecorded
		log.add("result", true, "the conversion would be %s", outcome.Result)
	default:
		out.Result = outcome.Result
		log.add("result", false, "nothing would change: %s", cmp.Or(outcome.Reason, "it is already recorded with the same values"))
	}
	saved := outcome.Conversion
	out.Conversion = &TestedConversion{
		ClickID: models.FormatClickID(saved.ClickID), ConversionID: saved.ConversionID, Goal: saved.Goal, Status: saved.Status,
		Payout: models.NewMoney(saved.Payout), Currency: saved.Currency, CampaignID: saved.CampaignID,
		IsNew: outcome.Result == conversion.ResultCreated,
	}
	return nil
}
