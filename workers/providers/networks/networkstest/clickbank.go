package networkstest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

const clickbankRows = 100

// clickbank sends errors as plain text. It writes a list with one item as this item, and null as an object.
var clickbank = Fake{
	Statuses: []string{"approved", "rejected", "chargeback"}, SeparateReversals: true, busy: http.StatusForbidden,
	credentials: withSecrets(nil, "api_key"),
	refuse:      func(c *call, words string) { c.plain(http.StatusBadRequest, words) },
	serve: func(p *Platforms, c *call) {
		page, _ := strconv.Atoi(c.r.Header.Get("Page"))
		q := c.r.URL.Query()
		switch {
		case c.r.Header.Get("Authorization") != c.credentials["api_key"]:
			c.plain(http.StatusUnauthorized, "Invalid API key "+c.r.Header.Get("Authorization"))
			return
		case !c.params("", "startDate endDate type vendor affiliate lastName item email tid role postalCode amount") ||
			(q.Get("startDate") == "") != (q.Get("endDate") == "") || c.path != "/rest/1.3/orders2/list" || q.Get("role") != "AFFILIATE" || page < 1:
			c.plain(http.StatusBadRequest, "bad request")
			return
		}
		var records []object
		for _, o := range c.days(p, time.DateOnly, "startDate", "endDate") {
			records = append(records, clickbankRecords(o, c.zone)...)
		}
		status := http.StatusOK
		if page*clickbankRows < len(records) {
			status = http.StatusPartialContent
		}
		switch rows := resttest.Page(records, page, clickbankRows); len(rows) {
		case 0:
			c.WriteHeader(http.StatusOK)
		case 1:
			c.json(status, object{"orderData": rows[0]})
		default:
			c.json(status, object{"orderData": rows})
		}
	},
}

func clickbankRecords(o Order, zone *time.Location) []object {
	null := object{"@nil": "true"}
	record := func(kind, payout string) object {
		item := o.row(object{"itemNo": "1", "productTitle": "..", "accountAmount": json.Number(payout), "quantity": 1}, "accountAmount")
		return o.row(object{
			"transactionTime": o.At.In(zone).Format(time.RFC3339), "receipt": o.ID, "trackingId": o.Click, "transactionType": kind,
			"currency": o.Currency, "totalOrderAmount": o.sale(), "country": null, "role": "AFFILIATE", "lineItemData": item,
		}, "transactionTime", "currency")
	}
	kind := o.word(map[string]string{"approved": "SALE", "rejected": "RFND", "chargeback": "CGBK", "pending": "SALE"})
	if o.TakenBack == "" {
		return []object{record(kind, o.payout())}
	}
	return []object{record("RFND", "-"+o.TakenBack), record(kind, o.payout())} // the latest record comes first
}
