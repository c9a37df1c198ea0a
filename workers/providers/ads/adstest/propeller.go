package adstest

import (
	"net/http"
	"strings"
)

var propellerAds = Fake{
	secrets: []string{"api_token"},
	Plain:   true, // the currency is always US dollars
	refuse:  func(c *call, words string) { c.json(http.StatusBadRequest, object{"message": words}) },
	serve: func(w *World, c *call) {
		if c.r.Header.Get("Authorization") != "Bearer "+c.good["api_token"] {
			c.json(http.StatusUnauthorized, object{"message": "Unauthenticated."})
			return
		}
		if c.path == "/v5/adv/balance" {
			_, _ = c.Write([]byte("12.50"))
			return
		}
		ask := c.body()
		from, _ := ask["day_from"].(string)
		to, _ := ask["day_to"].(string)
		if c.path != "/v5/adv/statistics" || !strings.HasSuffix(from, " 00:00:00") || !strings.HasSuffix(to, " 23:59:59") {
			c.fake.refuse(c, "no such report")
			return
		}
		rows := []object{}
		for _, r := range w.within(from[:10], to[:10]) {
			rows = append(rows, r.without(object{
				"campaign_id": r.Campaign, "date_time": r.Day, "impressions": r.Impressions, "clicks": r.Clicks, "conversions": 0, "spent": r.spent(),
			}, "impressions", "clicks", "spent"))
		}
		c.json(http.StatusOK, object{"result": rows})
	},
}
