package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// revcontent is the Stats API of RevContent, v1.0: api.revcontent.io/docs/stats. Credentials are exchanged for a token that is
// valid for a day. Amounts are in US dollars. Failures may come with status 200 and success false. The API does not state the
// time zone of its days.
var revcontent = adapter{
	base: "https://api.revcontent.io",
	open: func(s *session) {
		s.currency, s.Failed = "USD", revcontentFailed
		s.Denied = func(f *rest.FailureError) bool { return strings.HasPrefix(f.Text, "invalid_client") } // with status 400
	},
	sign:  rest.Bearer,
	fetch: revcontentToken,
	page:  revcontentPage,
}

func revcontentFailed(body []byte) string {
	var answer struct {
		Success *bool `json:"success"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Success == nil || *answer.Success {
		return ""
	}
	return cmp.Or(rest.Complaint(body), "success is false")
}

func revcontentToken(ctx context.Context, s *session) (string, error) {
	return s.login(ctx, rest.Request{Method: http.MethodPost, Path: "/oauth/token", Body: url.Values{
		"grant_type": {"client_credentials"}, "client_id": {s.c["client_id"]}, "client_secret": {s.c["client_secret"]},
	}}, "access_token")
}

// revcontentRows is the number of rows on a page. The last page is shorter.
const revcontentRows = 1000

func revcontentPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	offset := platform.Place(cursor, 0)
	var answer struct {
		Data rest.List[record] `json:"data"`
	}
	err = s.Get(ctx, "/stats/api/v1.0/boosts/performance", url.Values{
		"date_from": {period.First()}, "date_to": {period.Last()}, "all_boosts": {"yes"},
		"limit": {strconv.Itoa(revcontentRows)}, "offset": {strconv.Itoa(offset)},
	}, &answer)
	for _, v := range answer.Data {
		if v["cost"] == "" {
			return nil, "", errNoAmount
		}
		rows = append(rows, row{day: v["date"], campaign: v["id"], amount: v["cost"], clicks: v["clicks"], impressions: v["impressions"]})
	}
	return rows, platform.Next(len(rows) == revcontentRows, offset+revcontentRows), err
}
