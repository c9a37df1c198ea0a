package networks

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// cake is the affiliate API of CAKE: GET /affiliates/api/Reports/Conversions. Days and times are in the network's own time zone.
// Prices are in the network's currency, which the API does not name. A conversion without a disposition counts, as its postback
// does: CAKE records it as approved unless the network says otherwise. Unverified: how the API reports a wrong key, and that the
// end of a range is excluded. Orders of other days are left out in any case.
var cake = adapter{
	open: func(s *session) {
		s.Base = host(s.c["domain"], "")
		s.Failed = cakeFailed
		s.Denied = func(f *rest.FailureError) bool {
			return mentions(f, "api key", "api_key", "apikey", "authoriz", "authentic")
		}
	},
	page: cakePage,
	statuses: map[string]string{
		"": models.StatusApproved, "approved": models.StatusApproved, "pending": models.StatusPending, "rejected": models.StatusRejected,
	},
}

const cakeRows = 500

func cakeFailed(body []byte) string {
	var answer struct{ Success, Message text }
	if json.Unmarshal(body, &answer) != nil || answer.Success != "false" {
		return ""
	}
	return cmp.Or(string(answer.Message), "no success, and no reason")
}

func cakePage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	row := platform.Place(cursor, 1)
	var answer struct {
		Rows text         `json:"row_count"`
		Data list[record] `json:"data"`
	}
	err = s.Get(ctx, "/affiliates/api/Reports/Conversions", url.Values{
		"api_key": {s.c["api_key"]}, "affiliate_id": {s.c["affiliate_id"]},
		"start_date": {period.From.Format(time.DateOnly)}, "end_date": {period.End().Format(time.DateOnly)},
		"start_at_row": {strconv.Itoa(row)}, "row_limit": {strconv.Itoa(cakeRows)},
	}, &answer)
	for _, v := range answer.Data {
		o := Order{
			Click: clickIn(v, "subid_1", "subid_2", "subid_3", "subid_4", "subid_5"), ID: v.Get("conversion_id"), Word: v.Get("disposition"),
			Payout: v.Get("price"), At: s.when(v["conversion_date"]),
		}
		if o.At.IsZero() || period.Has(o.At.Time) {
			orders = append(orders, o)
		}
	}
	read := row + len(answer.Data)
	return orders, platform.Next(len(answer.Data) > 0 && read <= answer.Rows.Number(), read), err
}
