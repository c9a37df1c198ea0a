package networks

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// ebay is the transaction detail report of the eBay Partner Network, which runs on Impact's software: GET
// /Mediapartners/{AccountSID}/Reports/ebay_partner_transaction_detail.json. Amounts are in the account's currency, which the
// report does not name. If a transaction comes several times, its latest update counts. Unverified: that the report's days are
// UTC days, and how many days one request may have.
var ebay = adapter{
	base: "https://api.partner.ebay.com",
	open: func(s *session) {
		s.basic(s.c["account_sid"], s.c["auth_token"])
		s.Failed = ebayFailed
	},
	page: ebayPage,
	days: 30,
	statuses: map[string]string{
		"pending": models.StatusPending, "approved": models.StatusApproved, "reversed": models.StatusRejected,
	},
	burst: 10, interval: 5 * time.Second,
	feeds: []feed{{name: "update_date"}}, feedDays: 30,
}

// ebayRows is the size of a page. eBay accepts no smaller pages.
const ebayRows = 20_000

// ebaySales are the names of the events that are a sale. Another event has its name as its goal.
var ebaySales = []text{"", "Sale", "Winning Bid (Revenue)"}

// ebayFailed returns the text of a failure, which may come with a successful status.
func ebayFailed(body []byte) string {
	var answer struct{ Status, Message text }
	if json.Unmarshal(body, &answer) != nil || answer.Status != "ERROR" {
		return ""
	}
	return cmp.Or(string(answer.Message), "eBay reported an error without a text")
}

type ebayRecord struct {
	ID       text `json:"EpnTransactionId"`
	Checkout text `json:"EbayCheckoutTransactionId"`
	Event    text `json:"EventName"`
	Status   text `json:"Status"`
	Click    text `json:"CustomId"`
	Earnings text `json:"Earnings"`
	Sales    text `json:"Sales"`
	At       text `json:"EventDate"`
	Updated  text `json:"UpdateDate"`
}

func (v ebayRecord) order(s *session) Order {
	o := Order{
		Click: clickOf(v.Click), ID: cmp.Or(string(v.ID), string(v.Checkout)), Word: string(v.Status), Payout: string(v.Earnings),
		Sale: string(v.Sales), At: s.when(v.At),
	}
	if !slices.Contains(ebaySales, v.Event) {
		o.Goal = string(v.Event)
	}
	return o
}

// ebayPage reads a page. The cursor is the query of the next page's address.
func ebayPage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	query := url.Values{
		"START_DATE": {period.From.UTC().Format(time.DateOnly)}, "END_DATE": {period.End().Add(-time.Second).UTC().Format(time.DateOnly)},
		"STATUS": {"ALL"}, "date_type": {cmp.Or(s.feed, "event_date")}, "PageSize": {strconv.Itoa(ebayRows)},
	}
	if cursor != "" {
		if query, err = url.ParseQuery(cursor); err != nil {
			return nil, "", rest.ErrForm
		}
	}
	var answer struct {
		Records list[ebayRecord] `json:"Records"`
		Next    text             `json:"@nextpageuri"`
	}
	err = s.Do(ctx, rest.Request{
		Method: http.MethodGet, Query: query,
		Path: "/Mediapartners/" + url.PathEscape(s.c["account_sid"]) + "/Reports/ebay_partner_transaction_detail.json",
	}, &answer)
	slices.SortStableFunc(answer.Records, func(a, b ebayRecord) int { return s.when(a.Updated).Compare(s.when(b.Updated).Time) })
	for _, v := range answer.Records {
		orders = append(orders, v.order(s))
	}
	if err == nil && answer.Next != "" {
		page, parseErr := url.Parse(string(answer.Next))
		if parseErr != nil || page.RawQuery == "" || page.RawQuery == cursor {
			return nil, "", rest.ErrForm
		}
		next = page.RawQuery
	}
	return orders, next, err
}
