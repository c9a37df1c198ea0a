package adstest

import "net/http"

var trafficStars = Fake{
	Zone:   "UTC",
	Tokens: true, Plain: true, Amounts: true,
	secrets: []string{"api_key"},
	refuse:  func(c *call, words string) { c.json(http.StatusBadRequest, object{"code": 400, "msg": words}) },
	serve: func(p *Platforms, c *call) {
		if c.path == "/v1/auth/token" {
			if c.r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || c.r.FormValue("grant_type") != "refresh_token" ||
				c.r.FormValue("refresh_token") != c.credentials["api_key"] || len(c.r.Form) != 2 {
				c.json(http.StatusBadRequest, object{"error": "invalid_grant", "error_description": "Invalid refresh token"})
				return
			}
			c.json(http.StatusOK, object{"access_token": p.issue(), "refresh_token": c.credentials["api_key"], "expires_in": 36000, "token_type": "bearer"})
			return
		}
		if c.r.Header.Get("Authorization") != "Bearer "+p.validToken() {
			c.json(http.StatusUnauthorized, object{"code": 401, "msg": "Unauthorized"})
			return
		}
		q := c.r.URL.Query()
		if c.path != "/v1.1/advertiser/custom/report/by-campaign" || c.r.Method != http.MethodGet || q.Get("date_from") == "" || q.Get("date_to") == "" ||
			c.unknownParam("date_from", "date_to") != "" {
			c.fake.refuse(c, "required parameter is missing")
			return
		}
		if c.r.Header.Get("Content-Type") != "" { // TrafficStars would look for the parameters in a body
			c.fake.refuse(c, "date_from is required")
			return
		}
		rows := []object{}
		for _, r := range p.within(q.Get("date_from"), q.Get("date_to")) {
			rows = append(rows, r.without(object{
				"campaign_id": r.Campaign, "name": r.Name, "amount": r.spent(), "impressions": r.Impressions, "clicks": r.Clicks, "leads": 0,
			}, "amount", "impressions", "clicks"))
		}
		c.json(http.StatusOK, rows)
	},
}
