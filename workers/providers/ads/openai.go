package ads

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"switchyard/workers/providers/rest"
)

// openAI is the Advertiser API of OpenAI Ads: developers.openai.com/ads/api-reference. A key belongs to one ad account. Spend is
// a number in the account's currency, and days are in its time zone. The bounds of a time range are full hours that are not in
// the future. Unverified: the form of errors.
var openAI = adapter{
	base: "https://api.ads.openai.com/v1",
	open: func(s *session) { s.Sign = rest.Bearer(s.c["api_key"]) },
	test: openAIAccount,
	page: openAIPage,
	days: 90, burst: 10, interval: 100 * time.Millisecond,
}

func openAIAccount(ctx context.Context, s *session) error {
	var account record
	err := s.Get(ctx, "/ad_account", nil, &account)
	if err == nil && (account["id"] == "" || account["timezone"] == "") {
		err = rest.ErrForm
	}
	s.currency, s.zone = currency(account["currency_code"]), string(account["timezone"])
	return err
}

func openAIPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	if s.zone == "" {
		if err := openAIAccount(ctx, s); err != nil {
			return nil, "", err
		}
	}
	zone, err := time.LoadLocation(s.zone)
	if err != nil {
		return nil, "", fmt.Errorf("the platform's time zone %.40q is not known", s.zone)
	}
	start, end := midnight(period.From, zone), midnight(period.End(), zone)
	if now := s.Now().In(zone); end.After(now) {
		end = time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), 0, 0, 0, zone)
	}
	if !end.After(start) {
		return nil, "", nil
	}
	span, err := json.Marshal(map[string]any{"type": "unix_range", "start": start.Unix(), "end": end.Unix()})
	if err != nil {
		return nil, "", err
	}
	q := url.Values{
		"time_granularity": {"daily"}, "aggregation_level": {"campaign"}, "time_ranges[]": {string(span)}, "limit": {"2000"}, "fields[]": {
			"metadata.readable_time", "campaign.id", "campaign.name", "campaign.impressions", "campaign.clicks", "campaign.spend",
		},
	}
	if cursor != "" {
		q.Set("after", cursor)
	}
	var answer struct {
		Data []record  `json:"data"`
		Last rest.Text `json:"last_id"`
		More bool      `json:"has_more"`
	}
	err = s.Get(ctx, "/ad_account/insights", q, &answer)
	for _, v := range answer.Data {
		rows = append(rows, row{
			day: v["readable_time"], campaign: v["campaign_id"], name: v["campaign_name"], amount: v["spend"], clicks: v["clicks"],
			impressions: v["impressions"],
		})
	}
	if answer.More {
		if next = string(answer.Last); next == "" {
			return nil, "", rest.ErrForm
		}
	}
	return rows, next, err
}
