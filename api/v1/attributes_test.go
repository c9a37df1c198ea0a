package v1_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/click"
	"switchyard/api/click/visitor"
	dbclick "switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/export"
	"switchyard/db/ingest"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/botdata"
	"switchyard/models/clickattr"
)

// everything describes every visitor in the same way. Every attribute that is a text has a value.
type everything struct{}

func (everything) ClientIP(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.44") }

func (everything) ForwardedProto(*http.Request) string { return "" }

func (e everything) Describe(r *http.Request, _ *botdata.Set, into *visitor.Description) {
	var c models.Click
	known := map[string]string{"country": "DE", "device_type": "tv", "connection_type": "wifi", "proxy_kind": "relay"}
	for _, a := range clickattr.All {
		switch {
		case a.Text == nil:
		case a.Compare == clickattr.AsVersion:
			*a.Text(&c) = "10.4"
		case known[a.Name] != "":
			*a.Text(&c) = known[a.Name]
		default:
			*a.Text(&c) = "v-" + a.Name
		}
	}
	*into = visitor.Description{
		Visitor: c.Visitor, Continent: "EU", Timezone: "Europe/Berlin", Organization: "An Org", Signals: bot.FewHeaders,
	}
	into.IP, into.ASN = e.ClientIP(r), 64500
}

// recorder keeps a copy of the last click on its way to the spool.
type recorder struct {
	*spool.Spool
	last models.Click
}

func (r *recorder) Append(ctx context.Context, rec spool.Record) error {
	if rec.Click != nil {
		r.last = *rec.Click
	}
	return r.Spool.Append(ctx, rec)
}

// attributeEnv follows a click from the redirect to PostgreSQL.
type attributeEnv struct {
	*testing.T
	s        *apitest.Server
	live     models.Click // as the redirect appended it to the spool
	stored   dbclick.Detail
	location *url.URL
}

const attributesHost = "attributes.example.com"

func newAttributeEnv(t *testing.T) *attributeEnv {
	t.Helper()
	x := &attributeEnv{T: t, s: apitest.New(t)}
	campaign := x.campaign()
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	spool := &recorder{Spool: log}
	h, err := click.New(t.Context(), click.Deps{
		DB: x.s.DB, Clicks: dbclick.Log{Conn: x.s.DB}, Usage: report.Reader{Conn: x.s.DB}, Spool: spool,
		Postbacks: spool, Proofs: x.s.Store, Visitors: everything{},
		Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"external_id": {"ext"}, "cost": {"0.25"}}
	for i := range models.Subs {
		query.Set(fmt.Sprint("sub", i+1), fmt.Sprint("s", i+1))
	}
	req := httptest.NewRequestWithContext(t.Context(), "GET", "/attributes?"+query.Encode(), nil)
	req.Host = attributesHost
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, req)
	if answer.Code != http.StatusFound {
		t.Fatalf("the redirect of campaign %[2]s answers %[1]d, want 302: a condition does not match the live click", answer.Code, campaign)
	}
	if x.location, err = url.Parse(answer.Header().Get("Location")); err != nil {
		t.Fatal(err)
	}
	x.live = spool.last
	if err := ingest.NewIngester(log, x.s.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if x.stored, err = (dbclick.Log{Conn: x.s.DB}).FindClick(t.Context(), x.s.Account.ID, x.live.ID); err != nil {
		t.Fatal(err)
	}
	return x
}

// campaign makes a campaign with two paths. The first one refuses every visitor. The second one has a condition on every
// attribute that can be compared. The address of the offer has every token.
func (x *attributeEnv) campaign() uuid.UUID {
	x.Helper()
	domain, source, network, offer := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	dbtest.Exec(x.T, x.s.DB, `INSERT INTO domains (id, host, is_verified) VALUES ($1, $2, true)`, domain, attributesHost)
	dbtest.Exec(x.T, x.s.DB, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, 'S')`, source, x.s.Account.ID)
	dbtest.Exec(x.T, x.s.DB, `INSERT INTO networks (id, account_id, name) VALUES ($1, $2, 'N')`, network, x.s.Account.ID)
	tokens := url.Values{}
	for _, a := range clickattr.All {
		if name, _, _ := strings.Cut(a.Token, ","); name != "" {
			tokens.Set(a.Name, "{"+name+"}")
		}
	}
	address, err := url.PathUnescape(tokens.Encode())
	if err != nil {
		x.Fatal(err)
	}
	dbtest.Exec(x.T, x.s.DB, `INSERT INTO offers (id, account_id, name, url, network_id) VALUES ($1, $2, 'O', $3, $4)`,
		offer, x.s.Account.ID, "https://o.example/?"+address, network)
	campaign := uuid.New()
	var conditions []map[string]any
	var c models.Click
	var d visitor.Description
	everything{}.Describe(nil, nil, &d)
	c.Visitor, c.SourceID, c.CampaignID = d.Visitor, source, campaign
	c.BotScore, _, c.BotReason = bot.Score(d.Signals, bot.Settings{})
	for i := range models.Subs {
		c.Subs[i] = fmt.Sprint("s", i+1)
	}
	passing := map[string]any{
		"continent": d.Continent, "timezone": d.Timezone, "organization": d.Organization, "is_unique": true, "clicks_today": 0,
	}
	for _, a := range clickattr.All {
		if a.Compare == clickattr.NotCompared {
			continue
		}
		condition := map[string]any{"attribute": a.Name, "operator": "equals", "value": passing[a.Name]}
		switch {
		case a.Name == "url":
			condition["operator"], condition["value"] = "contains", "/attributes?"
		case a.Bool != nil:
			condition["value"] = *a.Bool(&c)
		case a.Tag != 0:
			condition["value"] = string(a.Append(nil, &c))
		}
		conditions = append(conditions, condition)
	}
	var rules []any
	for i := 0; i < len(conditions); i += 20 {
		rules = append(rules, map[string]any{"name": fmt.Sprint("R", i), "conditions": conditions[i:min(i+20, len(conditions))]})
	}
	streams, err := json.Marshal([]any{map[string]any{ // a path that refuses every visitor, because its offer does not exist
		"id": uuid.New(), "name": "Gone", "stream_type": "forced", "action": "offer", "destinations": []any{map[string]any{"id": uuid.New()}},
	}, map[string]any{
		"id": uuid.New(), "name": "All", "action": "offer", "rules": rules, "destinations": []any{map[string]any{"id": offer}},
	}})
	if err != nil {
		x.Fatal(err)
	}
	dbtest.Exec(x.T, x.s.DB, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, source_id, cost_model, streams)
		VALUES ($1, $2, 'C', 'attributes', $3, $4, 'auto', $5)`, campaign, x.s.Account.ID, domain, source, string(streams))
	return campaign
}

func value(a clickattr.Attr, c *models.Click) any {
	for v, i := reflect.ValueOf(a), 0; i < v.NumField(); i++ {
		if f := v.Field(i); f.Kind() == reflect.Func && !f.IsNil() {
			return f.Call([]reflect.Value{reflect.ValueOf(c)})[0].Elem().Interface()
		}
	}
	return nil
}

func attributeValue(a clickattr.Attr, c *models.Click) string {
	if a.Bool != nil {
		return strconv.FormatBool(*a.Bool(c))
	}
	return string(a.Append(nil, c))
}

// TestEveryAttributeIsEverywhere checks the features that are built from the table of attributes: storing, tokens, conditions,
// reports, export files and the click log.
func TestEveryAttributeIsEverywhere(t *testing.T) {
	t.Parallel()
	x := newAttributeEnv(t)
	empty := map[string]bool{
		"parent_campaign_id": true, "lander_id": true, "unique_cost": true, "conversion_cost": true, "revenue_share": true,
		"is_bot": true, "bot_entry_id": true, "geo_source": true, "crawler": true, "address_key": true,
	}
	for _, a := range clickattr.All {
		if a.Tag == 0 {
			continue
		}
		live, stored := value(a, &x.live), value(a, &x.stored.Click)
		if fmt.Sprint(live) != fmt.Sprint(stored) {
			t.Errorf("%s was %v at the redirect, but is stored as %v", a.Name, live, stored)
		}
		if reflect.ValueOf(live).IsZero() && !empty[a.Name] {
			t.Errorf("%s has no value in this test", a.Name)
		}
		if a.Token != "" {
			if got := x.location.Query().Get(a.Name); got != string(a.Append(nil, &x.live)) {
				t.Errorf("the token of %s is %q, want %q", a.Name, got, a.Append(nil, &x.live))
			}
		}
	}
	x.reports()
	x.files()
	x.log()
}

func (x *attributeEnv) reports() {
	x.Helper()
	for _, a := range clickattr.All {
		if a.Dimension == 0 {
			continue
		}
		rows, err := report.Reader{Conn: x.s.DB}.Performance(x.Context(), report.Query{
			AccountID: x.s.Account.ID, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour), Dimensions: []string{a.Name},
		})
		if err != nil || len(rows) != 1 || rows[0].Dims[0] != attributeValue(a, &x.live) || rows[0].Clicks != 1 {
			x.Errorf("by %s: %v %v, want %q once", a.Name, rows, err, attributeValue(a, &x.live))
		}
	}
}

func (x *attributeEnv) files() {
	x.Helper()
	q := export.Query{AccountID: x.s.Account.ID, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}
	file := map[string]string{}
	names := export.Clicks.Headings()
	rows := export.Reader{Conn: x.s.DB}
	err := rows.Each(x.Context(), export.Clicks, q, func(cells []sql.RawBytes) error {
		for i, name := range names {
			file[name.Name] = string(cells[i])
		}
		return nil
	})
	if err != nil {
		x.Fatal(err)
	}
	for _, a := range clickattr.All {
		if got, ok := file[a.Name]; a.In&clickattr.Exports != 0 && (!ok || got != attributeValue(a, &x.live)) {
			x.Errorf("the file has %q for %s, want %q", got, a.Name, attributeValue(a, &x.live))
		}
	}
	smartlinks := export.SmartlinkClicks(uuid.UUID.String)
	if err := rows.Each(x.Context(), smartlinks, q, func([]sql.RawBytes) error { return nil }); err != nil {
		x.Errorf("reading the clicks of smartlinks failed: %v", err)
	}
}

// log requests the click with its trace. In the trace, conditions on attributes that are not recorded do not match.
func (x *attributeEnv) log() {
	x.Helper()
	out := x.s.Do("GET", "/logs/clicks/"+models.FormatClickID(x.live.ID)+"?trace=1", nil).Want(200, "").Map()
	row := out["click"].(map[string]any)
	for _, a := range clickattr.All {
		if got, ok := row[a.Name]; a.In&clickattr.Exports != 0 && a.Name != "visitor_id" && (!ok || text(got) != attributeValue(a, &x.live)) {
			x.Errorf("the log has %v for %s, want %q", got, a.Name, attributeValue(a, &x.live))
		}
	}
	unrecorded := map[string]bool{"timezone": true, "organization": true, "url": true}
	step := out["trace"].(map[string]any)["campaigns"].([]any)[0].(map[string]any)["steps"].([]any)[1].(map[string]any)
	seen := 0
	for _, unit := range step["units"].([]any) {
		for _, c := range unit.(map[string]any)["conditions"].([]any) {
			c := c.(map[string]any)
			if name := c["attribute"].(string); c["matched"] == unrecorded[name] {
				x.Errorf("the trace has matched=%v for %s with the value %q", c["matched"], name, c["seen"])
			}
		}
		seen += len(unit.(map[string]any)["conditions"].([]any))
	}
	want := 0
	for _, a := range clickattr.All {
		if a.Compare != clickattr.NotCompared {
			want++
		}
	}
	if seen != want {
		x.Errorf("the trace has %d conditions, want %d", seen, want)
	}
}

// text returns a JSON value in the form of export files. null becomes an empty text.
func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
