package ads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// mgid is the REST API of MGID for advertisers, v1: help.mgid.com/api-advertisers. An advertiser's account is called a client there.
// Days and the requested range are in its time zone. The report leaves out campaigns without clicks. Unverified: which status comes
// with an empty range.
var mgid = adapter{
	base: "https://api.mgid.com/v1",
	open: func(s *session) { s.Sign = rest.Bearer(s.c["api_token"]) },
	test: mgidClient,
	page: mgidPage,
	days: 90,
	// Six requests at once are refused.
	burst: 3, interval: time.Second,
}

// mgidEmpty is the error code for a range without rows.
const mgidEmpty = "THERE_NO_DATA_IN_CHOSEN_PERIOD"

func mgidClient(ctx context.Context, s *session) error {
	var client struct {
		Zone   rest.Text `json:"timezone"`
		Wallet struct {
			Currency rest.Text `json:"currency"`
		} `json:"wallet"`
	}
	err := s.Get(ctx, "/clients/"+url.PathEscape(s.c["client_id"]), nil, &client)
	s.zone, s.currency = string(client.Zone), currency(client.Wallet.Currency)
	return err
}

// mgidMoney is an amount: a number, or an object with the number and its currency.
type mgidMoney struct{ Amount, Currency rest.Text }

func (m *mgidMoney) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		return json.Unmarshal(raw, &m.Amount)
	}
	type plain mgidMoney
	return json.Unmarshal(raw, (*plain)(m))
}

func mgidPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	if cursor == "" {
		if err := mgidClient(ctx, s); err != nil {
			return nil, "", err
		}
	}
	zone, err := time.LoadLocation(s.zone)
	if err != nil || s.zone == "" {
		return nil, "", fmt.Errorf("the platform reports days in the time zone %.40q, which is not known", s.zone)
	}
	const size, moment = 1000, "2006-01-02T15:04:05.000Z07:00"
	offset := platform.Place(cursor, 0)
	var answer struct {
		Data rest.List[struct {
			Day         rest.Text `json:"day"`
			Campaign    rest.Text `json:"campaignId"`
			Clicks      rest.Text `json:"clicks"`
			Impressions rest.Text `json:"impressions"`
			Spent       mgidMoney `json:"spent"`
		}] `json:"data"`
	}
	err = s.Get(ctx, "/goodhits/clients/"+url.PathEscape(s.c["client_id"])+"/statistics-reports", url.Values{
		"filters[dateRange][dateFrom]": {midnight(period.From, zone).Format(moment)},
		"filters[dateRange][dateTo]":   {midnight(period.End(), zone).Add(-time.Millisecond).Format(moment)},
		"dimensions[]":                 {"day", "campaignId"}, "metrics[]": {"spent", "clicks", "impressions"},
		"limit": {strconv.Itoa(size)}, "offset": {strconv.Itoa(offset)},
	}, &answer)
	if f, failed := errors.AsType[*rest.FailureError](err); failed && strings.Contains(f.Text, mgidEmpty) {
		return nil, "", nil
	}
	for _, v := range answer.Data {
		if v.Spent.Amount == "" {
			return nil, "", errNoAmount
		}
		rows = append(rows, row{
			day: v.Day, campaign: v.Campaign, amount: v.Spent.Amount, currency: v.Spent.Currency, clicks: v.Clicks, impressions: v.Impressions,
		})
	}
	return rows, platform.Next(len(rows) == size, offset+size), err
}
