package ads

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"switchyard/workers/providers/rest"
)

// trafficStars is the API of TrafficStars, v1.1: docs.trafficstars.com. The API key is exchanged for a token that is valid for
// some hours. A report by campaign has no days, so each request is for one day. Days are UTC days. The API does not name the
// account's currency. Unverified: the answer to a wrong key.
var trafficStars = adapter{
	base: "https://api.trafficstars.com",
	open: func(s *session) {
		s.zone = "UTC"
		s.Denied = func(f *rest.FailureError) bool { return strings.Contains(f.Text, "invalid_grant") } // with status 400
	},
	sign:  rest.Bearer,
	fetch: trafficStarsToken,
	page:  trafficStarsPage,
	days:  1,
	burst: 20, interval: 600 * time.Millisecond, // 100 requests in a minute
}

func trafficStarsToken(ctx context.Context, s *session) (string, error) {
	return s.login(ctx, rest.Request{Method: http.MethodPost, Path: "/v1/auth/token", Body: url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {s.c["api_key"]},
	}}, "access_token")
}

func trafficStarsPage(ctx context.Context, s *session, period Range, _ string) (rows []row, next string, err error) {
	var answer []record
	err = s.Get(ctx, "/v1.1/advertiser/custom/report/by-campaign", url.Values{
		"date_from": {period.First()}, "date_to": {period.Last()},
	}, &answer)
	for _, v := range answer {
		if v["amount"] == "" {
			return nil, "", errNoAmount
		}
		rows = append(rows, row{
			day: rest.Text(period.First()), campaign: v["campaign_id"], name: v["name"], amount: v["amount"], clicks: v["clicks"],
			impressions: v["impressions"],
		})
	}
	return rows, "", err
}
