package networks

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/postback"
	"switchyard/workers/providers/rest"
)

// custom is any address that returns orders as JSON or CSV in one answer. Known status words need no entry in the network's
// status_map. An order without a status word is approved.
var custom = adapter{
	customerHost: true,
	open: func(s *session) {
		if s.c["header"] != "" {
			value := strings.ReplaceAll(s.c["header_value"], "{token}", s.c["token"])
			s.HideWords(value)
			s.Sign = rest.Header(s.c["header"], value)
		}
	},
	page: customPage,
}

func customPage(ctx context.Context, s *session, period Range, _ string) (orders []Order, next string, err error) {
	api := s.API
	api.Base = strings.NewReplacer(
		"{from}", period.From.Format(time.DateOnly), "{to}", period.To.Format(time.DateOnly), "{token}", url.QueryEscape(s.c["token"]),
	).Replace(s.c["url"])
	if !strings.HasPrefix(strings.ToLower(api.Base), "https://") {
		return nil, "", errors.New("the address must begin with https://")
	}
	answer, err := api.Send(ctx, rest.Request{Method: http.MethodGet})
	if err != nil {
		return nil, "", err
	}
	err = customRows(answer.Body, s.c["format"], s.c["rows_path"], func(row rest.Field) {
		o := Order{
			Click: clickOf(row(s.c["click_field"])), ID: string(row(s.c["id_field"])), Goal: string(row(s.c["goal_field"])),
			Word: string(row(s.c["status_field"])), Payout: string(row(s.c["payout_field"])),
			Currency: string(row(s.c["currency_field"])), Sale: string(row(s.c["sale_field"])), At: s.when(row(s.c["time_field"])),
		}
		if word, ok := postback.KnownWord(o.Word); ok {
			o.Status = word.Status
		} else if o.Word == "" {
			o.Status = models.StatusApproved
		}
		orders = append(orders, o)
	})
	return orders, "", err
}

func customRows(body []byte, format, path string, each func(rest.Field)) error {
	if format == "csv" {
		return rest.CSVRows(body, each)
	}
	return rest.JSONRows(body, path, "rows_path", func(r rest.Row) { each(r.Field) })
}
