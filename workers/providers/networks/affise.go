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

// affise is Affise's API for affiliates: GET /3.0/stats/conversions. Days and times are requested in UTC. Unverified: that not_found
// is the word for a rejected conversion.
var affise = adapter{
	open: func(s *session) {
		s.Base = host("api-"+s.c["tenant"], ".affise.com")
		s.Sign = rest.Header("API-Key", s.c["api_key"])
		s.Failed = affiseFailed
	},
	page: affisePage,
	statuses: map[string]string{ // the keys are words, and the numbers of the parameter status[] of requests
		"confirmed": models.StatusApproved, "pending": models.StatusPending, "hold": models.StatusPending,
		"declined": models.StatusRejected, "not_found": models.StatusRejected,
		"1": models.StatusApproved, "2": models.StatusPending, "3": models.StatusRejected, "4": models.StatusRejected, "5": models.StatusPending,
	},
}

const affiseRows = 500 // conversions on a page

func affiseFailed(body []byte) string {
	var answer struct {
		Status text `json:"status"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Status == "" || answer.Status == "1" {
		return ""
	}
	return cmp.Or(rest.Complaint(body), "no success, and no reason")
}

func affisePage(ctx context.Context, s *session, period Range, cursor string) (orders []Order, next string, err error) {
	page := platform.Place(cursor, 1)
	var answer struct {
		Conversions list[record] `json:"conversions"`
		Pagination  struct {
			Size  text `json:"per_page"`
			Total text `json:"total_count"`
		} `json:"pagination"`
	}
	err = s.Get(ctx, "/3.0/stats/conversions", url.Values{
		"date_from": {period.From.Format(time.DateOnly)}, "date_to": {period.To.Format(time.DateOnly)}, "timezone": {"UTC"},
		"status[]": {"1", "2", "3", "4", "5"}, "page": {strconv.Itoa(page)}, "limit": {strconv.Itoa(affiseRows)},
	}, &answer)
	for _, v := range answer.Conversions {
		goal := v.Get("goal_value")
		if goal == "1" || goal == "0" { // the plain conversion
			goal = ""
		}
		orders = append(orders, Order{
			Click: clickIn(v, "sub1", "sub2", "sub3", "sub4", "sub5", "sub6", "sub7", "sub8", "clickid"),
			ID:    v.Get("id", "action_id"), Goal: goal, Word: v.Get("status"),
			Payout: v.Get("payouts"), Currency: v.Get("currency"), At: s.when(v["created_at"]),
		})
	}
	more := len(orders) > 0 && page*max(answer.Pagination.Size.Number(), 1) < answer.Pagination.Total.Number()
	return orders, platform.Next(more, page+1), err
}
