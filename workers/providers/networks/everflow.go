package networks

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// everflow is the affiliate API of Everflow: developers.everflow.io, POST /v1/affiliates/reporting/conversions. Days and times
// are in UTC, in requests and answers.
var everflow = adapter{
	base: "https://api.eflow.team/v1",
	open: func(s *session) {
		if s.c["region"] == "eu" {
			s.Base = "https://api-eu.eflow.team/v1"
		}
		s.Sign = rest.Header("X-Eflow-API-Key", s.c["api_key"])
	},
	page: everflowPage,
	words: map[string]string{
		"approved": models.StatusApproved, "pending": models.StatusPending, "rejected": models.StatusRejected,
		"invalid": models.StatusRejected,
	},
	burst: 10, interval: time.Second,
}

const (
	everflowRows = 500
	everflowUTC  = 67 // the platform's number for the time zone UTC
)

func everflowPage(ctx context.Context, s *session, of Range, cursor string) (orders []Order, next string, err error) {
	page := max(text(cursor).Number(), 1)
	var answer struct {
		Conversions list[struct {
			ID       text `json:"conversion_id"`
			Unix     text `json:"conversion_unix_timestamp"`
			Sub1     text `json:"sub1"`
			Sub2     text `json:"sub2"`
			Sub3     text `json:"sub3"`
			Sub4     text `json:"sub4"`
			Sub5     text `json:"sub5"`
			Status   text `json:"status"`
			Revenue  text `json:"revenue"`
			Event    text `json:"event"`
			Currency text `json:"currency_id"`
		}] `json:"conversions"`
		Paging struct {
			Page  text `json:"page"`
			Size  text `json:"page_size"`
			Total text `json:"total_count"`
		} `json:"paging"`
	}
	err = s.Do(ctx, rest.Request{
		Method: http.MethodPost, Path: "/affiliates/reporting/conversions", Repeat: true,
		Query: url.Values{"page": {strconv.Itoa(page)}, "page_size": {strconv.Itoa(everflowRows)}},
		Body: map[string]any{
			"timezone_id": everflowUTC, "from": of.From.Format(time.DateTime), "to": of.End().Add(-time.Second).Format(time.DateTime),
			"show_conversions": true, "show_events": true, "query": map[string]any{"filters": []any{}, "search_terms": []any{}},
		},
	}, &answer)
	for _, v := range answer.Conversions {
		goal := string(v.Event)
		if strings.EqualFold(goal, "base") {
			goal = ""
		}
		orders = append(orders, Order{
			Click: clickOf(v.Sub1, v.Sub2, v.Sub3, v.Sub4, v.Sub5), ID: string(v.ID), Goal: goal, Word: string(v.Status),
			Payout: string(v.Revenue), Currency: string(v.Currency), At: s.when(v.Unix),
		})
	}
	size := max(answer.Paging.Size.Number(), 1)
	if len(orders) > 0 && page*size < answer.Paging.Total.Number() {
		next = strconv.Itoa(page + 1)
	}
	return orders, next, err
}
