package networks

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// awin is the publisher API of Awin: GET /publishers/{id}/transactions/. Days and times are requested in UTC. All orders of a
// range come at once. Unverified: that an order without a click may have no clickRefs, or clickRefs of another form.
var awin = adapter{
	base: "https://api.awin.com",
	open: func(s *session) { s.Sign = rest.Bearer(s.c["token"]) },
	test: func(ctx context.Context, s *session) error {
		var accounts struct{}
		return s.Get(ctx, "/accounts", nil, &accounts)
	},
	page: awinPage,
	days: 31,
	statuses: map[string]string{
		"pending": models.StatusPending, "approved": models.StatusApproved, "declined": models.StatusRejected, "deleted": models.StatusRejected,
	},
	burst: 5, interval: time.Minute / 15, // Awin allows 20 in a minute
	feeds: []feed{{name: "validation"}, {name: "amendment"}}, feedDays: 31,
}

func awinPage(ctx context.Context, s *session, period Range, _ string) (orders []Order, next string, err error) {
	var answer []struct {
		ID         text         `json:"id"`
		Status     text         `json:"commissionStatus"`
		Commission list[record] `json:"commissionAmount"`
		Sale       list[record] `json:"saleAmount"`
		Refs       list[record] `json:"clickRefs"`
		At         text         `json:"transactionDate"`
	}
	const form = "2006-01-02T15:04:05"
	err = s.Get(ctx, "/publishers/"+url.PathEscape(s.c["publisher_id"])+"/transactions/", url.Values{
		"startDate": {period.From.Format(form)}, "endDate": {period.End().Add(-time.Second).Format(form)}, "timezone": {"UTC"},
		"dateType": {cmp.Or(s.feed, "transaction")},
	}, &answer)
	for _, v := range answer {
		o := Order{ID: string(v.ID), Word: string(v.Status), At: s.when(v.At)}
		for _, c := range v.Commission {
			o.Payout, o.Currency = c.Get("amount"), c.Get("currency")
		}
		for _, sale := range v.Sale {
			o.Sale, o.SaleCurrency = sale.Get("amount"), sale.Get("currency")
		}
		for _, r := range v.Refs {
			o.Click = clickIn(r, "clickRef", "clickRef2", "clickRef3", "clickRef4", "clickRef5", "clickRef6")
		}
		orders = append(orders, o)
	}
	return orders, "", err
}
