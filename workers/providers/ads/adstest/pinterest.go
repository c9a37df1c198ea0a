package adstest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// pinterest is specified in source.md.
var pinterest = Fake{
	SignIn: true, Paged: true, Zone: "UTC",
	settings: map[string]string{"ad_account_id": "549755885175"},
	secrets:  []string{"conversions_token"},
	refuse:   func(c *call, words string) { pinterestError(c, http.StatusBadRequest, 400, words) },
	busy:     func(c *call) { pinterestError(c, http.StatusTooManyRequests, 8, "This request exceeded a rate limit.") },
	serve: func(p *Platforms, c *call) {
		q, root := c.r.URL.Query(), "/v5/ad_accounts/"+c.credentials["ad_account_id"]
		switch {
		case c.r.Header.Get("Authorization") != "Bearer "+p.validToken():
			pinterestError(c, http.StatusUnauthorized, 2, "Authentication failed.")
		case c.r.Method != http.MethodGet:
			pinterestError(c, http.StatusMethodNotAllowed, 405, "method not allowed")
		case c.path == root && c.unknownParam() == "":
			c.json(http.StatusOK, object{"id": c.credentials["ad_account_id"], "name": "Hooli", "currency": Currency, "country": "DE", "permissions": []string{"OWNER"}})
		case c.path == root+"/campaigns" && c.unknownParam("page_size", "bookmark", "entity_statuses") == "" && slices.Contains(q["entity_statuses"], "ARCHIVED"):
			list := []object{}
			for _, r := range firstByCampaign(p.rows) {
				list = append(list, object{"id": r.Campaign, "name": r.Name, "status": "ACTIVE", "ad_account_id": c.credentials["ad_account_id"], "type": "campaign"})
			}
			size, page := c.number("page_size", 25), 1
			if bookmark := q.Get("bookmark"); bookmark != "" {
				page, _ = strconv.Atoi(strings.TrimPrefix(bookmark, "b"))
			}
			answer := object{"items": resttest.Page(list, page, size), "bookmark": nil}
			if page < pages(len(list), size) {
				answer["bookmark"] = "b" + strconv.Itoa(page+1)
			}
			if size > 250 {
				c.fake.refuse(c, "Invalid ad account campaign parameters.")
				return
			}
			c.json(http.StatusOK, answer)
		case c.path == root+"/campaigns/analytics":
			pinterestAnalytics(p, c)
		default:
			pinterestError(c, http.StatusNotFound, 404, "unknown path or parameter: "+c.path)
		}
	},
}

func pinterestAnalytics(p *Platforms, c *call) {
	q := c.r.URL.Query()
	from, err1 := time.Parse(time.DateOnly, q.Get("start_date"))
	to, err2 := time.Parse(time.DateOnly, q.Get("end_date"))
	if c.unknownParam("campaign_ids", "start_date", "end_date", "granularity", "columns") != "" || err1 != nil || err2 != nil || to.Before(from) ||
		to.Sub(from) > 90*24*time.Hour || q.Get("granularity") != "DAY" || q.Get("columns") != "SPEND_IN_MICRO_DOLLAR,OUTBOUND_CLICK_1,PAID_IMPRESSION" ||
		len(q["campaign_ids"]) == 0 || len(q["campaign_ids"]) > 250 {
		c.fake.refuse(c, "Invalid ad account campaign analytics parameters.")
		return
	}
	rows := []object{}
	for _, r := range p.within(q.Get("start_date"), q.Get("end_date")) {
		if !slices.Contains(q["campaign_ids"], r.Campaign) {
			continue
		}
		amount, _ := json.Number(r.Spend).Float64()
		rows = append(rows, r.without(object{
			"DATE": r.Day, "CAMPAIGN_ID": r.Campaign, "SPEND_IN_MICRO_DOLLAR": amount * 1e6, "OUTBOUND_CLICK_1": r.Clicks, "PAID_IMPRESSION": r.Impressions,
		}, "SPEND_IN_MICRO_DOLLAR", "OUTBOUND_CLICK_1", "PAID_IMPRESSION"))
	}
	c.json(http.StatusOK, rows)
}

func pinterestError(c *call, status, code int, words string) {
	c.json(status, object{"code": code, "message": words})
}

var pinterestUploads = uploadFake{
	UploadPlatform: UploadPlatform{
		Credentials: map[string]string{"ad_account_id": "549755885175", "conversions_token": "canary-pinterest-Zq7"}, Click: "epik", Validates: true,
		Body: `{"data": [{
			"event_name": "checkout", "action_source": "web", "event_time": 1793536368, "event_id": "1",
			"event_source_url": "PAGE",
			"user_data": {
				"click_id": "one", "external_id": ["EXTERNAL"], "client_ip_address": "203.0.113.9", "client_user_agent": "Mozilla/5.0",
				"em": ["EMAIL"], "ph": ["PHONE"], "fn": ["FIRST"], "ln": ["LAST"], "ct": ["CITY"], "st": ["REGION"], "zp": ["ZIP"], "country": ["COUNTRY"]
			},
			"custom_data": {"value": "12.5", "currency": "EUR", "order_id": "1"}
		}]}`,
	},
	serve: pinterestUploadServe,
	fail: func(c *uploadCall, busy bool, words string) {
		if busy {
			c.respond(http.StatusTooManyRequests, object{"code": 8, "message": words})
			return
		}
		c.respond(http.StatusServiceUnavailable, object{"code": 4197, "message": words})
	},
}

type pinterestEvent struct {
	Name   string `json:"event_name"`
	Source string `json:"action_source"`
	Time   int64  `json:"event_time"`
	ID     string `json:"event_id"`
	URL    string `json:"event_source_url"`
	User   struct {
		snapchatKeys
		Click    string   `json:"click_id"`
		External []string `json:"external_id"`
		IP       string   `json:"client_ip_address"`
		Agent    string   `json:"client_user_agent"`
	} `json:"user_data"`
	Custom struct {
		Value    string `json:"value"`
		Currency string `json:"currency"`
		Order    string `json:"order_id"`
	} `json:"custom_data"`
}

// pinterestUploadServe processes the valid events of a request. It answers 422 if any event is invalid.
func pinterestUploadServe(c *uploadCall) {
	if c.r.Header.Get("Authorization") != "Bearer "+c.credentials["conversions_token"] || c.w.expiredTokens > 0 {
		c.respond(http.StatusUnauthorized, object{"code": 2, "message": "Authentication failed."})
		return
	}
	var body struct {
		Data []pinterestEvent `json:"data"`
	}
	if err := c.readStrictly(&body); err != nil || c.path != "ad_accounts/"+c.credentials["ad_account_id"]+"/events" || len(body.Data) == 0 || len(body.Data) > 1000 {
		c.respond(http.StatusBadRequest, object{"code": 4196, "message": "The request was invalid."})
		return
	}
	isTest := c.r.URL.Query().Get("test") == "true"
	results, failed := []object{}, 0
	for _, e := range body.Data {
		matched := len(e.User.Em) > 0 || e.User.IP != "" && e.User.Agent != ""
		complete := e.Name != "" && e.Source == "web" && e.Time > 0 && e.ID != "" && matched && e.User.valid()
		if complete && c.store(Uploaded{ID: e.ID, Click: e.User.Click, Value: e.Custom.Value, Currency: e.Custom.Currency}, !isTest) == "" {
			results = append(results, object{"status": "processed", "error_message": nil, "warning_message": ""})
			continue
		}
		failed++
		results = append(results, object{"status": "failed", "error_message": "'click_id' is not valid.", "warning_message": nil})
	}
	answer := object{"num_events_received": len(body.Data), "num_events_processed": len(body.Data) - failed, "events": results}
	switch {
	case failed == 0:
		c.respond(http.StatusOK, answer)
	case c.w.omitsRefused:
		c.respond(http.StatusUnprocessableEntity, object{"code": 4196, "message": "Not all events were successfully processed.", "details": object{}})
	default:
		c.respond(http.StatusUnprocessableEntity, object{"code": 4196, "message": "Not all events were successfully processed.", "details": answer})
	}
}
