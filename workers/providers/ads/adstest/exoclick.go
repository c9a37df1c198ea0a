package adstest

import (
	"encoding/csv"
	"net/http"
	"strconv"
)

// exoClickFields are the fields of a request for a report.
var exoClickFields = []string{"filter", "group_by", "limit", "offset", "order_by", "output_csv_fields", "timezone"}

var exoClick = Fake{
	Zone:   "UTC",
	Tokens: true, Paged: true, Plain: true,
	secrets: []string{"api_token"},
	refuse:  func(c *call, text string) { c.json(http.StatusBadRequest, object{"message": text}) },
	serve: func(p *Platforms, c *call) {
		ask := c.body()
		if c.path == "/v2/login" {
			if ask["api_token"] != c.credentials["api_token"] {
				c.json(http.StatusUnauthorized, object{"message": "Invalid token"})
				return
			}
			c.json(http.StatusOK, object{"token": p.issue(), "type": "Bearer", "expires_in": 900})
			return
		}
		if c.r.Header.Get("Authorization") != "Bearer "+p.validToken() {
			c.json(http.StatusUnauthorized, object{"message": "Expired token"})
			return
		}
		filter, _ := ask["filter"].(map[string]any)
		from, _ := filter["date_from"].(string)
		to, _ := filter["date_to"].(string)
		limit, _ := ask["limit"].(float64)
		offset, _ := ask["offset"].(float64)
		if c.path != "/v2/statistics/a/global" || c.r.Header.Get("Accept") != "text/csv" || from == "" || limit > 500 {
			c.fake.refuse(c, "no such report")
			return
		}
		if name := unknownKey(ask, exoClickFields...) + unknownKey(filter, "date_from", "date_to") + c.unknownParam(); name != "" {
			c.fake.refuse(c, "unknown field "+name)
			return
		}
		all := p.within(from, to)
		begin := min(int(offset), len(all))
		c.Header().Set("Content-Type", "text/csv")
		out := csv.NewWriter(c)
		if !c.quoted { // the line with the names of the columns is optional
			_ = out.Write([]string{"date", "campaign_id", "clicks", "impressions", "cost"})
		}
		for _, r := range all[begin:min(begin+int(limit), len(all))] {
			cells := []string{r.Day, r.Campaign, strconv.Itoa(r.Clicks), strconv.Itoa(r.Impressions), r.Spend}
			if r.Bare {
				cells[2], cells[3], cells[4] = "", "", "" // no figures
			}
			_ = out.Write(cells)
		}
		out.Flush()
	},
}
