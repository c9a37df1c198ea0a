package networks

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// clickbank is the orders API of ClickBank, version 1.3: GET /rest/1.3/orders2/list. Status 206 says that more pages follow.
// Errors are plain text, and 403 asks for fewer requests. A refund or a chargeback is a separate record with the receipt of
// the sale. Days are in ClickBank's own time zone, and times include their zone. Unverified: that a refund which comes without
// its sale takes back the whole sale; that a 403 which mentions permission refuses the key; and that a tracking id may
// have up to 24 characters, so that our click id of 22 characters fits.
var clickbank = adapter{
	base: "https://api.clickbank.com",
	open: func(s *session) {
		s.Sign = rest.Header("Authorization", s.c["api_key"])
		s.Failed = clickbankFailed
		s.Busy = func(f *rest.FailureError) bool {
			return f.Status == http.StatusForbidden && !mentions(f, "denied", "permission", "authoriz")
		}
	},
	page: clickbankPage,
	statuses: map[string]string{
		"sale": models.StatusApproved, "bill": models.StatusApproved, "rfnd": models.StatusRejected, "cgbk": models.StatusChargeback,
	},
	burst: 5, interval: time.Second / 5, // ClickBank allows 10 requests in a second, perhaps for all accounts of an IP address together
}

// clickbankFailed returns the text of an answer that is neither JSON nor HTML or XML. For any other answer it
// returns an empty text.
func clickbankFailed(body []byte) string {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if len(body) == 0 || bytes.ContainsAny(body[:1], `{["<`) || string(body) == "null" {
		return ""
	}
	return string(body)
}

func clickbankPage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	page := platform.Place(cursor, 1)
	response, err := s.Send(ctx, rest.Request{
		Method: http.MethodGet, Path: "/rest/1.3/orders2/list", Header: map[string]string{"Page": strconv.Itoa(page)},
		Query: url.Values{
			"startDate": {period.From.Format(time.DateOnly)}, "endDate": {period.To.Format(time.DateOnly)}, "role": {"AFFILIATE"},
		},
	})
	if err != nil || len(bytes.TrimSpace(response.Body)) == 0 {
		return nil, "", err
	}
	var answer struct {
		Orders list[struct {
			At       text         `json:"transactionTime"`
			Receipt  text         `json:"receipt"`
			Click    text         `json:"trackingId"`
			Type     text         `json:"transactionType"`
			Currency text         `json:"currency"`
			Total    text         `json:"totalOrderAmount"`
			Items    list[record] `json:"lineItemData"`
		}] `json:"orderData"`
	}
	err = rest.Decode(response.Body, &answer)
	for _, v := range answer.Orders {
		kind := strings.ToUpper(string(v.Type))
		if kind == "FEE" || strings.HasPrefix(kind, "TEST") {
			continue
		}
		var amounts []text
		for _, item := range v.Items {
			amounts = append(amounts, item["accountAmount"])
		}
		o := Order{
			Click: clickOf(v.Click), ID: string(v.Receipt), Word: string(v.Type), Payout: sum(amounts), Currency: string(v.Currency),
			Sale: string(v.Total), At: s.when(v.At),
		}
		o.recordID, o.orderKey, o.isReversal = o.ID+"\x00"+kind+"\x00"+string(v.At), o.ID, kind == "RFND" || kind == "CGBK"
		orders = append(orders, o)
	}
	return orders, platform.Next(response.Status == http.StatusPartialContent, page+1), err
}
