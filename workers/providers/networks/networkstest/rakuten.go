package networkstest

import (
	"encoding/json"
	"net/http"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// rakuten reports reversals as negative commissions.
var rakuten = Fake{
	Tokens: true, SeparateReversals: true,
	credentials: withSecrets(map[string]string{"client_id": "me", "sid": "456"}, "client_secret"),
	refuse: func(c *call, words string) {
		c.json(http.StatusBadRequest, object{"error": "invalid_request", "error_description": words})
	},
	serve: func(p *Platforms, c *call) {
		if c.path == "/token" {
			p.token(c, c.credentials["sid"])
			return
		}
		if !p.bearer(c) {
			c.json(http.StatusUnauthorized, object{"error": "invalid_token", "error_description": "the token has expired"})
			return
		}
		date := "transaction_date"
		if c.r.URL.Query().Has("process_date_start") {
			date, c.date = "process_date", decided
		}
		all, ok := c.span(p, time.DateTime, date+"_start", date+"_end", 30)
		page, size := c.number("page", 1), c.number("limit", 1000)
		if c.path != "/events/1.0/transactions" || !ok || size > 1000 ||
			!c.params("", "transaction_date_start transaction_date_end process_date_start process_date_end limit page currency type") {
			c.fake.refuse(c, "bad request")
			return
		}
		var records []object
		for _, o := range all {
			records = append(records, rakutenRecords(o)...)
		}
		c.json(http.StatusOK, append([]object{}, resttest.Page(records, page, size)...))
	},
}

func rakutenRecords(o Order) []object {
	payout, event := o.payout(), o.word(map[string]string{"approved": "N", "pending": "Y", "rejected": "N", "chargeback": "N"})
	if o.Status == "rejected" || o.Status == "chargeback" {
		payout = "-" + payout
	}
	record := func(id, payout string) object {
		return o.row(object{
			"etransaction_id": id, "advertiser_id": "123", "sid": "456", "order_id": "order " + o.ID, "sku_number": "7", "u1": o.Click,
			"commissions": json.Number(payout), "sale_amount": o.sale(), "quantity": 1, "offer_id": "9", "currency": o.Currency, "is_event": event, "transaction_type": "realtime",
			"transaction_date": o.At.UTC().Format("Mon Jan 02 2006 15:04:05 GMT-0700 (UTC)"),
		}, "commissions", "currency", "transaction_date")
	}
	if o.TakenBack == "" {
		return []object{record(o.ID, payout)}
	}
	return []object{record("back "+o.ID, "-"+o.TakenBack), record(o.ID, payout)}
}
