package networks

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// partnerize is the partner API of Partnerize: GET /reporting/report_publisher/publisher/{id}/conversion.json. Days and times
// are requested in UTC. The publisher's value (pubref in a link) is publisher_reference, and clickref is Partnerize's
// own id of the click. Unverified: that the items of one conversion may differ in their status, and that the status of the
// conversion is then "mixed". Such a conversion is pending while any item is pending, and rejected items earn nothing.
var partnerize = adapter{
	base: "https://api.partnerize.com",
	open: func(s *session) { s.basic(s.c["application_key"], s.c["user_api_key"]) },
	page: partnerizePage,
	statuses: map[string]string{
		"pending": models.StatusPending, "approved": models.StatusApproved, "rejected": models.StatusRejected,
	},
	feeds: []feed{{name: "last_updated"}}, feedDays: 31,
}

const partnerizeRows = 300 // conversions on a page

type partnerizeConversion struct {
	ID        text         `json:"conversion_id"`
	At        text         `json:"conversion_time"`
	Currency  text         `json:"currency"`
	Publisher text         `json:"publisher_reference"`
	Value     record       `json:"conversion_value"`
	Items     list[record] `json:"conversion_items"`
}

func partnerizePage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	var answer struct {
		Cursor     text `json:"cursor_id"`
		Hypermedia struct {
			Pagination struct {
				Next text `json:"next_page"`
			} `json:"pagination"`
		} `json:"hypermedia"`
		Conversions list[struct {
			Data partnerizeConversion `json:"conversion_data"`
		}] `json:"conversions"`
	}
	query := url.Values{
		"date_type":  s.feedParam(),
		"start_date": {period.From.UTC().Format(time.RFC3339)}, "end_date": {period.End().Add(-time.Second).UTC().Format(time.RFC3339)},
		"timezone": {"UTC"}, "limit": {strconv.Itoa(partnerizeRows)},
	}
	if name, value, ok := strings.Cut(cursor, "="); ok {
		query.Set(name, value)
	}
	err = s.Get(ctx, "/reporting/report_publisher/publisher/"+url.PathEscape(s.c["publisher_id"])+"/conversion.json", query, &answer)
	for _, row := range answer.Conversions {
		v := row.Data
		o := Order{
			Click: clickOf(v.Publisher), ID: string(v.ID), Word: v.Value.Get("conversion_status"), Payout: v.Value.Get("publisher_commission"),
			Currency: string(v.Currency), Sale: v.Value.Get("value"), At: s.when(v.At),
		}
		if strings.EqualFold(o.Word, "mixed") {
			o.Status, o.Payout, o.Sale = partnerizeMixed(v.Items)
		}
		orders = append(orders, o)
	}
	if len(orders) > 0 && answer.Hypermedia.Pagination.Next != "" {
		if next = partnerizeNext(answer.Cursor, answer.Hypermedia.Pagination.Next); next == "" {
			return nil, "", cmp.Or(err, rest.ErrForm)
		}
	}
	return orders, next, err
}

// partnerizeNext returns the parameter that requests the next page, as name=value. It comes from the answer's cursor, or else
// from the address of the next page. The result may be empty.
func partnerizeNext(cursor, page text) string {
	if cursor != "" {
		return "cursor_id=" + string(cursor)
	}
	address, err := url.Parse(string(page))
	if err != nil {
		return ""
	}
	for _, name := range []string{"cursor_id", "offset"} {
		if value := address.Query().Get(name); value != "" {
			return name + "=" + value
		}
	}
	return ""
}

// partnerizeMixed returns the status of a conversion whose items have different statuses: pending if any item is pending,
// otherwise approved if any is approved. It also returns the sums of the commissions and of the values of the pending and approved
// items.
func partnerizeMixed(items []record) (status, payout, sale string) {
	var earned, sold []text
	for _, item := range items {
		switch strings.ToLower(item.Get("item_status")) {
		case "approved":
			if status == "" {
				status = models.StatusApproved
			}
			earned, sold = append(earned, item["item_publisher_commission"]), append(sold, item["item_value"])
		case "pending":
			status = models.StatusPending
			earned, sold = append(earned, item["item_publisher_commission"]), append(sold, item["item_value"])
		}
	}
	return status, sum(earned), sum(sold)
}
