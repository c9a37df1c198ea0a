package ads

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// outbrain is the Amplify API, v0.1. A login returns a token that is valid for a month. Only two logins are allowed in an
// hour, so the token is stored. A page has a number of campaigns. Unverified: the member names for the list of campaigns and
// for its total.
var outbrain = adapter{
	base:  "https://api.outbrain.com/amplify/v0.1",
	sign:  func(token string) rest.Signer { return rest.Header("OB-TOKEN-V1", token) },
	fetch: outbrainLogin,
	kept:  true,
	test:  outbrainMarketer,
	page:  outbrainPage,
	burst: 2, interval: 30 * time.Second,
}

func outbrainLogin(ctx context.Context, s *session) (string, error) {
	var answer struct {
		Token rest.Text `json:"OB-TOKEN-V1"`
	}
	err := s.login(ctx, rest.Request{Method: http.MethodGet, Path: "/login", Header: map[string]string{
		"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(s.c["username"]+":"+s.c["password"])),
	}}, &answer)
	return string(answer.Token), err
}

// outbrainMarketer reads the currency of the marketer.
func outbrainMarketer(ctx context.Context, s *session) error {
	var answer struct {
		Marketers rest.List[struct {
			ID       rest.Text `json:"id"`
			Currency rest.Text `json:"currency"`
		}] `json:"marketers"`
	}
	err := s.read(ctx, rest.Request{Method: http.MethodGet, Path: "/marketers"}, &answer)
	for _, m := range answer.Marketers {
		if string(m.ID) == s.c["marketer_id"] {
			s.currency = currency(m.Currency)
		}
	}
	return err
}

// outbrainCampaigns is the number of campaigns on a page.
const outbrainCampaigns = 100

func outbrainPage(ctx context.Context, s *session, of Range, cursor string) (rows []row, next string, err error) {
	if cursor == "" {
		if err := outbrainMarketer(ctx, s); err != nil {
			return nil, "", err
		}
	}
	offset := platform.Place(cursor, 0)
	var answer struct {
		Campaigns rest.List[struct {
			ID      rest.Text `json:"campaignId"`
			Results rest.List[struct {
				Of struct {
					ID   rest.Text `json:"id"`
					From rest.Text `json:"fromDate"`
				} `json:"metadata"`
				Metrics struct {
					Spend       rest.Text `json:"spend"`
					Clicks      rest.Text `json:"clicks"`
					Impressions rest.Text `json:"impressions"`
				} `json:"metrics"`
			}] `json:"results"`
		}] `json:"campaignResults"`
		Total rest.Text `json:"totalCampaigns"`
	}
	err = s.read(ctx, rest.Request{
		Method: http.MethodGet, Path: "/reports/marketers/" + url.PathEscape(s.c["marketer_id"]) + "/campaigns/periodic", Query: url.Values{
			"from": {of.First()}, "to": {of.Last()}, "breakdown": {"daily"}, "limit": {strconv.Itoa(outbrainCampaigns)},
			"offset": {strconv.Itoa(offset)}, "includeArchivedCampaigns": {"true"},
		},
	}, &answer)
	for _, c := range answer.Campaigns {
		for _, v := range c.Results {
			rows = append(rows, row{
				day: first(v.Of.From, v.Of.ID), campaign: c.ID, amount: v.Metrics.Spend, clicks: v.Metrics.Clicks, impressions: v.Metrics.Impressions,
			})
		}
	}
	read := offset + len(answer.Campaigns)
	more := read < answer.Total.Number() || answer.Total == "" && len(answer.Campaigns) == outbrainCampaigns
	return rows, platform.Next(len(answer.Campaigns) > 0 && more, read), err
}
