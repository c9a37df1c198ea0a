package networks

import (
	"context"
	"net/url"
	"strconv"

	"switchyard/models"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// admitad is the publisher API of Admitad: GET /statistics/actions/, with a token that the client gets for its id and
// secret. Unverified: the time zone of days and times, which is therefore a setting; the status approved_but_stalled, which
// is read as pending; and the form of errors.
var admitad = adapter{
	base: "https://api.admitad.com",
	open: func(s *session) {
		s.exchange("/token/", s.c["client_id"], s.c["client_secret"], url.Values{
			"grant_type": {"client_credentials"}, "client_id": {s.c["client_id"]}, "scope": {"statistics"},
		})
	},
	page: admitadPage,
	statuses: map[string]string{
		"pending": models.StatusPending, "approved": models.StatusApproved, "approved_but_stalled": models.StatusPending,
		"declined": models.StatusRejected,
	},
	feeds: []feed{{name: "status_updated"}}, feedDays: 31,
}

const admitadRows = 500

func admitadPage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	offset := platform.Place(cursor, 0)
	var answer struct {
		Meta struct {
			Count text `json:"count"`
		} `json:"_meta"`
		Results list[record] `json:"results"`
	}
	query := url.Values{"limit": {strconv.Itoa(admitadRows)}, "offset": {strconv.Itoa(offset)}}
	s.admitadPeriod(query, period)
	err = s.authorized(ctx, rest.Request{Path: "/statistics/actions/", Query: query}, &answer)
	for _, v := range answer.Results {
		orders = append(orders, Order{
			Click: clickIn(v, "subid", "subid1", "subid2", "subid3", "subid4"), ID: v.Get("action_id", "id"), Word: v.Get("status"),
			Payout: v.Get("payment"), Currency: v.Get("currency"), Sale: v.Get("cart"), At: s.when(v["action_date"]),
		})
	}
	read := offset + len(orders)
	return orders, platform.Next(len(orders) > 0 && read < answer.Meta.Count.Number(), read), err
}

// admitadPeriod sets the days of the orders, or for a feed the times at which the statuses changed.
func (s *session) admitadPeriod(query url.Values, period Range) {
	from, to, form := "date_start", "date_end", "02.01.2006"
	last := period.To
	if s.feed != "" {
		from, to, form = s.feed+"_start", s.feed+"_end", "02.01.2006 15:04:05"
		last = period.End()
	}
	query.Set(from, period.From.In(s.zone).Format(form))
	query.Set(to, last.In(s.zone).Format(form))
}
