package networks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// cj is the GraphQL API of commissions of CJ: developers.cj.com. Days are posting days, in UTC. Failures come with status 200.
// Amounts are in the publisher's currency, which the API does not name. A correction is a separate record, with a negative
// amount and the action id of the original. Unverified: that a query may cover at most 31 days, and that a correction takes back
// the whole original if the answer does not contain the original record.
var cj = adapter{
	base: "https://commissions.api.cj.com",
	open: func(s *session) {
		s.Sign = rest.Bearer(s.c["token"])
		s.Failed = cjFailed
	},
	page: cjPage,
	days: 31,
	statuses: map[string]string{
		"new": models.StatusPending, "extended": models.StatusPending, "locked": models.StatusApproved, "closed": models.StatusApproved,
		"corrected": models.StatusRejected,
	},
	feeds: []feed{{name: "Locking", page: cjLocked}, {name: "Posting"}}, feedDays: 31,
}

func cjFailed(body []byte) string {
	var answer struct {
		Errors json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Errors) == 0 {
		return ""
	}
	return rest.Complaint(answer.Errors)
}

func cjPage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	quoted := func(word string) string { // GraphQL writes texts as JSON does
		out, _ := json.Marshal(word)
		return string(out)
	}
	after := ""
	if cursor != "" {
		after = ", sinceCommissionId:" + quoted(cursor)
	}
	date := cmp.Or(s.feed, "Posting")
	query := fmt.Sprintf(`{ publisherCommissions(forPublishers:[%s], since%sDate:%s, before%sDate:%s%s) `+
		`{ count payloadComplete maxCommissionId records { commissionId originalActionId actionStatus shopperId eventDate `+
		`pubCommissionAmountPubCurrency pubCommissionAmountUsd saleAmountPubCurrency saleAmountUsd } } }`,
		quoted(s.c["publisher_id"]), date, quoted(period.From.UTC().Format(time.RFC3339)), date, quoted(period.End().UTC().Format(time.RFC3339)), after)
	var answer struct {
		Data struct {
			Commissions struct {
				Complete text         `json:"payloadComplete"`
				Max      text         `json:"maxCommissionId"`
				Records  list[record] `json:"records"`
			} `json:"publisherCommissions"`
		} `json:"data"`
	}
	err = s.Do(ctx, rest.Request{
		Method: http.MethodPost, Path: "/query", Body: map[string]string{"query": query}, Repeat: true,
	}, &answer)
	for _, v := range answer.Data.Commissions.Records {
		o := Order{
			Click: clickIn(v, "shopperId"), ID: v.Get("originalActionId", "commissionId"), Word: v.Get("actionStatus"), At: s.when(v["eventDate"]),
			Payout: v.Get("pubCommissionAmountPubCurrency"), Sale: v.Get("saleAmountPubCurrency"),
		}
		if usd := v.Get("saleAmountUsd"); o.Sale == "" && usd != "" {
			o.Sale, o.SaleCurrency = usd, "USD"
		}
		if usd := v.Get("pubCommissionAmountUsd"); o.Payout == "" && usd != "" {
			o.Payout, o.Currency = usd, "USD"
		}
		o.recordID, o.orderKey = v.Get("commissionId"), o.ID
		if o.negative() {
			o.isReversal, o.Status = true, models.StatusRejected
		}
		orders = append(orders, o)
	}
	if answer.Data.Commissions.Complete == "false" {
		if next = string(answer.Data.Commissions.Max); next == "" {
			return nil, "", cmp.Or(err, rest.ErrForm)
		}
	}
	return orders, next, err
}

// cjLocked reads the commissions that lock in a period. It returns only their statuses, because their corrections may lock on
// other dates.
func cjLocked(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	list, next, err := cjPage(ctx, s, period, cursor)
	for _, o := range list {
		if o.isReversal {
			continue
		}
		o.Payout, o.Currency, o.recordID, o.orderKey, o.StatusOnly = "", "", "", "", true
		orders = append(orders, o)
	}
	return orders, next, err
}
