package networkstest

import (
	"net/http"
	"strconv"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// tune reports every failure with status 200. On every second page, the rows are an object with their ids as keys.
var tune = Fake{
	credentials: and(map[string]string{"network_id": "demo"}, "api_key"),
	refuse: func(c *call, words string) {
		c.json(http.StatusOK, object{"request": object{}, "response": object{
			"status": -1, "httpStatus": 200, "data": "", "errors": []object{{"publicMessage": words}}, "errorMessage": words,
		}})
	},
	serve: func(w *World, c *call) {
		q := c.r.URL.Query()
		days := q["filters[Stat.date][values][]"]
		switch {
		case q.Get("api_key") != c.good["api_key"]:
			c.fake.refuse(c, "API key does not exist: "+q.Get("api_key"))
			return
		case c.path != "/Apiv3/json" || q.Get("NetworkId") != c.good["network_id"] || q.Get("Target") != "Affiliate_Report" ||
			q.Get("Method") != "getConversions" || len(q["fields[]"]) == 0 || len(days) != 2 ||
			q.Get("filters[Stat.date][conditional]") != "BETWEEN":
			c.fake.refuse(c, "the call is not known")
			return
		}
		from, _ := time.ParseInLocation(time.DateOnly, days[0], c.zone)
		to, _ := time.ParseInLocation(time.DateOnly, days[1], c.zone)
		all := w.within(from, to.AddDate(0, 0, 1))
		page, size := c.number("page", 1), min(c.number("limit", 100), 500)
		byID, rows := object{}, []object{}
		for _, o := range resttest.Page(all, page, size) {
			stat := o.row(object{
				"ad_id": o.ID, "datetime": o.At.In(c.zone).Format(time.DateTime), "affiliate_info1": o.Click,
				"approved_payout": o.Payout, "currency": o.Currency, "conversion_status": o.word(same),
			}, "approved_payout", "currency", "datetime")
			row := object{"Stat": stat, "Offer": object{"name": "X"}}
			rows = append(rows, row)
			byID[strconv.Itoa(len(rows))] = row
		}
		var data any = rows
		if page%2 == 0 && len(rows) > 0 {
			data = byID
		}
		c.json(http.StatusOK, object{"request": object{}, "response": object{"status": 1, "httpStatus": 200, "data": object{
			"page": strconv.Itoa(page), "current": len(rows), "count": len(all), "pageCount": (len(all) + size - 1) / size, "data": data,
		}, "errors": []object{}, "errorMessage": ""}})
	},
}

// same has the words of platforms that use our words for statuses.
var same = map[string]string{"approved": "approved", "pending": "pending", "rejected": "rejected", "chargeback": "rejected"}
