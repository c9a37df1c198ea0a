package ads

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"switchyard/workers/providers/rest"
)

// openAI is the Advertiser API of OpenAI Ads: developers.openai.com/ads/api-reference. A key belongs to one ad account. Spend is a
// number in the account's currency, and days are in its time zone. A time range has full hours as bounds, none of them in the
// future. Unverified: the form of errors.
var openAI = adapter{
	base: "https://api.ads.openai.com/v1",
	open: func(s *session) { s.Sign = rest.Bearer(s.c["api_key"]) },
	test: openAIAccount,
	page: openAIPage,
	days: 90, burst: 10, interval: 100 * time.Millisecond,
}

// openAIAccount reads the account's currency and time zone.
func openAIAccount(ctx context.Context, s *session) error {
	var account struct {
		ID       rest.Text `json:"id"`
		Currency rest.Text `json:"currency_code"`
		Zone     rest.Text `json:"timezone"`
	}
	err := s.read(ctx, rest.Request{Method: http.MethodGet, Path: "/ad_account"}, &account)
	if err == nil && (account.ID == "" || account.Zone == "") {
		err = rest.ErrForm
	}
	s.currency, s.zone = currency(account.Currency), string(account.Zone)
	return err
}

func openAIPage(ctx context.Context, s *session, of Range, cursor string) (rows []row, next string, err error) {
	if s.zone == "" {
		if err := openAIAccount(ctx, s); err != nil {
			return nil, "", err
		}
	}
	zone, err := time.LoadLocation(s.zone)
	if err != nil {
		return nil, "", fmt.Errorf("the platform's time zone %.40q is not known", s.zone)
	}
	start, end := midnight(of.From, zone), midnight(of.End(), zone)
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
		Data []struct {
			Day         rest.Text `json:"readable_time"`
			Campaign    rest.Text `json:"campaign_id"`
			Name        rest.Text `json:"campaign_name"`
			Spend       rest.Text `json:"spend"`
			Clicks      rest.Text `json:"clicks"`
			Impressions rest.Text `json:"impressions"`
		} `json:"data"`
		Last rest.Text `json:"last_id"`
		More bool      `json:"has_more"`
	}
	err = s.read(ctx, rest.Request{Method: http.MethodGet, Path: "/ad_account/insights", Query: q}, &answer)
	for _, v := range answer.Data {
		rows = append(rows, row{day: v.Day, campaign: v.Campaign, name: v.Name, amount: v.Spend, clicks: v.Clicks, impressions: v.Impressions})
	}
	if answer.More {
		if next = string(answer.Last); next == "" {
			return nil, "", rest.ErrForm
		}
	}
	return rows, next, err
}
