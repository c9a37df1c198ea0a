package networkstest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// ebay writes times in the zone of the account. The address of the next page has all parameters of the request.
var ebay = Fake{
	credentials: withSecrets(map[string]string{"account_sid": "IR1"}, "auth_token"),
	refuse: func(c *call, text string) {
		c.json(http.StatusOK, object{"Status": "ERROR", "Message": text})
	},
	serve: func(p *Platforms, c *call) {
		user, password, _ := c.r.BasicAuth()
		if user != c.credentials["account_sid"] || password != c.credentials["auth_token"] {
			c.json(http.StatusUnauthorized, object{"Status": "ERROR", "Message": "Access Denied"})
			return
		}
		q := c.r.URL.Query()
		c.date = map[string]func(Order) time.Time{"event_date": ordered, "update_date": decided}[q.Get("date_type")]
		first, err1 := time.Parse(time.DateOnly, q.Get("START_DATE"))
		last, err2 := time.Parse(time.DateOnly, q.Get("END_DATE"))
		page, size := c.number("Page", 1), c.number("PageSize", 20_000)
		if c.path != "/Mediapartners/IR1/Reports/ebay_partner_transaction_detail.json" || c.date == nil || err1 != nil || err2 != nil ||
			q.Get("STATUS") != "ALL" || size < 20_000 ||
			!c.params("STATUS START_DATE END_DATE date_type", "VERTICAL_CATEGORY CHECKOUT_SITE BUYER_COUNTRY CAMPAIGN_SOLR timeRange compareEnabled Page PageSize") {
			c.fake.refuse(c, "bad request")
			return
		}
		all, rows := p.among(c.date, first, last.AddDate(0, 0, 1)), []object{}
		for _, o := range resttest.Page(all, page, size) {
			rows = append(rows, o.row(object{
				"EpnTransactionId": o.ID, "EbayCheckoutTransactionId": o.ID, "EventName": "Winning Bid (Revenue)", "CustomId": o.Click, "CampaignId": "5338000000",
				"CheckoutSite": "US", "Earnings": json.Number(o.payout()), "Sales": o.sale(), "EventDate": o.At.In(c.zone).Format("2006-01-02T15:04:05-0700"),
				"UpdateDate": o.Decided.In(c.zone).Format("2006-01-02T15:04:05-0700"), "Status": o.word(map[string]string{
					"approved": "Approved", "pending": "Pending", "rejected": "Reversed", "chargeback": "Reversed",
				}),
			}, "Earnings", "EventDate"))
		}
		next := ""
		if page*size < len(all) {
			q.Set("Page", strconv.Itoa(page+1))
			next = c.path + "?" + q.Encode()
		}
		c.json(http.StatusOK, object{"Records": rows, "@nextpageuri": next})
	},
}
