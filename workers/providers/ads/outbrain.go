package ads

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// outbrain is the Amplify API, v0.1. A login returns a token that is valid for a month. Only two logins are allowed in an hour,
// so the token is stored. The size of a page is a number of campaigns. Unverified: the member names for the list of campaigns and
// for its total.
var outbrain = adapter{
	base:        "https://api.outbrain.com/amplify/v0.1",
	sign:        func(token string) rest.Signer { return rest.Header(outbrainHeader, token) },
	fetch:       outbrainLogin,
	storesToken: true,
	test:        outbrainMarketer,
	page:        outbrainPage,
	burst:       2, interval: 30 * time.Second,
}

// outbrainHeader is the header that carries the token, and the token's name in the answer to a login.
const outbrainHeader = "OB-TOKEN-V1"

func outbrainLogin(ctx context.Context, s *session) (string, error) {
	return s.login(ctx, rest.Request{Method: http.MethodGet, Path: "/login", Header: map[string]string{
		"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(s.c["username"]+":"+s.c["password"])),
	}}, outbrainHeader)
}

func outbrainMarketer(ctx context.Context, s *session) error {
	var answer struct {
		Marketers rest.List[record] `json:"marketers"`
	}
	err := s.Get(ctx, "/marketers", nil, &answer)
	for _, m := range answer.Marketers {
		if string(m["id"]) == s.c["marketer_id"] {
			s.currency = currency(m["currency"])
		}
	}
	return err
}

const outbrainCampaigns = 100

func outbrainPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
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
				Metadata, Metrics record
			}] `json:"results"`
		}] `json:"campaignResults"`
		Total rest.Text `json:"totalCampaigns"`
	}
	err = s.Get(ctx, "/reports/marketers/"+url.PathEscape(s.c["marketer_id"])+"/campaigns/periodic", url.Values{
		"from": {period.First()}, "to": {period.Last()}, "breakdown": {"daily"}, "limit": {strconv.Itoa(outbrainCampaigns)},
		"offset": {strconv.Itoa(offset)}, "includeArchivedCampaigns": {"true"},
	}, &answer)
	for _, c := range answer.Campaigns {
		for _, v := range c.Results {
			rows = append(rows, row{
				day: cmp.Or(v.Metadata["fromDate"], v.Metadata["id"]), campaign: c.ID, amount: v.Metrics["spend"], clicks: v.Metrics["clicks"],
				impressions: v.Metrics["impressions"],
			})
		}
	}
	read := offset + len(answer.Campaigns)
	more := read < answer.Total.Number() || answer.Total == "" && len(answer.Campaigns) == outbrainCampaigns
	return rows, platform.Next(len(answer.Campaigns) > 0 && more, read), err
}
