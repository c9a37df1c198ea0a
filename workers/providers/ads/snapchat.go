package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"switchyard/workers/providers/rest"
)

// snapchat is the Marketing API of Snapchat: developers.snap.com/api/marketing-api/Ads-API/measurement. Spend is in micros. A day
// runs from midnight to midnight in the time zone of the ad account, and a request must name these moments. A report has no names
// of campaigns, so they are read from the list of campaigns. Unverified: that a page of campaigns may have 1,000 items, and that
// failures can come with status 200.
var snapchat = adapter{
	base: "https://adsapi.snapchat.com/v1",
	open: func(s *session) { s.Failed, s.Coded = snapchatFailed, rest.Member("error_code") },
	sign: rest.Bearer,
	test: snapchatAccount,
	page: snapchatPage,
	days: 31, burst: 10, interval: 100 * time.Millisecond,
}

// snapchatFailed returns the words of a failure, which may come with a successful status.
func snapchatFailed(body []byte) string {
	var e struct {
		Status  rest.Text `json:"request_status"`
		Debug   rest.Text `json:"debug_message"`
		Display rest.Text `json:"display_message"`
		Code    rest.Text `json:"error_code"`
	}
	if json.Unmarshal(body, &e) != nil || e.Status == "" || strings.EqualFold(string(e.Status), "success") {
		return ""
	}
	return string(cmp.Or(e.Debug, e.Display, e.Code, e.Status))
}

func snapchatPath(s *session) string { return "/adaccounts/" + url.PathEscape(s.c["ad_account_id"]) }

type snapchatPaging struct {
	Next rest.Text `json:"next_link"`
}

// cursor returns the cursor in the link to the next page. The link itself is not requested, because it could lead to any host.
func (p snapchatPaging) cursor() (string, error) {
	if p.Next == "" {
		return "", nil
	}
	u, err := url.Parse(string(p.Next))
	if err != nil || u.Query().Get("cursor") == "" {
		return "", rest.ErrForm
	}
	return u.Query().Get("cursor"), nil
}

func snapchatAccount(ctx context.Context, s *session) error {
	var answer struct {
		Accounts rest.List[struct {
			Account record `json:"adaccount"`
		}] `json:"adaccounts"`
	}
	err := s.Get(ctx, snapchatPath(s), nil, &answer)
	switch {
	case err != nil:
		return err
	case len(answer.Accounts) != 1 || answer.Accounts[0].Account["timezone"] == "":
		return rest.ErrForm
	}
	account := answer.Accounts[0].Account
	s.currency, s.zone = currency(account["currency"]), string(account["timezone"])
	return nil
}

func snapchatNames(ctx context.Context, s *session, cursor string) (next string, err error) {
	q := url.Values{"limit": {"1000"}}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	var answer struct {
		Campaigns rest.List[struct {
			Campaign record `json:"campaign"`
		}] `json:"campaigns"`
		Paging snapchatPaging `json:"paging"`
	}
	if err := s.Get(ctx, snapchatPath(s)+"/campaigns", q, &answer); err != nil {
		return "", err
	}
	for _, c := range answer.Campaigns {
		s.names[string(c.Campaign["id"])] = string(c.Campaign["name"])
	}
	return answer.Paging.cursor()
}

// snapchatTime is the form of times.
const snapchatTime = "2006-01-02T15:04:05.000-07:00"

func snapchatPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	if _, err := s.prepare(ctx, snapchatNames); err != nil {
		return nil, "", err
	}
	zone, err := time.LoadLocation(s.zone)
	if err != nil {
		return nil, "", fmt.Errorf("the platform's time zone %.40q is not known", s.zone)
	}
	q := url.Values{
		"granularity": {"DAY"}, "breakdown": {"campaign"}, "fields": {"impressions,swipes,spend"}, "limit": {"200"},
		"start_time": {midnight(period.From, zone).Format(snapchatTime)}, "end_time": {midnight(period.End(), zone).Format(snapchatTime)},
	}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	var answer struct {
		Stats  rest.List[snapchatStat] `json:"timeseries_stats"`
		Paging snapchatPaging          `json:"paging"`
	}
	if err := s.Get(ctx, snapchatPath(s)+"/stats", q, &answer); err != nil {
		return nil, "", err
	}
	for _, stat := range answer.Stats {
		if !strings.EqualFold(string(stat.Status), "success") {
			return nil, "", fmt.Errorf("the platform could not make the report: %s", cmp.Or(stat.Reason, stat.Status))
		}
		for _, c := range stat.Result.Breakdown.Campaigns {
			for _, day := range c.Days {
				at, err := time.Parse(time.RFC3339, string(day.Start))
				if err != nil {
					return nil, "", fmt.Errorf("a row of the platform has no day: %.40q", string(day.Start))
				}
				rows = append(rows, row{
					day: rest.Text(at.In(zone).Format(time.DateOnly)), campaign: c.ID, name: s.nameOf(c.ID),
					amount: day.Stats["spend"], shift: -6, clicks: day.Stats["swipes"], impressions: day.Stats["impressions"],
				})
			}
		}
	}
	next, err = answer.Paging.cursor()
	return rows, next, err
}

type snapchatStat struct {
	Status rest.Text `json:"sub_request_status"`
	Reason rest.Text `json:"sub_request_error_reason"`
	Result struct {
		Breakdown struct {
			Campaigns rest.List[struct {
				ID   rest.Text `json:"id"`
				Days rest.List[struct {
					Start rest.Text `json:"start_time"`
					Stats record    `json:"stats"`
				}] `json:"timeseries"`
			}] `json:"campaign"`
		} `json:"breakdown_stats"`
	} `json:"timeseries_stat"`
}
