package ads

import (
	"context"
	"net/http"
	"net/url"

	"switchyard/workers/providers/rest"
)

// taboola is the Backstage API: developers.taboola.com. Credentials are exchanged for a token. Days are in the account's time
// zone, which the API reports by a short name. Unverified: the envelope of its errors.
var taboola = adapter{
	base:  "https://backstage.taboola.com",
	sign:  rest.Bearer,
	fetch: taboolaToken,
	page:  taboolaPage,
}

func taboolaToken(ctx context.Context, s *session) (string, error) {
	var answer struct {
		Token rest.Text `json:"access_token"`
	}
	err := s.login(ctx, rest.Request{Method: http.MethodPost, Path: "/backstage/oauth/token", Body: url.Values{
		"client_id": {s.c["client_id"]}, "client_secret": {s.c["client_secret"]}, "grant_type": {"client_credentials"},
	}}, &answer)
	return string(answer.Token), err
}

func taboolaPage(ctx context.Context, s *session, of Range, _ string) (rows []row, next string, err error) {
	var answer struct {
		Zone    rest.Text `json:"timezone"`
		Results rest.List[struct {
			Day         rest.Text `json:"date"`
			Campaign    rest.Text `json:"campaign"`
			Name        rest.Text `json:"campaign_name"`
			Clicks      rest.Text `json:"clicks"`
			Impressions rest.Text `json:"impressions"`
			Spent       rest.Text `json:"spent"`
			Currency    rest.Text `json:"currency"`
		}] `json:"results"`
	}
	err = s.read(ctx, rest.Request{
		Method: http.MethodGet,
		Path:   "/backstage/api/1.0/" + url.PathEscape(s.c["account_id"]) + "/reports/campaign-summary/dimensions/campaign_day_breakdown",
		Query:  url.Values{"start_date": {of.First()}, "end_date": {of.Last()}},
	}, &answer)
	s.zone = string(answer.Zone)
	for _, v := range answer.Results {
		rows = append(rows, row{
			day: v.Day, campaign: v.Campaign, name: v.Name, amount: v.Spent, currency: v.Currency, clicks: v.Clicks, impressions: v.Impressions,
		})
	}
	return rows, "", err
}
