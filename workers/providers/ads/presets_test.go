package ads_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"switchyard/models"
)

// presetAnswer is how a platform answers a request of its preset.
type presetAnswer struct {
	path, secret string
	day          func(r *http.Request) (from, to string)
	page         func(q url.Values) int
	list         func(rows []string) string
	rows         []string // of the second day; the other days are empty
	spend        string   // of all rows
	campaign     string   // of the first row
}

var presetAnswers = map[string]presetAnswer{
	"adsterra": {
		path: "/advertiser/stats.json", secret: "X-API-Key",
		day: func(r *http.Request) (from, to string) {
			if r.URL.Query().Get("group_by[]") != "campaign" {
				return "", ""
			}
			return r.URL.Query().Get("start_date"), r.URL.Query().Get("finish_date")
		},
		list: func(rows []string) string {
			return fmt.Sprintf(`{"items": [%s], "itemCount": %d, "dbLastUpdateTime": "2026-11-02 10:00:00", "timezone": "UTC"}`, strings.Join(rows, ","), len(rows))
		},
		rows: []string{
			`{"campaign": 77, "impressions": 100, "conversions": 1, "clicks": 7, "ctr": 7, "cpm": 12.5, "spent": "1.25", "i2c": 0}`,
			`{"campaign": 78, "impressions": 10, "conversions": 0, "clicks": 0, "ctr": 0, "cpm": 0, "spent": 0, "i2c": 0}`,
		},
		spend: "1.25", campaign: "77",
	},
	"clickadu": {
		path: "/v1.0/api/client/statistics/", secret: "Authorization",
		day: func(r *http.Request) (from, to string) {
			if r.URL.Query().Get("groupBy") != "zone" || r.URL.Query().Get("limit") != "100" {
				return "", ""
			}
			return r.URL.Query().Get("dateFrom"), r.URL.Query().Get("dateTill")
		},
		page: func(q url.Values) int { n, _ := strconv.Atoi(q.Get("page")); return n },
		list: func(rows []string) string {
			return `{"result": {"page": 1, "totalPages": 2, "items": [` + strings.Join(rows, ",") + `]}}`
		},
		rows:  repeated(`{"zone": %d, "impressions": 10, "clicks": 1, "conversions": 0, "cpm": 1, "spent": 0.5}`, 150),
		spend: "75",
	},
	"evadav": {
		path: "/api/v2.2/advertiser/stats/date", secret: "X-Api-Key",
		day: func(r *http.Request) (from, to string) {
			body, _ := io.ReadAll(r.Body)
			day, ok := strings.CutPrefix(string(body), `{"day": "`)
			if !ok || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
				return "", ""
			}
			day = strings.TrimSuffix(day, `"}`)
			return day, day
		},
		list: func(rows []string) string {
			if len(rows) == 0 {
				return `{"success": true, "data": {"stat": []}}`
			}
			return `{"success": true, "data": {"stat": {"02.11.2026": ` + rows[0] + `}, "total": {}}}`
		},
		rows: []string{`{"impressions": 1200, "clicks": 30, "ctr": 2.5, "cost": 3.25}`}, spend: "3.25",
	},
	"rollerads": {
		path: "/v2/statistics/adv", secret: "X-ACCESS-TOKEN",
		day: func(r *http.Request) (from, to string) {
			q := r.URL.Query()
			span, ok := strings.CutPrefix(q.Get("filters[ts]"), "bw|")
			from, to, _ = strings.Cut(span, ";")
			from, first := strings.CutSuffix(from, " 00:00:00")
			to, last := strings.CutSuffix(to, " 23:59:59")
			if !ok || !first || !last || q.Get("group") != "campaign" || q.Get("limit") != "100" {
				return "", "?"
			}
			return from, to
		},
		page: func(q url.Values) int { n, _ := strconv.Atoi(q.Get("page")); return n },
		list: func(rows []string) string {
			return `{"response": {"page": {"max": 2}, "rows": [` + strings.Join(rows, ",") + `]}}`
		},
		rows:  repeated(`{"campaign_id": %d, "amt_imoney": "0.125", "cnt_impression": 40, "cnt_click": 3, "cnt_conversion": 1}`, 120),
		spend: "15", campaign: "0",
	},
	"zeropark": {
		path: "/api/stats/campaign/all", secret: "api-token",
		day: func(r *http.Request) (from, to string) {
			if r.URL.Query().Get("interval") != "CUSTOM" || r.URL.Query().Get("limit") != "100" {
				return "", ""
			}
			return r.URL.Query().Get("startDate"), r.URL.Query().Get("endDate")
		},
		page:  func(q url.Values) int { n, _ := strconv.Atoi(q.Get("page")); return n + 1 },
		list:  func(rows []string) string { return `{"summary": {}, "elements": [` + strings.Join(rows, ",") + `]}` },
		rows:  repeated(`{"details": {"id": "c-%d", "name": "A", "state": {"state": "ACTIVE"}}, "stats": {"spent": 0.25, "redirects": 4, "conversions": 0}}`, 200),
		spend: "50", campaign: "c-0",
	},
}

func repeated(row string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(row, i)
	}
	return out
}

// TestPresets: each preset sends the requests that its platform documents, and reads the documented answer.
func TestPresets(t *testing.T) {
	t.Parallel()
	const token, size = "canary-preset-Zq7", 100
	for _, p := range models.CostPresets {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			documented, ok := presetAnswers[p.Name]
			if !ok {
				t.Fatal("the preset has no documented answer here")
			}
			asked := 0
			serve := func(w http.ResponseWriter, r *http.Request) {
				asked++
				if r.Header.Get(documented.secret) != token {
					w.WriteHeader(http.StatusUnauthorized)
					_, _ = io.WriteString(w, `{"message": "Unauthorized `+r.Header.Get(documented.secret)+`"}`)
					return
				}
				second := p.Endpoint.Date(first.AddDate(0, 0, 1))
				from, to := documented.day(r)
				if r.URL.Path != documented.path || from != to || len(from) != len(second) {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, `{"message": "no such report"}`)
					return
				}
				var rows []string
				if from == second {
					rows = documented.rows
				}
				if documented.page != nil {
					begin := min((documented.page(r.URL.Query())-1)*size, len(rows))
					rows = rows[begin:min(begin+size, len(rows))]
				}
				_, _ = io.WriteString(w, documented.list(rows))
			}
			e := p.Endpoint
			at, err := url.Parse(e.URL)
			if err != nil {
				t.Fatal(err)
			}
			_, e.URL, _ = strings.Cut(e.URL, at.Host)
			with := func(token string) map[string]string {
				return map[string]string{"token": token, models.HeaderCredential + documented.secret: e.Headers[documented.secret]}
			}
			got, err := endpoint(t, e, with(token), serve).Spend(t.Context(), first, last)
			sum := 0.0
			for _, r := range got {
				if sum += r.Amount.InexactFloat64(); r.Day != "2026-11-02" || r.Currency != "USD" {
					t.Errorf("%+v", r)
				}
			}
			if err != nil || fmt.Sprint(sum) != documented.spend || len(got) == 0 || got[0].Campaign != documented.campaign || asked < 7 {
				t.Errorf("%v of %d rows, %v after %d requests", sum, len(got), err, asked)
			}
			if _, err := endpoint(t, e, with("wrong-Zq7"), serve).Spend(t.Context(), first, last); err == nil || strings.Contains(err.Error(), "Zq7") {
				t.Errorf("with a wrong token: %v", err)
			}
		})
	}
}

// TestCustomEndpointPages: after the last page, the platform returns the last page again. The repeated page does not count.
func TestCustomEndpointPages(t *testing.T) {
	t.Parallel()
	var pages []string
	c := endpoint(t, models.CostEndpoint{
		URL: "/?p={page}&d={from}", RowsPath: "data.*", DayField: "day", CampaignField: models.MemberKey, PageRows: 2, DateFormat: "YYYYMMDD",
	}, nil, func(w http.ResponseWriter, r *http.Request) {
		pages = append(pages, r.URL.RawQuery)
		_, _ = io.WriteString(w, map[string]string{
			"0": `{"data": {"a": {"day": "2026-11-01", "spend": 1}, "b": {"day": "2026-11-01", "spend": 2}}}`,
		}[r.URL.Query().Get("p")])
		if r.URL.Query().Get("p") != "0" {
			_, _ = io.WriteString(w, `{"data": {"c": {"day": "2026-11-01", "spend": 4}, "d": {"day": "2026-11-01", "spend": 8}}}`)
		}
	})
	got, err := c.Spend(t.Context(), first, last)
	if err != nil || len(got) != 4 || got[3].Campaign != "d" || got[3].Amount.String() != "8" {
		t.Errorf("%+v, %v", got, err)
	}
	if want := []string{"p=0&d=20261101", "p=1&d=20261101", "p=2&d=20261101"}; fmt.Sprint(pages) != fmt.Sprint(want) {
		t.Errorf("asked for %v", pages)
	}
}

// TestCustomEndpointWithoutAmount: a row without the field of the spend is an error.
func TestCustomEndpointWithoutAmount(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`[{"day": "2026-11-01", "cost": 3}]`:                         `it has no field "spend"`,
		`[{"day": "2026-11-01", "spend": null, "cost": 3}]`:          "",
		`[{"day": "2026-11-01", "spend": 1}, {"day": "2026-11-02"}]`: `it has no field "spend"`,
	} {
		c := endpoint(t, models.CostEndpoint{URL: "/"}, nil, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		_, err := c.Spend(t.Context(), first, last)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
