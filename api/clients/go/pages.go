package switchyard

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
)

// Filters are values of dimensions by the dimension's name, such as country.
type Filters map[string][]string

// Ptr returns a pointer to a value, for fields that may be left out.
func Ptr[T any](value T) *T { return &value }

func values(params any) url.Values {
	out := url.Values{}
	v := reflect.ValueOf(params)
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("query")
		switch field := v.Field(i).Interface().(type) {
		case Filters:
			for dimension, list := range field {
				out[name+dimension] = list
			}
		case string:
			if field != "" {
				out.Set(name, field)
			}
		default:
			if !v.Field(i).IsZero() {
				out.Set(name, fmt.Sprint(field))
			}
		}
	}
	return out
}

// Rows iterates over the rows of all pages of a list with a cursor, or of a log with an offset. It ends with the first error. If
// the query has no limit, only the first page of a log is read.
func Rows[T any](ctx context.Context, c *Client, path string, query url.Values, options ...Option) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := maps.Clone(query)
		if query == nil {
			query = url.Values{}
		}
		for {
			var raw json.RawMessage
			var page struct {
				Rows       []T             `json:"rows"`
				NextCursor json.RawMessage `json:"next_cursor"`
			}
			err := c.Do(ctx, http.MethodGet, path, query, nil, &raw, options...)
			if err == nil {
				err = json.Unmarshal(raw, &page)
			}
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, row := range page.Rows {
				if !yield(row, nil) {
					return
				}
			}
			if !next(query, page.NextCursor, len(page.Rows)) {
				return
			}
		}
	}
}

// next sets the parameters of the page that follows a page of n rows. A list has a cursor, which is null at its end. A log has no
// cursor and is read by the offset.
func next(query url.Values, cursor json.RawMessage, n int) bool {
	if len(cursor) > 0 {
		var text string
		if err := json.Unmarshal(cursor, &text); err != nil || text == "" {
			return false
		}
		query.Set("cursor", text)
		return true
	}
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || n == 0 || n < limit {
		return false
	}
	offset, _ := strconv.Atoi(query.Get("offset")) // left out: 0
	query.Set("offset", strconv.Itoa(offset+n))
	return true
}
