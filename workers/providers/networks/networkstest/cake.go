package networkstest

import (
	"encoding/json"
	"net/http"
	"time"
)

// cake also returns the orders of end_date, which CAKE may exclude. An approved conversion has no disposition.
var cake = Fake{
	NoSale:      true,
	credentials: withSecrets(map[string]string{"domain": "affiliates.example.com", "affiliate_id": "12"}, "api_key"),
	refuse: func(c *call, words string) {
		c.json(http.StatusOK, object{"success": false, "message": words, "row_count": 0, "data": nil})
	},
	serve: func(p *Platforms, c *call) {
		q := c.r.URL.Query()
		row, size := c.number("start_at_row", 0), min(c.number("row_limit", 100), 500)
		switch {
		case q.Get("api_key") != c.credentials["api_key"]:
			c.fake.refuse(c, "Invalid API key "+q.Get("api_key"))
			return
		case !c.params("api_key affiliate_id start_date end_date", "offer_id campaign_id conversion_type disposition include_duplicates "+
			"exclude_bot_traffic unbilled_only start_at_row row_limit sort_field sort_descending fields") ||
			c.path != "/affiliates/api/Reports/Conversions" || q.Get("affiliate_id") != c.credentials["affiliate_id"] || row < 1:
			c.fake.refuse(c, "bad request")
			return
		}
		all := c.days(p, time.DateOnly, "start_date", "end_date")
		rows := []object{}
		from := min(row-1, len(all))
		for _, o := range all[from:min(from+size, len(all))] {
			v := o.row(object{
				"conversion_id": o.ID, "conversion_date": o.At.In(c.zone).Format("2006-01-02T15:04:05"), "price": json.Number(o.payout()),
				"tracking_id": "theirs", "offer_id": 1, "offer_name": "X", "campaign_id": 2, "subid_1": "banner", "subid_2": o.Click, "subid_3": "",
				"disposition": o.word(map[string]string{"pending": "Pending", "rejected": "Rejected", "chargeback": "Rejected"}),
			}, "price", "conversion_date")
			if v["disposition"] == "" {
				v["disposition"] = nil
			}
			rows = append(rows, v)
		}
		c.json(http.StatusOK, object{"success": true, "message": nil, "row_count": len(all), "data": rows})
	},
}
