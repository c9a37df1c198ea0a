package networkstest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// partnerize splits lists into pages with a cursor, which it writes only into the address of the next page.
var partnerize = Fake{
	credentials: withSecrets(map[string]string{"publisher_id": "11l1"}, "application_key", "user_api_key"),
	refuse: func(c *call, words string) {
		c.json(http.StatusBadRequest, object{"error": object{"message": words, "type": "400"}})
	},
	serve: func(p *Platforms, c *call) {
		user, password, _ := c.r.BasicAuth()
		if user != c.credentials["application_key"] || password != c.credentials["user_api_key"] {
			c.json(http.StatusUnauthorized, object{"error": object{"message": "Authentication Failed", "type": "401"}})
			return
		}
		switch c.r.URL.Query().Get("date_type") {
		case "":
		case "last_updated":
			c.date = decided
		default:
			c.fake.refuse(c, "date_type is not valid")
			return
		}
		all, ok := c.span(p, time.RFC3339, "start_date", "end_date", 0)
		size := c.number("limit", 300)
		if c.path != "/reporting/report_publisher/publisher/11l1/conversion.json" || !ok || size > 300 ||
			!c.params("start_date", "end_date text_date timezone currency[] date_type statuses[] offset limit cursor_id "+
				"invoice_created_date include_payment_info") || c.r.URL.Query().Get("timezone") != "UTC" {
			c.fake.refuse(c, "bad request")
			return
		}
		page := max(c.number("cursor_id", 1), 1)
		rows := []object{}
		for _, o := range resttest.Page(all, page, size) {
			word := o.word(same)
			value := o.row(object{"conversion_status": word, "value": o.sale(), "publisher_commission": json.Number(o.payout())},
				"publisher_commission")
			rows = append(rows, object{"conversion_data": o.row(object{
				"conversion_id": o.ID, "conversion_time": o.At.UTC().Format(time.DateTime), "currency": o.Currency, "clickref": "111111lfo",
				"publisher_reference": o.Click, "last_modified": o.At.UTC().Format(time.DateTime), "country": "ES", "conversion_value": value, "conversion_items": []object{
					{"conversion_item_id": "1", "item_value": 15, "item_publisher_commission": 1.5, "item_status": "approved"},
					{"conversion_item_id": "2", "item_value": 940, "item_publisher_commission": 9, "item_status": "rejected"},
				},
			}, "currency", "conversion_time")})
		}
		answer := object{"count": len(all), "limit": size, "execution_time": "1 s", "conversions": rows}
		next := "/reporting/report_publisher/publisher/11l1/conversion.json?limit=" + strconv.Itoa(size) + "&cursor_id=" + strconv.Itoa(page+1)
		if page*size < len(all) {
			answer["hypermedia"] = object{"pagination": object{"first_page": "/reporting", "next_page": next}}
		}
		c.json(http.StatusOK, answer)
	},
}
