package adstest

import (
	"net/http"
	"strconv"
)

var revcontent = Fake{
	Tokens: true, Paged: true, Plain: true, Amounts: true,
	settings: map[string]string{"client_id": "c-1"},
	secrets:  []string{"client_secret"},
	refuse: func(c *call, words string) {
		c.json(http.StatusBadRequest, object{"success": false, "errors": []object{{"code": 400, "title": "Invalid Parameters", "detail": words}}})
	},
	serve: func(p *Platforms, c *call) {
		if c.path == "/oauth/token" {
			if c.r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || c.r.FormValue("client_id") != "c-1" ||
				c.r.FormValue("client_secret") != c.credentials["client_secret"] || c.r.FormValue("grant_type") != "client_credentials" || len(c.r.Form) != 3 {
				c.json(http.StatusBadRequest, object{"error": "invalid_client", "error_description": "The client credentials are invalid"})
				return
			}
			c.json(http.StatusOK, object{"access_token": p.issue(), "expires_in": 86400, "token_type": "Bearer", "scope": "advertiser publisher"})
			return
		}
		if c.r.Header.Get("Authorization") != "Bearer "+p.validToken() {
			c.json(http.StatusUnauthorized, object{"success": false, "errors": []object{{"code": 401, "title": "Unauthorized", "detail": "The access token is invalid"}}})
			return
		}
		q := c.r.URL.Query()
		size := c.number("limit", 100)
		if c.path != "/stats/api/v1.0/boosts/performance" || c.r.Method != http.MethodGet || size > 1000 || q.Get("all_boosts") != "yes" ||
			q.Get("date_from") == "" || c.unknownParam("date_from", "date_to", "all_boosts", "limit", "offset") != "" {
			c.fake.refuse(c, "Invalid Parameters sent")
			return
		}
		all := p.within(q.Get("date_from"), q.Get("date_to"))
		begin := min(c.number("offset", 0), len(all))
		rows := []object{}
		for _, r := range all[begin:min(begin+size, len(all))] {
			rows = append(rows, r.without(object{
				"id": r.Campaign, "date": r.Day, "impressions": strconv.Itoa(r.Impressions), "viewable_impressions": "0", "clicks": strconv.Itoa(r.Clicks),
				"conversions": "0", "ctr": "0.00", "vctr": "0.00", "avg_cpc": "0.15142857", "avg_vcpm": "0.000", "cost": r.Spend,
				"cost_per_conv": "0.000", "return": "0.0000", "profit": "-" + r.Spend, "created_at": "2013-11-01 00:00:00", "updated_at": nil,
			}, "impressions", "clicks", "cost"))
		}
		c.json(http.StatusOK, object{"success": true, "data": rows})
	},
}
