package networkstest

import (
	"encoding/json"
	"net/http"
	"time"
)

var admitad = Fake{
	Tokens:      true,
	credentials: withSecrets(map[string]string{"client_id": "me"}, "client_secret"),
	refuse: func(c *call, text string) {
		c.json(http.StatusBadRequest, object{"error": "bad_request", "error_description": text, "error_code": 1, "status_code": 400})
	},
	serve: func(p *Platforms, c *call) {
		switch {
		case c.path == "/token/":
			p.token(c, "statistics")
			return
		case !p.bearer(c):
			c.json(http.StatusUnauthorized, object{
				"error": "invalid_token", "error_description": "the token has expired", "error_code": 0, "status_code": 401,
			})
			return
		case c.path != "/statistics/actions/" || c.number("limit", 20) > 500 || !c.params("", "date_start date_end closing_date_start "+
			"closing_date_end status_updated_start status_updated_end website campaign subid subid1 subid2 subid3 subid4 source status "+
			"keyword action action_type action_id limit offset order_by"):
			c.fake.refuse(c, "bad request")
			return
		}
		all, ok := admitadOrders(p, c)
		if !ok {
			c.fake.refuse(c, "the period is not valid")
			return
		}
		offset, limit := c.number("offset", 0), c.number("limit", 20)
		rows := []object{}
		from := min(offset, len(all))
		for _, o := range all[from:min(from+limit, len(all))] {
			rows = append(rows, o.row(object{
				"id": 1, "action_id": o.ID, "payment": json.Number(o.payout()), "cart": o.sale(), "currency": o.Currency, "subid": o.Click, "subid1": nil,
				"action_date": o.At.In(c.zone).Format(time.DateTime), "order_id": "c-1", "advcampaign_id": 14361, "action": "buy",
				"action_type": "sale", "status_updated": o.At.In(c.zone).Format(time.DateTime), "paid": 0, "processed": 1, "comment": nil, "status": o.word(map[string]string{
					"approved": "approved", "pending": "pending", "rejected": "declined", "chargeback": "declined",
				}),
			}, "payment", "currency", "action_date"))
		}
		c.json(http.StatusOK, object{"_meta": object{"count": len(all), "limit": limit, "offset": offset}, "results": rows})
	},
}

func admitadOrders(p *Platforms, c *call) (orders []Order, ok bool) {
	q := c.r.URL.Query()
	if !q.Has("status_updated_start") {
		return c.days(p, "02.01.2006", "date_start", "date_end"), true
	}
	const form = "02.01.2006 15:04:05"
	from, err1 := time.ParseInLocation(form, q.Get("status_updated_start"), c.zone)
	to, err2 := time.ParseInLocation(form, q.Get("status_updated_end"), c.zone)
	return p.among(decided, from, to.Add(time.Second)), err1 == nil && err2 == nil && !q.Has("date_start")
}
