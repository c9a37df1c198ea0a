package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// meta is the Graph API: developers.facebook.com/docs/marketing-api. Numbers are texts, and days are in the account's time
// zone. Failures have a code, mostly with status 400. A request that is too large for the Graph API is answered with status
// 500 and a text that asks for less data.
var meta = adapter{
	base:    "https://graph.facebook.com",
	version: models.MetaVersion,
	open: func(s *session) {
		s.Coded = rest.Member("error.code")
		s.Busy = func(f *rest.FailureError) bool { return hasCode(f, metaBusyCodes) }
		s.Denied = func(f *rest.FailureError) bool { // 190 is about the token; 10 and 200 to 299 say that a permission is missing
			return f.Code == "190" || f.Code == "10" || len(f.Code) == 3 && f.Code[0] == '2'
		}
		s.Final = func(f *rest.FailureError) bool { return metaTooMuch(f) }
	},
	sign:  rest.Bearer,
	stale: func(f *rest.FailureError) bool { return f.Code == "190" },
	test:  metaAccount,
	page:  metaPage,
}

func metaPath(s *session) string {
	return "/" + s.version + "/act_" + url.PathEscape(strings.TrimPrefix(s.c["ad_account_id"], "act_"))
}

func metaAccount(ctx context.Context, s *session) error {
	var account record
	err := s.Get(ctx, metaPath(s), url.Values{"fields": {"currency,timezone_name"}}, &account)
	s.currency, s.zone = currency(account["currency"]), string(account["timezone_name"])
	return err
}

const (
	metaLess   = "reduce the amount of data" // the words with which the Graph API asks for a smaller request
	metaMonths = 37                          // the number of months for which the Graph API keeps insights
)

func metaTooMuch(err error) bool {
	var f *rest.FailureError
	return errors.As(err, &f) && strings.Contains(f.Text, metaLess)
}

// When the Graph API asks for less data, the rows of a page are halved, but not below metaLeast, and then the days.
const (
	metaLimit = 500
	metaLeast = 50
)

// metaSize is the size of a request for insights. While a range is read, it only shrinks.
type metaSize struct{ limit, days int }

// halve makes the size smaller, or returns false if it is the smallest.
func (m *metaSize) halve() bool {
	switch {
	case m.limit/2 >= metaLeast:
		m.limit /= 2
	case m.days > 1:
		m.days /= 2
	default:
		return false
	}
	return true
}

// metaPage reads a page of a part of the range. cursor has the first and the last day of the part, and the Graph API's own
// cursor. For the first page of a later part it has only the first day. For the first page of the range it is empty.
func metaPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	if oldest := s.Now().UTC().AddDate(0, -metaMonths, -1); period.From.Before(oldest) {
		return nil, "", fmt.Errorf("the platform has no spend from before %s: it keeps %d months", oldest.AddDate(0, 0, 1).Format(time.DateOnly), metaMonths)
	}
	if cursor == "" {
		if err := metaAccount(ctx, s); err != nil {
			return nil, "", err
		}
		s.meta = metaSize{metaLimit, int(period.To.Sub(period.From)/(24*time.Hour)) + 1}
	}
	days, after, _ := strings.Cut(cursor, " ")
	day, _, _ := strings.Cut(days, "/")
	from, err := time.Parse(time.DateOnly, cmp.Or(day, period.First()))
	if err != nil {
		return nil, "", rest.ErrForm
	}
	for {
		part := Range{From: from, To: from.AddDate(0, 0, s.meta.days-1)}
		if part.To.After(period.To) {
			part.To = period.To
		}
		rows, more, err := metaInsights(ctx, s, part, after)
		if days := s.meta.days; metaTooMuch(err) && s.meta.halve() {
			if s.meta.days < days { // the cursor belongs to a part with more days
				after = ""
			}
			continue
		}
		switch {
		case err != nil:
			return nil, "", err
		case more != "":
			next = part.First() + "/" + part.Last() + " " + more
		case part.To.Before(period.To):
			next = part.To.AddDate(0, 0, 1).Format(time.DateOnly)
		}
		return rows, next, nil
	}
}

// metaInsights reads a page of the rows of some days.
func metaInsights(ctx context.Context, s *session, period Range, cursor string) (rows []row, after string, err error) {
	span, err := json.Marshal(map[string]string{"since": period.First(), "until": period.Last()})
	if err != nil {
		return nil, "", err
	}
	q := url.Values{
		"level": {"campaign"}, "time_increment": {"1"}, "time_range": {string(span)}, "limit": {strconv.Itoa(s.meta.limit)},
		"fields": {"campaign_id,campaign_name,spend,clicks,impressions,account_currency"},
	}
	if cursor != "" {
		q.Set("after", cursor)
	}
	var answer struct {
		Data   rest.List[record] `json:"data"`
		Paging struct {
			Cursors struct {
				After rest.Text `json:"after"`
			} `json:"cursors"`
			Next rest.Text `json:"next"`
		} `json:"paging"`
	}
	err = s.Get(ctx, metaPath(s)+"/insights", q, &answer)
	for _, v := range answer.Data {
		rows = append(rows, row{
			day: v["date_start"], campaign: v["campaign_id"], name: v["campaign_name"], amount: v["spend"], currency: v["account_currency"],
			clicks: v["clicks"], impressions: v["impressions"],
		})
	}
	if answer.Paging.Next != "" { // the address of the next page contains the token, so only the cursor is used
		if after = string(answer.Paging.Cursors.After); after == "" {
			return nil, "", cmp.Or(err, rest.ErrForm)
		}
	}
	return rows, after, err
}
