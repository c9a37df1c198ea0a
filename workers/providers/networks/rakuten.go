package networks

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// rakuten is the events API of Rakuten Advertising: GET /events/1.0/transactions, with a token that the client gets for its
// id and secret. A reversal is a separate transaction with a negative commission. Unverified: that a reversal names the
// order and the article that it reverses; that times may lack a zone, in which case they are in UTC; and how far back a
// request may go, which is about 30 days according to public code.
var rakuten = adapter{
	base: "https://api.linksynergy.com",
	open: func(s *session) {
		s.exchange("/token", s.c["client_id"], s.c["client_secret"], url.Values{
			"grant_type": {"client_credentials"}, "scope": {s.c["sid"]},
		})
	},
	page:     rakutenPage,
	days:     30,
	statuses: map[string]string{"n": models.StatusApproved, "y": models.StatusPending},
	feeds:    []feed{{name: "process_date"}}, feedDays: 30, feedReach: 30,
}

const rakutenRows = 1000

func rakutenPage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	page := platform.Place(cursor, 1)
	var answer []record
	date := cmp.Or(s.feed, "transaction_date")
	err = s.authorized(ctx, rest.Request{Path: "/events/1.0/transactions", Query: url.Values{
		date + "_start": {period.From.Format(time.DateTime)}, date + "_end": {period.End().Add(-time.Second).Format(time.DateTime)},
		"limit": {strconv.Itoa(rakutenRows)}, "page": {strconv.Itoa(page)},
	}}, &answer)
	for _, v := range answer {
		o := Order{
			Click: clickIn(v, "u1"), ID: v.Get("etransaction_id"), Word: v.Get("is_event"), Payout: v.Get("commissions"), Currency: v.Get("currency"),
			Sale: v.Get("sale_amount"), At: s.when(v["transaction_date"]),
		}
		o.recordID = o.ID
		if order := v.Get("order_id"); order != "" {
			o.orderKey = strings.Join([]string{v.Get("advertiser_id"), order, v.Get("sku_number")}, "\x00")
		}
		if o.negative() {
			o.isReversal, o.Status = true, models.StatusRejected
		}
		orders = append(orders, o)
	}
	return orders, platform.Next(len(answer) >= rakutenRows, page+1), err
}
