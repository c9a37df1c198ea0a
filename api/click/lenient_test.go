package click

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/money"
	"switchyard/models/postback"
	"switchyard/models/token"
)

func fillerParams(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d=value%d&", i, i)
	}
	return b.String()
}

// TestLinksAreReadLeniently sends links that people and programs have copied, cut or escaped wrongly.
func TestLinksAreReadLeniently(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", m{"cost_model": "auto"}, path("redirect", nil, m{"url": "https://a.test/?s={sub1}&p={param.q}", "weight": 1}))
	w.reload()
	long := strings.Repeat("ä", 300)
	// cost is the amount, followed by XXX if its currency is unknown.
	type fields struct{ sub1, sub2, keyword, external, cost string }
	for query, want := range map[string]fields{
		"sub1=a&sub2=b&keyword=k&vid=v&bid=0.5":                      {"a", "b", "k", "v", "0.5"},
		"sub1=Save+50%+today&keyword=100%+cotton":                    {"Save 50% today", "", "100% cotton", "", "0"},
		"sub1=a%2&sub2=%zz":                                          {"a%2", "%zz", "", "", "0"},
		"sub1=a&amp;sub2=b&amp;keyword=kw&amp;bid=0.5":               {"a", "b", "kw", "", "0.5"},
		"sub1=a&amp;amp;sub2=b&#038;keyword=kw":                      {"a", "b", "kw", "", "0"},
		fillerParams(64) + "sub1=a&vid=v":                            {"a", "", "", "v", "0"},
		fillerParams(1200) + "sub1=a&sub2=b&keyword=k&vid=v&bid=0.5": {"a", "b", "k", "v", "0.5"},
		"sub1=" + url.QueryEscape(long):                              {strings.Repeat("ä", 256), "", "", "", "0"},
		"sub1=x" + url.QueryEscape(long) + "&sub2=b":                 {"x" + strings.Repeat("ä", 255), "b", "", "", "0"},
		"vid=" + strings.Repeat("v", 512):                            {"", "", "", strings.Repeat("v", 512), "0"},
		"vid=" + strings.Repeat("v", 513):                            {"", "", "", "", "0"},
		"vid=" + strings.Repeat("v", 9000) + "&external_id=e":        {"", "", "", "e", "0"},
		"sub1=&sub1={zone}&sub1=a&sub1=b":                            {"a", "", "", "", "0"},
		"bid={bid}&bid=0.25&vid=##ID##&VID=v":                        {"", "", "", "v", "0.25"},
		"keyword=%EF%F0%E8%E2%E5%F2&sub1=%CB%AB%C9%AB":               {"", "", "привет", "", "0"},
		"keyword=%CB%AB%C9%AB%C7%F2&ie=gb2312":                       {"", "", "双色球", "", "0"},
		"keyword=%FF%FE%FD&sub1=a":                                   {"a", "", "", "", "0"},
		"sub1=%D0%BF%D1%80%D0":                                       {"пр", "", "", "", "0"},
		"sub1=a%00b&bid=%A30.50":                                     {"ab", "", "", "", "0 XXX"},
		"bid=%A30.50&bid=0.25":                                       {"", "", "", "", "0.25"},
		"sub1=%EF%BB%BFa%E2%80%8B&sub2=%E2%80%8E+b%C2%AD&vid=%7Bclick%7D&vid=%257Bclick%257D&external_id=%E2%80%8Be": {"a", "b", "", "e", "0"},
		"bid=0%0050": {"", "", "", "", "0 XXX"},
		"bid=0.5" + strings.Repeat("+", 600) + "K": {"", "", "", "", "0 XXX"},
	} {
		res := w.get("/summer-sale?" + query)
		if res.StatusCode != http.StatusFound {
			t.Fatalf("a click with the parameters %.80s gets the status %d, want 302", query, res.StatusCode)
		}
		c := w.spool.last()
		cost := c.Cost.String()
		if c.Currency == money.Unknown {
			cost += " " + c.Currency
		}
		if got := (fields{c.Subs[0], c.Subs[1], c.Keyword, c.ExternalID, cost}); got != want {
			t.Errorf("%.80s: %+v, want %+v", query, got, want)
		}
		if want := "https://a.test/?s=" + string(token.AppendEscaped(nil, c.Subs[0])) + "&p="; res.Header.Get("Location") != want {
			t.Errorf("%.80s: sent to %s, want %s", query, res.Header.Get("Location"), want)
		}
		if len(c.Params) > maxParams || !utf8.ValidString(c.Params) {
			t.Errorf("%.80s: %d bytes are stored, want at most %d in valid UTF-8", query, len(c.Params), maxParams)
		}
		stored, err := url.ParseQuery(c.Params) // later readers are strict
		for name, want := range map[string]string{"sub1": want.sub1, "keyword": want.keyword} {
			if got := token.QueryParam(c.Params, name); err != nil || postback.Clean(got, maxSub) != want || want != "" && !slices.Contains(stored[name], got) {
				t.Errorf("of %.80s, %.200s is stored, want %s %q, error %v", query, c.Params, name, want, err)
			}
		}
	}
	w.get("/summer-sale?" + fillerParams(1200) + "bid=0.5&currency=JPY")
	if c := w.spool.last(); c.Cost.String() != "0.5" || c.Currency != "JPY" {
		t.Errorf("after 1,200 parameters the cost is %v %s, want 0.5 JPY", c.Cost, c.Currency)
	}
}

// TestLongLinksKeepClickIDs checks that the click ids of ad platforms are stored whole or not at all.
func TestLongLinksKeepClickIDs(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	id := strings.Repeat("g", 300)
	w.get("/summer-sale?sub1=a&utm=" + strings.Repeat("x", 1800) + "&gclid=" + id + "&" + fillerParams(100) + "ttclid=t")
	c := w.spool.last()
	if token.QueryParam(c.Params, "gclid") != id || token.QueryParam(c.Params, "ttclid") != "t" || len(c.Params) > maxParams {
		t.Errorf("the stored parameters are %s, want both ad click ids within the limit", c.Params)
	}
	w.get("/summer-sale?sub1=a&fbclid=" + strings.Repeat("f", 2500) + "&sub2=b")
	if c = w.spool.last(); c.Params != "sub1=a&sub2=b" {
		t.Errorf("the stored parameters are %s, want all but the one that is too long", c.Params)
	}
}

// TestSourceParamIsNoOtherField checks that a parameter that the source uses for the cost or for its click id fills no
// sub-parameter.
func TestSourceParamIsNoOtherField(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	dbtest.Exec(w, w.db, `UPDATE traffic_sources SET cost_param = 'sub5', external_id_param = 'T4' WHERE id = $1`, w.source)
	w.campaign("summer-sale", m{"cost_model": "auto"}, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	w.get("/summer-sale?sub5=0.5&t4=v&sub3=c")
	if c := w.spool.last(); c.Cost.String() != "0.5" || c.ExternalID != "v" || c.Subs[4] != "" || c.Subs[3] != "" || c.Subs[2] != "c" {
		t.Errorf("the click has the cost %v, the id %q and the sub parameters %q, want 0.5, v and only sub3", c.Cost, c.ExternalID, c.Subs)
	}
}

// TestLongPostbacks sends a notification of 190 fields as a query, a form and JSON, with the known fields at different places
// among the others.
func TestLongPostbacks(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	n := w.network()
	dbtest.Exec(w, w.db, `UPDATE networks SET postback_params = '{"click_id": "custom_77", "goal": "zz_kind"}' WHERE id = $1`, n)
	w.reload()
	id := models.FormatClickID(models.NewClickID())
	type param struct{ name, value string }
	known := []param{{"custom_77", id}, {"zz_kind", "sale"}, {"amount", "12.50"}, {"currency", "EUR"}, {"transaction_id", "T-1"}, {"status", "approved"}}
	var fillers []param
	for i := range 190 - len(known) {
		fillers = append(fillers, param{fmt.Sprintf("field_%03d", i), "some value of the notification"})
	}
	want := map[string]string{}
	for _, p := range known {
		want[p.name] = p.value
	}
	for place := 0; place <= len(fillers); place += 23 { // where the known fields are among the others
		for _, kind := range []string{"query", "form", "json"} {
			list := slices.Concat(fillers[:place], known, fillers[place:])
			var pairs, members []string
			for _, p := range list {
				name, _ := json.Marshal(p.name)
				value, _ := json.Marshal(p.value)
				pairs, members = append(pairs, p.name+"="+url.QueryEscape(p.value)), append(members, string(name)+":"+string(value))
			}
			for _, address := range []string{"/postback", "/postback/" + n.String()} {
				var res *http.Response
				switch kind {
				case "query":
					res = w.get(address + "?" + strings.Join(pairs, "&"))
				case "form":
					res = w.send("POST", address, strings.Join(pairs, "&"), header("Content-Type", "application/x-www-form-urlencoded"))
				case "json":
					res = w.send("POST", address, "{"+strings.Join(members, ",")+"}", header("Content-Type", "application/json"))
				}
				if res.StatusCode != http.StatusOK {
					t.Fatalf("a postback by %s gets the status %d, want 200", kind, res.StatusCode)
				}
				revealed := w.proof().Reveal(w.spool.postback().Params)
				for name, value := range want {
					if revealed[name] != value {
						t.Errorf("%s to %s, known fields at %d: %s is %q, want %q", kind, address, place, name, revealed[name], value)
					}
				}
				if len(revealed) != len(list) {
					t.Errorf("%s to %s, known fields at %d: %d of %d fields are stored", kind, address, place, len(revealed), len(list))
				}
			}
		}
	}
}

// TestPostbacksBeyondTheLimits checks that a parameter that fills a field is stored, however many other parameters come before
// it.
func TestPostbacksBeyondTheLimits(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.network()
	w.reload()
	id := models.FormatClickID(models.NewClickID())
	w.send("POST", "/postback", fillerParams(1500)+"myclick="+id+"&PAYOUT=&payout=7&sub3=s&key=k")
	p := w.spool.postback()
	revealed := w.proof().Reveal(p.Params)
	if revealed["myclick"] != id || revealed["PAYOUT"] != "7" || revealed["sub3"] != "s" || revealed["key"] != "k" || len(revealed) > 210 { // 200 others are stored at most
		t.Errorf("%d parameters are stored, want at most 210 with all known ones: %v", len(revealed), p.Params)
	}
}

// TestPostbacksAreReadLeniently sends postbacks as networks write them.
func TestPostbacksAreReadLeniently(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	const form, object = "application/x-www-form-urlencoded", "application/json"
	for name, c := range map[string]struct {
		target, kind, body string
		want               map[string]string
	}{
		"entity":           {"/postback?clickid=abc&amp;payout=7&amp;txid=A1", "", "", textMap("clickid", "abc", "payout", "7", "txid", "A1")},
		"invisible":        {"/postback?clickid=%EF%BB%BFabc%E2%80%8B&payout=%E2%80%8E7%C2%A0", "", "", textMap("clickid", "abc", "payout", "7")},
		"no data":          {"/postback?clickid=abc&payout=7", object, "[]", textMap("clickid", "abc", "payout", "7")},
		"form as JSON":     {"/postback", object, "clickid=abc&payout=7", textMap("clickid", "abc", "payout", "7")},
		"escaped twice":    {"/postback?clickid=%257Bclickid%257D&clickid=%25%25ID%25%25&clickid=abc", "", "", textMap("clickid", "abc")},
		"stray percent":    {"/postback?clickid=abc&goal=50%&sub1=%zz", "", "", textMap("clickid", "abc", "goal", "50%", "sub1", "%zz")},
		"repeated":         {"/postback?clickid=&clickid={id}&clickid=abc&clickid=def", "", "", textMap("clickid", "abc")},
		"empty":            {"/postback?clickid=&payout={payout}", "", "", textMap("clickid", "", "payout", "{payout}")},
		"query and body":   {"/postback?clickid=abc&payout=", form, "payout=7&clickid=no", textMap("clickid", "abc", "payout", "7")},
		"mark, form":       {"/postback", form, "\ufeffclickid=abc&payout=7", textMap("clickid", "abc", "payout", "7")},
		"mark, JSON":       {"/postback", object, "\ufeff{\"clickid\":\"abc\"}", textMap("clickid", "abc")},
		"repeated in JSON": {"/postback", object, `{"goal":"","clickid":"abc","goal":"a","Goal":"b"}`, textMap("clickid", "abc", "goal", "a")},
		"stated charset":   {"/postback", form + "; charset=windows-1251", "clickid=abc&goal=%E4%E0", textMap("clickid", "abc", "goal", "да")},
		"charset field":    {"/postback", form, "clickid=abc&charset=windows-1252&goal=caf%E9", textMap("clickid", "abc", "goal", "café")},
		"unknown charset":  {"/postback?clickid=abc&goal=a%FF%FEb", "", "", textMap("clickid", "abc", "goal", "\ufffd")},
	} {
		method := http.MethodGet
		if c.body != "" {
			method = http.MethodPost
		}
		if res := w.send(method, c.target, c.body, header("Content-Type", c.kind)); res.StatusCode != http.StatusOK {
			t.Errorf("%s: the status is %d, want 200", name, res.StatusCode)
		}
		if p := w.spool.postback(); !maps.Equal(p.Params, c.want) {
			t.Errorf("%s: the stored parameters are %q, want %q", name, p.Params, c.want)
		}
	}
}
