package adstest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"switchyard/workers/providers/rest/resttest"
)

// metaFields are the fields of an account and of insights.
var metaFields = []string{
	"account_currency", "campaign_id", "campaign_name", "clicks", "currency", "impressions", "spend", "timezone_name",
}

var meta = Fake{
	Zone:   Zone,
	SignIn: true, Paged: true,
	settings: map[string]string{"ad_account_id": "act_4711", "pixel_id": "123456789012345"},
	secrets:  []string{"capi_token"},
	refuse:   func(c *call, words string) { metaError(c, http.StatusBadRequest, 100, words) },
	busy: func(c *call) {
		metaError(c, http.StatusBadRequest, 80008, "There have been too many calls to this account.")
	},
	serve: func(p *Platforms, c *call) {
		if c.r.Header.Get("Authorization") != "Bearer "+p.validToken() {
			metaError(c, http.StatusBadRequest, 190, "Error validating access token")
			return
		}
		q := c.r.URL.Query()
		for field := range strings.SplitSeq(q.Get("fields"), ",") {
			if !slices.Contains(metaFields, field) {
				c.fake.refuse(c, "(#100) "+field+" is not valid for fields param")
				return
			}
		}
		if c.path == "/v27.0/act_4711" && c.unknownParam("fields") == "" && strings.Contains(q.Get("fields"), "timezone_name") {
			c.json(http.StatusOK, object{"id": "act_4711", "currency": Currency, "timezone_name": Zone})
			return
		}
		var span struct{ Since, Until string }
		if c.path != "/v27.0/act_4711/insights" || json.Unmarshal([]byte(q.Get("time_range")), &span) != nil || q.Get("level") != "campaign" || q.Get("time_increment") != "1" ||
			c.unknownParam("fields", "time_range", "level", "time_increment", "limit", "after") != "" {
			c.fake.refuse(c, "Invalid parameter")
			return
		}
		rows := []object{}
		for _, r := range p.within(span.Since, span.Until) {
			rows = append(rows, r.without(object{
				"campaign_id": r.Campaign, "campaign_name": r.Name, "spend": r.Spend, "clicks": strconv.Itoa(r.Clicks),
				"impressions": strconv.Itoa(r.Impressions), "account_currency": Currency, "date_start": r.Day, "date_stop": r.Day,
			}, "spend", "clicks", "impressions"))
		}
		size, page := c.number("limit", 25), 1
		if after := q.Get("after"); after != "" {
			page, _ = strconv.Atoi(strings.TrimPrefix(after, "MA"))
		}
		paging := object{"cursors": object{"before": "MA0", "after": "MA" + strconv.Itoa(page+1)}}
		if page < pages(len(rows), size) {
			paging["next"] = "https://graph.facebook.com/v27.0/act_4711/insights?access_token=" + p.validToken()
		}
		c.json(http.StatusOK, object{"data": resttest.Page(rows, page, size), "paging": paging})
	},
}

func metaError(c *call, status, code int, words string) {
	c.json(status, object{"error": object{"message": words, "type": "OAuthException", "code": code, "is_transient": false, "fbtrace_id": "A1"}})
}
