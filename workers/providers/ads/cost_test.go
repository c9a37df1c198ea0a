package ads_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// answering opens a connection to a test server, which takes the place of the platform.
func answering(t *testing.T, provider string, serve http.HandlerFunc) *ads.Connection {
	t.Helper()
	server := httptest.NewTLSServer(serve)
	t.Cleanup(server.Close)
	c, err := ads.New(ads.Options{DeveloperToken: adstest.DeveloperToken, Options: platform.Options{
		Egress: egresstest.Client(t, server, egress.Options{}), URL: server.URL,
		Now:  func() time.Time { return first.AddDate(0, 0, 3) },
		Wait: func(context.Context, time.Duration) error { return nil },
	}}).Open(ads.Account{
		Provider: provider, Key: "s1", Credentials: adstest.Fakes[provider].Credentials(), Tokens: &adstest.Platforms{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPropellerAmounts: the amount of a row may be in any of the fields that clients of PropellerAds read.
func TestPropellerAmounts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"spent", "money", "spend", "cost"} {
		for _, form := range []string{`{"items": [%s], "total_pages": 1}`, `{"result": [%s], "meta": {}}`, `[%s]`} {
			row := `{"campaign_id": 7, "campaign_name": "Push", "date_time": "2026-11-02", "clicks": 3, "impressions": 90, "` + name + `": 4.5}`
			c := answering(t, "propellerads", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, form, row) })
			got, err := c.Spend(t.Context(), first, last)
			if err != nil || len(got) != 1 || got[0].Amount.String() != "4.5" || got[0].Name != "Push" || got[0].Day != "2026-11-02" {
				t.Errorf("%s in %s: %+v, %v", name, form, got, err)
			}
		}
	}
}

type metaQuestion struct {
	limit, days int
	after       string
}

// graph is a Graph API that asks for less data if allow returns false for a request.
func graph(t *testing.T, asked *[]metaQuestion, allow func(metaQuestion) bool) *ads.Connection {
	t.Helper()
	return answering(t, models.Meta, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if !strings.HasSuffix(r.URL.Path, "/insights") {
			_, _ = io.WriteString(w, `{"currency": "EUR", "timezone_name": "Europe/Berlin"}`)
			return
		}
		var span struct{ Since, Until string }
		if json.Unmarshal([]byte(q.Get("time_range")), &span) != nil {
			t.Errorf("time_range %q", q.Get("time_range"))
		}
		from, _ := time.Parse(time.DateOnly, span.Since)
		to, _ := time.Parse(time.DateOnly, span.Until)
		limit, _ := strconv.Atoi(q.Get("limit"))
		this := metaQuestion{limit: limit, days: int(to.Sub(from)/(24*time.Hour)) + 1, after: q.Get("after")}
		*asked = append(*asked, this)
		if !allow(this) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"error": {"code": 1, "message": "Please reduce the amount of data you're asking for, then retry your request"}}`)
			return
		}
		var rows []string
		next := ""
		for day := from; !day.After(to); day = day.AddDate(0, 0, 1) {
			if after, err := time.Parse("MA"+time.DateOnly, this.after); err == nil && !day.After(after) {
				continue
			}
			rows = append(rows, fmt.Sprintf(`{"campaign_id": "5", "spend": "1.5", "account_currency": "EUR", "date_start": "%[1]s", "date_stop": "%[1]s"}`,
				day.Format(time.DateOnly)))
			if this.after == "" && day.Before(to) {
				next = `, "next": "https://graph.facebook.com/", "cursors": {"after": "MA` + day.Format(time.DateOnly) + `"}`
				break
			}
		}
		_, _ = fmt.Fprintf(w, `{"data": [%s], "paging": {"before": "x"%s}}`, strings.Join(rows, ", "), next)
	})
}

// TestMetaReduces: while the Graph API asks for less data, first the number of rows is halved, down to 62, and then the number of
// days.
func TestMetaReduces(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		allow func(metaQuestion) bool
		least metaQuestion // the smallest question
	}{
		"limit":              {func(q metaQuestion) bool { return q.limit <= 125 }, metaQuestion{limit: 125, days: 7}},
		"range":              {func(q metaQuestion) bool { return q.days <= 2 }, metaQuestion{limit: 62, days: 1}},
		"on the second page": {func(q metaQuestion) bool { return q.after == "" || q.days <= 3 }, metaQuestion{limit: 62, days: 1}},
	} {
		var asked []metaQuestion
		got, err := graph(t, &asked, test.allow).Spend(t.Context(), first, last)
		if err != nil || len(got) != 7 {
			t.Errorf("%s: %d days, %v after %v", name, len(got), err, asked)
		}
		least := asked[0]
		for i, q := range asked {
			least.limit, least.days = min(least.limit, q.limit), min(least.days, q.days)
			if i > 0 && q == asked[i-1] && !test.allow(q) {
				t.Errorf("%s: %+v was asked twice", name, q)
			}
		}
		if least != test.least {
			t.Errorf("%s: the smallest question is %+v, want %+v", name, least, test.least)
		}
	}
	var asked []metaQuestion
	_, err := graph(t, &asked, func(metaQuestion) bool { return false }).Spend(t.Context(), first, last)
	if err == nil || !strings.Contains(err.Error(), "reduce the amount of data") || len(asked) != 6 {
		t.Errorf("the smallest question is refused: %v after %v", err, asked)
	}
}

// TestTikTokSpendCodes: a code means the same for spend as for uploads.
func TestTikTokSpendCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[int][2]bool{ // busy, refused
		40100: {true, false}, 40132: {true, false}, 40001: {false, true}, 40103: {false, true}, 40002: {false, false},
	} {
		c := answering(t, "tiktok", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"code": %d, "message": "words", "request_id": "r", "data": {}}`, code)
		})
		_, err := c.Spend(t.Context(), first, last)
		if got := [2]bool{errors.Is(err, rest.ErrBusy), errors.Is(err, rest.ErrRefused)}; err == nil || got != want {
			t.Errorf("code %d: %v, want %v", code, err, want)
		}
	}
}

// TestMetaMonths: days that Meta no longer has are refused, because they would be stored as days without spend.
func TestMetaMonths(t *testing.T) {
	t.Parallel()
	var asked []metaQuestion
	c := graph(t, &asked, func(metaQuestion) bool { return true })
	now := first.AddDate(0, 0, 3)
	if _, err := c.Spend(t.Context(), now.AddDate(0, -38, 0), now.AddDate(0, -37, 5)); err == nil || !strings.Contains(err.Error(), "37 months") || len(asked) > 0 {
		t.Errorf("%v after %v", err, asked)
	}
	if got, err := c.Spend(t.Context(), now.AddDate(0, -37, 1), now.AddDate(0, -37, 5)); err != nil || len(got) != 5 {
		t.Errorf("%d days, %v", len(got), err)
	}
}

// TestMGIDRange: the range is given in the time zone of the account, even if daylight saving time begins or ends in the range.
func TestMGIDRange(t *testing.T) {
	t.Parallel()
	zone, asked, report := "America/Los_Angeles", "", ""
	c := answering(t, "mgid", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/mgid/v1/clients/") {
			_, _ = fmt.Fprintf(w, `{"id": "555", "timezone": %q, "wallet": {"currency": "USD"}}`, zone)
			return
		}
		asked = r.URL.Query().Get("filters[dateRange][dateFrom]") + " " + r.URL.Query().Get("filters[dateRange][dateTo]")
		if report == "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			report = `{"errors": ["[THERE_NO_DATA_IN_CHOSEN_PERIOD]"]}`
		}
		_, _ = io.WriteString(w, report)
	})
	got, err := c.Spend(t.Context(), first, last)
	if want := "2026-11-01T00:00:00.000-07:00 2026-11-07T23:59:59.999-08:00"; err != nil || len(got) != 0 || asked != want {
		t.Errorf("%v, %v, asked for %s, want %s", got, err, asked, want)
	}
	report = `{"data": [{"day": "2026-11-02", "campaignId": 7, "spent": {"amount": 1.25, "currency": "USD"}, "clicks": 2, "impressions": 9}], "meta": {"total": 1}}`
	if got, err = c.Spend(t.Context(), first, last); err != nil || len(got) != 1 || got[0].Amount.String() != "1.25" || got[0].Currency != "USD" {
		t.Errorf("%+v, %v", got, err)
	}
	zone = "Mars/Olympus"
	if _, err = c.Spend(t.Context(), first, last); err == nil || !strings.Contains(err.Error(), "Mars/Olympus") {
		t.Errorf("an unknown zone: %v", err)
	}
}

// TestRevcontentFailure: an answer with status 200 and success false is an error in the platform's words.
func TestRevcontentFailure(t *testing.T) {
	t.Parallel()
	c := answering(t, "revcontent", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/oauth/token") {
			_, _ = io.WriteString(w, `{"access_token": "canary-token", "expires_in": 86400}`)
			return
		}
		_, _ = io.WriteString(w, `{"success": false, "message": "Invalid date range"}`)
	})
	if _, err := c.Spend(t.Context(), first, last); err == nil || !strings.Contains(err.Error(), "Invalid date range") {
		t.Error(err)
	}
}

// TestSurprises: every fake refuses a request for a report if the request has a parameter or a field that its platform does not
// know.
func TestSurprises(t *testing.T) {
	t.Parallel()
	for _, name := range fakes(t) {
		for _, where := range []string{"query", "body"} {
			t.Run(name+"/"+where, func(t *testing.T) {
				t.Parallel()
				platforms, changed := &adstest.Platforms{}, 0
				c := answering(t, name, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					isObject := strings.HasPrefix(string(body), "{")
					path := r.URL.Path
					switch {
					case strings.HasSuffix(path, "/login"), strings.HasSuffix(path, "token"):
					case where == "query":
						r.URL.RawQuery += "&surprise=1"
						changed++
					case isObject:
						body = []byte(`{"surprise": 1, ` + string(body[1:]))
						changed++
					}
					r.Body = io.NopCloser(strings.NewReader(string(body)))
					platforms.Handler().ServeHTTP(w, r)
				})
				if _, err := c.Spend(t.Context(), first, last); (err == nil) != (changed == 0) {
					t.Errorf("%d requests had an unknown name, and the error is %v; the fake must use unknownParam or unknownKey", changed, err)
				}
			})
		}
	}
}
