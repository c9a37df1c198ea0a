package reporting

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/click"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
	"switchyard/models/postback"
)

// Logs returns the routes of /logs.
func Logs(d Deps) []route.Route {
	const group = "Logs"
	paging := []route.Param{
		route.Number("limit", 100, 1, 1000, "rows"),
		{Name: "offset", Type: "integer", Default: "0", Doc: "rows to skip"},
	}
	return []route.Route{
		route.New("GET", "/logs/clicks", group, "clicks, newest first; at the earliest from the start of the plan's click history",
			route.Handle(d.listClicks), logCodes).
			WithWindow().WithShare(route.Reads).WithQuery(paging...).
			WithQuery(route.Param{Name: "converted", Enum: []string{"1"}, Doc: "1: only converted clicks"}).
			WithQuery(clickFilters...),
		route.New("GET", "/logs/clicks/{clickId}", group, "one click, with its hops, its conversions and its visitor",
			route.Handle(d.findClick), answer.IDCodes, route.Codes("402 plan_limit")).
			WithShare(route.Reads).WithQuery(route.Param{Name: "trace", Enum: []string{"1"}, Doc: "1: explain how the click was routed"}),
		route.New("GET", "/logs/conversions", group, "conversions in the order of their own time, newest first",
			route.Handle(d.listConversions), logCodes).
			WithWindow().WithShare(route.Reads).WithQuery(paging...).
			WithQuery(route.Param{Name: "status", Enum: conversionStatuses}).WithQuery(logFilters...),
		route.New("GET", "/logs/repeat-ips", group,
			"addresses that clicked more than once; at the earliest from the start of the plan's click history", route.Handle(d.repeatIPs),
			answer.IDCodes).WithWindow().WithShare(route.Reads).WithQuery(repeatParams...),
		route.New("GET", "/logs/smartlink-clicks", group, "clicks of smartlinks, newest first", route.Handle(d.listSmartlinkClicks),
			answer.IDCodes).
			WithWindow().WithShare(route.Reads).WithQuery(paging...).
			WithQuery(route.Param{Name: "link", Default: "all", Doc: "a smartlink's id, or all"}),
		postbackLog(d, paging),
		route.New("GET", "/logs/postbacks/{id}", group, "one postback", route.Handle(d.findPostback), answer.IDCodes).WithShare(route.Reads),
		route.New("POST", "/logs/postbacks/{id}/replay", group,
			"read one postback again, with the settings that its network has now; it keeps its place among the postbacks of its "+
				"conversion, so a postback that arrived later still counts",
			route.Handle(d.replayPostback), answer.IDCodes, route.Codes("409 in_progress")),
		route.New("POST", "/logs/postbacks/replay", group,
			"read all unmatched postbacks of a window again, with the settings that their networks have now",
			route.HandleBody(d.replayPostbacks), answer.IDCodes).
			WithWindow().WithOptionalBody().WithShare(route.Sends).Awaits(replayJob.Answer()),
		redeliverRow(d),
		resendFailedRow(d),
	}
}

// Log is a page of a log.
type Log[T any] struct {
	Range bind.Range `json:"range"`
	Rows  []T        `json:"rows"`
}

// ClickLog is a page of the log of clicks.
type ClickLog struct {
	Log[ClickRow]
	SubNames map[string]string `json:"sub_names" doc:"names of sub1 to {lastSub}. A sub-parameter has a name here if all traffic sources that the filters by source_id and campaign_id select give it the same name"`
}

// logQuery parses the window and the paging parameters of a log.
func logQuery(c *route.Call) (q click.LogQuery, err error) {
	q.AccountID, q.Limit = c.Account.ID, c.Numbers["limit"]
	q.From, q.To = c.Window.From, c.Window.End()
	q.Offset, err = bind.Int(c.Query, "offset", 0, 0, math.MaxInt32)
	return q, err
}

func historyStart(c *route.Call) time.Time {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	return today.AddDate(0, 0, -c.Account.Allowances().HistoryDays)
}

// isExpired reports whether a click is too old for the history of the account's plan, but not for the longest history of any plan.
func isExpired(c *route.Call, click uuid.UUID) bool {
	at := models.ClickTime(click)
	return at.Before(historyStart(c)) && at.After(time.Now().AddDate(0, 0, -models.LongestHistory()))
}

func (d Deps) listClicks(c *route.Call) (ClickLog, error) {
	q, err := logQuery(c)
	if err != nil {
		return ClickLog{}, err
	}
	if q.Converted, err = bind.Bool(c.Query, "converted", false); err != nil {
		return ClickLog{}, err
	}
	w, end := clampToHistory(c)
	q.From, q.To = w.From, end
	if err := d.filterLog(c, &q); err != nil {
		return ClickLog{}, err
	}
	if q.Where.OfSale != "" {
		return ClickLog{}, models.Invalid("invalid_dimension", "only conversions have a goal and a status: filter GET /logs/conversions")
	}
	if q.ClickID != uuid.Nil {
		q.From, q.To = historyStart(c), time.Now().AddDate(0, 0, 2) // the whole history; no click is later
	}
	clicks, err := d.clicks(c).Clicks(c.Context(), q)
	if err != nil {
		return ClickLog{}, err
	}
	out := ClickLog{Log: Log[ClickRow]{Range: w.Range()}}
	if out.Rows, err = d.clickRows(c, clicks); err != nil {
		return out, err
	}
	filters, err := filtersOf(c.Query)
	if err != nil {
		return out, err
	}
	out.SubNames, err = c.Store.SubNames(c.Context(), c.Account.ID, filters)
	return out, err
}

// ConversionRow is a conversion in the log.
type ConversionRow struct {
	ID uuid.UUID `json:"id"`
	models.ConversionData
	OriginalStatus string        `json:"original_status" doc:"the network's own word for the status"`
	NetworkID      *uuid.UUID    `json:"network_id"`
	Rate           *json.Number  `json:"rate" doc:"the exchange rate: what one unit of the payout's currency is worth in the account's currency; null: no rate is known, and the payout counts as 0"`
	AmountReason   *string       `json:"amount_reason" doc:"why the payout is not counted as it was received: it is not an amount, it can be read in two ways, or its currency is not understood and is shown as XXX; otherwise null"`
	Cost           models.Money  `json:"cost" doc:"in the account's currency"`
	SaleAmount     *models.Money `json:"sale_amount" doc:"amount of the sale for which the payout is paid, as the network or the postback reports it; null: not reported"`
	SaleCurrency   *string       `json:"sale_currency"`
	UpdatedAt      string        `json:"updated_at"`
	InvalidTime    *string       `json:"invalid_time" doc:"the time that the sender stated, if that time is not used; recorded_at is then the nearest possible time, or the click's time if the stated time is not understood"`
	TimeReason     string        `json:"time_reason" doc:"why the stated time is not used; otherwise empty"`
	CampaignName   *string       `json:"campaign_name"`
	OfferName      *string       `json:"offer_name"`
	SourceName     *string       `json:"source_name"`
	NetworkName    *string       `json:"network_name"`
}

func saleAmount(v models.Conversion) *models.Money {
	if !v.SaleAmount.Valid {
		return nil
	}
	return models.MoneyOf(&v.SaleAmount.Decimal)
}

func conversionRow(v models.Conversion, names map[string]string) ConversionRow {
	name := func(id uuid.UUID) *string { return answer.OrNull(names[models.IDText(id)]) }
	return ConversionRow{
		CampaignName: name(v.CampaignID), OfferName: name(v.OfferID), SourceName: name(v.SourceID),
		NetworkName: name(v.NetworkID),
		ID:          v.ID, ConversionData: v.Data(), OriginalStatus: v.OriginalStatus, NetworkID: answer.OrNull(v.NetworkID),
		Rate: models.FormatRate(v.Rate), AmountReason: answer.OrNull(v.AmountReason), Cost: models.NewMoney(v.Cost), UpdatedAt: answer.Stamp(v.UpdatedAt),
		SaleAmount: saleAmount(v), SaleCurrency: answer.OrNull(v.SaleCurrency),
		InvalidTime: answer.OrNull(v.InvalidTime), TimeReason: postback.TimeReason(v.InvalidTime, v.ClickID),
	}
}

func (d Deps) listConversions(c *route.Call) (Log[ConversionRow], error) {
	q, err := logQuery(c)
	if err != nil {
		return Log[ConversionRow]{}, err
	}
	if err := d.filterLog(c, &q); err != nil {
		return Log[ConversionRow]{}, err
	}
	if q.Status = c.Query.Get("status"); q.Status != "" && !slices.Contains(conversionStatuses, q.Status) {
		return Log[ConversionRow]{}, models.Invalid("invalid_input", "status must be one of %v", conversionStatuses)
	}
	if q.ClickID != uuid.Nil { // at all times, not only in the window
		q.From, q.To = allTime()
	}
	list, err := d.clicks(c).Conversions(c.Context(), q)
	if err != nil {
		return Log[ConversionRow]{}, err
	}
	names, err := namesOf(c, conversionIDs(list))
	return Log[ConversionRow]{Range: c.Window.Range(), Rows: answer.Each(list, func(v models.Conversion) ConversionRow {
		return conversionRow(v, names)
	})}, err
}

// ClickAnswer is a click with everything that followed from it.
type ClickAnswer struct {
	ClickID     string            `json:"click_id"`
	Click       ClickRow          `json:"click"`
	Hops        []HopRow          `json:"hops" doc:"oldest first: the redirect, then the steps from landing pages to offers"`
	Conversions []ConversionRow   `json:"conversions" doc:"oldest first"`
	Names       map[string]string `json:"names" doc:"the names of the records in this answer, by id"`
	Visitor     ClickVisitor      `json:"visitor"`
	Decision    ClickDecision     `json:"decision" doc:"how the click was routed, as recorded; trace=1 explains this decision"`
	Trace       *ClickTrace       `json:"trace" doc:"explains how the click was routed; null without trace=1"`
}

// ClickDecision tells how a click was routed.
type ClickDecision struct {
	Via  string  `json:"via" enum:"none,forced,bound,regular,default,fallback_url,destination_url"`
	Path *string `json:"path" doc:"name of the path; null: the click took no path, or the path is no longer in the flow"`
}

// HopRow is a step of a visitor.
type HopRow struct {
	Kind        string     `json:"kind" enum:"redirect,click_out"`
	At          string     `json:"at"`
	Slot        *int       `json:"slot" doc:"the landing page's click slot"`
	LanderID    *uuid.UUID `json:"lander_id"`
	OfferID     *uuid.UUID `json:"offer_id"`
	NetworkID   *uuid.UUID `json:"network_id"`
	Destination string     `json:"destination"`
}

func (d Deps) ownClick(c *route.Call, text string) (click.Detail, error) {
	id, err := models.ParseClickID(text)
	if err != nil {
		return click.Detail{}, models.Invalid("invalid_id", "this is not a click id")
	}
	found, err := d.clicks(c).FindClick(c.Context(), c.Account.ID, id)
	if err == nil && found.At.Before(historyStart(c)) || errors.Is(err, models.NotFound("click")) && isExpired(c, id) {
		return found, models.PlanLimit("the click is older than the %d days of click history in the plan",
			c.Account.Allowances().HistoryDays)
	}
	return found, err
}

func (d Deps) findClick(c *route.Call) (ClickAnswer, error) {
	found, err := d.ownClick(c, c.Path["clickId"])
	if err != nil {
		return ClickAnswer{}, err
	}
	rows, err := d.clickRows(c, []click.StoredClick{found.StoredClick})
	if err != nil {
		return ClickAnswer{}, err
	}
	var trace *ClickTrace
	explain, err := bind.Bool(c.Query, "trace", false)
	if err == nil && explain {
		trace, err = d.traceClick(c, &found.StoredClick)
	}
	if err != nil {
		return ClickAnswer{}, err
	}
	names, err := clickNames(c, found, trace)
	if err != nil {
		return ClickAnswer{}, err
	}
	return ClickAnswer{
		ClickID: models.FormatClickID(found.ID), Click: rows[0], Hops: hopRows(found), Names: names,
		Conversions: answer.Each(found.Conversions, func(v models.Conversion) ConversionRow { return conversionRow(v, names) }),
		Visitor:     clickVisitor(&found.StoredClick),
		Decision: ClickDecision{
			Via:  flow.Via(found.Via).String(), //nolint:gosec // the stored number was a flow.Via
			Path: answer.OrNull(names[models.IDText(found.StreamID)]),
		},
		Trace: trace,
	}, nil
}

// hopRows returns the redirect and the steps after it. The redirect to a landing page has no offer: the click's offer is the
// offer of its last step.
func hopRows(d click.Detail) []HopRow {
	lander := answer.OrNull(d.LanderID)
	first := HopRow{Kind: "redirect", At: answer.Stamp(d.At), LanderID: lander, Destination: d.Destination}
	if lander == nil {
		first.OfferID, first.NetworkID = answer.OrNull(d.OfferID), answer.OrNull(d.NetworkID)
	}
	out := []HopRow{first}
	for _, h := range d.Hops {
		out = append(out, HopRow{
			Kind: "click_out", At: answer.Stamp(models.ClickTime(h.ID)), Slot: answer.OrNull(h.Slot), LanderID: lander,
			OfferID: answer.OrNull(h.OfferID), NetworkID: answer.OrNull(h.NetworkID), Destination: h.Destination,
		})
	}
	return out
}

func clickNames(c *route.Call, d click.Detail, trace *ClickTrace) (map[string]string, error) {
	ids := map[string][]string{
		"campaign_id": {models.IDText(d.CampaignID), models.IDText(d.ParentCampaignID)},
		"stream_id":   {models.IDText(d.StreamID), models.IDText(d.PassedStreamID)}, "lander_id": {models.IDText(d.LanderID)},
		"source_id": {models.IDText(d.SourceID)}, "offer_id": {models.IDText(d.OfferID)},
		report.Network: {models.IDText(d.NetworkID)},
	}
	for _, h := range d.Hops {
		ids["offer_id"] = append(ids["offer_id"], models.IDText(h.OfferID))
		ids[report.Network] = append(ids[report.Network], models.IDText(h.NetworkID))
	}
	if trace != nil && trace.Decision != nil {
		ids["lander_id"] = append(ids["lander_id"], models.IDText(answer.ValueOrZero(trace.Decision.LanderID)))
		ids["offer_id"] = append(ids["offer_id"], models.IDText(answer.ValueOrZero(trace.Decision.OfferID)))
	}
	return namesOf(c, ids)
}

func namesOf(c *route.Call, ids map[string][]string) (map[string]string, error) {
	return c.Store.NamesOf(c.Context(), c.Account.ID, ids)
}
