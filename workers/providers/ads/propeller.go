package ads

import (
	"context"
	"encoding/json"
	"net/http"

	"switchyard/workers/providers/rest"
)

// propellerAds is the statistics endpoint of the SSP API, v5. Accounts are in US dollars. Unverified: the member names for the
// list and the day, that there is only one page, and the time zone of the days.
var propellerAds = adapter{
	base: "https://ssp-api.propellerads.com/v5",
	open: func(s *session) {
		s.Sign = rest.Bearer(s.c["api_token"])
		s.currency = "USD"
	},
	test: func(ctx context.Context, s *session) error { return s.Get(ctx, "/adv/balance", nil, nil) },
	page: propellerPage,
}

type propellerRow struct {
	Campaign    rest.Text `json:"campaign_id"`
	DateTime    rest.Text `json:"date_time"`
	Date        rest.Text `json:"date"`
	Day         rest.Text `json:"day"`
	Clicks      rest.Text `json:"clicks"`
	Impressions rest.Text `json:"impressions"`
	Spent       rest.Text `json:"spent"`
	Cost        rest.Text `json:"cost"`
}

func propellerPage(ctx context.Context, s *session, of Range, _ string) (rows []row, next string, err error) {
	var raw json.RawMessage
	err = s.read(ctx, rest.Request{Method: http.MethodPost, Path: "/adv/statistics", Repeat: true, Body: map[string]any{
		"group_by": []string{"campaign_id", "date_time"}, "day_from": of.First() + " 00:00:00", "day_to": of.Last() + " 23:59:59",
	}}, &raw)
	if err != nil {
		return nil, "", err
	}
	list, err := propellerRows(raw)
	for _, v := range list {
		rows = append(rows, row{
			day: first(v.DateTime, v.Date, v.Day), campaign: v.Campaign, amount: first(v.Spent, v.Cost), clicks: v.Clicks,
			impressions: v.Impressions,
		})
	}
	return rows, "", err
}

// propellerRows returns the list of rows in an answer. The answer itself may be the list.
func propellerRows(raw json.RawMessage) (list []propellerRow, err error) {
	if len(raw) > 0 && raw[0] == '[' {
		return list, rest.Decode(raw, &list)
	}
	var wrapped map[string]json.RawMessage
	if err := rest.Decode(raw, &wrapped); err != nil {
		return nil, err
	}
	for _, name := range []string{"result", "items", "data"} {
		if inner := wrapped[name]; len(inner) > 0 && inner[0] == '[' {
			return list, rest.Decode(inner, &list)
		}
	}
	return nil, rest.ErrForm
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
