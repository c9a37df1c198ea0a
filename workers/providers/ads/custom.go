package ads

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// custom is any address that returns spend as JSON in one answer. Rows of one day and campaign are added up.
var custom = adapter{
	own:  true,
	adds: true,
	open: func(s *session) {
		s.Sign = func(r *http.Request, _ []byte) {
			for name := range s.endpoint.Headers {
				r.Header.Set(name, s.filled(s.c[models.HeaderCredential+name], Range{}))
			}
		}
	},
	page: customPage,
}

// filled puts the days and the token into a text of the endpoint.
func (s *session) filled(text string, of Range) string {
	return strings.NewReplacer("{from}", of.First(), "{to}", of.Last(), "{token}", s.c["token"]).Replace(text)
}

func customPage(ctx context.Context, s *session, of Range, _ string) (rows []row, next string, err error) {
	e := s.endpoint
	if e.URL == "" {
		return nil, "", models.Invalid("no_url", "the custom endpoint has no cost_endpoint.url")
	}
	api := s.API
	api.Base = strings.NewReplacer("{from}", of.First(), "{to}", of.Last(), "{token}", url.QueryEscape(s.c["token"])).Replace(e.URL)
	r := rest.Request{Method: cmp.Or(e.Method, http.MethodGet), Repeat: true}
	if r.Method == http.MethodPost && !empty(e.Body) {
		r.Body, r.Kind = s.body(of)
	}
	answer, err := api.Send(ctx, r)
	if err != nil {
		return nil, "", err
	}
	divisor := decimal.Zero
	if e.SpendDivisor != nil {
		divisor = e.SpendDivisor.Decimal
	}
	err = rest.JSONRows(answer.Body, e.RowsPath, "rowsPath", func(field rest.Field) {
		rows = append(rows, row{
			day: field(cmp.Or(e.DayField, "day")), campaign: field(e.CampaignField), amount: field(cmp.Or(e.SpendField, "spend")),
			clicks: field(e.ClicksField), impressions: field(e.ImpressionsField), currency: rest.Text(e.Currency), divisor: divisor,
		})
	})
	return rows, "", err
}

func empty(body json.RawMessage) bool { return len(body) == 0 || bytes.Equal(body, []byte("null")) }

// body returns the body of a POST and its content type. A text is sent unchanged, anything else as JSON.
func (s *session) body(of Range) (body []byte, kind string) {
	var text string
	if json.Unmarshal(s.endpoint.Body, &text) != nil {
		token, err := json.Marshal(s.c["token"])
		if err != nil {
			return nil, ""
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(string(token), `"`), `"`)
		return []byte(strings.NewReplacer("{from}", of.First(), "{to}", of.Last(), "{token}", inner).Replace(string(s.endpoint.Body))), "application/json"
	}
	kind = "text/plain"
	if strings.HasPrefix(strings.TrimSpace(text), "{") || strings.HasPrefix(strings.TrimSpace(text), "[") {
		kind = "application/json"
	} else if strings.Contains(text, "=") {
		kind = "application/x-www-form-urlencoded"
	}
	return []byte(s.filled(text, of)), kind
}
