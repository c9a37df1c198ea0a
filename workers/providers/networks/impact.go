package networks

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// impact is the partner API of Impact, version 16: GET /Mediapartners/{AccountSID}/Actions and
// /Mediapartners/{AccountSID}/ActionUpdates. Days are in UTC, times include their zone, and numbers are texts. A reversed action
// keeps its id. Without its header IR-Version, a request is answered in the version that the account has set.
var impact = adapter{
	base: "https://api.impact.com",
	open: func(s *session) { s.basic(s.c["account_sid"], s.c["auth_token"]) },
	page: impactPage,
	days: 45,
	statuses: map[string]string{
		"pending": models.StatusPending, "approved": models.StatusApproved, "reversed": models.StatusRejected,
	},
	burst: 50, interval: time.Hour / 950, // Impact allows 1,000 requests an hour
	feeds: []feed{{name: "ActionUpdates", page: impactReversed}, {name: "LockingDate", page: impactLocked}}, feedDays: 45,
}

// impactRows is the size of a page. Impact accepts 2,000 to 20,000, and at most ten pages of a range. Ten pages are as many
// orders as an import may have.
const impactRows = 5000

func impactOrder(s *session, v record) Order {
	return Order{
		Click: clickIn(v, "SubId1", "SubId2", "SubId3", "SharedId"), ID: v.Get("Id"), Word: v.Get("State"), Payout: v.Get("Payout"),
		Currency: v.Get("Currency"), Sale: v.Get("Amount"), At: s.when(v["EventDate"]),
	}
}

func impactPage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	return s.impactActions(ctx, "ActionDate", period, cursor)
}

// impactLocked reads the actions that lock in a period. No other request finds actions by the time at which they become approved.
func impactLocked(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	return s.impactActions(ctx, "LockingDate", period, cursor)
}

// impactActions reads a page of the actions whose date of the given name is in a period.
func (s *session) impactActions(ctx context.Context, date string, period Range, cursor string) (orders []Order, next string, err error) {
	var answer struct {
		Pages   text         `json:"@numpages"`
		Actions list[record] `json:"Actions"`
	}
	page, err := s.impactGet(ctx, "/Actions", date+"Start", date+"End", period, cursor, url.Values{}, &answer)
	for _, v := range answer.Actions {
		orders = append(orders, impactOrder(s, v))
	}
	return orders, platform.Next(len(orders) > 0 && page < answer.Pages.Number(), page+1), err
}

// impactReversed reads the reversals of a period from the log of updates. An action that is reversed before it locks keeps its
// locking date, so impactLocked finds it only weeks later. An update has no payout, and a reversed action earns nothing.
func impactReversed(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	var answer struct {
		Pages   text         `json:"@numpages"`
		Updates list[record] `json:"ActionUpdates"`
	}
	page, err := s.impactGet(ctx, "/ActionUpdates", "StartDate", "EndDate", period, cursor, url.Values{"State": {"REVERSED"}}, &answer)
	for _, v := range answer.Updates {
		o := impactOrder(s, v)
		o.ID, o.Payout, o.StatusOnly = v.Get("ActionId"), "", true
		orders = append(orders, o)
	}
	return orders, platform.Next(len(orders) > 0 && page < answer.Pages.Number(), page+1), err
}

// impactGet requests a page of the records that have a date in a period. It returns the number of the page. from and to are the
// names of the parameters for the period.
func (s *session) impactGet(ctx context.Context, path, from, to string, period Range, cursor string, query url.Values, into any) (
	page int, err error,
) {
	page = platform.Place(cursor, 1)
	query.Set(from, period.From.UTC().Format(time.RFC3339))
	query.Set(to, period.End().Add(-time.Second).UTC().Format(time.RFC3339))
	query.Set("PageSize", strconv.Itoa(impactRows))
	query.Set("Page", strconv.Itoa(page))
	return page, s.Do(ctx, rest.Request{
		Method: http.MethodGet, Path: "/Mediapartners/" + url.PathEscape(s.c["account_sid"]) + path,
		Header: map[string]string{"IR-Version": "16"}, Query: query,
	}, into)
}
