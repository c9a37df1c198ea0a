package ads

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// propellerAds is the statistics endpoint of the SSP API, v5. Accounts are in US dollars. Days are days of New York, because
// the API uses this zone for requests without tz, and accepts tz only for ranges of up to a week. Unverified: the member names
// for the list and the day; adstest/source.md names the clients that show them.
var propellerAds = adapter{
	base: "https://ssp-api.propellerads.com/v5",
	open: func(s *session) {
		s.Sign = rest.Bearer(s.c["api_token"])
		s.currency, s.zone = "USD", "America/New_York"
	},
	test: func(ctx context.Context, s *session) error { return s.Get(ctx, "/adv/balance", nil, nil) },
	page: propellerPage,
}

type propellerRow struct {
	Campaign    rest.Text `json:"campaign_id"`
	Name        rest.Text `json:"campaign_name"`
	DateTime    rest.Text `json:"date_time"`
	Date        rest.Text `json:"date"`
	Day         rest.Text `json:"day"`
	Clicks      rest.Text `json:"clicks"`
	Impressions rest.Text `json:"impressions"`
	Spent       rest.Text `json:"spent"`
	Money       rest.Text `json:"money"`
	Spend       rest.Text `json:"spend"`
	Cost        rest.Text `json:"cost"`
}

// propellerRows is the number of rows on a page.
const propellerRows = 1000

var errNoAmount = errors.New("a row of the platform has no amount in a field that is known")

func propellerPage(ctx context.Context, s *session, of Range, cursor string) (rows []row, next string, err error) {
	page := platform.Place(cursor, 1)
	var raw json.RawMessage
	err = s.read(ctx, rest.Request{Method: http.MethodGet, Path: "/adv/statistics", Query: url.Values{
		"group_by[]": {"campaign_id", "date_time"}, "day_from": {of.First() + " 00:00:00"}, "day_to": {of.Last() + " 23:59:59"},
		"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(propellerRows)},
	}}, &raw)
	if err != nil {
		return nil, "", err
	}
	list, pages, err := propellerList(raw)
	for _, v := range list {
		amount := first(v.Spent, v.Money, v.Spend, v.Cost)
		if amount == "" {
			return nil, "", errNoAmount
		}
		rows = append(rows, row{
			day: first(v.DateTime, v.Date, v.Day), campaign: v.Campaign, name: v.Name, amount: amount, clicks: v.Clicks,
			impressions: v.Impressions,
		})
	}
	return rows, platform.Next(len(rows) > 0 && page < pages, page+1), err
}

// propellerList returns the rows of an answer, and the number of pages. The answer itself may be the list, which is then
// complete.
func propellerList(raw json.RawMessage) (list []propellerRow, pages int, err error) {
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

// first returns the first text that is not empty.
func first(texts ...rest.Text) rest.Text {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
