package ads

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// tiktok is the Marketing API of TikTok for Business, v1.3. Failures come with status 200 and a code. Numbers are texts, and
// "-" means no value. Days are in the time zone of the ad account. Unverified: that one request may cover 30 days.
var tiktok = adapter{
	base: "https://business-api.tiktok.com/open_api/v1.3",
	open: func(s *session) {
		s.Sign = rest.Header("Access-Token", s.c["access_token"])
		s.Coded, s.Failed = rest.Member("code"), tiktokFailed
		s.Busy = func(f *rest.FailureError) bool { return hasCode(f, tiktokBusy) }
		s.Denied = func(f *rest.FailureError) bool { return hasCode(f, tiktokRefused) }
	},
	page: tiktokPage,
	days: 30,
}

func tiktokFailed(body []byte) string {
	var e struct{ Code, Message rest.Text }
	if json.Unmarshal(body, &e) != nil || e.Code == "" || e.Code == "0" {
		return ""
	}
	return string(e.Message) + " (" + string(e.Code) + ")"
}

func tiktokPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	page := platform.Place(cursor, 1)
	var answer struct {
		Data struct {
			List  rest.List[struct{ Dimensions, Metrics record }] `json:"list"`
			Pages struct {
				Total rest.Text `json:"total_page"`
			} `json:"page_info"`
		} `json:"data"`
	}
	err = s.Get(ctx, "/report/integrated/get/", url.Values{
		"advertiser_id": {s.c["advertiser_id"]}, "report_type": {"BASIC"}, "service_type": {"AUCTION"}, "data_level": {"AUCTION_CAMPAIGN"},
		"dimensions": {`["campaign_id","stat_time_day"]`}, "metrics": {`["spend","clicks","impressions","campaign_name","currency"]`},
		"start_date": {period.First()}, "end_date": {period.Last()}, "page": {strconv.Itoa(page)}, "page_size": {"1000"},
	}, &answer)
	for _, v := range answer.Data.List {
		rows = append(rows, row{
			day: v.Dimensions["stat_time_day"], campaign: v.Dimensions["campaign_id"], name: v.Metrics["campaign_name"],
			amount: v.Metrics["spend"], currency: v.Metrics["currency"], clicks: v.Metrics["clicks"], impressions: v.Metrics["impressions"],
		})
	}
	return rows, platform.Next(len(rows) > 0 && page < answer.Data.Pages.Total.Number(), page+1), err
}
