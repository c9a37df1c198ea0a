package ads

import (
	"context"
	"encoding/json"
	"net/http"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// googleAds is the Google Ads API: developers.google.com/google-ads/api. Numbers of 64 bits are texts, and figures that are
// zero are left out. Amounts are in micros. Days are in the account's time zone. A stream is a list of chunks. Unverified:
// that a stream reports an error in a list.
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
	page: func(ctx context.Context, s *session, of Range, _ string) (rows []row, next string, err error) {
		found, err := googleSearch(ctx, s, "SELECT campaign.id, campaign.name, segments.date, metrics.cost_micros, metrics.clicks, "+
			"metrics.impressions, customer.currency_code, customer.time_zone FROM campaign WHERE segments.date BETWEEN '"+
			of.First()+"' AND '"+of.Last()+"'")
		for _, v := range found {
			rows = append(rows, row{
				day: v.Segments.Date, campaign: v.Campaign.ID, name: v.Campaign.Name, amount: v.Metrics.Cost, shift: -6,
				currency: v.Customer.Currency, clicks: orZero(v.Metrics.Clicks), impressions: orZero(v.Metrics.Impressions),
			})
		}
		return rows, "", err
	},
}

type googleFailure struct {
	Error struct {
		Status rest.Text `json:"status"`
	} `json:"error"`
}

// googleCode returns the status of a failure. A stream reports a failure in a list.
func googleCode(body []byte) string {
	var list []googleFailure
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		return string(list[0].Error.Status)
	}
	var one googleFailure
	_ = json.Unmarshal(body, &one) // without a code the result is empty
	return string(one.Error.Status)
}

// orZero returns "0" for a figure that is left out, and any other figure unchanged.
func orZero(t rest.Text) rest.Text {
	if t == "" {
		return "0"
	}
	return t
}

type googleRow struct {
	Campaign struct {
		ID   rest.Text `json:"id"`
		Name rest.Text `json:"name"`
	} `json:"campaign"`
	Segments struct {
		Date rest.Text `json:"date"`
	} `json:"segments"`
	Metrics struct {
		Cost        rest.Text `json:"costMicros"`
		Clicks      rest.Text `json:"clicks"`
		Impressions rest.Text `json:"impressions"`
	} `json:"metrics"`
	Customer struct {
		Currency rest.Text `json:"currencyCode"`
		Zone     rest.Text `json:"timeZone"`
	} `json:"customer"`
}

// googleSearch runs a query about the customer, and stores the account's currency and time zone from the answer.
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
		s.currency, s.zone = currency(all[0].Customer.Currency), string(all[0].Customer.Zone)
	}
	return all, err
}

// configured returns an error if a setting of the install that a platform needs is empty.
func configured(have, what string) error {
	if have == "" {
		return models.Invalid("not_configured", "this install has no %s", what)
	}
	return nil
}
