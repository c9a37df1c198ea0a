package v1_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// movedEnv is an account with imported campaigns, to which links of another tracker lead.
type movedEnv struct {
	*testing.T
	*apitest.Server
	domain string
}

// newMovedEnv makes an account with the imported campaign First.
func newMovedEnv(t *testing.T) *movedEnv {
	t.Helper()
	x := &movedEnv{t, apitest.New(t), uuid.NewString()}
	dbtest.Exec(t, x.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'ads.moved.example', true)`, x.domain, x.Account.ID)
	network := x.add("/networks", object{"name": "Network", "click_param": "sub"})
	offer := x.add("/offers", object{"name": "Germans", "url": "https://offer.example/de?aff=7&c={clickid}", "network_id": network})
	other := x.add("/offers", object{"name": "Zone", "url": "https://offer.example/zone", "network_id": network})
	page := x.add("/landers", object{"name": "Page", "url": "https://page.example/{country}/?z={sub2}"})
	source := x.add("/traffic-sources", object{"name": "Push", "token_macros": object{"zone": "{zone}"}, "subs": []object{{"sub": 2, "param": "zone"}}})
	to := func(name string, body object, filters ...object) object {
		body["name"], body["filters"] = name, filters
		return body
	}
	is := func(attribute string, value any) object {
		return object{"attribute": attribute, "operator": "equals", "value": value}
	}
	x.campaign("First", source, []object{
		to("Germans", object{"action": "offer", "stream_type": "forced", "destinations": []object{{"id": offer}}}, is("country", "DE")),
		to("Zone", object{"action": "offer", "destinations": []object{{"id": other}}}, is("sub2", "z9"), is("language", "en")),
		to("Provider", object{"action": "redirect", "destinations": []object{{"url": "https://provider.example/"}}}, is("isp", "Vodafone"), is("country", "IN")),
		to("Phones", object{"action": "redirect", "destinations": []object{{"url": "https://a.example/"}, {"url": "https://b.example/?k={sub1}"}}}, is("device_type", "mobile")),
		to("Rest", object{"action": "lander", "stream_type": "default", "destinations": []object{{"id": page}, {"id": offer}}}),
	})
	return x
}

func (x *movedEnv) add(path string, body object) string {
	x.Helper()
	return fmt.Sprint(x.Do("POST", path, body).Want(201, "").Map()["id"])
}

func (x *movedEnv) campaign(name, source string, paths []object) {
	x.Helper()
	body := object{"name": name, "alias": "imported-" + strings.ToLower(name), "domain_id": x.domain, "streams": paths}
	if source != "" {
		body["source_id"] = source
	}
	id := x.add("/campaigns", body)
	dbtest.Exec(x, x.DB, `INSERT INTO foreign_links (id, account_id, form, foreign_id, campaign_id) VALUES (gen_random_uuid(), $1, 'path', $2, $3)`,
		x.Account.ID, name, id)
}

// oldTracker routes visitors like the flow of newMovedEnv, without the path Provider. If wrong is set, the address of the
// path Zone has one more parameter.
type oldTracker struct{ wrong bool }

func (o oldTracker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent := r.UserAgent()
	to := fmt.Sprintf("https://page.example/%s/?z=%s", r.Header.Get("X-Country"), r.URL.Query().Get("zone"))
	switch {
	case r.Host != "ads.moved.example" || r.URL.Path != "/First" || r.Header.Get("Accept-Language") == "":
		w.WriteHeader(http.StatusNotFound)
		return
	case cmp.Or(r.Header.Get("X-Country"), "DE") == "DE":
		to = "https://offer.example/de?c=Fe45k&aff=7"
	case r.URL.Query().Get("zone") == "z9" && strings.HasPrefix(r.Header.Get("Accept-Language"), "en"):
		if to = "https://offer.example/zone?sub=xyz"; o.wrong {
			to = "https://offer.example/zone?sub=xyz&aff=9"
		}
	case strings.Contains(agent, "Mobile") && !strings.Contains(agent, "iPad"):
		to = "https://b.example/?k="
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusFound)
}

// answers runs the script of /config/checks/curl against a tracker, and returns the output of the script.
func (x *movedEnv) answers(tracker http.Handler, env ...string) string {
	x.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		x.Skip("curl is not installed")
	}
	server := httptest.NewServer(tracker)
	defer server.Close()
	file := filepath.Join(x.TempDir(), "check.sh")
	script := x.Do("GET", "/config/checks/curl", nil).Want(200, "")
	if err := os.WriteFile(file, script.Raw, 0o600); err != nil {
		x.Fatal(err)
	}
	run := exec.CommandContext(x.Context(), "sh", file)
	run.Env = append(os.Environ(), append(env, "SCHEME=http", "OLD_HOST="+strings.TrimPrefix(server.URL, "http://"))...)
	text, err := run.Output()
	if err != nil {
		x.Fatal(err)
	}
	return string(text)
}

type comparedMove struct {
	Counts    map[string]int
	Unread    int
	Campaigns []struct {
		Name string
		Rows []struct {
			Result, Reason, Country, There string
			Here                           []string
		}
	}
}

func (x *movedEnv) compare(body object) (out comparedMove) {
	x.Helper()
	x.Do("POST", "/config/checks/compare", body).Want(200, "").Into(&out)
	return out
}

// TestCheckBeforeDNS runs the script with curl against two trackers. The first one decides like the imported flow. The second one
// differs for the visitors of the path Zone.
func TestCheckBeforeDNS(t *testing.T) {
	t.Parallel()
	x := newMovedEnv(t)
	got := x.compare(object{"answers": x.answers(oldTracker{}, "COUNTRY_HEADER=X-Country")})
	if n := got.Counts; n["differs"]+n["missing"] > 0 || n["same"] < 8 || n["dice"] < 2 || n["unsure"] < 1 || got.Unread > 0 {
		t.Errorf("a tracker that decides like the flow must not differ anywhere: %+v", got)
	}
	if n := got.Counts["same"] + got.Counts["dice"] + got.Counts["unsure"]; n != 20 {
		t.Errorf("%d visitors have a result, want 20", n)
	}
	wrong := x.compare(object{"answers": x.answers(oldTracker{wrong: true}, "COUNTRY_HEADER=X-Country")})
	if n := wrong.Counts["differs"]; n == 0 || n != got.Counts["same"]-wrong.Counts["same"] {
		t.Fatalf("want exactly the visitors of the path Zone to differ: %+v, before %+v", wrong.Counts, got.Counts)
	}
	row := wrong.Campaigns[0].Rows[0]
	if row.Result != "differs" || row.Reason != "parameters" || row.There != "https://offer.example/zone?sub=xyz&aff=9" || row.Here[0] != "https://offer.example/zone" {
		t.Errorf("want a difference of the parameters alone: %+v", row)
	}
	without := x.answers(oldTracker{})
	if unknown := x.compare(object{"answers": without}); unknown.Counts["same"] > 0 || unknown.Counts["unsure"] != 20 {
		t.Errorf("without a country want no visitor compared: %+v", unknown.Counts)
	}
	if known := x.compare(object{"answers": without, "country": "de"}); known.Counts["same"] != 20 {
		t.Errorf("with the country DE want every visitor to go to the same address: %+v", known.Counts)
	}
	dbtest.Exec(t, x.DB, `UPDATE foreign_links SET foreign_id = 'Renamed'`)
	changed := x.compare(object{"answers": without, "country": "DE"})
	if changed.Counts["unsure"] != 20 || changed.Campaigns[0].Rows[0].Reason != "changed" {
		t.Errorf("after a change of the campaigns want no visitor compared: %+v", changed.Counts)
	}
}

func TestMoveChecksAreListed(t *testing.T) {
	t.Parallel()
	x := newMovedEnv(t)
	x.campaign("Second", "", []object{{"name": "All", "action": "redirect", "destinations": []object{{"url": "https://all.example/?s={clickid}"}}}})
	var out struct {
		Total int
		Next  *int
		Rows  []struct {
			Name     string
			Visitors []struct {
				ID, URL, Country string
				Places           []string
				Certain          bool
			}
		}
	}
	if x.Do("GET", "/config/checks?limit=1", nil).Want(200, "").Into(&out); out.Total != 2 || out.Next == nil || *out.Next != 1 || out.Rows[0].Name != "First" {
		t.Fatalf("want the first of two campaigns, and 1 as the next offset: %+v", out)
	}
	places := map[string]bool{}
	for _, v := range out.Rows[0].Visitors {
		places[strings.Join(v.Places, " ")] = true
	}
	for _, want := range []string{"https://offer.example/de?aff=7&c={clickid}", "https://offer.example/zone", "https://a.example/ https://b.example/?k={sub1}", "https://page.example/{country}/?z={sub2}"} {
		if !places[want] {
			t.Errorf("no visitor goes to %s: %v", want, places)
		}
	}
	if x.Do("GET", "/config/checks?offset=1", nil).Want(200, "").Into(&out); out.Next != nil || len(out.Rows) != 1 || out.Rows[0].Visitors[0].URL != "ads.moved.example/Second" {
		t.Errorf("want only the second campaign, and no next offset: %+v", out)
	}
	for _, v := range out.Rows[0].Visitors {
		if len(v.Places) != 1 || !v.Certain {
			t.Errorf("a visitor of a campaign with one destination has several places, or an uncertain one: %+v", v)
		}
	}
	id := out.Rows[0].Visitors[0].ID
	answer := id + " - 302 https://all.example/?s=1\n"
	if got := x.compare(object{"answers": answer}); got.Counts["same"] != 1 || len(got.Campaigns[0].Rows) > 0 {
		t.Errorf("want one visitor who goes to the same address, and no differences: %+v", got)
	}
	_, key, _ := x.NewAccount("scale")
	var stranger comparedMove
	x.As(key).Do("POST", "/config/checks/compare", object{"answers": answer}).Want(200, "").Into(&stranger)
	if stranger.Unread != 1 || len(stranger.Campaigns) > 0 {
		t.Errorf("another account can compare the answers: %+v", stranger)
	}
	for _, path := range []string{"?limit=x", "?offset=x", "/curl?offset=x"} {
		x.Do("GET", "/config/checks"+path, nil).Want(400, "invalid_input")
	}
	x.Do("POST", "/config/checks/compare", object{}).Want(400, "required")
	x.Do("POST", "/config/checks/compare", object{"answers": answer, "country": "DEU"}).Want(400, "too_long")
	x.Do("POST", "/config/checks/compare", object{"answers": answer, "country": "XX"}).Want(400, "invalid_input")
	x.Do("POST", "/config/checks/compare", object{"answers": strings.Repeat(answer, 10_001)}).Want(400, "invalid_input")
	x.As(x.ReadKey).Do("POST", "/config/checks/compare", object{"answers": answer}).Want(200, "")
}
