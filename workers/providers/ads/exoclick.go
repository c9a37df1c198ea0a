package ads

import (
	"context"
	"net/http"

	"switchyard/models/csvfile"
	"switchyard/models/timetext"
	"switchyard/workers/egress"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// exoClick is the statistics API, v2. The key is exchanged for a token that is valid for a quarter of an hour. Rows come as CSV,
// with columns in the requested order. Days are UTC days. The API does not name the account's currency. Unverified: whether the
// first line has the names of columns.
var exoClick = adapter{
	base:  "https://api.exoclick.com/v2",
	open:  func(s *session) { s.zone = "UTC" },
	sign:  rest.Bearer,
	fetch: exoClickToken,
	page:  exoClickPage,
}

func exoClickToken(ctx context.Context, s *session) (string, error) {
	return s.login(ctx, rest.Request{Method: http.MethodPost, Path: "/login", Body: map[string]string{"api_token": s.c["api_token"]}}, "token")
}

const exoClickRows = 500

var exoClickColumns = []string{"date", "campaign_id", "clicks", "impressions", "cost"}

func exoClickPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	offset := platform.Place(cursor, 0)
	answer, err := s.sendSigned(ctx, rest.Request{
		Method: http.MethodPost, Path: "/statistics/a/global", Repeat: true, Header: map[string]string{"Accept": "text/csv"},
		Body: map[string]any{
			"timezone": "UTC", "filter": map[string]string{"date_from": period.First(), "date_to": period.Last()},
			"group_by": []string{"date", "campaign_id"}, "order_by": []map[string]string{{"field": "date", "order": "asc"}},
			"output_csv_fields": exoClickColumns, "limit": exoClickRows, "offset": offset,
		},
	})
	if err != nil {
		return nil, "", err
	}
	rows, err = exoClickRead(answer)
	return rows, platform.Next(len(rows) >= exoClickRows, offset+len(rows)), err
}

func exoClickRead(answer egress.Answer) (rows []row, err error) {
	text, _, err := csvfile.Decode(answer.Body)
	if err != nil {
		return nil, rest.ErrForm
	}
	s := csvfile.NewScanner(text, ',')
	for r, ok := s.Next(); ok; r, ok = s.Next() {
		cells := r.Cells
		switch {
		case r.Blank():
			continue
		case r.Fault != "" || len(cells) < len(exoClickColumns):
			return nil, rest.ErrForm
		}
		if _, err := timetext.Day(cells[0]); err != nil && r.Line == 1 { // the names of the columns
			continue
		}
		rows = append(rows, row{
			day: rest.Text(cells[0]), campaign: rest.Text(cells[1]), clicks: rest.Text(cells[2]), impressions: rest.Text(cells[3]),
			amount: rest.Text(cells[4]),
		})
	}
	return rows, nil
}
