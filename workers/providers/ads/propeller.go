package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"

	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// propellerAds is the statistics endpoint of the SSP API, v5. Accounts are in US dollars. Days are New York days: the API uses
// this zone if no tz is sent. Unverified: the member names for the list and the day; adstest/source.md names the clients that
// show them.
var propellerAds = adapter{
	base: "https://ssp-api.propellerads.com/v5",
	open: func(s *session) {
		s.Sign = rest.Bearer(s.c["api_token"])
		s.currency, s.zone = "USD", "America/New_York"
	},
	test: func(ctx context.Context, s *session) error { return s.Get(ctx, "/adv/balance", nil, nil) },
	page: propellerPage,
}

const propellerRows = 1000

var errNoAmount = errors.New("a row of the platform has no amount in any known field")

func propellerPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	page := platform.Place(cursor, 1)
	var raw json.RawMessage
	err = s.Get(ctx, "/adv/statistics", url.Values{
		"group_by[]": {"campaign_id", "date_time"}, "day_from": {period.First() + " 00:00:00"}, "day_to": {period.Last() + " 23:59:59"},
		"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(propellerRows)},
	}, &raw)
	if err != nil {
		return nil, "", err
	}
	list, pages, err := propellerList(raw)
	for _, v := range list {
		amount := cmp.Or(v["spent"], v["money"], v["spend"], v["cost"])
		if amount == "" {
			return nil, "", errNoAmount
		}
		rows = append(rows, row{
			day: cmp.Or(v["date_time"], v["date"], v["day"]), campaign: v["campaign_id"], name: v["campaign_name"], amount: amount,
			clicks: v["clicks"], impressions: v["impressions"],
		})
	}
	return rows, platform.Next(len(rows) > 0 && page < pages, page+1), err
}

// propellerList returns the rows of an answer and the number of pages. The answer may be the list itself.
func propellerList(raw json.RawMessage) (list []record, pages int, err error) {
	if len(raw) > 0 && raw[0] == '[' {
		err = rest.Decode(raw, &list)
		return list, 1, err
	}
	var wrapped map[string]json.RawMessage
	var total struct {
		Pages rest.Text `json:"total_pages"`
	}
	if err := errors.Join(rest.Decode(raw, &wrapped), rest.Decode(raw, &total)); err != nil {
		return nil, 0, rest.ErrForm
	}
	for _, name := range []string{"items", "result", "data"} {
		if inner := wrapped[name]; len(inner) > 0 && inner[0] == '[' {
			err = rest.Decode(inner, &list)
			return list, total.Pages.Number(), err
		}
	}
	return nil, 0, rest.ErrForm
}
