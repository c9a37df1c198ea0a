package networks

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// impact is the partner API of Impact, version 16: GET /Mediapartners/{AccountSID}/Actions. Days are in UTC, times include
// their zone, and numbers are texts. A reversed action keeps its id. Without its header IR-Version, a request is answered in the
// version that the account has set.
var impact = adapter{
	base: "https://api.impact.com",
	open: func(s *session) { s.basic(s.c["account_sid"], s.c["auth_token"]) },
	page: impactPage,
	days: 45,
	words: map[string]string{
		"pending": models.StatusPending, "approved": models.StatusApproved, "reversed": models.StatusRejected,
	},
	burst: 50, interval: time.Hour / 950, // Impact allows 1000 in an hour
	feeds: []feed{{name: "ActionUpdates", page: impactReversed}, {name: "LockingDate", page: impactLocked}}, feedDays: 45,
}

// impactRows is the size of a page. Impact accepts 2,000 to 20,000 and refuses a range that has more than ten pages, which are as many
// actions as an import may have.
const impactRows = 5000

type impactAction struct {
	ID       text `json:"Id"`
	State    text `json:"State"`
	Payout   text `json:"Payout"`
	Amount   text `json:"Amount"`
	Currency text `json:"Currency"`
	At       text `json:"EventDate"`
	SubID1   text `json:"SubId1"`
	SubID2   text `json:"SubId2"`
	SubID3   text `json:"SubId3"`
	SharedID text `json:"SharedId"`
}

func (v impactAction) order(s *session) Order {
	return Order{
		Click: clickOf(v.SubID1, v.SubID2, v.SubID3, v.SharedID), ID: string(v.ID), Word: string(v.State), Payout: string(v.Payout),
		Currency: string(v.Currency), Sale: string(v.Amount), At: s.when(v.At),
	}
}

func impactPage(ctx context.Context, s *session, of Range, cursor string) (orders []Order, next string, err error) {
	page := max(text(cursor).Number(), 1)
	var answer struct {
		Pages   text               `json:"@numpages"`
		Actions list[impactAction] `json:"Actions"`
	}
	err = s.Do(ctx, rest.Request{
		Method: http.MethodGet, Path: "/Mediapartners/" + url.PathEscape(s.c["account_sid"]) + "/Actions",
		Header: map[string]string{"IR-Version": "16"},
		Query: url.Values{
			"ActionDateStart": {of.From.UTC().Format(time.RFC3339)}, "ActionDateEnd": {of.End().Add(-time.Second).UTC().Format(time.RFC3339)},
			"PageSize": {strconv.Itoa(impactRows)}, "Page": {strconv.Itoa(page)},
		},
	}, &answer)
	for _, v := range answer.Actions {
		orders = append(orders, v.order(s))
	}
	if len(orders) > 0 && page < answer.Pages.Number() {
		next = strconv.Itoa(page + 1)
	}
	return orders, next, err
}
