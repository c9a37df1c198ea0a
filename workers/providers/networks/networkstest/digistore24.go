package networkstest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// digistore24 answers every failure with status 200. A refund is a transaction of its own, with a commission of its own.
var digistore24 = Fake{
	Statuses: []string{"approved", "rejected", "chargeback"}, SeparateReversals: true,
	credentials: withSecrets(nil, "api_key"),
	refuse: func(c *call, words string) {
		c.json(http.StatusOK, object{"api_version": "1.2", "result": "error", "message": words, "code": 3})
	},
	serve: func(p *Platforms, c *call) {
		if c.r.Header.Get("X-DS-API-KEY") != c.credentials["api_key"] {
			c.json(http.StatusOK, object{"api_version": "1.2", "result": "error", "message": "The API key is invalid.", "code": 2})
			return
		}
		var data any
		switch c.path {
		case "/api/call/getUserInfo":
			data = object{"user_id": 12345, "user_name": "somebody", "granted_roles": "user,affiliate"}
		case "/api/call/listCommissions":
			data = digistoreCommissions(p, c)
		case "/api/call/listTransactions":
			data = digistoreTransactions(p, c)
		case "/api/call/getPurchaseTracking":
			data = digistoreTracking(p, c)
		}
		if data == nil {
			c.fake.refuse(c, "bad request")
			return
		}
		c.json(http.StatusOK, object{"api_version": "1.2", "current_time": "2026-11-21 01:00:00", "result": "success", "data": data})
	},
}

// digistoreRecord is a transaction of an order: the payment, or a refund or chargeback.
type digistoreRecord struct{ id, kind, payout, sale string }

func digistoreRecords(o Order) []digistoreRecord {
	if o.Word != "" {
		return []digistoreRecord{{o.ID, o.Word, o.payout(), o.sale().String()}}
	}
	all := []digistoreRecord{{o.ID, "payment", o.payout(), o.sale().String()}}
	switch {
	case o.TakenBack != "":
		all = append(all, digistoreRecord{"back " + o.ID, "refund", "-" + o.TakenBack, "-1"})
	case o.Status == "rejected":
		all = append(all, digistoreRecord{"back " + o.ID, "refund", "-" + o.payout(), "-" + o.sale().String()})
	case o.Status == "chargeback":
		all = append(all, digistoreRecord{"back " + o.ID, "chargeback", "-" + o.payout(), "-" + o.sale().String()})
	}
	return all
}

func digistoreCommissions(p *Platforms, c *call) any {
	q := c.r.URL.Query()
	from, err1 := time.ParseInLocation(time.DateTime, q.Get("from"), c.zone)
	to, err2 := time.ParseInLocation(time.DateTime, q.Get("to"), c.zone)
	if err1 != nil || err2 != nil || !c.params("from to", "page_no page_size transaction_type commission_type purchase_id") {
		return nil
	}
	items := []object{}
	for _, o := range p.within(from, to.Add(time.Second)) {
		for _, r := range digistoreRecords(o) {
			items = append(items, o.row(object{
				"id": "commission of " + r.id, "created_at": o.At.In(c.zone).Format(time.DateTime), "amount": json.Number(r.payout), "currency": o.Currency,
				"reason": "affiliate_share", "schedule_payout_at": "2026-12-21", "transaction_id": r.id, "purchase_id": "P" + o.ID,
			}, "created_at", "amount", "currency"))
		}
	}
	size := c.number("page_size", 0)
	if size == 0 {
		size = len(items) + 1
	}
	page := c.number("page_no", 1)
	return object{"page_no": page, "page_size": size, "item_count": len(items), "page_count": (len(items) + size - 1) / size, "items": resttest.Page(items, page, size)}
}

// digistorePurchases returns the orders of the purchases that a parameter names.
func digistorePurchases(p *Platforms, c *call, name string) []Order {
	wanted := map[string]bool{}
	for id := range strings.SplitSeq(c.r.URL.Query().Get(name), ",") {
		wanted[id] = true
	}
	var out []Order
	for _, o := range p.orders {
		if wanted["P"+o.ID] {
			out = append(out, o)
		}
	}
	return out
}

func digistoreTransactions(p *Platforms, c *call) any {
	page, size := c.number("page_no", 1), c.number("page_size", 500)
	if !c.params("search[purchase_id]", "from to search[role] sort_by sort_order page_no page_size") || size < 1 || size > 1000 || page < 1 ||
		c.r.URL.Query().Get("from") != "start" || c.r.URL.Query().Get("to") != "now" {
		return nil
	}
	rows := []object{}
	for _, o := range digistorePurchases(p, c, "search[purchase_id]") {
		for _, r := range digistoreRecords(o) {
			rows = append(rows, object{
				"id": r.id, "purchase_id": "P" + o.ID, "amount": json.Number(r.sale), "currency": o.Currency, "transaction_type": r.kind,
				"created_at": o.At.In(c.zone).Format(time.DateTime), "buyer": object{"id": 9, "email": "buyer@example.com"},
			})
		}
	}
	return object{
		"page_no": page, "page_size": size, "page_count": (len(rows) + size - 1) / size, "summary": object{"count": strconv.Itoa(len(rows))},
		"transaction_list": resttest.Page(rows, page, size),
	}
}

// digistoreTracking returns the tracking of a purchase. For several purchases, it returns their trackings by id.
func digistoreTracking(p *Platforms, c *call) any {
	if !c.params("purchase_id", "") {
		return nil
	}
	var one object
	all := object{}
	for _, o := range digistorePurchases(p, c, "purchase_id") {
		one = object{"data": object{
			"utm_params": object{"utm_source": "x"}, "click_id": o.Click, "sub_ids": []string{"banner", ""}, "vendor_key": "", "campaign_key": "",
		}}
		all["P"+o.ID] = one
	}
	if !strings.Contains(c.r.URL.Query().Get("purchase_id"), ",") && one != nil {
		return one
	}
	return all
}
