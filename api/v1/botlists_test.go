package v1_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/botdata"
)

func botEntry(attribute, operator string, value any) map[string]any {
	return map[string]any{"list_type": "deny", "attribute": attribute, "operator": operator, "value": value}
}

func TestBotEntryRoundTrip(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	campaign := d.make(t, d.campaign("Live"))["id"]
	made := d.Do("POST", "/bot-lists", map[string]any{
		"list_type": "DENY", "attribute": "country", "value": []any{"germany", " us ", "DE"}, "note": " n ", "campaign_id": campaign,
	}).Want(201, "").Map()
	same(t, made, map[string]any{
		"list_type": "deny", "attribute": "country", "operator": "equals", "value": "[DE US]", "value_count": 2.0, "note": "n",
		"campaign_id": campaign,
	})
	one := d.Do("POST", "/bot-lists", botEntry("asn", "equals", 3320)).Want(201, "").Map()
	same(t, one, map[string]any{"value": "3320", "value_count": 1.0, "campaign_id": nil})
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "10.0.%d.0/24 # network %d\n\n", i, i)
	}
	list := map[string]any{"list_type": "allow", "attribute": "ip_range", "operator": "in_cidr", "text": text.String()}
	long := d.Do("POST", "/bot-lists", list).Want(201, "").Map()
	if shown := long["value"].([]any); long["value_count"] != 150.0 || len(shown) != 100 || shown[99] != "10.0.99.0/24" {
		t.Errorf("the answer to a list of 150 values is %v, want the count 150 and the first 100 values", long)
	}

	account, at := d.Account.ID, time.Now().UTC().Truncate(time.Hour)
	for i, hours := range []int{0, 1, 24 * 8} {
		dbtest.Exec(t, d.DB, `INSERT INTO bot_entry_hours VALUES ($1, $2, $3, $4)`, account, one["id"], at.Add(-time.Duration(hours)*time.Hour), 10+i)
	}
	dbtest.Exec(t, d.DB, `INSERT INTO bot_entry_hours VALUES ($1, $2, $3, 5)`, account, uuid.New(), at)
	got := d.Do("GET", "/bot-lists", nil).Want(200, "").Map()
	rows := got["rows"].([]any)
	same(t, got, map[string]any{"blocked": 26.0, "next_cursor": nil, "propagationSeconds": 1.0})
	same(t, rows[1].(map[string]any), map[string]any{"id": one["id"], "blocked": 21.0, "value": "3320"})
	same(t, rows[2].(map[string]any), map[string]any{"id": made["id"], "blocked": 0.0})

	_, key, _ := d.NewAccount("scale")
	if rows := d.As(key).Do("GET", "/bot-lists", nil).Want(200, "").Map()["rows"].([]any); len(rows) != 0 {
		t.Errorf("another account sees %v", rows)
	}
	path := fmt.Sprint("/bot-lists?id=", one["id"])
	d.As(key).Do("DELETE", path, nil).Want(404, "not_found")
	d.As(d.ReadKey).Do("DELETE", path, nil).Want(403, "read_only_key")
	same(t, d.Do("DELETE", path, nil).Want(200, "").Map(), map[string]any{"id": one["id"], "deleted": true})
	d.Do("DELETE", path, nil).Want(404, "not_found")
	d.Do("DELETE", "/bot-lists?id=x", nil).Want(400, "invalid_id")
}

func TestBotEntryErrors(t *testing.T) {
	t.Parallel()
	d := apitest.New(t)
	good := func() map[string]any { return botEntry("sub1", "equals", "x") }
	costly := make([]string, 100)
	for i := range costly {
		costly[i] = fmt.Sprintf("[a-z]{3}%d[0-9]{2}x", i)
	}
	many := make([]string, models.MaxBotValues+1)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	for what, c := range map[string]struct {
		body any
		code string
	}{
		"array instead of an object": {`[]`, "bad_body"},
		"no type":                    {with(good(), "list_type", nil), "invalid_list_type"},
		"unknown type":               {with(good(), "list_type", "grey"), "invalid_list_type"},
		"no attribute":               {with(good(), "attribute", ""), "invalid_attribute"},
		"unknown attribute":          {with(good(), "attribute", "colour"), "invalid_attribute"},
		"unknown operator":           {with(good(), "operator", "like"), "invalid_operator"},
		"in_cidr on a text":          {botEntry("isp", "in_cidr", "10.0.0.0/8"), "invalid_operator"},
		"no value":                   {with(good(), "value", nil), "value_required"},
		"empty list":                 {with(good(), "value", []any{}), "value_required"},
		"object":                     {with(good(), "value", map[string]any{}), "value_required"},
		"true":                       {with(good(), "value", true), "value_required"},
		"nested":                     {with(good(), "value", []any{[]any{"x"}}), "value_required"},
		"pattern":                    {botEntry("user_agent", "regex", "("), "invalid_regex"},
		"costly patterns":            {botEntry("user_agent", "regex", costly), "invalid_regex"},
		"foreign campaign":           {with(good(), "campaign_id", uuid.NewString()), "invalid_campaign"},
		"campaign id not a UUID":     {with(good(), "campaign_id", "x"), "invalid_campaign"},
		"invalid IP address":         {botEntry("ip", "equals", "10.0.0.999"), "invalid_input"},
		"too many values":            {botEntry("sub1", "equals", many), "invalid_input"},
		"long value":                 {botEntry("sub1", "equals", strings.Repeat("x", 501)), "invalid_input"},
		"long note":                  {with(good(), "note", strings.Repeat("x", 501)), "too_long"},
		"value and text":             {with(good(), "text", "x"), "invalid_input"},
		"misspelt":                   {with(good(), "campaign", uuid.NewString()), "invalid_input"},
		"text with only comments":    {with(with(good(), "value", nil), "text", "# nothing\n"), "value_required"},
		"null and object as values":  {with(good(), "value", []any{"x", nil, map[string]any{}}), "value_required"},
		"everybody":                  {botEntry("ip_range", "in_cidr", "0.0.0.0/0"), "invalid_input"},
		"allow every browser":        {with(botEntry("user_agent", "contains", "Mozilla/5.0"), "list_type", "allow"), "invalid_input"},
	} {
		if got := d.Do("POST", "/bot-lists", c.body); got.Status != 400 || got.Code != c.code {
			t.Errorf("%s: %d %s, want %s", what, got.Status, got.Code, c.code)
		}
	}
	for want, body := range map[string]map[string]any{
		"value is true: a value is a text or a number": with(good(), "value", true),
		"value is {}: a value is a text or a number":   with(good(), "value", map[string]any{}),
		"value[1] is null: a value":                    with(good(), "value", []any{"x", nil}),
		`value[2]: "10.0.0.999" is not an address`:     botEntry("ip", "equals", []any{"10.0.0.9", "10.0.0.9", "10.0.0.999"}),
		`line 4: "10.0.0.999" is not an address`:       with(with(botEntry("ip", "in_cidr", nil), "value", nil), "text", "# mine\n\n10.0.0.9\n10.0.0.999\n"),
		"it has 100 % of all IPv4 addresses":           botEntry("ip", "in_cidr", "0.0.0.0/0"),
	} {
		if got := d.Do("POST", "/bot-lists", body); got.Status != 400 || !strings.Contains(got.Message, want) {
			t.Errorf("%v: %d %s, want %s", body, got.Status, got.Message, want)
		}
	}
	d.Do("POST", "/bot-lists", with(botEntry("ip", "in_cidr", "0.0.0.0/0"), "everybody", true)).Want(201, "")
	_, key, _ := d.NewAccount("growth")
	whole := with(good(), "value", many[:models.MaxBotValues])
	d.As(key).Do("POST", "/bot-lists", whole).Want(201, "")
	d.As(key).Do("POST", "/bot-lists", good()).Want(402, "plan_limit")
}

func TestBotDetection(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: jobs.Connect(jobstest.Redis(t))}})
	r := newTrafficEnv(t, s, 60, 3)
	fired := []bot.Signals{bot.Datacenter, bot.Datacenter | bot.NoAcceptLanguage, bot.TorExit}
	for i, v := range r.visits[:30] {
		score, isBot, reason := bot.Score(fired[i%3], bot.Settings{})
		dbtest.Exec(t, s.DB, `UPDATE clicks SET bot_signals = $2, bot_score = $3, is_bot = $4, bot_reason = $5 WHERE id = $1`, v.ID,
			int64(fired[i%3]), score, isBot, reason)
	}
	dbtest.Exec(t, s.DB, `UPDATE clicks SET bot_reason = 'from_tomorrow' WHERE id = $1`, r.visits[40].ID)
	get := func() map[string]any { return s.Do("GET", "/bot-detection", nil).Want(200, "").Map() }
	signal := func(name string) map[string]any {
		for _, row := range get()["signals"].([]any) {
			if row := row.(map[string]any); row["reason"] == name {
				return row
			}
		}
		t.Fatal("no row of the answer has the signal " + name)
		return nil
	}
	got := get()
	if len(got["signals"].([]any)) != 26 {
		t.Errorf("%d signals are listed, want 26", len(got["signals"].([]any)))
	}
	same(t, got, map[string]any{
		"threshold": 60.0, "minThreshold": 20.0, "maxThreshold": 95.0, "unknownReasons": "[from_tomorrow]",
		"scores": "[map[clicks:10 score:45] map[clicks:10 score:60] map[clicks:10 score:70]]", "lists": "map[allow:0 deny:0]",
	})
	data := func() string { return fmt.Sprint(get()["data"]) }
	const builtIn = "map[dated:2026-06-13T00:00:00Z entries:<nil> kind:crawler source:github.com/x-way/crawlerdetect] " +
		"map[dated:2025-06-22T00:00:00Z entries:<nil> kind:datacenter source:github.com/projectdiscovery/cdncheck]"
	if got := data(); got != "["+builtIn+"]" {
		t.Errorf("the lists of bot data are %s, want only the built-in ones", got)
	}
	for name, want := range map[string]any{
		"spam_ip": "no list of kind spam_ip is loaded", "bad_referrer": "no list of kind bad_referrer is loaded",
		"vpn_or_proxy": "no list of kind vpn or proxy is loaded, and no geo database of this install recognizes such addresses",
		"tor_exit":     "no list of kind tor is loaded, and no geo database of this install recognizes such addresses",
		"head_request": "such requests are answered and not recorded as clicks, so disabling the signal changes nothing",
		"declared_bot": nil, "no_js": nil, "datacenter": nil,
	} {
		if got := signal(name)["silent"]; got != want {
			t.Errorf("%s is silent because %v, want %v", name, got, want)
		}
	}
	tor := botdata.NewList(botdata.Tor)
	if err := tor.Read("tor", []byte("192.0.2.1\n192.0.2.2"), time.Date(2026, 7, 8, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.BotData().Save(t.Context(), []*botdata.List{tor}); err != nil {
		t.Fatal(err)
	}
	same(t, signal("tor_exit"), map[string]any{"silent": nil})
	dbtest.Exec(t, s.DB, `INSERT INTO geo_databases (account_id, provider, key, enabled, looked_after) VALUES ($1, 'ipinfo', '', true, $1)`, s.Account.ID)
	same(t, signal("vpn_or_proxy"), map[string]any{"silent": nil})
	if got := data(); got != "["+builtIn+" map[dated:2026-07-08T00:00:00Z entries:2 kind:tor source:loaded]]" {
		t.Errorf("the lists of bot data are %s, want the loaded list after the built-in ones", got)
	}
	if sum := got["totals"].(map[string]any); sum["clicks"].(float64)+sum["bot_clicks"].(float64) != 60 {
		t.Errorf("the totals %v do not add up to the 60 clicks of the account", sum)
	}
	same(t, signal("datacenter"), map[string]any{"weight": 45.0, "enabled": true, "can_disable": true, "hits_30d": 20.0})
	same(t, signal("deny_list"), map[string]any{"can_disable": false, "hits_30d": 0.0})
	same(t, signal("no_js"), map[string]any{"when": "seconds later"})
	for _, row := range got["signals"].([]any) {
		if row := row.(map[string]any); row["when"] == "" || row["found"] == "" {
			t.Errorf("the answer does not say when and how %s is found", row["reason"])
		}
	}

	put := func(body any) map[string]any { return s.Do("PUT", "/bot-detection", body).Want(200, "").Map() }
	changed := put(map[string]any{"threshold": 44.6, "disabled": []string{"tor_exit", "deny_list"}})
	same(t, changed, map[string]any{"threshold": 45.0, "disabled": "[tor_exit]"})
	job := s.Do("GET", fmt.Sprint("/jobs/", changed["job_id"]), nil).Want(200, "").Map()
	same(t, job, map[string]any{"status": "pending"})
	var args jobs.RescoreArgs
	var raw []byte
	if err := s.DB.GetContext(t.Context(), &raw, `SELECT args FROM jobs WHERE id = $1`, changed["job_id"]); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &args); err != nil || args.Threshold != 45 || args.To.Sub(args.From) < 29*24*time.Hour {
		t.Errorf("the job has %+v (%v), want the threshold 45 and a window of at least 29 days", args, err)
	}
	same(t, signal("tor_exit"), map[string]any{"enabled": false})
	same(t, put(map[string]any{}), map[string]any{"threshold": 45.0, "disabled": "[tor_exit]", "job_id": nil, "range": nil})
	dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'done'`)
	same(t, put(map[string]any{"threshold": 1e9, "days": 0}), map[string]any{"threshold": 95.0, "disabled": "[tor_exit]", "job_id": nil})
	same(t, put(map[string]any{"threshold": -3, "disabled": []string{}, "days": 0}), map[string]any{"threshold": 20.0, "disabled": "[]"})
	for _, body := range []any{
		map[string]any{"threshold": "60"},
		map[string]any{"disabled": "tor_exit"},
		map[string]any{"treshold": 60},
		map[string]any{"days": 1.5},
		map[string]any{"disabled": slices.Repeat([]string{"no_js"}, 41)},
	} {
		s.Do("PUT", "/bot-detection", body).Want(400, "invalid_input")
	}
	s.Do("PUT", "/bot-detection", map[string]any{"days": 731}).Want(400, "invalid_input")
	misspelt := s.Do("PUT", "/bot-detection", map[string]any{"threshold": 50, "disabled": []string{"no_js", "tor_exits"}}).Want(400, "invalid_input")
	if !strings.Contains(misspelt.Message, `disabled[1]: there is no signal "tor_exits": did you mean "tor_exit"?`) {
		t.Errorf("the message for a misspelt signal does not name the signal that was meant: %s", misspelt.Message)
	}
	same(t, get(), map[string]any{"threshold": 20.0})
	s.As(s.ReadKey).Do("PUT", "/bot-detection", map[string]any{}).Want(403, "read_only_key")
}

// TestRescoreTakesOver: if an earlier rescoring job waits, runs or has failed, the window of a new job includes the window of the
// earlier job.
func TestRescoreTakesOver(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: jobs.Connect(jobstest.Redis(t))}})
	_, foreign, _ := s.NewAccount("scale")
	s.As(foreign).Do("PUT", "/bot-detection", map[string]any{"threshold": 50, "days": 700}).Want(200, "")
	for i, c := range []struct {
		body   map[string]any
		before string
		days   int // days of the window; 0: no job
	}{
		{body: map[string]any{"threshold": 50, "days": 90}, days: 90},
		{body: map[string]any{"threshold": 51, "days": 7}, days: 90},
		{body: map[string]any{"threshold": 52, "days": 0}, before: `state = 'running'`, days: 90},
		{body: map[string]any{"days": 1}, days: 90},
		{body: map[string]any{"threshold": 52}, days: 0}, // without days, unchanged settings make no job
		{body: map[string]any{"threshold": 53}, before: `state = 'failed'`, days: 90},
		{body: map[string]any{"threshold": 54, "days": 100}, days: 100},
		{body: map[string]any{"threshold": 55, "days": 3}, before: `state = 'done' WHERE state = 'pending'`, days: 3},
		{body: map[string]any{"threshold": 56, "days": 0}, before: `state = 'done' WHERE state = 'pending'`, days: 0},
	} {
		if c.before != "" {
			dbtest.Exec(t, s.DB, `UPDATE jobs SET `+c.before)
		}
		got := s.Do("PUT", "/bot-detection", c.body).Want(200, "").Map()
		if c.days == 0 {
			same(t, got, map[string]any{"job_id": nil, "range": nil})
			continue
		}
		from, err := time.Parse(time.DateTime, fmt.Sprint(got["range"].(map[string]any)["from"]))
		if days := time.Since(from).Hours() / 24; err != nil || days < float64(c.days)-0.01 || days > float64(c.days)+1 {
			t.Errorf("%d %v: %v days are scored anew, want %d (%v)", i, c.body, days, c.days, err)
		}
		var raw []byte
		if err := s.DB.GetContext(t.Context(), &raw, `SELECT args FROM jobs WHERE id = $1`, got["job_id"]); err != nil {
			t.Fatal(err)
		}
		var args jobs.RescoreArgs
		if err := json.Unmarshal(raw, &args); err != nil || args.From.Sub(from).Abs() > time.Second {
			t.Errorf("%d: the job's window begins at %s, want %s as in the answer to the call (%v)", i, args.From, from, err)
		}
	}
}
