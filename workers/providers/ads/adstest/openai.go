package adstest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/workers/providers/rest/resttest"
)

// openAINow is the time of the fake. A bound of a time range must not be later.
var openAINow = time.Date(2026, 11, 7, 23, 59, 59, 0, time.UTC)

// openAI is specified in source.md.
var openAI = Fake{
	Paged: true, Zone: Zone,
	settings: map[string]string{"pixel_id": "KBHCVX1dYePAFy31mpRQgR"},
	secrets:  []string{"api_key", "conversions_key"},
	refuse:   func(c *call, text string) { openAIError(c, http.StatusBadRequest, text) },
	busy:     func(c *call) { openAIError(c, http.StatusTooManyRequests, "Rate limit reached") },
	serve: func(p *Platforms, c *call) {
		switch {
		case c.r.Header.Get("Authorization") != "Bearer "+c.credentials["api_key"]:
			openAIError(c, http.StatusUnauthorized, "Incorrect API key provided")
		case c.r.Method != http.MethodGet:
			openAIError(c, http.StatusMethodNotAllowed, "Method not allowed")
		case c.path == "/v1/ad_account" && c.unknownParam() == "":
			c.json(http.StatusOK, object{"id": "act_123", "name": "Acme Ads", "url": "https://www.acme.example", "timezone": Zone, "currency_code": Currency})
		case c.path == "/v1/ad_account/insights":
			openAIInsights(p, c)
		default:
			openAIError(c, http.StatusNotFound, "Not found")
		}
	},
}

var openAIFields = []string{"metadata.readable_time", "campaign.id", "campaign.name", "campaign.impressions", "campaign.clicks", "campaign.spend"}

func openAIInsights(p *Platforms, c *call) {
	q := c.r.URL.Query()
	var span struct {
		Type       string
		Start, End int64
	}
	err := json.Unmarshal([]byte(q.Get("time_ranges[]")), &span)
	zone, _ := time.LoadLocation(Zone)
	from, to, size := time.Unix(span.Start, 0).In(zone), time.Unix(span.End, 0).In(zone), c.number("limit", 20)
	if err != nil || c.unknownParam("time_granularity", "aggregation_level", "time_ranges[]", "fields[]", "limit", "after") != "" || span.Type != "unix_range" ||
		q.Get("time_granularity") != "daily" || q.Get("aggregation_level") != "campaign" || !slices.Equal(q["fields[]"], openAIFields) || size < 1 || size > 2000 {
		c.fake.refuse(c, "invalid_value: a query parameter is not valid")
		return
	}
	if from.Minute()+from.Second()+to.Minute()+to.Second() > 0 || !to.After(from) || to.After(openAINow) {
		c.fake.refuse(c, "time_ranges: bounds must be full hours and cannot be in the future")
		return
	}
	rows := []object{}
	for _, r := range p.within(from.Format(time.DateOnly), to.Add(-time.Second).Format(time.DateOnly)) {
		rows = append(rows, r.without(object{
			"id": "start=" + r.Day + ":entity_id=" + r.Campaign, "readable_time": r.Day, "campaign_id": r.Campaign, "campaign_name": r.Name,
			"impressions": r.Impressions, "clicks": r.Clicks, "spend": r.spent(),
		}, "impressions", "clicks", "spend"))
	}
	page := 1
	if after := q.Get("after"); after != "" {
		page, _ = strconv.Atoi(strings.TrimPrefix(after, "page-"))
	}
	last := "page-" + strconv.Itoa(page+1)
	part := resttest.Page(rows, page, size)
	answer := object{"object": "list", "data": part, "count": len(part), "first_id": nil, "last_id": last}
	c.openAIMore(answer, page < pages(len(rows), size))
}

// openAIMore answers with a page. more says whether another page follows.
func (c *call) openAIMore(answer object, more bool) {
	answer["has_more"] = more
	c.json(http.StatusOK, answer)
}

func openAIError(c *call, status int, text string) {
	c.json(status, object{"error": object{"message": text, "type": "invalid_request_error"}})
}

var openAIUploads = uploadFake{
	UploadPlatform: UploadPlatform{
		Credentials: map[string]string{"pixel_id": "KBHCVX1dYePAFy31mpRQgR", "conversions_key": "canary-openai-Zq7"}, Click: "oppref", Validates: true,
		Body: `{"validate_only": false, "events": [{
			"id": "1", "type": "order_created", "timestamp_ms": 1793536368000, "oppref": "one",
			"action_source": "web", "source_url": "PAGE",
			"user": {"email_sha256": "EMAIL", "external_id_sha256": "EXTERNAL", "ip_address": "203.0.113.9", "user_agent": "Mozilla/5.0"},
			"data": {"type": "contents", "amount": 1250, "currency": "EUR"}
		}]}`,
	},
	serve: openAIUploadServe,
	fail: func(c *uploadCall, busy bool, text string) {
		status := http.StatusInternalServerError
		if busy {
			status = http.StatusTooManyRequests
		}
		c.respond(status, object{"error": object{"message": text}})
	},
}

type openAIEvent struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Custom    string `json:"custom_event_name"`
	Time      int64  `json:"timestamp_ms"`
	Click     string `json:"oppref"`
	SourceURL string `json:"source_url"`
	Source    string `json:"action_source"`
	User      struct {
		Email    string `json:"email_sha256"`
		External string `json:"external_id_sha256"`
		IP       string `json:"ip_address"`
		Agent    string `json:"user_agent"`
	} `json:"user"`
	Data struct {
		Type     string `json:"type"`
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	} `json:"data"`
}

func (e openAIEvent) valid() bool {
	kind := map[string]string{"order_created": "contents", "lead_created": "customer_action", "custom": "custom"}[e.Type]
	return e.ID != "" && kind != "" && e.Data.Type == kind && (e.Type == "custom") == (e.Custom != "") && e.Time > 1e12 &&
		(e.Source != "web" || e.SourceURL != "") && (e.User.Email == "" || hash.MatchString(e.User.Email)) && clickRefusal(e.Click) == ""
}

func openAIUploadServe(c *uploadCall) {
	var body struct {
		Validate bool          `json:"validate_only"`
		Events   []openAIEvent `json:"events"`
	}
	err := c.readStrictly(&body)
	refuse := func(status int, text string) { c.respond(status, object{"error": object{"message": text}}) }
	switch {
	case c.r.Header.Get("Authorization") != "Bearer "+c.credentials["conversions_key"] || c.w.expiredTokens > 0:
		refuse(http.StatusUnauthorized, "Incorrect API key provided")
		return
	case c.path != "events" || c.r.URL.Query().Get("pid") != c.credentials["pixel_id"]:
		refuse(http.StatusNotFound, "Not found")
		return
	case err != nil || len(body.Events) == 0 || len(body.Events) > 1000:
		refuse(http.StatusBadRequest, "the request cannot be read")
		return
	}
	for i, e := range body.Events {
		if e.valid() {
			continue
		}
		text := "an event is not valid"
		if !c.w.omitsRefused {
			text = "events[" + strconv.Itoa(i) + "] is not valid"
		}
		refuse(http.StatusBadRequest, text)
		return
	}
	for _, e := range body.Events {
		c.store(Uploaded{ID: e.ID, Click: e.Click, Value: decimal.New(e.Data.Amount, -2).String(), Currency: e.Data.Currency}, !body.Validate)
	}
	c.respond(http.StatusOK, object{})
}
