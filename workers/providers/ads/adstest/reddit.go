package adstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// reddit is specified in source.md.
var reddit = Fake{
	SignIn: true, Paged: true, Zone: "UTC",
	settings: map[string]string{"ad_account_id": "a2_fsddXXXfsfd", "pixel_id": "a2_jo1mdxsidf2o"},
	secrets:  []string{"conversions_token"},
	refuse:   func(c *call, words string) { redditError(c, http.StatusBadRequest, words) },
	busy:     func(c *call) { redditError(c, http.StatusTooManyRequests, "Too many requests") },
	serve: func(p *Platforms, c *call) {
		root := "/api/v3/ad_accounts/" + c.credentials["ad_account_id"]
		switch {
		case c.r.Header.Get("Authorization") != "Bearer "+p.validToken():
			redditError(c, http.StatusUnauthorized, "Authorization Required")
		case strings.HasPrefix(c.r.Header.Get("User-Agent"), "Go-http-client"):
			redditError(c, http.StatusTooManyRequests, "use a User-Agent of your own")
		case c.path == root && c.r.Method == http.MethodGet && c.unknownParam() == "":
			c.json(http.StatusOK, object{"data": object{"id": c.credentials["ad_account_id"], "name": "Hooli", "currency": Currency}})
		case c.path == root+"/campaigns" && c.r.Method == http.MethodGet && c.unknownParam("page.size", "page.token") == "":
			list := []object{}
			for _, r := range firstByCampaign(p.rows) {
				list = append(list, object{"id": r.Campaign, "name": r.Name, "configured_status": "ACTIVE", "effective_status": "ACTIVE"})
			}
			part, paging := redditPart(c, list)
			c.json(http.StatusOK, object{"data": part, "pagination": paging})
		case c.path == root+"/reports" && c.r.Method == http.MethodPost && c.unknownParam("page.size", "page.token") == "":
			redditReport(p, c)
		default: // Reddit answers 404 to a wrong method as well
			redditError(c, http.StatusNotFound, "not found")
		}
	},
}

func redditReport(p *Platforms, c *call) {
	var body struct {
		Data struct {
			Breakdowns []string `json:"breakdowns"`
			Fields     []string `json:"fields"`
			From       string   `json:"starts_at"`
			To         string   `json:"ends_at"`
			Zone       string   `json:"time_zone_id"`
		} `json:"data"`
	}
	d := json.NewDecoder(c.r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&body)
	const wholeHour = "2006-01-02T15:00:00Z" // Reddit refuses times with minutes
	from, err1 := time.Parse(wholeHour, body.Data.From)
	to, err2 := time.Parse(wholeHour, body.Data.To)
	if err != nil || err1 != nil || err2 != nil || !to.After(from) || body.Data.Zone != "UTC" || !slices.Equal(body.Data.Breakdowns, []string{"CAMPAIGN_ID", "DATE"}) ||
		!slices.Equal(body.Data.Fields, []string{"CAMPAIGN_ID", "DATE", "IMPRESSIONS", "CLICKS", "SPEND"}) {
		redditError(c, http.StatusBadRequest, "invalid report request")
		return
	}
	rows := []object{}
	for _, r := range p.within(from.Format(time.DateOnly), to.Add(-time.Second).Format(time.DateOnly)) {
		amount, _ := json.Number(r.Spend).Float64()
		rows = append(rows, r.without(object{
			"date": r.Day, "campaign_id": r.Campaign, "impressions": r.Impressions, "clicks": r.Clicks, "spend": int64(amount * 1e6),
		}, "impressions", "clicks", "spend"))
	}
	part, paging := redditPart(c, rows)
	c.json(http.StatusOK, object{"data": object{"metrics": part, "metrics_updated_at": "2026-11-07T02:16:44Z"}, "pagination": paging})
}

// redditPart returns the items of the requested page. The address of the next page names a host that must not be asked.
func redditPart(c *call, items []object) (part []object, paging object) {
	size, page := min(c.number("page.size", 25), 100), max(c.number("page.token", 1), 1)
	paging = object{}
	if page < pages(len(items), size) {
		paging["next_url"] = "https://elsewhere.example/next?page.size=" + strconv.Itoa(size) + "&page.token=" + strconv.Itoa(page+1)
	}
	return resttest.Page(items, page, size), paging
}

func redditError(c *call, status int, words string) {
	c.json(status, object{"error": object{"code": status, "message": words}})
}

var redditUploads = uploadFake{
	UploadPlatform: UploadPlatform{
		Credentials: map[string]string{"pixel_id": "a2_jo1mdxsidf2o", "conversions_token": "canary-reddit-Zq7"}, Click: "rdt_cid", //nolint:gosec // a made-up token
		Body: `{"data": {"events": [{
			"click_id": "one", "event_at": 1793536368000, "action_source": "WEBSITE", "event_source_url": "PAGE",
			"type": {"tracking_type": "PURCHASE"},
			"user": {
				"email": "EMAIL", "phone_number": "PHONE", "external_id": "EXTERNAL", "ip_address": "203.0.113.9", "user_agent": "Mozilla/5.0"
			},
			"metadata": {"conversion_id": "1", "value": 12.5, "currency": "EUR"}
		}]}}`,
	},
	serve: redditUploadServe,
	fail: func(c *uploadCall, busy bool, words string) {
		status := http.StatusBadRequest
		if busy {
			status = http.StatusTooManyRequests
		}
		c.respond(status, redditUploadError(status, words, nil))
	},
}

func redditUploadError(status int, words string, fields []object) object {
	e := object{"code": status, "message": words}
	if len(fields) > 0 {
		e["fields"] = fields
	}
	return object{"error": e}
}

type redditEvent struct {
	Click  string `json:"click_id"`
	At     int64  `json:"event_at"`
	Source string `json:"action_source"`
	URL    string `json:"event_source_url"`
	Type   struct {
		Tracking string `json:"tracking_type"`
		Custom   string `json:"custom_event_name"`
	} `json:"type"`
	User struct {
		Email    string `json:"email"`
		Phone    string `json:"phone_number"`
		External string `json:"external_id"`
		IP       string `json:"ip_address"`
		Agent    string `json:"user_agent"`
	} `json:"user"`
	Metadata struct {
		ID       string      `json:"conversion_id"`
		Value    json.Number `json:"value"`
		Currency string      `json:"currency"`
	} `json:"metadata"`
}

func (e redditEvent) refusal() (field, reason string) {
	switch {
	case e.At < 1e12: // seconds in place of milliseconds
		return "event_at", "event_at timestamp must be less than 168h0m0s old"
	case e.Source != "WEBSITE":
		return "action_source", "invalid action_source: " + e.Source
	case e.Type.Tracking == "" || (e.Type.Tracking == "CUSTOM") != (e.Type.Custom != "") || len([]rune(e.Type.Custom)) > 64:
		return "type", "invalid type"
	case e.User.Email != "" && !hash.MatchString(e.User.Email) || e.User.Phone != "" && !hash.MatchString(e.User.Phone):
		return "user", "not hashed"
	case clickRefusal(e.Click) != "":
		return "click_id", "invalid click_id"
	}
	return "", ""
}

func redditUploadServe(c *uploadCall) {
	var body struct {
		Data struct {
			Events []redditEvent `json:"events"`
		} `json:"data"`
	}
	err := c.readStrictly(&body)
	switch {
	case c.r.Header.Get("Authorization") != "Bearer "+c.credentials["conversions_token"] || c.w.expiredTokens > 0:
		c.respond(http.StatusUnauthorized, redditUploadError(http.StatusUnauthorized, "Authorization Required", nil))
		return
	case strings.HasPrefix(c.r.Header.Get("User-Agent"), "Go-http-client"):
		c.respond(http.StatusTooManyRequests, redditUploadError(http.StatusTooManyRequests, "use a User-Agent of your own", nil))
		return
	case c.path != "pixels/"+c.credentials["pixel_id"]+"/conversion_events":
		c.respond(http.StatusNotFound, redditUploadError(http.StatusNotFound, "not found", nil))
		return
	case err != nil || len(body.Data.Events) == 0 || len(body.Data.Events) > 1000:
		c.respond(http.StatusBadRequest, redditUploadError(http.StatusBadRequest, "the request cannot be read", nil))
		return
	}
	var fields []object
	for i, e := range body.Data.Events {
		if field, reason := e.refusal(); field != "" {
			fields = append(fields, object{"field": fmt.Sprintf("$.data.events[%d].%s", i, field), "message": field + ": " + reason})
		}
	}
	if len(fields) > 0 {
		words := fmt.Sprintf("There were %d invalid conversion events. None were processed.", len(fields))
		if c.w.omitsRefused {
			fields = nil
		}
		c.respond(http.StatusBadRequest, redditUploadError(http.StatusBadRequest, words, fields))
		return
	}
	for _, e := range body.Data.Events {
		c.store(Uploaded{ID: e.Metadata.ID, Click: e.Click, Value: e.Metadata.Value.String(), Currency: e.Metadata.Currency}, counted)
	}
	c.respond(http.StatusOK, object{"data": object{"message": fmt.Sprintf("Successfully processed %d conversion events.", len(body.Data.Events))}})
}
