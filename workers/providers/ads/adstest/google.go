package adstest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/workers/providers/rest/resttest"
)

var googleSpan = regexp.MustCompile(`segments\.date BETWEEN '([0-9-]{10})' AND '([0-9-]{10})'`)

// googleFields are the fields that a query may ask for.
var googleFields = []string{
	"campaign.id", "campaign.name", "customer.currency_code", "customer.id", "customer.time_zone", "metrics.clicks", "metrics.cost_micros",
	"metrics.impressions", "segments.date",
}

// unknownGoogleField returns the first field of a query that is not in googleFields, or an empty text.
func unknownGoogleField(query string) string {
	list, _, _ := strings.Cut(strings.TrimPrefix(query, "SELECT "), " FROM ")
	for name := range strings.SplitSeq(list, ", ") {
		if !slices.Contains(googleFields, name) {
			return name
		}
	}
	return ""
}

const googleChunk = 700

var googleAds = Fake{
	Zone:     Zone,
	SignIn:   true,
	settings: map[string]string{"customer_id": "123-456-7890", "login_customer_id": "999-888-7777"},
	refuse: func(c *call, text string) {
		c.json(http.StatusBadRequest, []object{{"error": object{
			"code": 400, "message": "Request contains an invalid argument.", "status": "INVALID_ARGUMENT", "details": []object{{
				"@type":  "type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure",
				"errors": []object{{"errorCode": object{"queryError": "QUERY_ERROR"}, "message": text}}, "requestId": "r-1",
			}},
		}}})
	},
	busy: func(c *call) {
		c.json(http.StatusTooManyRequests, object{"error": object{"code": 429, "message": "Too many", "status": "RESOURCE_EXHAUSTED"}})
	},
	serve: func(p *Platforms, c *call) {
		if c.r.Header.Get("Authorization") != "Bearer "+p.validToken() {
			c.json(http.StatusUnauthorized, object{"error": object{"code": 401, "message": "Request had invalid credentials.", "status": "UNAUTHENTICATED"}})
			return
		}
		if c.path != "/v26/customers/1234567890/googleAds:searchStream" || c.r.Method != http.MethodPost || c.r.Header.Get("login-customer-id") != "9998887777" {
			c.fake.refuse(c, "no such customer")
			return
		}
		ask := c.body()
		if name := unknownKey(ask, "query") + c.unknownParam(); name != "" {
			c.fake.refuse(c, fmt.Sprintf("Invalid JSON payload received. Unknown name %q: Cannot find field.", name))
			return
		}
		query, _ := ask["query"].(string)
		if name := unknownGoogleField(query); name != "" {
			c.fake.refuse(c, fmt.Sprintf("Unrecognized field in the query: '%s'.", name))
			return
		}
		customer := object{"resourceName": "customers/1234567890", "currencyCode": Currency, "timeZone": Zone}
		if strings.Contains(query, "FROM customer LIMIT 1") {
			c.json(http.StatusOK, []object{{"results": []object{{"customer": customer}}}})
			return
		}
		span := googleSpan.FindStringSubmatch(query)
		if span == nil {
			c.fake.refuse(c, "the query is not valid")
			return
		}
		rows := []object{}
		for _, r := range p.within(span[1], span[2]) {
			metrics := object{}
			for name, n := range map[string]int64{
				"clicks": int64(r.Clicks), "impressions": int64(r.Impressions),
				"costMicros": decimal.RequireFromString(r.Spend).Shift(6).IntPart(),
			} {
				if n != 0 {
					metrics[name] = strconv.FormatInt(n, 10)
				}
			}
			rows = append(rows, object{
				"campaign": object{"id": r.Campaign, "name": r.Name}, "segments": object{"date": r.Day}, "customer": customer,
				"metrics": r.without(metrics, "clicks", "impressions", "costMicros"),
			})
		}
		chunks := []object{{"fieldMask": "campaign.id", "requestId": "r-0"}} // an empty chunk
		for page := range pages(len(rows), googleChunk) {
			chunks = append(chunks, object{"results": resttest.Page(rows, page+1, googleChunk), "requestId": "r-1"})
		}
		c.json(http.StatusOK, chunks)
	},
}
