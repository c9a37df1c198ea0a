package adstest

import (
	"net/http"
	"slices"
	"strings"

	"switchyard/workers/providers/rest/resttest"
)

var propellerAds = Fake{
	Zone:    "America/New_York",
	secrets: []string{"api_token"},
	Plain:   true, // the currency is always US dollars
	Paged:   true,
	Amounts: true,
	refuse:  func(c *call, words string) { c.json(http.StatusBadRequest, object{"message": words}) },
	serve: func(p *Platforms, c *call) {
		if c.r.Header.Get("Authorization") != "Bearer "+c.credentials["api_token"] {
			c.json(http.StatusUnauthorized, object{"message": "Unauthenticated."})
			return
		}
		if c.path == "/v5/adv/balance" {
			_, _ = c.Write([]byte("12.50"))
			return
		}
		q := c.r.URL.Query()
		from, to := q.Get("day_from"), q.Get("day_to")
		size, page := c.number("per_page", 100), c.number("page", 1)
		switch {
		case c.path != "/v5/adv/statistics", c.r.Method != http.MethodGet, size > 1000, page < 1,
			!strings.HasSuffix(from, " 00:00:00"), !strings.HasSuffix(to, " 23:59:59"):
			c.fake.refuse(c, "no such report")
			return
		case c.unknownParam("group_by[]", "day_from", "day_to", "page", "per_page") != "":
			c.fake.refuse(c, "This form should not contain extra fields.")
			return
		case !slices.Equal(q["group_by[]"], []string{"campaign_id", "date_time"}):
			c.fake.refuse(c, "The selected choice is invalid.")
			return
		}
		rows := []object{}
		all := p.within(from[:10], to[:10])
		for _, r := range resttest.Page(all, page, size) {
			rows = append(rows, r.without(object{
				"campaign_id": r.Campaign, "campaign_name": r.Name, "date_time": r.Day, "impressions": r.Impressions, "clicks": r.Clicks,
				"conversions": 0, "spent": r.spent(),
			}, "impressions", "clicks", "spent"))
		}
		c.json(http.StatusOK, object{"items": rows, "total_pages": pages(len(all), size)})
	},
}
