package ads

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// reddit is the Ads API v3 of Reddit: ads-api.reddit.com/docs/v3. Spend is in micros of the ad account's currency. Days are UTC
// days. A report has no names of campaigns, so they are read from the list of campaigns. Unverified: whether a page of a report
// may have more than 100 rows.
var reddit = adapter{
	base: "https://ads-api.reddit.com/api/v3",
	open: func(s *session) { s.zone = "UTC" },
	sign: func(token string) rest.Signer {
		bearer, agent := rest.Bearer(token), rest.Header("User-Agent", models.RedditAgent)
		return func(r *http.Request, body []byte) { bearer(r, body); agent(r, body) }
	},
	test: redditAccount,
	page: redditPage,
	days: 31, burst: 5, interval: time.Second,
}

func redditPath(s *session) string { return "/ad_accounts/" + url.PathEscape(s.c["ad_account_id"]) }

type redditPaging struct {
	Next rest.Text `json:"next_url"`
}

// query returns the parameters of the next page, or "" after the last page. Only the parameters of next_url are used, because its
// host could be any host.
func (p redditPaging) query() (string, error) {
	u, err := url.Parse(string(p.Next))
	if err != nil || p.Next != "" && u.RawQuery == "" {
		return "", rest.ErrForm
	}
	return u.RawQuery, nil
}

func redditQuery(cursor string) (url.Values, error) {
	if cursor == "" {
		return url.Values{"page.size": {"100"}}, nil
	}
	q, err := url.ParseQuery(cursor)
	if err != nil {
		return nil, rest.ErrForm
	}
	return q, nil
}

func redditAccount(ctx context.Context, s *session) error {
	var answer struct {
		Data record `json:"data"`
	}
	err := s.Get(ctx, redditPath(s), nil, &answer)
	if err == nil && answer.Data["id"] == "" {
		err = rest.ErrForm
	}
	s.currency = currency(answer.Data["currency"])
	return err
}

func redditNames(ctx context.Context, s *session, cursor string) (next string, err error) {
	q, err := redditQuery(cursor)
	if err != nil {
		return "", err
	}
	var answer struct {
		Data       rest.List[record] `json:"data"`
		Pagination redditPaging      `json:"pagination"`
	}
	if err := s.Get(ctx, redditPath(s)+"/campaigns", q, &answer); err != nil {
		return "", err
	}
	for _, c := range answer.Data {
		s.names[string(c["id"])] = string(c["name"])
	}
	return answer.Pagination.query()
}

func redditPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	if _, err := s.prepare(ctx, redditNames); err != nil {
		return nil, "", err
	}
	period, ok := s.begun(period, time.UTC)
	if !ok {
		return nil, "", nil
	}
	q, err := redditQuery(cursor)
	if err != nil {
		return nil, "", err
	}
	var answer struct {
		Data struct {
			Metrics []record `json:"metrics"`
		} `json:"data"`
		Pagination redditPaging `json:"pagination"`
	}
	err = s.read(ctx, rest.Request{Method: http.MethodPost, Path: redditPath(s) + "/reports", Query: q, Repeat: true, Body: map[string]any{"data": map[string]any{
		"breakdowns": []string{"CAMPAIGN_ID", "DATE"}, "fields": []string{"CAMPAIGN_ID", "DATE", "IMPRESSIONS", "CLICKS", "SPEND"},
		"starts_at": period.From.Format(time.DateOnly) + "T00:00:00Z", "ends_at": period.End().Format(time.DateOnly) + "T00:00:00Z", "time_zone_id": "UTC",
	}}}, &answer)
	if err != nil {
		return nil, "", err
	}
	for _, v := range answer.Data.Metrics {
		rows = append(rows, row{
			day: v["date"], campaign: v["campaign_id"], name: s.nameOf(v["campaign_id"]), amount: v["spend"], shift: -6,
			clicks: v["clicks"], impressions: v["impressions"],
		})
	}
	next, err = answer.Pagination.query()
	return rows, next, err
}
