package ads

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"strconv"
	"time"

	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// exoClick is the statistics API, v2. The key is exchanged for a token that is valid for a quarter of an hour. Rows come as
// CSV, with columns in the requested order. Days are UTC days, because UTC is requested. The API does not name the account's
// currency. Unverified: whether the first line has the names of columns.
var exoClick = adapter{
	base:  "https://api.exoclick.com/v2",
	open:  func(s *session) { s.zone = "UTC" },
	sign:  rest.Bearer,
	fetch: exoClickToken,
	page:  exoClickPage,
}

func exoClickToken(ctx context.Context, s *session) (string, error) {
	var answer struct {
		Token rest.Text `json:"token"`
	}
	err := s.login(ctx, rest.Request{Method: http.MethodPost, Path: "/login", Body: map[string]string{"api_token": s.c["api_token"]}}, &answer)
	return string(answer.Token), err
}

// exoClickRows is the number of rows on a page.
const exoClickRows = 500

var exoClickColumns = []string{"date", "campaign_id", "clicks", "impressions", "cost"}

func exoClickPage(ctx context.Context, s *session, of Range, cursor string) (rows []row, next string, err error) {
	offset := rest.Text(cursor).Number()
	answer, err := s.sendSigned(ctx, rest.Request{
		Method: http.MethodPost, Path: "/statistics/a/global", Repeat: true, Header: map[string]string{"Accept": "text/csv"},
		Body: map[string]any{
			"timezone": "UTC", "filter": map[string]string{"date_from": of.First(), "date_to": of.Last()},
			"group_by": []string{"date", "campaign_id"}, "order_by": []map[string]string{{"field": "date", "order": "asc"}},
			"output_csv_fields": exoClickColumns, "limit": exoClickRows, "offset": offset,
		},
	})
	if err != nil {
		return nil, "", err
	}
	if rows, err = exoClickRead(answer); err == nil && len(rows) >= exoClickRows {
		next = strconv.Itoa(offset + len(rows))
	}
	return rows, next, err
}

func exoClickRead(answer egress.Answer) (rows []row, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(answer.Body, []byte("\ufeff"))))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	lines, err := r.ReadAll()
	if err != nil {
		return nil, rest.ErrForm
	}
	for i, cells := range lines {
		if len(cells) < len(exoClickColumns) {
			return nil, rest.ErrForm
		}
		if _, err := time.Parse(time.DateOnly, cells[0]); err != nil && i == 0 { // the names of the columns
			continue
		}
		rows = append(rows, row{
			day: rest.Text(cells[0]), campaign: rest.Text(cells[1]), clicks: rest.Text(cells[2]), impressions: rest.Text(cells[3]),
			amount: rest.Text(cells[4]),
		})
	}
	return rows, nil
}
