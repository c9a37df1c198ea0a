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
	return s.login(ctx, rest.Request{Method: http.MethodPost, Path: "/backstage/oauth/token", Body: url.Values{
		"client_id": {s.c["client_id"]}, "client_secret": {s.c["client_secret"]}, "grant_type": {"client_credentials"},
	}}, "access_token")
}

func taboolaPage(ctx context.Context, s *session, period Range, _ string) (rows []row, next string, err error) {
	var answer struct {
		Zone    rest.Text         `json:"timezone"`
		Results rest.List[record] `json:"results"`
	}
	path := "/backstage/api/1.0/" + url.PathEscape(s.c["account_id"]) + "/reports/campaign-summary/dimensions/campaign_day_breakdown"
	err = s.Get(ctx, path, url.Values{"start_date": {period.First()}, "end_date": {period.Last()}}, &answer)
	s.zone = string(answer.Zone)
	for _, v := range answer.Results {
		rows = append(rows, row{
			day: v["date"], campaign: v["campaign"], name: v["campaign_name"], amount: v["spent"], currency: v["currency"],
			clicks: v["clicks"], impressions: v["impressions"],
		})
	}
	return rows, "", err
}
