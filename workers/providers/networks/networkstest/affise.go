package networkstest

import (
	"encoding/json"
	"net/http"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// affise demands that a query names all five statuses of the platform.
var affise = Fake{
	NoSale:      true,
	credentials: withSecrets(map[string]string{"tenant": "demo"}, "api_key"),
	refuse: func(c *call, text string) {
		c.json(http.StatusBadRequest, object{"status": 2, "error": text})
	},
	serve: func(p *Platforms, c *call) {
		q := c.r.URL.Query()
		page, size := c.number("page", 1), c.number("limit", 100)
		switch {
		case c.r.Header.Get("API-Key") != c.credentials["api_key"]:
			c.json(http.StatusUnauthorized, object{"status": 2, "error": "Wrong API key"})
			return
		case !c.params("", "date_from date_to update_from_date update_from_hour hour timezone status[] offer[] advertiser[] country[] "+
			"subid1 subid2 subid3 subid4 subid5 goal clickid action_id currency page limit") ||
			c.path != "/3.0/stats/conversions" || q.Get("timezone") != "UTC" || len(q["status[]"]) != 5 || size > 500:
			c.fake.refuse(c, "bad request")
			return
		}
		c.zone = time.UTC
		all := c.days(p, time.DateOnly, "date_from", "date_to")
		rows := []object{}
		for _, o := range resttest.Page(all, page, size) {
			goal := o.Goal
			if goal == "" {
				goal = "1"
			}
			rows = append(rows, o.row(object{
				"id": o.ID, "action_id": "theirs", "clickid": "", "sub1": "", "sub2": o.Click, "goal": goal, "goal_value": goal,
				"created_at": o.At.UTC().Format(time.DateTime), "currency": o.Currency, "payouts": json.Number(o.payout()), "revenue": 0,
				"status": o.word(map[string]string{
					"approved": "confirmed", "pending": "hold", "rejected": "declined", "chargeback": "declined",
				}),
			}, "payouts", "currency", "created_at"))
		}
		c.json(http.StatusOK, object{"status": 1, "conversions": rows, "pagination": object{
			"per_page": size, "total_count": len(all), "page": page, "next_page": page + 1,
		}})
	},
}
