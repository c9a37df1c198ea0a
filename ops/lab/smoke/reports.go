package smoke

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/ops/client"
)

// tolerance is the allowed difference of a figure. Answers contain rounded ratios.
var tolerance = decimal.New(1, -5)

// compare compares the figures of one answer with the expected figures. The answer may lack figures, except those in the list
// `must`.
func (t *traffic) compare(where string, got map[string]any, want *figures, must []string) {
	values := want.values()
	for _, name := range must {
		if _, has := got[name]; !has {
			t.differ("%s: %s is missing", where, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v, has := got[name]
		if !has {
			continue
		}
		t.compared++
		if text := difference(v, values[name]); text != "" {
			t.differ("%s: %s %s", where, name, text)
		}
	}
}

func difference(got any, want *decimal.Decimal) string {
	if want == nil {
		if got == nil {
			return ""
		}
		return fmt.Sprintf("is %v, expected null", got)
	}
	n, ok := got.(json.Number)
	if !ok || number(n).Sub(*want).Abs().GreaterThan(tolerance) {
		return fmt.Sprintf("is %v, expected %s", got, want)
	}
	return ""
}

func (t *traffic) differ(format string, args ...any) {
	t.differences = append(t.differences, fmt.Sprintf(format, args...))
}

// reportRow is a row of a report: dims and figures side by side.
type reportRow struct {
	dims    map[string]any
	figures map[string]any
}

// UnmarshalJSON keeps numbers exact.
func (r *reportRow) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&r.figures); err != nil {
		return err
	}
	r.dims, _ = r.figures["dims"].(map[string]any)
	return nil
}

// key joins the values of the dimensions. The zero UUID becomes an empty text.
func (r *reportRow) key(dims []string) string {
	var key []string
	for _, d := range dims {
		switch v := r.dims[d].(type) {
		case nil:
			key = append(key, "")
		case string:
			key = append(key, strings.TrimPrefix(v, "00000000-0000-0000-0000-000000000000"))
		default:
			key = append(key, fmt.Sprint(v))
		}
	}
	return strings.Join(key, separator)
}

// everyFigure lists the figures that each row of a report must have.
var everyFigure = slices.Sorted(maps.Keys((&figures{}).values()))

// reportOn compares GET /reports/performance with the sums. keep selects the clicks that pass the filters; nil selects all.
func (t *traffic) reportOn(ctx context.Context, dims []string, filters url.Values, keep func(*click) bool) error {
	query := url.Values{"dimension": {strings.Join(dims, ",")}}
	for name, v := range filters {
		query[name] = v
	}
	var answer struct {
		Dimension  string
		Dimensions []string
		Rows       []reportRow
	}
	if err := t.api.Get(ctx, "/reports/performance?"+query.Encode(), &answer); err != nil {
		return err
	}
	want := t.sums(dims, keep)
	where := "report by " + strings.Join(dims, ", ")
	if len(filters) > 0 {
		where += " where " + filters.Encode()
	}
	seen := map[string]bool{}
	for i := range answer.Rows {
		row := &answer.Rows[i]
		key := row.key(dims)
		label := where + ": " + t.readable(key)
		switch {
		case seen[key]:
			t.differ("%s: the row appears twice", label)
		case want[key] == nil:
			t.differ("%s: a row for which no click was sent: %v", label, row.figures)
		default:
			t.compare(label, row.figures, want[key], everyFigure)
		}
		seen[key] = true
	}
	for key, f := range want {
		if !seen[key] {
			t.differ("%s: %s: the row is missing (%d clicks, %d bots were sent)", where, t.readable(key), f.clicks, f.bots)
		}
	}
	return nil
}

func (t *traffic) readable(key string) string {
	parts := strings.Split(key, separator)
	for i, p := range parts {
		if parts[i] = t.name(p); parts[i] == "" {
			parts[i] = "(none)"
		}
	}
	return strings.Join(parts, separator)
}

// reports compares the reports by every dimension, by some combinations, and with filters.
func (t *traffic) reports(ctx context.Context) error {
	for _, d := range slices.Sorted(maps.Keys(dimensions)) {
		if err := t.reportOn(ctx, []string{d}, nil, nil); err != nil {
			return err
		}
	}
	for _, dims := range [][]string{
		{"campaign_id", "stream_id"},
		{"campaign_id", "country"},
		{"source_id", "device_type", "os"},
		{"date", "hour", "browser"},
		{"campaign_id", "stream_id", "lander_id", "offer_id", "source_id"},
		{"campaign_id", "sub1"},
	} {
		if err := t.reportOn(ctx, dims, nil, nil); err != nil {
			return err
		}
	}
	id := t.campaigns["landers"].id
	only := func(c *click) bool { return c.campaign.id == id }
	mobile := func(c *click) bool { return c.Device == "mobile" && c.Country == "US" }
	narrow := url.Values{"f.device_type": {"mobile"}, "f.country": {"US"}}
	if err := t.reportOn(ctx, []string{"offer_id"}, url.Values{"f.campaign_id": {id}}, only); err != nil {
		return err
	}
	return t.reportOn(ctx, []string{"os"}, narrow, mobile)
}

// overview compares the totals of the account and of each campaign with the sums.
func (t *traffic) overview(ctx context.Context) error {
	total := t.sums(nil, nil)[""]
	var got map[string]any
	if err := t.api.Get(ctx, "/stats/overview", &got); err != nil {
		return err
	}
	t.compare("overview", got, total, []string{
		"clicks", "unique_clicks", "lp_clicks", "bot_clicks", "conversions", "pending", "rejected", "cost", "revenue",
		"profit", "roi", "cr", "lp_ctr", "epc", "cpa",
	})
	by := t.sums([]string{"campaign_id"}, nil)
	for _, c := range t.campaigns {
		want := by[c.id]
		if want == nil {
			want = &figures{}
		}
		var got map[string]any
		if err := t.api.Get(ctx, "/campaigns/"+c.id+"/stats", &got); err != nil {
			return err
		}
		t.compare("stats of campaign "+c.name, got, want, []string{"clicks", "cost", "conversions", "revenue"})
	}
	return nil
}

// waitCounted waits until the account's totals show every click. A timeout is a problem, and the run continues.
func (t *traffic) waitCounted(ctx context.Context) error {
	want := t.sums(nil, nil)[""]
	late, err := poll(ctx, quietTimeout, 300*time.Millisecond, func() (bool, error) {
		var got struct {
			Clicks int `json:"clicks"`
			Bots   int `json:"bot_clicks"`
		}
		err := t.api.Get(ctx, "/stats/overview", &got)
		return got.Clicks == want.clicks && got.Bots == want.bots, err
	})
	if late {
		t.problem("not every click was counted within %s", quietTimeout)
	}
	return err
}

// lists compares the figures in the lists of records with the sums.
func (t *traffic) lists(ctx context.Context) error {
	for path, dim := range map[string]string{
		"/campaigns": "campaign_id", "/offers": "offer_id", "/landers": "lander_id", "/traffic-sources": "source_id",
	} {
		want, known := t.sums([]string{dim}, nil), map[string]bool{}
		rows, err := pagesByCursor(ctx, t.api, path)
		if err != nil {
			return err
		}
		for _, row := range rows {
			id, _ := row["id"].(string)
			known[id] = true
			f := want[id]
			if f == nil {
				f = &figures{}
			}
			t.compare("list "+path+": "+t.name(id), row, f, []string{"clicks", "conversions", "revenue"})
		}
		for id := range want {
			if id != "" && !known[id] {
				t.differ("list %s: %s is missing", path, t.name(id))
			}
		}
	}
	return nil
}

// pagesByCursor reads a whole list in pages of four rows.
func pagesByCursor(ctx context.Context, api *client.API, path string) ([]map[string]any, error) {
	var all []map[string]any
	for cursor := ""; ; {
		var page struct {
			Rows       []map[string]any `json:"rows"`
			NextCursor *string          `json:"next_cursor"`
		}
		if err := api.Get(ctx, path+"?"+url.Values{"limit": {"4"}, "cursor": {cursor}}.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Rows...)
		if page.NextCursor == nil {
			return all, nil
		}
		if cursor = *page.NextCursor; cursor == "" || len(page.Rows) != 4 {
			return nil, fmt.Errorf("GET %s: %d rows with the cursor %q", path, len(page.Rows), cursor)
		}
	}
}
