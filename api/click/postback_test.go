package click

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
)

func (s *tape) postback() *models.Postback {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.records); n > 0 {
		return s.records[n-1].Postback
	}
	return nil
}

func TestPostbackKeepsWhatWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.network().String()
	w.fresh()
	kind := func(k string) []edit { return []edit{header("Content-Type", k)} }
	jsonBody, form, multi := kind("application/json"), kind("application/x-www-form-urlencoded"),
		kind("multipart/form-data; boundary=X")
	object := `{"click_id":"abc","payout":1.50,"x":null,"y":[1]}`
	parts := "--X\r\nContent-Disposition: form-data; name=\"cid\"\r\n\r\nabc\r\n--X--\r\n"
	for name, tt := range map[string]struct {
		method, target, body string
		edits                []edit
		params               map[string]string
		network              bool
	}{
		"query":      {"GET", "/postback?cid=abc&payout=1,5&x=%zz&x=2", "", nil, m2("cid", "abc", "payout", "1,5", "x", "%zz"), false},
		"form":       {"POST", "/postback?cid=abc", "cid=no&status=a+b", form, m2("cid", "abc", "status", "a b"), false},
		"json":       {"POST", "/postback", object, jsonBody, m2("click_id", "abc", "payout", "1.50", "y", "[1]"), false},
		"plain json": {"POST", "/postback", ` {"subid":"abc"}`, nil, m2("subid", "abc"), false},
		"multipart":  {"POST", "/postback", parts, multi, m2("cid", "abc"), false},
		"network":    {"GET", "/postback/" + n + "?myclick=abc", "", nil, m2("myclick", "abc"), true},
		"no click":   {"GET", "/postback?payout=1", "", nil, m2("payout", "1"), false},
		"macro":      {"GET", "/postback?clickid={clickid}", "", nil, m2("clickid", "{clickid}"), false},
		"controls":   {"GET", "/postback?clickid=a%00b%0d%0a&s=%ff", "", nil, m2("clickid", "ab", "s", ""), false},
		"other host": {"GET", "/postback?clickid=abc", "", []edit{host("elsewhere.test")}, m2("clickid", "abc"), false},
	} {
		res := w.send(tt.method, tt.target, tt.body, tt.edits...)
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != 200 || strings.TrimSpace(string(body)) != `{"data":{"result":"accepted"},"error":null}` {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
			continue
		}
		p := w.tape.postback()
		if !maps.Equal(p.Params, tt.params) || p.Source != "postback" || p.IP.String() != "8.8.8.8" {
			t.Errorf("%s: %+v", name, p)
		}
		if tt.network != (p.NetworkID.String() == n) || tt.network != (p.AccountID == w.account) {
			t.Errorf("%s: network %s of %s", name, p.NetworkID, p.AccountID)
		}
	}
}

func m2(pairs ...string) map[string]string {
	r := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		r[pairs[i]] = pairs[i+1]
	}
	return r
}

func TestPostbackRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.network()
	foreign := w.newAccount()
	w.exec(`INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'foreign.test', true)`, uuid.New(), foreign)
	w.fresh()
	for name, tt := range map[string]struct {
		method, target, body string
		edits                []edit
		status               int
		code                 string
	}{
		"nothing":          {"GET", "/postback", "", nil, 400, "click_id_required"},
		"unknown network":  {"GET", "/postback/" + uuid.NewString() + "?clickid=a", "", nil, 404, "not_found"},
		"no network":       {"GET", "/postback/x?clickid=a", "", nil, 404, "not_found"},
		"foreign network":  {"GET", "/postback/" + n.String() + "?clickid=a", "", []edit{host("foreign.test")}, 404, "not_found"},
		"method":           {"PUT", "/postback?clickid=a", "", nil, 405, "method_not_allowed"},
		"body too large":   {"POST", "/postback?clickid=a", strings.Repeat("a=b&", 20000), nil, 413, "too_large"},
		"broken json":      {"POST", "/postback?clickid=a", `{"a"`, nil, 400, "bad_body"},
		"broken multipart": {"POST", "/postback?clickid=a", "x", []edit{header("Content-Type", "multipart/form-data")}, 400, "bad_body"},
	} {
		res := w.send(tt.method, tt.target, tt.body, tt.edits...)
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != tt.status || !strings.Contains(string(body), `"data":null`) || !strings.Contains(string(body), tt.code) {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
	if p := w.tape.postback(); p != nil {
		t.Errorf("kept %+v", p)
	}
	if res := w.send(http.MethodHead, "/postback?clickid=a", ""); res.StatusCode != 200 || w.tape.postback() != nil {
		t.Errorf("HEAD: %d", res.StatusCode)
	}
}

func TestPostbackKeepsSignature(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send("POST", "/postback?clickid=a", "payout=3", header("X-Signature", "ab"))
	if p := w.tape.postback(); p.Signature != "ab" || p.SignedText != "payout=3" {
		t.Errorf("%+v", p)
	}
	w.get("/postback?clickid=a&payout=%33", header("X-Signature", "cd"))
	if p := w.tape.postback(); p.Signature != "cd" || p.SignedText != "clickid=a&payout=%33" {
		t.Errorf("%+v", p)
	}
}

func TestPixel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.fresh()
	res := w.get("/pixel.gif?payout=2")
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 200 || len(body) != 43 || w.tape.postback() != nil {
		t.Errorf("without a click: %d, %d bytes, %+v", res.StatusCode, len(body), w.tape.postback())
	}
	clicked := w.get("/summer-sale")
	w.get("/pixel.gif?payout=2&clickid=other", with(clicked.Cookies()))
	p := w.tape.postback()
	if p == nil || p.Source != "pixel" || p.Params["clickid"] != models.FormatClickID(w.tape.last().ID) || p.Params["payout"] != "2" {
		t.Errorf("%+v", p)
	}
}
