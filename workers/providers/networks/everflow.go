package networks

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// everflow is the affiliate API of Everflow: developers.everflow.io, POST /v1/affiliates/reporting/conversions. Days and times
// are in UTC, in requests and answers. The report lists approved conversions, without a status. Conversions that wait for the end of
// their holding period, or were rejected before its end, are in another report, POST /v1/affiliates/reporting/onhold. A conversion
// that is rejected after its approval is in neither report. Unverified: that a conversion keeps its id when it is no longer on hold.
var everflow = adapter{
	base: "https://api.eflow.team/v1",
	open: func(s *session) {
		if s.c["region"] == "eu" {
			s.Base = "https://api-eu.eflow.team/v1"
		}
		s.Sign = rest.Header("X-Eflow-API-Key", s.c["api_key"])
	},
	page: everflowPage,
	statuses: map[string]string{
		"": models.StatusApproved, "approved": models.StatusApproved, "pending": models.StatusPending, "on_hold": models.StatusPending,
		"rejected": models.StatusRejected, "invalid": models.StatusRejected,
	},
	vanishes: true,
	burst:    10, interval: time.Second,
}

const (
	everflowRows = 500
	everflowUTC  = 67  // the platform's number for the time zone UTC
	everflowDays = 365 // the number of days that the reports reach back
)

// everflowOrder returns the order of a conversion. An event is a goal. The conversion of an offer has no goal. If a report has no
// is_event, the event_name of such a conversion is empty or "base". Only conversions on hold have an event_name. In reports for
// affiliates, the conversion itself has no status.
func everflowOrder(s *session, v record) Order {
	event, goal := v.Get("event", "event_name"), ""
	name, isEvent := v.Get("event_name"), v.Get("is_event")
	if isEvent == "true" || isEvent == "" && name != "" && !strings.EqualFold(name, "base") {
		goal = event
	}
	return Order{
		Click: clickIn(v, "sub1", "sub2", "sub3", "sub4", "sub5"), ID: v.Get("conversion_id"), Goal: goal, Ref: v.Get("transaction_id"),
		GoalRef: event, Word: v.Get("status"), Payout: v.Get("revenue"), Currency: v.Get("currency_id"),
		Sale: v.Get("sale_amount"), At: s.when(v["conversion_unix_timestamp"]),
	}
}

type everflowPaging struct {
	Page  text `json:"page"`
	Size  text `json:"page_size"`
	Total text `json:"total_count"`
}

// next returns the number of the next page, or "" after the last one. rows is the number of rows of the page.
func (p everflowPaging) next(page, rows int) string {
	return platform.Next(rows > 0 && page*max(p.Size.Number(), 1) < p.Total.Number(), page+1)
}

// onHold is the prefix of the cursors for the report of conversions on hold, which is read after the other report.
const onHold = "onhold "

func everflowPage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	if first := s.day(s.Now()).AddDate(0, 0, -everflowDays); period.From.Before(first) {
		return nil, "", models.Invalid("bad_range", "Everflow reports the last %d days: the range may begin on %s at the earliest",
			everflowDays, first.Format(time.DateOnly))
	}
	if page, held := strings.CutPrefix(cursor, onHold); held {
		return everflowHeld(ctx, s, period, page)
	}
	page := platform.Place(cursor, 1)
	var answer struct {
		Conversions list[record]   `json:"conversions"`
		Paging      everflowPaging `json:"paging"`
	}
	err = s.everflow(ctx, "conversions", period, page, nil, &answer)
	for _, v := range answer.Conversions {
		orders = append(orders, everflowOrder(s, v))
	}
	return orders, cmp.Or(answer.Paging.next(page, len(orders)), onHold), err
}

// everflowHeld reads a page of the report of conversions on hold. It skips approved conversions, because the other report has them.
func everflowHeld(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	page := platform.Place(cursor, 1)
	var answer struct {
		Conversions list[struct {
			ID         text   `json:"on_hold_conversion_id"`
			Status     text   `json:"status"`
			Conversion record `json:"conversion"`
		}] `json:"conversions"`
		Paging everflowPaging `json:"paging"`
	}
	err = s.everflow(ctx, "onhold", period, page, map[string]any{"on_hold_status_filter": ""}, &answer)
	for _, v := range answer.Conversions {
		if v.Status == "approved" {
			continue
		}
		o := everflowOrder(s, v.Conversion)
		o.ID, o.Word = cmp.Or(o.ID, string(v.ID)), string(v.Status)
		orders = append(orders, o)
	}
	if next = answer.Paging.next(page, len(answer.Conversions)); next != "" {
		next = onHold + next
	}
	return orders, next, err
}

// everflow asks for a page of a report. It adds the members in `more` to the request.
func (s *session) everflow(ctx context.Context, report string, period Range, page int, more map[string]any, into any) error {
	body := map[string]any{
		"timezone_id": everflowUTC, "from": period.From.Format(time.DateTime), "to": period.End().Add(-time.Second).Format(time.DateTime),
		"show_conversions": true, "show_events": true, "query": map[string]any{"filters": []any{}},
	}
	maps.Copy(body, more)
	return s.Do(ctx, rest.Request{
		Method: http.MethodPost, Path: "/affiliates/reporting/" + report, Repeat: true,
		Query: url.Values{"page": {strconv.Itoa(page)}, "page_size": {strconv.Itoa(everflowRows)}}, Body: body,
	}, into)
}
