package networks

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/money"
	"switchyard/workers/providers/rest"
)

// digistore24 is the API of Digistore24: https://www.digistore24.com/api/call/{function}. listCommissions has what the account
// earns for each transaction. listTransactions has the kind and the sale of a transaction, and getPurchaseTracking the click of
// its purchase. Failures come with status 200. A refund or a chargeback is a transaction of its own with the id of the purchase.
// It takes back the latest earlier payment, if possible one of the same amount. A request for a refund changes nothing.
// Unverified: the sign of the commission of a refund, which does not matter; the time zone of the times; and the answer to too
// many requests.
var digistore24 = adapter{
	base: "https://www.digistore24.com",
	open: func(s *session) {
		s.Sign = rest.Header("X-DS-API-KEY", s.c["api_key"])
		s.Failed = digistoreFailed
		s.Denied = func(f *rest.FailureError) bool { return mentions(f, "api key", "access rights") }
	},
	test: func(ctx context.Context, s *session) error {
		var user struct{}
		return s.digistore(ctx, "getUserInfo", nil, &user)
	},
	page: digistorePage,
	days: 31,
	statuses: map[string]string{
		"payment": models.StatusApproved, "refund": models.StatusRejected, "chargeback": models.StatusChargeback,
	},
	burst: 5, interval: time.Second,
}

const (
	digistoreRefundAsked = "refund_request"
	digistoreBatch       = 150  // maximum number of purchase ids in the URL of a request
	digistoreRows        = 1000 // transactions on a page
)

func digistoreFailed(body []byte) string {
	var answer struct{ Result, Message text }
	if json.Unmarshal(body, &answer) != nil || answer.Result != "error" {
		return ""
	}
	return cmp.Or(string(answer.Message), "Digistore24 reported an error without a text")
}

func (s *session) digistore(ctx context.Context, function string, query url.Values, into any) error {
	var answer struct {
		Data json.RawMessage `json:"data"`
	}
	err := s.Do(ctx, rest.Request{Method: http.MethodGet, Path: "/api/call/" + function, Query: query}, &answer)
	if err != nil {
		return err
	}
	if len(answer.Data) == 0 {
		return rest.ErrForm
	}
	return rest.Decode(answer.Data, into)
}

type digistoreCommission struct {
	ID          text `json:"id"`
	At          text `json:"created_at"`
	Amount      text `json:"amount"`
	Currency    text `json:"currency"`
	Transaction text `json:"transaction_id"`
	Purchase    text `json:"purchase_id"`
}

type digistoreTransaction struct {
	ID       text `json:"id"`
	Purchase text `json:"purchase_id"`
	Amount   text `json:"amount"`
	Currency text `json:"currency"`
	Type     text `json:"transaction_type"`
	At       text `json:"created_at"`
}

// digistorePage reads all commissions of the days at once (page_size 0), because several may belong to one order.
func digistorePage(ctx context.Context, s *session, period Range, _ string) (orders []Order, next string, err error) {
	var answer struct {
		Items list[digistoreCommission] `json:"items"`
	}
	err = s.digistore(ctx, "listCommissions", url.Values{
		"from": {period.From.Format(time.DateTime)}, "to": {period.End().Add(-time.Second).Format(time.DateTime)}, "page_no": {"1"}, "page_size": {"0"},
	}, &answer)
	if err != nil {
		return nil, "", err
	}
	if len(answer.Items) >= rest.MaxRows {
		return nil, "", ErrTooMany
	}
	var purchases []string
	for _, v := range answer.Items {
		purchases = append(purchases, string(v.Purchase))
	}
	slices.Sort(purchases)
	details := digistoreDetails{clicks: map[string]string{}, transactions: map[text]digistoreTransaction{}, byPurchase: map[text][]digistoreTransaction{}}
	for batch := range slices.Chunk(slices.Compact(purchases), digistoreBatch) {
		if err := details.read(ctx, s, strings.Join(batch, ",")); err != nil {
			return nil, "", err
		}
	}
	for _, commission := range digistoreSum(answer.Items) {
		if o, ok := details.order(s, commission); ok {
			orders = append(orders, o)
		}
	}
	return orders, "", nil
}

// digistoreSum adds the commissions of each transaction. If their currencies differ, the amount becomes a text that cannot
// be read as a number.
func digistoreSum(all []digistoreCommission) []digistoreCommission {
	var out []digistoreCommission
	seen, place := map[text]bool{}, map[text]int{}
	for _, v := range all {
		if v.ID != "" && seen[v.ID] {
			continue
		}
		seen[v.ID] = true
		i, again := place[v.Transaction]
		if !again || v.Transaction == "" {
			place[v.Transaction] = len(out)
			out = append(out, v)
			continue
		}
		a, okA := amount(string(out[i].Amount))
		b, okB := amount(string(v.Amount))
		if okA && okB && out[i].Currency == v.Currency {
			out[i].Amount = text(money.Text(a.Add(b)))
		} else {
			out[i].Amount = out[i].Amount + " " + out[i].Currency + " + " + v.Amount + " " + v.Currency
		}
	}
	return out
}

// digistoreDetails has the transactions and the clicks of purchases.
type digistoreDetails struct {
	clicks       map[string]string // by purchase
	transactions map[text]digistoreTransaction
	byPurchase   map[text][]digistoreTransaction
}

// read requests the transactions and clicks of purchases. ids are the ids of the purchases, separated by commas.
func (d digistoreDetails) read(ctx context.Context, s *session, ids string) error {
	for page := 1; ; page++ {
		var answer struct {
			Pages text                       `json:"page_count"`
			List  list[digistoreTransaction] `json:"transaction_list"`
		}
		err := s.digistore(ctx, "listTransactions", url.Values{
			"from": {"start"}, "to": {"now"}, "search[purchase_id]": {ids}, "page_no": {strconv.Itoa(page)}, "page_size": {strconv.Itoa(digistoreRows)},
		}, &answer)
		if err != nil {
			return err
		}
		for _, t := range answer.List {
			d.transactions[t.ID] = t
			d.byPurchase[t.Purchase] = append(d.byPurchase[t.Purchase], t)
		}
		if len(answer.List) == 0 || page >= answer.Pages.Number() {
			break
		}
	}
	var tracking json.RawMessage
	if err := s.digistore(ctx, "getPurchaseTracking", url.Values{"purchase_id": {ids}}, &tracking); err != nil {
		return err
	}
	if !strings.Contains(ids, ",") { // the tracking of a single purchase may come without its id
		d.clicks[ids] = digistoreClick(tracking)
	}
	var byPurchase map[string]json.RawMessage
	if json.Unmarshal(tracking, &byPurchase) == nil {
		for id, purchase := range byPurchase {
			if click := digistoreClick(purchase); click != "" {
				d.clicks[id] = click
			}
		}
	}
	return nil
}

// digistoreClick reads the click of a purchase: the click id, or else a sub-id.
func digistoreClick(raw []byte) string {
	var v struct {
		Data  json.RawMessage `json:"data"`
		Click text            `json:"click_id"`
		Subs  json.RawMessage `json:"sub_ids"`
	}
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	if len(v.Data) > 0 {
		return digistoreClick(v.Data)
	}
	ids := []text{v.Click}
	var subs []text
	byName := map[string]text{}
	if json.Unmarshal(v.Subs, &subs) != nil && json.Unmarshal(v.Subs, &byName) == nil {
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			subs = append(subs, byName[name])
		}
	}
	return clickOf(append(ids, subs...)...)
}

// order makes the order of a transaction, unless the transaction changes nothing.
func (d digistoreDetails) order(s *session, v digistoreCommission) (o Order, ok bool) {
	t := d.transactions[v.Transaction]
	o = Order{
		Click: d.clicks[string(v.Purchase)], ID: string(v.Transaction), Word: string(t.Type), Payout: string(v.Amount), Currency: string(v.Currency),
		Sale: string(t.Amount), SaleCurrency: string(t.Currency), At: s.when(v.At),
	}
	o.recordID, o.orderKey = o.ID, o.ID
	if t.Type == "refund" || t.Type == "chargeback" {
		o.isReversal = true
		if paid := string(d.payment(s, t)); paid != "" {
			o.ID, o.orderKey = paid, paid
		}
	}
	return o, t.Type != digistoreRefundAsked
}

// payment returns the id of the payment that a transaction takes back; empty: none.
func (d digistoreDetails) payment(s *session, back digistoreTransaction) text {
	at, amountBack := s.when(back.At), digistoreAmount(back)
	var latest, same digistoreTransaction
	for _, t := range d.byPurchase[back.Purchase] {
		when := s.when(t.At)
		if t.Type != "payment" || when.After(at.Time) {
			continue
		}
		if latest.ID == "" || when.After(s.when(latest.At).Time) {
			latest = t
		}
		if digistoreAmount(t).Equal(amountBack) && (same.ID == "" || when.After(s.when(same.At).Time)) {
			same = t
		}
	}
	return cmp.Or(same.ID, latest.ID)
}

func digistoreAmount(t digistoreTransaction) decimal.Decimal {
	d, _ := amount(string(t.Amount))
	return d.Abs()
}
