package smoke

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"
)

// The hosts of the platforms, and the ids, keys and tokens there.
const (
	everflowHost = "api.eflow.team"
	metaHost     = "graph.facebook.com"
	metaSignIn   = "www.facebook.com"

	everflowKey = "smoke-everflow-key"
	metaApp     = "1234509876"
	metaSecret  = "smoke-meta-secret"
	metaToken   = "smoke-meta-long-token"
	metaShort   = "smoke-meta-short-token"
	metaCode    = "smoke-meta-code"
	metaCAPI    = "smoke-meta-capi-token"
	metaPixel   = "778899001122"
	metaAccount = "55501"
	metaPerson  = "Jane of Smoke"
)

// platforms stands for the servers of Everflow and Meta. It answers the service's requests as the platforms' documentation says.
type platforms struct {
	others http.Handler // serves all other hosts

	mu        sync.Mutex
	orders    []order
	spend     []spendRow
	received  []metaEvent // uploaded to Meta
	challenge string
	redirect  string
	refused   []string // requests that were answered with an error
}

// order is a conversion at Everflow.
type order struct {
	id, click, goal, status string
	payout                  decimal.Decimal
	at                      time.Time
}

// spendRow is the spend of a campaign at Meta on a day.
type spendRow struct {
	day, campaign string
	amount        decimal.Decimal
	clicks        int
}

// metaEvent is a conversion that Meta received.
type metaEvent struct {
	Name   string `json:"event_name"`
	Time   int64  `json:"event_time"`
	ID     string `json:"event_id"`
	Source string `json:"action_source"`
	User   struct {
		External []string `json:"external_id"`
		Fbc      string   `json:"fbc"`
		IP       string   `json:"client_ip_address"`
		Agent    string   `json:"client_user_agent"`
	} `json:"user_data"`
	Custom struct {
		Value    json.Number `json:"value"`
		Currency string      `json:"currency"`
		Order    string      `json:"order_id"`
	} `json:"custom_data"`
}

func (p *platforms) set(orders []order, spend []spendRow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.orders, p.spend = slices.Clone(orders), slices.Clone(spend)
}

func (p *platforms) events() []metaEvent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.received)
}

func (p *platforms) faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.refused)
}

// ServeHTTP implements http.Handler.
func (p *platforms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host != everflowHost && r.Host != metaHost && r.Host != metaSignIn {
		p.others.ServeHTTP(w, r)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	status, answer := http.StatusNotFound, any(object{"error": object{"message": "unknown", "code": 100, "error_subcode": 33}})
	switch r.Host {
	case everflowHost:
		status, answer = p.everflow(r)
	case metaSignIn:
		p.dialog(w, r)
		return
	case metaHost:
		_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/") // after the API version
		status, answer = p.meta(r, path)
	}
	if status != http.StatusOK {
		p.refused = append(p.refused, r.Method+" "+r.Host+r.URL.Path)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // the worker may be gone
}

// everflowPageSize is the number of conversions on a page, whatever page size the request asks for.
const everflowPageSize = 5

func (p *platforms) everflow(r *http.Request) (int, any) {
	var ask struct {
		Zone int    `json:"timezone_id"`
		From string `json:"from"`
		To   string `json:"to"`
	}
	if r.Header.Get("X-Eflow-Api-Key") != everflowKey {
		return http.StatusUnauthorized, object{"error": "Invalid API key"}
	}
	const utc = 67
	err := json.NewDecoder(r.Body).Decode(&ask)
	from, wrong := time.Parse(time.DateTime, ask.From)
	to, also := time.Parse(time.DateTime, ask.To)
	report, found := strings.CutPrefix(r.URL.Path, "/v1/affiliates/reporting/")
	if !found || report != "conversions" && report != everflowHeld || err != nil || wrong != nil || also != nil || ask.Zone != utc {
		return http.StatusBadRequest, object{"error": "bad request"}
	}
	all := []object{}
	for _, o := range p.orders {
		if o.at.Before(from) || o.at.After(to.Add(time.Second)) || o.report() != report {
			continue
		}
		event := o.goal
		if event == "" {
			event = "Base"
		}
		row := object{
			"conversion_id": o.id, "transaction_id": "tx-" + o.id, "conversion_unix_timestamp": o.at.Unix(), "sub1": o.click, "sub2": "",
			"revenue": json.Number(o.payout.String()), "event": event, "is_event": o.goal != "", "currency_id": "USD",
		}
		if report == everflowHeld {
			row = object{"on_hold_conversion_id": "hold-" + o.id, "status": o.status, "conversion": row}
			if o.status == "pending" {
				row["status"] = "on_hold"
			}
		}
		all = append(all, row)
	}
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	first := min(max(page-1, 0)*everflowPageSize, len(all))
	return http.StatusOK, object{
		"conversions": all[first:min(first+everflowPageSize, len(all))],
		"paging":      object{"page": page, "page_size": everflowPageSize, "total_count": len(all)},
	}
}

// everflowHeld is the report of the conversions on hold and of conversions rejected while on hold.
const everflowHeld = "onhold"

// report returns the report of Everflow that lists an order. An order that was rejected after its approval is in none.
func (o order) report() string {
	switch o.status {
	case "approved":
		return "conversions"
	case "pending", "rejected":
		return everflowHeld
	}
	return ""
}

// dialog serves the page on which a person grants the app its permissions. The permissions are granted at once.
func (p *platforms) dialog(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != metaApp || q.Get("state") == "" || !strings.HasSuffix(r.URL.Path, "/dialog/oauth") {
		p.refused = append(p.refused, "the sign-in page: "+r.URL.Path)
		http.Error(w, "no such app", http.StatusBadRequest)
		return
	}
	p.challenge, p.redirect = q.Get("code_challenge"), q.Get("redirect_uri")
	back.RawQuery = url.Values{"code": {metaCode}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func metaFault(code int, words string) (int, any) {
	return http.StatusBadRequest, object{"error": object{"message": words, "type": "OAuthException", "code": code, "fbtrace_id": "A1"}}
}

func (p *platforms) meta(r *http.Request, path string) (int, any) {
	q := r.URL.Query()
	if path == "oauth/access_token" {
		return p.token(q)
	}
	want := metaToken
	if path == metaPixel+"/events" {
		want = metaCAPI
	}
	if r.Header.Get("Authorization") != "Bearer "+want {
		return metaFault(190, "Error validating access token")
	}
	account := object{
		"id": "act_" + metaAccount, "account_id": metaAccount, "name": "Smoke", "currency": "USD", "timezone_name": "UTC", "account_status": 1,
	}
	switch path {
	case "me":
		return http.StatusOK, object{"id": "777", "name": metaPerson}
	case "me/adaccounts":
		return http.StatusOK, object{"data": []object{account}, "paging": object{"cursors": object{"before": "MA0", "after": "MA1"}}}
	case "act_" + metaAccount:
		return http.StatusOK, account
	case "act_" + metaAccount + "/insights":
		return p.insights(q)
	case metaPixel + "/events":
		return p.conversions(r)
	}
	return metaFault(100, "Unsupported request")
}

// token exchanges a code for a short-lived token, and a short-lived token for a long-lived one.
func (p *platforms) token(q url.Values) (int, any) {
	sum := sha256.Sum256([]byte(q.Get("code_verifier")))
	switch {
	case q.Get("client_id") != metaApp || q.Get("client_secret") != metaSecret:
		return metaFault(101, "Error validating application")
	case q.Get("grant_type") == "fb_exchange_token" && q.Get("fb_exchange_token") == metaShort:
		return http.StatusOK, object{"access_token": metaToken, "token_type": "bearer", "expires_in": 60 * 24 * 3600}
	case q.Get("code") == metaCode && q.Get("redirect_uri") == p.redirect && base64.RawURLEncoding.EncodeToString(sum[:]) == p.challenge:
		return http.StatusOK, object{"access_token": metaShort, "token_type": "bearer", "expires_in": 3600}
	}
	return metaFault(100, "Invalid verification code")
}

func (p *platforms) insights(q url.Values) (int, any) {
	var span struct{ Since, Until string }
	if json.Unmarshal([]byte(q.Get("time_range")), &span) != nil || q.Get("level") != "campaign" || q.Get("time_increment") != "1" {
		return metaFault(100, "Invalid parameter")
	}
	rows := []object{}
	for _, s := range p.spend {
		if s.day >= span.Since && s.day <= span.Until {
			rows = append(rows, object{
				"campaign_id": s.campaign, "campaign_name": "Campaign " + s.campaign, "spend": s.amount.StringFixed(2),
				"clicks": strconv.Itoa(s.clicks), "impressions": strconv.Itoa(100 * s.clicks), "account_currency": "USD",
				"date_start": s.day, "date_stop": s.day,
			})
		}
	}
	first := 0 // pages of two rows
	if after := strings.TrimPrefix(q.Get("after"), "ROW"); after != "" {
		first, _ = strconv.Atoi(after)
	}
	last := min(first+2, len(rows))
	paging := object{"cursors": object{"before": "ROW" + strconv.Itoa(first), "after": "ROW" + strconv.Itoa(last)}}
	if last < len(rows) {
		paging["next"] = "https://" + metaHost + "/insights?access_token=" + metaToken
	}
	return http.StatusOK, object{"data": rows[min(first, last):last], "paging": paging}
}

func (p *platforms) conversions(r *http.Request) (int, any) {
	var body struct{ Data []metaEvent }
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&body) != nil {
		return metaFault(100, "Invalid parameter")
	}
	p.received = append(p.received, body.Data...)
	return http.StatusOK, object{"events_received": len(body.Data), "messages": []string{}, "fbtrace_id": "A1"}
}
