package networkstest

import (
	"encoding/json"
	"net/http"
	"time"
)

var awin = Fake{
	credentials: withSecrets(map[string]string{"publisher_id": "189069"}, "token"),
	refuse: func(c *call, words string) {
		c.json(http.StatusBadRequest, object{"error": "bad_request", "description": words})
	},
	serve: func(p *Platforms, c *call) {
		const form = "2006-01-02T15:04:05"
		if c.r.Header.Get("Authorization") != "Bearer "+c.credentials["token"] {
			c.json(http.StatusUnauthorized, object{"error": "unauthorized", "description": "Full authentication is required"})
			return
		}
		if c.path == "/accounts" {
			c.json(http.StatusOK, object{"userId": 1, "accounts": []object{{"accountId": 189069, "accountType": "publisher"}}})
			return
		}
		if !c.params("startDate endDate timezone", "accessToken dateType status showBasketProducts advertiserId") {
			c.fake.refuse(c, "bad request")
			return
		}
		q := c.r.URL.Query()
		c.date = map[string]func(Order) time.Time{"transaction": ordered, "validation": decided, "amendment": amended}[q.Get("dateType")]
		if c.date == nil {
			c.fake.refuse(c, "dateType is not valid")
			return
		}
		all, ok := c.span(p, form, "startDate", "endDate", 31)
		if c.path != "/publishers/189069/transactions/" || !ok || q.Get("timezone") != "UTC" {
			c.fake.refuse(c, "bad request")
			return
		}
		rows := []object{}
		for _, o := range all {
			rows = append(rows, o.row(object{
				"id": o.ID, "advertiserId": 7052, "publisherId": 189069, "type": "Commission group transaction", "orderRef": "111", "amended": false, "commissionAmount": object{"amount": json.Number(o.payout()), "currency": o.Currency},
				"saleAmount": object{"amount": o.sale(), "currency": o.Currency},
				"clickRefs":  object{"clickRef": "banner", "clickRef2": o.Click}, "transactionDate": o.At.UTC().Format(form),
				"validationDate": nil, "declineReason": nil, "commissionStatus": o.word(map[string]string{
					"approved": "approved", "pending": "pending", "rejected": "declined", "chargeback": "deleted",
				}),
			}, "commissionAmount", "transactionDate"))
		}
		c.json(http.StatusOK, rows)
	},
}
