package ads

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// pinterest is the API v5 of Pinterest: github.com/pinterest/api-description. Spend is in micros of the ad account's currency.
// Days are UTC days, and go back 90 days. Pinterest accepts at most 250 campaigns in a request. Clicks are outbound clicks.
var pinterest = adapter{
	base: "https://api.pinterest.com/v5",
	open: func(s *session) { s.zone = "UTC" },
	sign: rest.Bearer,
	test: pinterestAccount,
	page: pinterestPage,
	days: 90, burst: 5, interval: time.Second,
}

// pinterestIDs is the maximum number of campaigns that this adapter names in a request. With more, the address could become
// longer than netguard.MaxURL.
const pinterestIDs = 50

func pinterestPath(s *session) string { return "/ad_accounts/" + url.PathEscape(s.c["ad_account_id"]) }

func pinterestAccount(ctx context.Context, s *session) error {
	var account record
	err := s.Get(ctx, pinterestPath(s), nil, &account)
	if err == nil && account["id"] == "" {
		err = rest.ErrForm
	}
	s.currency = currency(account["currency"])
	return err
}

func pinterestNames(ctx context.Context, s *session, cursor string) (next string, err error) {
	q := url.Values{"page_size": {"250"}, "entity_statuses": {"ACTIVE", "PAUSED", "ARCHIVED"}}
	if cursor != "" {
		q.Set("bookmark", cursor)
	}
	var answer struct {
		Items    rest.List[record] `json:"items"`
		Bookmark rest.Text         `json:"bookmark"`
	}
	err = s.Get(ctx, pinterestPath(s)+"/campaigns", q, &answer)
	for _, c := range answer.Items {
		s.names[string(c["id"])] = string(c["name"])
	}
	return string(answer.Bookmark), err
}

// pinterestPage reads the figures of the next pinterestIDs campaigns. cursor is the place of the first of them in the list.
func pinterestPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	complete, err := s.prepare(ctx, pinterestNames)
	switch {
	case err != nil:
		return nil, "", err
	case !complete: // the figures of the other campaigns would be missing
		s.names = nil
		return nil, "", ErrTooMany
	}
	ids, from := slices.Sorted(maps.Keys(s.names)), platform.Place(cursor, 0)
	period, ok := s.begun(period, time.UTC)
	if !ok || from >= len(ids) {
		return nil, "", nil
	}
	to := min(from+pinterestIDs, len(ids))
	var answer []record
	err = s.Get(ctx, pinterestPath(s)+"/campaigns/analytics", url.Values{
		"campaign_ids": ids[from:to], "start_date": {period.First()}, "end_date": {period.Last()}, "granularity": {"DAY"},
		"columns": {"SPEND_IN_MICRO_DOLLAR,OUTBOUND_CLICK_1,PAID_IMPRESSION"},
	}, &answer)
	for _, v := range answer {
		rows = append(rows, row{
			day: v["DATE"], campaign: v["CAMPAIGN_ID"], name: s.nameOf(v["CAMPAIGN_ID"]), amount: v["SPEND_IN_MICRO_DOLLAR"], shift: -6,
			clicks: cmp.Or(v["OUTBOUND_CLICK_1"], "0"), impressions: cmp.Or(v["PAID_IMPRESSION"], "0"),
		})
	}
	return rows, platform.Next(to < len(ids), to), err
}
