package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// meta is the Graph API: developers.facebook.com/docs/marketing-api. Numbers are texts, and days are in the account's time
// zone. Failures have a code, mostly with status 400.
var meta = adapter{
	base:    "https://graph.facebook.com",
	version: models.MetaVersion,
	open: func(s *session) {
		s.Coded = metaCode
		s.Busy = func(f *rest.FailureError) bool { return slices.Contains(metaBusy, f.Code) }
		s.Denied = func(f *rest.FailureError) bool {
			return f.Code == "190" || f.Code == "10" || len(f.Code) == 3 && f.Code[0] == '2'
		}
	},
	sign:  rest.Bearer,
	stale: func(f *rest.FailureError) bool { return f.Code == "190" },
	test:  metaAccount,
	page:  metaPage,
}

// metaBusy are the codes that ask for fewer requests.
var metaBusy = []string{"4", "17", "32", "613", "80000", "80001", "80002", "80003", "80004"}

func metaCode(body []byte) string {
	var answer struct {
		Error struct {
			Code rest.Text `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &answer) // without a code the result is empty
	return string(answer.Error.Code)
}

func metaPath(s *session) string {
	return "/" + s.version + "/act_" + url.PathEscape(strings.TrimPrefix(s.c["ad_account_id"], "act_"))
}

// metaAccount reads the account's currency and time zone.
func metaAccount(ctx context.Context, s *session) error {
	var account struct {
		Currency rest.Text `json:"currency"`
		Zone     rest.Text `json:"timezone_name"`
	}
	err := s.read(ctx, rest.Request{Method: http.MethodGet, Path: metaPath(s), Query: url.Values{"fields": {"currency,timezone_name"}}}, &account)
	s.currency, s.zone = currency(account.Currency), string(account.Zone)
	return err
}

func metaPage(ctx context.Context, s *session, of Range, cursor string) (rows []row, next string, err error) {
	if cursor == "" {
		if err := metaAccount(ctx, s); err != nil {
			return nil, "", err
		}
	}
	span, err := json.Marshal(map[string]string{"since": of.First(), "until": of.Last()})
	if err != nil {
		return nil, "", err
	}
	q := url.Values{
		"level": {"campaign"}, "time_increment": {"1"}, "time_range": {string(span)}, "limit": {"500"},
		"fields": {"campaign_id,campaign_name,spend,clicks,impressions,account_currency"},
	}
	if cursor != "" {
		q.Set("after", cursor)
	}
	var answer struct {
		Data rest.List[struct {
			ID          rest.Text `json:"campaign_id"`
			Name        rest.Text `json:"campaign_name"`
			Spend       rest.Text `json:"spend"`
			Clicks      rest.Text `json:"clicks"`
			Impressions rest.Text `json:"impressions"`
			Currency    rest.Text `json:"account_currency"`
			Day         rest.Text `json:"date_start"`
		}] `json:"data"`
		Paging struct {
			Cursors struct {
				After rest.Text `json:"after"`
			} `json:"cursors"`
			Next rest.Text `json:"next"`
		} `json:"paging"`
	}
	err = s.read(ctx, rest.Request{Method: http.MethodGet, Path: metaPath(s) + "/insights", Query: q}, &answer)
	for _, v := range answer.Data {
		rows = append(rows, row{
			day: v.Day, campaign: v.ID, name: v.Name, amount: v.Spend, currency: v.Currency, clicks: v.Clicks, impressions: v.Impressions,
		})
	}
	if answer.Paging.Next != "" { // its address contains the token, so only the cursor is used
		if next = string(answer.Paging.Cursors.After); next == "" {
			return nil, "", cmp.Or(err, rest.ErrForm)
		}
	}
	return rows, next, err
}
