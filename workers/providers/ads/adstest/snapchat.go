package adstest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// snapchat is specified in source.md. Days begin at midnight in Zone.
var snapchat = Fake{
	SignIn: true, Paged: true, Zone: Zone,
	settings: map[string]string{"ad_account_id": "8adc3db7-8148", "pixel_id": "67d34640-b7a4"},
	secrets:  []string{"conversions_token"},
	refuse:   func(c *call, words string) { snapchatError(c, http.StatusBadRequest, "E1001", words) },
	busy:     func(c *call) { snapchatError(c, http.StatusTooManyRequests, "E1029", "Too many requests") },
	serve: func(p *Platforms, c *call) {
		root := "/v1/adaccounts/" + c.credentials["ad_account_id"]
		switch {
		case c.r.Header.Get("Authorization") != "Bearer "+p.validToken():
			snapchatError(c, http.StatusUnauthorized, "E3000", "invalid_token")
		case c.r.Method != http.MethodGet:
			snapchatError(c, http.StatusMethodNotAllowed, "E1005", "method not allowed")
		case c.path == root && c.unknownParam() == "":
			snapchatRespond(c, "adaccounts", []object{{"sub_request_status": "SUCCESS", "adaccount": object{
				"id": c.credentials["ad_account_id"], "name": "Hooli", "type": "PARTNER", "status": "ACTIVE", "currency": Currency, "timezone": Zone,
			}}}, "")
		case c.path == root+"/campaigns" && c.unknownParam("limit", "cursor") == "":
			list := []object{}
			for _, r := range firstByCampaign(p.rows) {
				list = append(list, object{"sub_request_status": "SUCCESS", "campaign": object{"id": r.Campaign, "name": r.Name, "status": "ACTIVE"}})
			}
			part, next := snapchatPart(c, list, 1000)
			snapchatRespond(c, "campaigns", part, next)
		case c.path == root+"/stats":
			snapchatStats(p, c)
		default:
			c.fake.refuse(c, "unknown path or parameter: "+c.path+" "+c.unknownParam())
		}
	},
}

// snapchatStats answers with the daily figures of campaigns. One campaign and all its days are one item of a page.
func snapchatStats(p *Platforms, c *call) {
	q := c.r.URL.Query()
	from, ok1 := snapchatMidnight(q.Get("start_time"))
	to, ok2 := snapchatMidnight(q.Get("end_time"))
	switch {
	case c.unknownParam("granularity", "breakdown", "fields", "start_time", "end_time", "limit", "cursor") != "" || q.Get("granularity") != "DAY" ||
		q.Get("breakdown") != "campaign" || q.Get("fields") != "impressions,swipes,spend":
		c.fake.refuse(c, "Invalid query parameters in request URL")
		return
	case !ok1 || !ok2 || !to.After(from):
		c.fake.refuse(c, "Unsupported Stats Query: Timeseries queries with DAY granularity must have a start time that is the start of day")
		return
	case to.After(from.AddDate(0, 0, 31)):
		c.fake.refuse(c, "Unsupported Stats Query: the range of a query with DAY granularity is 31 days at most")
		return
	}
	rows := p.within(from.Format(time.DateOnly), to.AddDate(0, 0, -1).Format(time.DateOnly))
	items := []object{}
	for _, first := range firstByCampaign(rows) {
		days := []object{}
		for _, r := range rows {
			if r.Campaign != first.Campaign {
				continue
			}
			day, _ := time.ParseInLocation(time.DateOnly, r.Day, from.Location())
			amount, _ := json.Number(r.Spend).Float64()
			days = append(days, object{
				"start_time": day.UTC().Format(snapchatForm), "end_time": day.AddDate(0, 0, 1).UTC().Format(snapchatForm),
				"stats": r.without(object{"impressions": r.Impressions, "swipes": r.Clicks, "spend": int64(amount * 1e6)}, "impressions", "swipes", "spend"),
			})
		}
		items = append(items, object{"id": first.Campaign, "type": "CAMPAIGN", "granularity": "DAY", "timeseries": days})
	}
	part, next := snapchatPart(c, items, 200)
	snapchatRespond(c, "timeseries_stats", []object{{"sub_request_status": "SUCCESS", "timeseries_stat": object{
		"id": c.credentials["ad_account_id"], "type": "AD_ACCOUNT", "granularity": "DAY", "start_time": q.Get("start_time"), "end_time": q.Get("end_time"),
		"breakdown_stats": object{"campaign": part},
	}}}, next)
}

const snapchatForm = "2006-01-02T15:04:05.000Z07:00"

// snapchatMidnight reads a time, and reports whether it is a midnight in Zone.
func snapchatMidnight(text string) (at time.Time, ok bool) {
	zone, _ := time.LoadLocation(Zone)
	at, err := time.Parse("2006-01-02T15:04:05.000-07:00", text)
	at = at.In(zone)
	return at, err == nil && at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0
}

func snapchatPart(c *call, items []object, maxSize int) (part []object, next string) {
	size, page := min(c.number("limit", 50), maxSize), 1
	if cursor := c.r.URL.Query().Get("cursor"); cursor != "" {
		page, _ = strconv.Atoi(strings.TrimPrefix(cursor, "page-"))
	}
	if page < pages(len(items), size) {
		next = "page-" + strconv.Itoa(page+1)
	}
	return resttest.Page(items, page, size), next
}

func snapchatRespond(c *call, member string, list []object, next string) {
	paging := object{}
	if next != "" { // the address names a host that must not be asked
		paging["next_link"] = "https://elsewhere.example/v1/next?" + url.Values{"cursor": {next}, "limit": {"1"}}.Encode()
	}
	c.json(http.StatusOK, object{"request_status": "SUCCESS", "request_id": "57b0015e", "paging": paging, member: list})
}

func snapchatError(c *call, status int, code, words string) {
	c.json(status, object{"request_status": "ERROR", "request_id": "57b0015e", "debug_message": words, "display_message": "We're sorry.", "error_code": code})
}

var snapchatUploads = uploadFake{
	UploadPlatform: UploadPlatform{
		Credentials: map[string]string{"pixel_id": "67d34640-b7a4", "conversions_token": "canary-snapchat-Zq7"}, Click: "ScCid", Validates: true,
		Body: `{"data": [{
			"event_name": "PURCHASE", "event_time": 1793536368, "event_id": "1", "action_source": "WEB",
			"event_source_url": "PAGE",
			"user_data": {
				"sc_click_id": "one", "external_id": "EXTERNAL", "client_ip_address": "203.0.113.9", "client_user_agent": "Mozilla/5.0",
				"em": ["EMAIL"], "ph": ["PHONE"], "fn": ["FIRST"], "ln": ["LAST"], "ct": ["CITY"], "st": ["REGION"], "zp": ["ZIP"], "country": ["COUNTRY"]
			},
			"custom_data": {"value": 12.5, "currency": "EUR", "order_id": "1"}
		}]}`,
	},
	serve: snapchatUploadServe,
	fail: func(c *uploadCall, busy bool, words string) {
		status := http.StatusBadRequest
		if busy {
			status = http.StatusTooManyRequests
		}
		c.respond(status, object{"status": "INVALID", "reason": words})
	},
}

// hash matches SHA-256 in hexadecimal digits.
var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// snapchatKeys are the hashed keys by which Snapchat recognizes a person.
type snapchatKeys struct {
	Em      []string `json:"em"`
	Ph      []string `json:"ph"`
	Fn      []string `json:"fn"`
	Ln      []string `json:"ln"`
	Ct      []string `json:"ct"`
	St      []string `json:"st"`
	Zp      []string `json:"zp"`
	Country []string `json:"country"`
}

func (k snapchatKeys) valid() bool {
	for _, list := range [][]string{k.Em, k.Ph, k.Fn, k.Ln, k.Ct, k.St, k.Zp, k.Country} {
		for _, text := range list {
			if !hash.MatchString(text) {
				return false
			}
		}
	}
	return true
}

type snapchatEvent struct {
	Name   string `json:"event_name"`
	Time   int64  `json:"event_time"`
	ID     string `json:"event_id"`
	Source string `json:"action_source"`
	URL    string `json:"event_source_url"`
	User   struct {
		snapchatKeys
		Click    string `json:"sc_click_id"`
		External string `json:"external_id"`
		IP       string `json:"client_ip_address"`
		Agent    string `json:"client_user_agent"`
	} `json:"user_data"`
	Custom struct {
		Value    json.Number `json:"value"`
		Currency string      `json:"currency"`
		Order    string      `json:"order_id"`
	} `json:"custom_data"`
}

// refusal returns the reason why the event is refused, or an empty text. Snapchat's page VerifySetUp lists these reasons.
func (e snapchatEvent) refusal() string {
	switch {
	case e.Name == "" || e.Time == 0 || e.Source == "" || e.URL == "":
		return "a required field is missing"
	case e.Name == "PURCHASE" && (e.Custom.Value == "" || e.Custom.Currency == ""):
		return "missing price or currency"
	case !e.User.valid():
		return "unhashed PII"
	case len(e.User.Em) == 0 && len(e.User.Ph) == 0 && (e.User.IP == "" || e.User.Agent == ""):
		return "insufficient PII"
	case e.Source != "WEB" || clickRefusal(e.User.Click) != "":
		return "invalid parameter"
	}
	return ""
}

func snapchatUploadServe(c *uploadCall) {
	if c.r.URL.Query().Get("access_token") != c.credentials["conversions_token"] || c.w.expiredTokens > 0 {
		c.respond(http.StatusUnauthorized, object{"status": "INVALID", "reason": "The access token is invalid."})
		return
	}
	var body struct {
		Data []snapchatEvent `json:"data"`
	}
	path, isTest := strings.CutSuffix(c.path, "/validate")
	if err := c.readStrictly(&body); err != nil || path != "v3/"+c.credentials["pixel_id"]+"/events" || len(body.Data) == 0 || len(body.Data) > 2000 {
		c.respond(http.StatusBadRequest, object{"status": "INVALID", "reason": "the request cannot be read"})
		return
	}
	for i, e := range body.Data {
		reason := e.refusal()
		if reason == "" {
			continue
		}
		errors := object{"codes": []string{"E4001"}, "error_msgs": []string{reason}}
		if isTest {
			c.respond(http.StatusBadRequest, object{"status": "INVALID", "test_event": true, "reason": "some events are not valid", "event_logs": []object{
				{"event": i, "status": "INVALID", "errors": errors, "warnings": []string{}},
			}})
			return
		}
		c.respond(http.StatusBadRequest, object{"status": "INVALID", "event": i, "errors": errors})
		return
	}
	for _, e := range body.Data {
		c.store(Uploaded{ID: e.ID, Click: e.User.Click, Value: e.Custom.Value.String(), Currency: e.Custom.Currency}, !isTest)
	}
	c.respond(http.StatusOK, object{"status": "VALID", "reason": "Events have been processed successfully."})
}
