package networks

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"switchyard/workers/providers/rest"
)

// impactUpdates is the size of a page of updates. Impact accepts 2,000 to 20,000 and refuses a range that has more than ten pages,
// which are as many orders as an import may have.
const impactUpdates = 5000

// impactPeriod requests a page of the records that have a date in a period. from and to are the names of the parameters for the
// period.
func (s *session) impactPeriod(ctx context.Context, path, from, to string, of Range, size, page int, query url.Values, into any,
) error {
	query.Set(from, of.From.UTC().Format(time.RFC3339))
	query.Set(to, of.End().Add(-time.Second).UTC().Format(time.RFC3339))
	query.Set("PageSize", strconv.Itoa(size))
	query.Set("Page", strconv.Itoa(page))
	return s.Do(ctx, rest.Request{
		Method: http.MethodGet, Path: "/Mediapartners/" + url.PathEscape(s.c["account_sid"]) + path,
		Header: map[string]string{"IR-Version": "16"}, Query: query,
	}, into)
}

// impactLocked reads the actions that lock in a period. An action that locks is approved or was reversed, and its amount is final. Its
// change from pending to approved is no update for Impact's other questions.
func impactLocked(ctx context.Context, s *session, of Range, cursor string) (orders []Order, next string, err error) {
	page := max(text(cursor).Number(), 1)
	var answer struct {
		Pages   text               `json:"@numpages"`
		Actions list[impactAction] `json:"Actions"`
	}
	err = s.impactPeriod(ctx, "/Actions", "LockingDateStart", "LockingDateEnd", of, impactRows, page, url.Values{}, &answer)
	for _, v := range answer.Actions {
		orders = append(orders, v.order(s))
	}
	if len(orders) > 0 && page < answer.Pages.Number() {
		next = strconv.Itoa(page + 1)
	}
	return orders, next, err
}

// impactReversed reads the reversals of a period from the log of updates. An action that is reversed before it locks keeps its locking
// date, so impactLocked finds it only weeks later. An update has no amount, and a reversed action earns nothing.
func impactReversed(ctx context.Context, s *session, of Range, cursor string) (orders []Order, next string, err error) {
	page := max(text(cursor).Number(), 1)
	var answer struct {
		Pages   text `json:"@numpages"`
		Updates list[struct {
			impactAction
			Action text `json:"ActionId"`
		}] `json:"ActionUpdates"`
	}
	err = s.impactPeriod(ctx, "/ActionUpdates", "StartDate", "EndDate", of, impactUpdates, page, url.Values{"State": {"REVERSED"}}, &answer)
	for _, v := range answer.Updates {
		o := v.order(s)
		o.ID, o.Payout, o.StatusOnly = string(v.Action), "", true
		orders = append(orders, o)
	}
	if len(orders) > 0 && page < answer.Pages.Number() {
		next = strconv.Itoa(page + 1)
	}
	return orders, next, err
}
