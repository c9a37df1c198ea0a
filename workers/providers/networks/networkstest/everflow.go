package networkstest

import (
	"encoding/json"
	"net/http"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

var everflow = Fake{
	credentials: and(map[string]string{"region": "us"}, "api_key"),
	refuse:      func(c *call, words string) { c.json(http.StatusBadRequest, object{"Error": words}) },
	serve: func(w *World, c *call) {
		if c.r.Header.Get("X-Eflow-API-Key") != c.good["api_key"] {
			c.json(http.StatusUnauthorized, object{"Error": "Invalid API key"})
			return
		}
		var ask struct {
			Zone     int    `json:"timezone_id"`
			From, To string //nolint:tagliatelle // as they are
		}
		if c.path != "/affiliates/reporting/conversions" || c.r.Method != http.MethodPost ||
			json.NewDecoder(c.r.Body).Decode(&ask) != nil || ask.Zone != 67 {
			c.json(http.StatusBadRequest, object{"Error": "bad request"})
			return
		}
		all := w.within(at(time.DateTime, ask.From), at(time.DateTime, ask.To).Add(time.Second))
		page, size := c.number("page", 1), min(c.number("page_size", 50), 500)
		rows := []object{}
		for _, o := range resttest.Page(all, page, size) {
			event := o.Goal
			if event == "" {
				event = "Base"
			}
			rows = append(rows, o.row(object{
				"conversion_id": o.ID, "transaction_id": "theirs", "conversion_unix_timestamp": o.At.Unix(),
				"sub1": "banner", "sub2": o.Click, "sub3": "", "status": o.word(map[string]string{
					"approved": "approved", "pending": "pending", "rejected": "rejected", "chargeback": "invalid",
				}),
				"revenue": json.Number(o.Payout), "event": event, "is_event": event != "Base", "currency_id": o.Currency,
			}, "revenue", "currency_id", "conversion_unix_timestamp"))
		}
		c.json(http.StatusOK, object{"conversions": rows, "paging": object{"page": page, "page_size": size, "total_count": len(all)}})
	},
}
