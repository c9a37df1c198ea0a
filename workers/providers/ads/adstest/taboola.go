package adstest

import "net/http"

var taboola = Fake{
	Zone:     "EST",
	Tokens:   true,
	settings: map[string]string{"client_id": "c-1", "account_id": "acme-sc"},
	secrets:  []string{"client_secret"},
	refuse: func(c *call, words string) {
		c.json(http.StatusBadRequest, object{"http_status": 400, "message": words, "offending_field": nil})
	},
	serve: func(p *Platforms, c *call) {
		if c.path == "/backstage/oauth/token" {
			if c.r.FormValue("client_id") != "c-1" || c.r.FormValue("client_secret") != c.credentials["client_secret"] || c.r.FormValue("grant_type") != "client_credentials" {
				c.json(http.StatusUnauthorized, object{"error": "invalid_client", "error_description": "Bad client credentials"})
				return
			}
			c.json(http.StatusOK, object{"access_token": p.issue(), "token_type": "bearer", "expires_in": 43200})
			return
		}
		if c.r.Header.Get("Authorization") != "Bearer "+p.validToken() {
			c.json(http.StatusUnauthorized, object{"http_status": 401, "message": "token expired", "offending_field": nil})
			return
		}
		q := c.r.URL.Query()
		if c.path != "/backstage/api/1.0/acme-sc/reports/campaign-summary/dimensions/campaign_day_breakdown" || q.Get("start_date") == "" ||
			q.Get("end_date") == "" || c.unknownParam("start_date", "end_date") != "" {
			c.fake.refuse(c, "no such report")
			return
		}
		rows := []object{}
		for _, r := range p.within(q.Get("start_date"), q.Get("end_date")) {
			rows = append(rows, r.without(object{
				"date": r.Day + " 00:00:00.0", "campaign": r.Campaign, "campaign_name": r.Name, "clicks": r.Clicks, "impressions": r.Impressions,
				"spent": r.spent(), "currency": Currency, "cpa_actions_num": 1,
			}, "clicks", "impressions", "spent"))
		}
		c.json(http.StatusOK, object{"timezone": "EST", "recordCount": len(rows), "metadata": object{}, "results": rows})
	},
}
