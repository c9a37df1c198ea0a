package networks

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/postback"
	"switchyard/workers/providers/rest"
)

// custom is any address that answers orders, as JSON or CSV, in one piece. A word for a status that we know by itself needs
// no entry in the network's status_map.
var custom = platform{
	own: true,
	open: func(s *session) {
		if s.c["header"] != "" {
			s.Sign = rest.Header(s.c["header"], s.c["header_value"])
		}
	},
	page: customPage,
}

func customPage(ctx context.Context, s *session, of Range, _ string) (orders []Order, next string, err error) {
	address := strings.NewReplacer("{from}", of.From.Format(time.DateOnly), "{to}", of.To.Format(time.DateOnly)).Replace(s.c["url"])
	api := s.API
	api.Base = address
	answer, err := api.Send(ctx, rest.Request{Method: http.MethodGet})
	if err != nil {
		return nil, "", err
	}
	rows, err := customRows(answer.Body, s.c["format"], s.c["rows_path"])
	for _, row := range rows {
		o := Order{
			Click: clickOf(row(s.c["click_field"])), ID: string(row(s.c["id_field"])), Goal: string(row(s.c["goal_field"])),
			Word: string(row(s.c["status_field"])), Payout: string(row(s.c["payout_field"])),
			Currency: string(row(s.c["currency_field"])), At: s.when(row(s.c["time_field"])),
		}
		if o.Status = postback.KnownStatus(o.Word); o.Word == "" {
			o.Status = models.StatusApproved
		}
		orders = append(orders, o)
	}
	return orders, "", err
}

// field gives a field of a row by its path; empty if there is none.
type field func(path string) text

func customRows(body []byte, format, path string) ([]field, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if format == "csv" {
		return csvRows(body)
	}
	var answer any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&answer) != nil {
		return nil, rest.ErrForm
	}
	found, ok := at(answer, path).([]any)
	if !ok {
		return nil, errors.New("the answer has no list at rows_path")
	}
	rows := make([]field, len(found))
	for i, row := range found {
		rows[i] = func(path string) text {
			if path == "" {
				return ""
			}
			return scalar(at(row, path))
		}
	}
	return rows, nil
}

// at follows a path of members, which dots part; empty: the value itself.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		if path == "" {
			break
		}
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func scalar(v any) text {
	switch v := v.(type) {
	case string:
		return text(v)
	case json.Number:
		return text(v)
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return ""
}

func csvRows(body []byte) (rows []field, err error) {
	r := csv.NewReader(bytes.NewReader(body))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, false
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	columns := map[string]int{}
	for i, name := range head {
		columns[strings.TrimSpace(name)] = i
	}
	for err == nil {
		var cells []string
		if cells, err = r.Read(); err == nil {
			rows = append(rows, func(name string) text {
				if i, ok := columns[name]; ok && i < len(cells) {
					return text(cells[i])
				}
				return ""
			})
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, rest.ErrForm
	}
	return rows, nil
}
