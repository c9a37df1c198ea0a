package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// googleAds is the Google Ads API: developers.google.com/google-ads/api. Numbers of 64 bits are texts, and figures that are zero
// are left out. Amounts are in micros. Days are in the account's time zone. Unverified: that a stream reports an error in a list.
var googleAds = adapter{
	base:    "https://googleads.googleapis.com",
	version: models.GoogleAdsVersion,
	open: func(s *session) {
		s.Coded = googleCode
		s.Busy = func(f *rest.FailureError) bool { return f.Code == "RESOURCE_EXHAUSTED" }
	},
	sign: rest.Bearer,
	test: func(ctx context.Context, s *session) error {
		_, err := googleSearch(ctx, s, "SELECT customer.id, customer.currency_code, customer.time_zone FROM customer LIMIT 1")
		return err
	},
	page: func(ctx context.Context, s *session, period Range, _ string) (rows []row, next string, err error) {
		found, err := googleSearch(ctx, s, "SELECT campaign.id, campaign.name, segments.date, metrics.cost_micros, metrics.clicks, "+
			"metrics.impressions, customer.currency_code, customer.time_zone FROM campaign WHERE segments.date BETWEEN '"+
			period.First()+"' AND '"+period.Last()+"'")
		for _, v := range found {
			rows = append(rows, row{
				day: v["segments"]["date"], campaign: v["campaign"]["id"], name: v["campaign"]["name"], amount: v["metrics"]["costMicros"], shift: -6,
				currency: v["customer"]["currencyCode"], clicks: cmp.Or(v["metrics"]["clicks"], "0"),
				impressions: cmp.Or(v["metrics"]["impressions"], "0"),
			})
		}
		return rows, "", err
	},
}

// googleCode returns the status of a failure. A stream reports the failure in a list.
func googleCode(body []byte) string {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	return rest.Member("error.status")(body)
}

type googleRow map[string]record

// googleSearch runs a query in a Google Ads account, and stores the account's currency and time zone from the first row.
func googleSearch(ctx context.Context, s *session, query string) ([]googleRow, error) {
	header := map[string]string{}
	if manager := digits(s.c["login_customer_id"]); manager != "" {
		header["login-customer-id"] = manager
	}
	var chunks []struct {
		Results []googleRow `json:"results"`
	}
	err := s.read(ctx, rest.Request{
		Method: http.MethodPost, Path: "/" + s.version + "/customers/" + digits(s.c["customer_id"]) + "/googleAds:searchStream",
		Body: map[string]string{"query": query}, Header: header, Repeat: true,
	}, &chunks)
	var all []googleRow
	for _, c := range chunks {
		all = append(all, c.Results...)
	}
	if len(all) > 0 {
		s.currency, s.zone = currency(all[0]["customer"]["currencyCode"]), string(all[0]["customer"]["timeZone"])
	}
	return all, err
}
