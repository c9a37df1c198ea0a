package ads

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// custom is any address that returns spend as JSON. Rows of one day and campaign are added up.
var custom = adapter{
	customerHost: true,
	adds:         true,
	open: func(s *session) {
		if s.endpoint.OneDay {
			s.days = 1
		}
		s.Sign = func(r *http.Request, _ []byte) {
			for name := range s.endpoint.Headers {
				r.Header.Set(name, s.replacer(Range{}, 0).Replace(s.c[models.HeaderCredential+name]))
			}
		}
	},
	page: customPage,
}

// replacer returns a replacer that puts the days, the page and the token into a text of the endpoint.
func (s *session) replacer(period Range, page int) *strings.Replacer {
	return s.replacerWithToken(period, page, s.c["token"])
}

// replacerWithToken is replacer for a text in which the token must be escaped.
func (s *session) replacerWithToken(period Range, page int, token string) *strings.Replacer {
	from, to := s.endpoint.Date(period.From), s.endpoint.Date(period.To)
	return strings.NewReplacer("{from}", from, "{to}", to, "{page}", strconv.Itoa(page), "{token}", token)
}

func customPage(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error) {
	e := s.endpoint
	if e.URL == "" {
		return nil, "", models.Invalid("no_url", "the custom endpoint has no cost_endpoint.url")
	}
	page := e.FirstPage
	if cursor != "" {
		page = rest.Text(cursor).Number()
	}
	api := s.API
	api.Base = s.replacerWithToken(period, page, url.QueryEscape(s.c["token"])).Replace(e.URL)
	r := rest.Request{Method: cmp.Or(e.Method, http.MethodGet), Repeat: true}
	if r.Method == http.MethodPost && !empty(e.Body) {
		r.Body, r.Kind = s.body(period, page)
	}
	answer, err := api.Send(ctx, r)
	if err != nil {
		return nil, "", err
	}
	// Some platforms send the last page again when a later page is requested. Its rows must not count twice.
	if cursor != "" && bytes.Equal(answer.Body, s.lastPage) {
		return nil, "", nil
	}
	s.lastPage = answer.Body
	if rows, err = customRows(e, answer.Body); err == nil && e.PageRows > 0 && len(rows) >= e.PageRows {
		next = strconv.Itoa(page + 1)
	}
	return rows, next, err
}

func customRows(e models.CostEndpoint, body []byte) (rows []row, err error) {
	divisor := decimal.Zero
	if e.SpendDivisor != nil {
		divisor = e.SpendDivisor.Decimal
	}
	spend := cmp.Or(e.SpendField, "spend")
	err = rest.JSONRows(body, e.RowsPath, "rowsPath", func(r rest.Row) {
		field := func(path string) rest.Text {
			if path == models.MemberKey {
				return rest.Text(r.Key)
			}
			return r.Field(path)
		}
		item := row{
			day: field(cmp.Or(e.DayField, "day")), campaign: field(e.CampaignField), amount: field(spend),
			clicks: field(e.ClicksField), impressions: field(e.ImpressionsField), currency: rest.Text(e.Currency), divisor: divisor,
		}
		if !r.Has(spend) {
			item.missing = spend
		}
		rows = append(rows, item)
	})
	return rows, err
}

func empty(body json.RawMessage) bool { return len(body) == 0 || bytes.Equal(body, []byte("null")) }

// body returns the body of a POST and its content type. If the endpoint's body is a JSON string, its text is sent. Any other body
// is sent as JSON.
func (s *session) body(period Range, page int) (body []byte, contentType string) {
	var text string
	if json.Unmarshal(s.endpoint.Body, &text) != nil {
		token, err := json.Marshal(s.c["token"])
		if err != nil {
			return nil, ""
		}
		escaped := strings.TrimSuffix(strings.TrimPrefix(string(token), `"`), `"`)
		return []byte(s.replacerWithToken(period, page, escaped).Replace(string(s.endpoint.Body))), "application/json"
	}
	contentType = "text/plain"
	if strings.HasPrefix(strings.TrimSpace(text), "{") || strings.HasPrefix(strings.TrimSpace(text), "[") {
		contentType = "application/json"
	} else if strings.Contains(text, "=") {
		contentType = "application/x-www-form-urlencoded"
	}
	return []byte(s.replacer(period, page).Replace(text)), contentType
}
