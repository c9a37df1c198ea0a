package api

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api"
	"switchyard/api/apitest"
	"switchyard/api/openapi"
	v1 "switchyard/api/v1"
	"switchyard/cmd/switchyard/cli"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/ops/lab/fleet"
	"switchyard/workers"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/ai/aitest"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
	"switchyard/workers/providers/dns/dnstest"
	"switchyard/workers/providers/mail/mailtest"
	"switchyard/workers/providers/networks/networkstest"
	provider "switchyard/workers/providers/oauth"
	"switchyard/workers/providers/oauth/oauthtest"
)

type object = map[string]any

// exampleEnv makes the examples of the API document.
type exampleEnv struct {
	*inboxEnv
	stable
	outside string // address that stands for servers outside the service
	cloud   *cloudflaretest.Fake
	logins  *oauthtest.Platforms
	talks   *aitest.Providers
	ids     map[string]string
	all     map[string]openapi.Example
	located string
}

// TestGoldenExamples sends the example of every operation again. It fails if an answer has changed, or if an operation
// that needs a key has no example.
func TestGoldenExamples(t *testing.T) {
	t.Parallel()
	x := newExampleEnv(t, day(time.Now()))
	for x.play(); x.today != day(time.Now()); x.play() { // again if midnight passed
		x = newExampleEnv(t, day(time.Now()))
	}
	for _, row := range api.Table(api.Deps{}) {
		if _, ok := x.all[row.Method+" "+row.Path]; !ok && !row.Public { // public operations return the document itself
			t.Errorf("%s %s has no example", row.Method, row.Path)
		}
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(x.all); err != nil {
		t.Fatal(err)
	}
	golden(t, root+"/api/openapi/examples.json", text.Bytes())
}

func (x *exampleEnv) play() {
	x.build()
	x.route()
	x.visit()
	x.earn()
	x.read()
	x.correct()
	x.remove()
}

func day(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

func newExampleEnv(t *testing.T, today time.Time) *exampleEnv {
	t.Helper()
	receiver, err := fleet.NewReceiver(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = receiver.Close() })
	ca := filepath.Join(t.TempDir(), "ca.pem")
	geo := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"geo":{"country_code":"US"}}`))
	}))
	t.Cleanup(geo.Close)
	names, cloud := dnstest.Serve(t, dnstest.NewZones(nil, "acme.example")), cloudflaretest.Serve(t)
	orders := &networkstest.Platforms{}
	orders.Set(networkstest.Order{ID: "ef-20931", Click: "affsub-17", Status: "approved", Payout: "12.5", Currency: "EUR", At: today})
	platforms := networkstest.Serve(t, orders)
	spent := &adstest.Platforms{}
	spent.Set(adstest.Row{Day: today.Format(time.DateOnly), Campaign: "311", Spend: "42.5", Clicks: 512, Impressions: 20480})
	adPlatforms := adstest.Serve(t, spent)
	trusted := receiver.CA
	logins := oauthtest.New(t)
	talk := &aitest.Providers{}
	talks := aitest.Serve(t, talk)
	for _, server := range []*httptest.Server{geo, names, cloud.Server, platforms, adPlatforms, logins.Server, talks} {
		trusted = append(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})...)
	}
	if err := os.WriteFile(ca, trusted, 0o600); err != nil {
		t.Fatal(err)
	}
	redis := jobstest.Redis(t)
	x := &exampleEnv{
		inboxEnv: &inboxEnv{t: t, client: jobs.Connect(redis)}, outside: strings.TrimSuffix(receiver.URL("/"), "/"),
		ids: map[string]string{}, all: map[string]openapi.Example{}, cloud: cloud, logins: logins, talks: talk,
	}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	x.Server = apitest.New(t, apitest.Options{V1: v1.Deps{
		Jobs: x.client, EgressAllow: loopback, BaseURL: "https://track.example.com", Email: true,
		Tracker: models.DomainTracker{Host: "cname.example.com", OwnTargets: true},
		Edge:    models.EdgeCloudflare, SignIn: provider.Apps{ByProvider: oauthtest.Apps(), URL: logins.URL},
	}})
	dbtest.Exec(x.t, x.DB, `UPDATE accounts SET domain_token = $1`, exampleToken)
	dbtest.SetRates(t, x.DB, "1.0842")
	x.stable = newStable(today, x.outside)
	apps, mails := oauthtest.Apps(), mailtest.New(t)
	cfg := config.Config{
		SMTPURL: mails.URL, SMTPFrom: "alerts@track.example.com",
		EgressAllow: loopback, EgressCAFile: ca, EncryptionKey: bytes.Repeat([]byte{7}, 32), GeoLookupURL: geo.URL,
		DNSProviderURL: names.URL, NetworkURL: platforms.URL, AdURL: adPlatforms.URL, TrackingHost: "cname.example.com",
		CloudflareURL: cloud.Server.URL, CloudflareToken: cloudflaretest.Token, CloudflareZone: cloudflaretest.Zone,
		AIURL:             talks.URL,
		GoogleAdsClientID: apps[models.GoogleAds].ID, GoogleAdsSecret: apps[models.GoogleAds].Secret,
		MicrosoftClientID: apps[models.MicrosoftAds].ID, MicrosoftSecret: apps[models.MicrosoftAds].Secret,
		MicrosoftToken: apps[models.MicrosoftAds].DeveloperToken, OAuthURL: logins.URL,
		DNSServers: []netip.AddrPort{egresstest.Answers(t, "go.acme.example. CNAME cname.example.com.", "cname.example.com. A 192.0.2.10",
			"_switchyard.go.acme.example. TXT "+exampleToken)},
	}
	runtime, err := cli.NewRuntime(cfg, cli.Readers{Bulk: x.DB, Locks: x.DB}, workers.Options{DB: x.DB, Redis: redis, Client: x.client, Grace: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	jobstest.Run(t, runtime.Run)
	x.spool = openSpool(t)
	if err := store.EnsureSharedDomains(t.Context(), x.DB, []string{"links.example.com"}); err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *exampleEnv) ingest() {
	x.t.Helper()
	drain(x.t, x.spool, x.DB, ingest.Options{})
}

// missing lists the error codes of an install that lacks a part. An operation that needs this part is refused, and the refusal is its
// example.
var missing = []string{"edge_not_configured", "no_provider"}

func (x *exampleEnv) call(op string, params map[string]string, body object) map[string]any {
	x.t.Helper()
	return x.callAs(x.Server, op, params, body)
}

func (x *exampleEnv) callAs(s *apitest.Server, op string, params map[string]string, body object) map[string]any {
	x.t.Helper()
	method, path, e := x.begin(op, params)
	var sent any // a nil object would be sent as null
	if body != nil {
		sent, e.Body = body, x.json(mustJSON(x.t, body), false)
	}
	a := s.Do(method, path, sent)
	if a.Status >= http.StatusBadRequest && !slices.Contains(missing, a.Code) || a.Status == http.StatusAccepted {
		x.t.Fatalf("%s: %d %s", op, a.Status, a.Raw)
	}
	e.Status = a.Status
	if strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
		e.Answer = x.json(a.Raw, true)
	} else {
		lines := strings.SplitAfter(string(a.Raw), "\n")
		e.Answer = x.text("", strings.Join(lines[:min(len(lines), 3)], ""))
	}
	x.all[op] = e
	var data map[string]any
	_ = json.Unmarshal(a.Data, &data)
	return data
}

func (x *exampleEnv) begin(op string, params map[string]string) (method, path string, e openapi.Example) {
	x.t.Helper()
	if _, ok := x.all[op]; ok {
		x.t.Fatalf("%s has an example already", op)
	}
	x.op = op
	method, path, _ = strings.Cut(op, " ")
	e = openapi.Example{Path: map[string]string{}, Query: map[string]string{}}
	query := []string{}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if hole := "{" + name + "}"; strings.Contains(path, hole) {
			path, e.Path[name] = strings.Replace(path, hole, params[name], 1), x.text("", params[name])
			continue
		}
		query, e.Query[name] = append(query, name+"="+url.QueryEscape(params[name])), x.text("", params[name])
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return method, path, e
}

func (x *exampleEnv) make(name, op string, params map[string]string, body object) map[string]any {
	x.t.Helper()
	data := x.call(op, params, body)
	x.ids[name] = data["id"].(string)
	return data
}

func (x *exampleEnv) also(name, path string, body object) {
	x.t.Helper()
	x.ids[name] = x.Do("POST", path, body).Want(http.StatusCreated, "").Map()["id"].(string)
}

func (x *exampleEnv) id(name string) map[string]string { return map[string]string{"id": x.ids[name]} }

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// stable replaces values that differ from run to run, such as ids, secrets and times. An id always gets the same replacement.
type stable struct {
	op      string
	today   time.Time
	hosts   *strings.Replacer
	numbers map[string]int // number of ids that appeared first in each operation
	ids     map[uuid.UUID]string
	word    string
}

const exampleToken = "5f2b9c1d7e3a48069c1d7e5f2b3a4806"

var exampleDay = time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC)

func newStable(today time.Time, outside string) stable {
	return stable{
		today: today, hosts: strings.NewReplacer(
			dnstest.Fakes["cloudflare"].Credentials()["api_token"], "3f1c5d2e7b9a40",
			adstest.Fakes["propellerads"].Credentials()["api_token"], "b7QdV1sX9eRk",
			networkstest.Fakes["everflow"].Credentials()["api_key"], "Zp8vQ2mT5xLk", outside, "https://buyer.example", strings.TrimPrefix(outside, "https://"), "buyer.example",
		), numbers: map[string]int{},
		ids: map[uuid.UUID]string{},
	}
}

// monthly lists the operations whose days are the first days of this month and of the next month.
var monthly = []string{"GET /plan", "GET /plan/usage"}

// soon lists fields whose times are within an hour of the present, by name or by operation and name. Near midnight these times
// can fall on another day.
var soon = map[string]bool{
	"nextSyncAt": true, "next_sync_at": true, "expiresAt": true, "GET /stats/live at": true,
}

// If cut is set, lists keep their first two items.
func (s *stable) json(text []byte, cut bool) any {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err.Error()
	}
	return s.value("", v, cut)
}

func (s *stable) value(key string, v any, cut bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[s.text("", name)] = s.value(name, v[name], cut)
		}
		return out
	case []any:
		most := len(v)
		if cut {
			most = 2
		}
		if key == "daily" { // on the first day of a month the list has one item
			most = 1
		}
		out := []any{}
		for _, item := range v[:min(len(v), most)] {
			out = append(out, s.value(key, item, cut))
		}
		return out
	case string:
		return s.text(key, v)
	case json.Number:
		if key == "ms" { // how long an attempt took
			return 12
		}
	}
	return v
}

var (
	uuidForm  = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	clickForm = regexp.MustCompile(`\b0[0-9A-Za-z]{21}\b`)
	timeForm  = regexp.MustCompile(`\b(\d{4}-\d\d-\d\d)([ T]\d\d:\d\d(?::\d\d)?)?(\.\d+)?`)
	hookForm  = regexp.MustCompile(`\bwhsec_[\w-]+`)
	goalForm  = regexp.MustCompile(`\bsg_\w+`)
	stateForm = regexp.MustCompile(`\bstate=[A-Z2-7]{26}\b`)
	codeForm  = regexp.MustCompile(`^\d{8}$`)
	wordForm  = regexp.MustCompile(`^[0-9a-z]{10}$`)
)

func (s *stable) text(key, text string) string {
	switch {
	case key == "version":
		return "5f2b9c1d7e"
	case key == "revision":
		return "d60ab6f03f9ee7b5d64c898c"
	case key == "siteKey":
		return "mk4q7example2zt5w"
	case key == "code" && codeForm.MatchString(text):
		return "48151623"
	case key == "next_cursor":
		return "AUOSdYegVcuSa7L9D9WgZbIjIwMjYt"
	case (key == "alias" || key == "slug") && wordForm.MatchString(text):
		s.word = text
	}
	if s.word != "" {
		text = strings.ReplaceAll(text, s.word, "k7m2xq4dza")
	}
	text = hookForm.ReplaceAllString(s.hosts.Replace(text), "whsec_4pXq0Zr1example")
	text = stateForm.ReplaceAllString(text, "state=K5QZ7EXAMPLE3MT2WRB6YHXDLA")
	text = goalForm.ReplaceAllString(text, "sg_4pXq0Zr1example")
	text = uuidForm.ReplaceAllStringFunc(text, func(id string) string { return s.id(uuid.MustParse(id)) })
	text = clickForm.ReplaceAllStringFunc(text, func(id string) string {
		click, err := models.ParseClickID(id)
		if err != nil {
			return id
		}
		return models.FormatClickID(uuid.MustParse(s.id(click)))
	})
	return timeForm.ReplaceAllStringFunc(text, func(text string) string { return s.time(key, text) })
}

// The replacement depends only on the operation in which the id appears first, and on how many other ids appeared first in that
// operation before it.
func (s *stable) id(id uuid.UUID) string {
	if id == uuid.Nil {
		return id.String()
	}
	if s.ids[id] == "" {
		s.numbers[s.op]++
		made, floor := uuid.NewSHA1(uuid.Nil, []byte(s.op+strconv.Itoa(s.numbers[s.op]))), models.FloorClickID(exampleDay)
		copy(made[:6], floor[:6])
		made[6] = made[6]&0x0f | 0x70 // version 7, like the ids of clicks
		s.ids[id] = made.String()
	}
	return s.ids[id]
}

// time moves a day by the distance from today to exampleDay. In the fields of the map `soon`, each day becomes exampleDay itself.
// The days of an operation in the list `monthly` become first days of a month. The time of day becomes 10:24. These times of day
// stay:
//
//   - the beginning and the end of a day, and the start of an hour in a report (the field start);
//   - the time of day on an earlier day, because the test chose it, unless the field is `from` or is in the map `soon`.
func (s *stable) time(key, text string) string {
	parts := timeForm.FindStringSubmatch(text)
	at, err := time.Parse(time.DateOnly, parts[1])
	if err != nil || key == "dated" || key == "read_on" { // built-in lists and templates always have the same date
		return text
	}
	clock, fraction, isSoon := parts[2], parts[3], soon[key] || soon[s.op+" "+key]
	kept := clock == "" || key == "start" || at.Before(s.today) && key != "from" && !isSoon || strings.HasSuffix(clock, "00:00:00") ||
		strings.HasSuffix(clock, "23:59:59")
	if !kept {
		clock, fraction = (clock[:1] + "10:24:00")[:len(clock)], strings.Repeat("0", max(len(fraction)-1, 0))
		if fraction != "" {
			fraction = "." + fraction
		}
	}
	shown := at.Add(exampleDay.Sub(s.today))
	if isSoon {
		shown = exampleDay
	}
	if slices.Contains(monthly, s.op) {
		shown = exampleDay.AddDate(0, 0, 1-exampleDay.Day())
		if at.After(s.today) {
			shown = shown.AddDate(0, 1, 0)
		}
	}
	return shown.Format(time.DateOnly) + clock + fraction
}
