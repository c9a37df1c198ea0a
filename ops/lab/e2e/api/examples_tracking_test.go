package api

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"switchyard/api/click"
	"switchyard/api/click/visitor"
	dbclick "switchyard/db/click"
	"switchyard/db/report"
	"switchyard/models/botdata"
)

// german describes visitors like visitor.Describer, but places all of them in Germany, because the test has no geo databases.
type german struct{ *visitor.Describer }

func (d german) Describe(r *http.Request, data *botdata.Set, into *visitor.Description) {
	d.Describer.Describe(r, data, into)
	into.Country = "DE"
}

// What these calls write to their spools never reaches the database, so the figures of the other examples stay the same.
func (x *exampleEnv) visit() {
	h := x.tracker()
	x.follow("GET /{slug}", h, params{"slug": "shoes-de-push", "visitor_id": "9214", "cost": "0.018", "zoneid": "311"})
	page, err := url.Parse(x.located)
	if err != nil {
		x.t.Fatal(err)
	}
	id := page.Query().Get("clickid")
	x.follow("GET /out", h, params{"clickid": id})
	x.follow("GET /out/{slot}", h, params{"slot": "1", "clickid": id})
	x.follow("GET /lp/verify", h, params{"clickid": id, "lander": x.ids["lander"], "ip": "203.0.113.20", "ua": "Mozilla/5.0 (Linux; Android 14)"})
	x.follow("GET /postback", h, params{"clickid": id, "payout": "12.50", "status": "approved", "conversion_id": "A-1003"})
	x.follow("GET /postback/{id}", h, params{
		"id": x.ids["network"], "sub1": id, "payout": "12.50", "status": "approved", "conversion_id": "A-1003", "secret": "k7-Kx2q",
	})
	x.follow("GET /t.js", h, nil)
	x.report(h, id)
	x.follow("GET /t/h/{click}", h, params{"click": id})
	x.follow("GET /pixel.gif", h, params{"clickid": id, "payout": "12.50", "goal": "signup"})
	secret, err := x.Store.Sites().RotateGoalSecret(x.t.Context(), x.Account.ID)
	if err != nil {
		x.t.Fatal(err)
	}
	x.followWith("POST /t/goal", x.tracker(), nil, []object{{
		"click_id": id, "goal": "purchase", "order_id": "A-1004", "value": 89.9, "currency": "EUR",
		"items": []object{{"sku": "SN-42", "name": "Sneakers", "price": 89.9, "quantity": 1}},
	}}, map[string]string{"Authorization": "Bearer " + secret})
}

func (x *exampleEnv) report(h http.Handler, click string) {
	x.t.Helper()
	goals := x.Do(http.MethodGet, "/goals", nil).Want(http.StatusOK, "").Map()
	x.followWith("POST /t/event", h, nil, object{"site": goals["siteKey"], "now": 1773655200000, "events": []object{{
		"id": "1773655199000-0.4491497653298594", "name": "purchase", "at": 1773655199000, "url": "www.acme.example/thanks",
		"click": click, "from": "cookie", "value": 59.9, "currency": "EUR", "order_id": "A-1004",
		"items": []object{{"sku": "S-41", "name": "Sneakers", "price": 59.9, "quantity": 1}},
	}}}, nil)
	x.all["POST /t/event"].Body.(map[string]any)["site"] = x.text("siteKey", "")
}

func (x *exampleEnv) tracker() http.Handler {
	x.t.Helper()
	own := openSpool(x.t)
	d, err := visitor.New(visitor.Options{})
	if err != nil {
		x.t.Fatal(err)
	}
	h, err := click.New(x.t.Context(), click.Deps{
		DB: x.DB, Clicks: dbclick.Log{Conn: x.DB}, Usage: report.Reader{Conn: x.DB}, Spool: own, Postbacks: own,
		Proofs: x.Store, Visitors: german{d}, Timeout: time.Minute,
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return h
}

func (x *exampleEnv) follow(op string, h http.Handler, params map[string]string) {
	x.t.Helper()
	x.followWith(op, h, params, nil, nil)
}

func (x *exampleEnv) followWith(op string, h http.Handler, params map[string]string, body any, headers map[string]string) {
	x.t.Helper()
	method, path, e := x.begin(op, params)
	var sent []byte
	if body != nil {
		sent = mustJSON(x.t, body)
		e.Body = x.json(sent, false)
	}
	req := httptest.NewRequestWithContext(x.t.Context(), method, path, bytes.NewReader(sent))
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	req.Host = "go.acme.example"
	req.Header.Set("User-Agent", "Mozilla/5.0 (Linux; Android 14)")
	req.Header.Set("Accept-Language", "de")
	a := httptest.NewRecorder()
	h.ServeHTTP(a, req)
	if a.Code >= http.StatusBadRequest {
		x.t.Fatalf("%s: %d %s", op, a.Code, a.Body)
	}
	x.located = a.Header().Get("Location")
	e.Status, e.Location = a.Code, x.text("", x.located)
	if strings.HasPrefix(a.Header().Get("Content-Type"), "application/json") {
		e.Answer = x.json(a.Body.Bytes(), true)
	}
	x.all[op] = e
}
