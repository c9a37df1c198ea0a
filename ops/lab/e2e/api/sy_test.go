package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/cmd/sy/cli"
	"switchyard/db/dbtest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/accountconfig"
	"switchyard/workers/providers/trackers/keitaro/keitarotest"
)

// customerEnv runs sy, the command line of customers, against a service with a worker.
type customerEnv struct {
	t     *testing.T
	s     *apitest.Server
	home  string
	stdin string
}

func newCustomerEnv(t *testing.T) *customerEnv {
	t.Helper()
	redis := jobstest.Redis(t)
	client := jobs.Connect(redis)
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: client}})
	if err := store.EnsureSharedDomains(t.Context(), s.DB, []string{"links.example.com"}); err != nil {
		t.Fatal(err)
	}
	runtime := workers.New(workers.Options{DB: s.DB, Redis: redis, Client: client, Grace: 4 * time.Second})
	accountconfig.Register(runtime, s.Store, accountconfig.Options{Client: http.DefaultClient})
	jobstest.Run(t, runtime.Run)
	x := &customerEnv{t: t, s: s, home: t.TempDir()}
	x.stdin = s.Key + "\n"
	x.wants(0, "login", "--url", s.URL)
	return x
}

func (x *customerEnv) run(args ...string) (code int, stdout, stderr string) {
	x.t.Helper()
	var out, errs bytes.Buffer
	env := func(name string) string { return map[string]string{"HOME": x.home}[name] }
	code = cli.Run(x.t.Context(), args, env, strings.NewReader(x.stdin), &out, &errs)
	for _, text := range []string{out.String(), errs.String()} {
		if strings.Contains(text, x.s.Key) || strings.Contains(text, x.s.ReadKey) {
			x.t.Errorf("sy %s prints the key", strings.Join(args, " "))
		}
	}
	return code, out.String(), errs.String()
}

// wants runs a command line that must exit with a code, and returns what it prints.
func (x *customerEnv) wants(code int, args ...string) string {
	x.t.Helper()
	got, stdout, stderr := x.run(args...)
	if got != code {
		x.t.Fatalf("sy %s exits with %d, want %d\n%.2000s\n%.2000s", strings.Join(args, " "), got, code, stdout, stderr)
	}
	return stdout + stderr
}

func (x *customerEnv) has(text string, parts ...string) {
	x.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			x.t.Errorf("%q is missing in\n%.3000s", part, text)
		}
	}
}

// TestSyReads: a customer logs in, calls the API, and lists and finds records by name. No output has the key.
func TestSyReads(t *testing.T) {
	t.Parallel()
	x := newCustomerEnv(t)
	file := filepath.Join(x.home, ".config", "switchyard", "sy.json")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%s: %v, error %v, want mode 0600", file, info, err)
	}
	x.has(x.wants(0, "profiles"), "default", x.s.URL, "true")

	x.stdin = `{"name": "Shoes", "url": "https://shop.example/?c={clickid}", "payout": 12.5}`
	offer := struct{ ID string }{}
	if err := json.Unmarshal([]byte(x.wants(0, "api", "POST", "/offers", "--body", "-")), &offer); err != nil || offer.ID == "" {
		t.Fatalf("the created offer is %+v, error %v, want an id", offer, err)
	}
	x.stdin = ""
	x.has(x.wants(0, "api", "POST", "campaigns", "--dry-run", "--body", `{"name":"Spring"}`), "POST "+x.s.URL+`/api/v1/campaigns`, "Spring")
	x.wants(0, "api", "POST", "campaigns", "--body", `{"name":"Spring","alias":"spring-sale","offer_id":"`+offer.ID+`"}`)
	x.has(x.wants(0, "get", "campaigns"), "NAME", "Spring", "active")
	x.has(x.wants(0, "get", "offer", "shoes", "-o", "yaml"), "name: Shoes\n", "payout: 12.5\n")
}

// TestSyFigures: the commands show the figures and clicks of the service, trace a click, and simulate, check, pause and resume a
// campaign.
func TestSyFigures(t *testing.T) {
	t.Parallel()
	x := newCustomerEnv(t)
	made := x.s.Do("POST", "/campaigns", map[string]any{
		"name": "Spring", "alias": "spring-sale", "streams": []any{map[string]any{
			"name": "Germans", "action": "redirect", "filters": []any{map[string]any{"attribute": "country", "operator": "in", "value": []string{"DE"}}},
			"destinations": []any{map[string]any{"url": "https://shop.example"}},
		}},
	}).Want(201, "").Map()
	campaign := uuid.MustParse(made["id"].(string))
	c := models.Click{
		ID: models.NewClickID(), AccountID: x.s.Account.ID, CampaignID: campaign, Currency: "USD", UniqueHours: 24,
		Visitor: models.Visitor{Country: "DE", UserAgent: "x"},
	}
	c.Subs[0] = "ad7\x1b[31m"
	storeRecords(t, x.s.DB, spool.Record{Click: &c})

	x.has(x.wants(0, "report", "--by", "campaign,country", "--from=-1d", "--filter", "campaign=Spring"), "CAMPAIGN_ID", "Spring", "DE", "Total")
	x.has(x.wants(0, "report", "--by", "country", "-o", "csv"), "country,approve_rate,", "\nDE,")
	x.has(x.wants(0, "report", "--by", "country", "-o", "json"), `"clicks": 1`, `"totals"`)
	x.has(x.wants(0, "compare", "--by", "campaign", "--figures", "clicks"), "CLICKS_BEFORE", "CLICKS_CHANGE", "Spring")
	x.has(x.wants(3, "report", "--by", "colour"), "invalid_dimension")
	x.has(x.wants(3, "report", "--filter", "campaign=Winter"), `none of the campaigns is called "Winter"`, "sy get campaigns")

	id := c.ID.String()
	if log := x.wants(0, "get", "jobs", "-o", "json"); log != "[]\n" {
		t.Errorf("the jobs are %s, want an empty list", log)
	}
	tail := x.wants(0, "tail", "clicks", "--once", "-o", "json")
	x.has(tail, `"campaign_name":"Spring"`)
	x.has(x.wants(0, "tail", "conversions", "--once", "-o", "csv") + x.wants(0, "tail", "unmatched", "--once"))
	var row struct {
		ClickID string `json:"click_id"`
	}
	if err := json.Unmarshal([]byte(tail), &row); err != nil {
		t.Fatalf("%v: %s (%s)", err, tail, id)
	}
	x.has(x.wants(0, "trace", row.ClickID), "Spring", "Germans", "decision")
	x.has(x.wants(0, "trace", row.ClickID, "-o", "json"), `"reproduced"`)
	x.wants(3, "trace", "nothing")

	x.has(x.wants(0, "simulate", "spring", "--country", "DE"), "taken", "Germans", "https://shop.example")
	x.has(x.wants(1, "simulate", "Spring", "--country", "FR"), "passed", "goes nowhere")
	x.has(x.wants(1, "check", "Spring", "--fail-on", "problem"), "ok       bots", "problem  fallback", "warning  source", "Choose the source.")
	x.s.Do("PATCH", "/campaigns/"+campaign.String(), map[string]any{"fallback_url": "https://shop.example/"}).Want(200, "")
	x.has(x.wants(0, "check", "Spring", "--fail-on", "problem"), "ok       fallback", "unknown  destinations")
	x.has(x.wants(1, "check", "spring", "-o", "json"), `"code": "source_missing"`)
	x.has(x.wants(1, "check", "Spring", "-o", "csv"), "check,code,costs,do,message,state", "source,source_missing,")
	if x.has(x.wants(0, "pause", "campaign", "Spring", "--dry-run"), "paused"); x.s.Do("GET", "/campaigns/"+campaign.String(), nil).Map()["campaign"].(map[string]any)["status"] != "active" {
		t.Error("a dry run has paused the campaign")
	}
	x.wants(0, "pause", "campaigns", "Spring")
	x.has(x.wants(0, "get", "campaign", "Spring", "-o", "json"), `"status": "paused"`)
	x.wants(0, "resume", "campaign", campaign.String())
	x.has(x.wants(0, "get", "campaign", "Spring"), "active")
}

// TestSyDocument: a changed document of the account is compared, applied and undone.
func TestSyDocument(t *testing.T) {
	t.Parallel()
	x := newCustomerEnv(t)
	x.s.Do("POST", "/networks", map[string]any{"name": "Acme"}).Want(201, "")
	file := filepath.Join(x.home, "sy.yaml")
	x.wants(0, "export", "--file", file)
	x.has(x.wants(0, "diff", "-f", file), "0 create, 0 change")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	after := strings.Replace(string(before), "Acme", "Acme Media", 1)
	if err := os.WriteFile(file, []byte(after), 0o600); err != nil {
		t.Fatal(err)
	}
	x.has(x.wants(2, "diff", "-f", file), "~ change networks/acme", `name: "Acme" -> "Acme Media"`)
	x.has(x.wants(2, "apply", "-f", file, "--dry-run", "-o", "json"), `"items"`, `"plan_id"`)
	x.has(x.wants(1, "apply", "-f", file), "add --yes")
	text := x.wants(0, "apply", "-f", file, "--yes")
	x.has(text, "Written records: 1.", "sy undo ")
	x.has(x.wants(0, "get", "network", "Acme Media"), "Acme Media")
	x.wants(0, "diff", "-f", file)
	_, id, _ := strings.Cut(text, "`sy undo ")
	id, _, _ = strings.Cut(id, "`")
	x.wants(0, "undo", id, "--yes")
	if got := x.wants(0, "export"); got != string(before) {
		t.Errorf("after undo the document is\n%s\nwant\n%s", got, before)
	}
	x.stdin = "networks: [\n"
	x.wants(3, "diff", "-f", "-")

	x.stdin = x.s.ReadKey
	x.wants(0, "login", "--url", x.s.URL, "--profile", "read")
	x.has(x.wants(3, "pause", "network", "Acme", "--profile", "read"), "read_only_key", "full key")
	x.has(x.wants(0, "get", "networks", "--debug"), "> GET "+x.s.URL+"/api/v1/networks", "< 200")
}

// TestSyImport: sy itself reads another tracker, so the service never gets the tracker's key.
func TestSyImport(t *testing.T) {
	t.Parallel()
	x := newCustomerEnv(t)
	fake := httptest.NewServer(keitarotest.New(keitarotest.Fixture("plain/in/tracker.json")))
	defer fake.Close()
	count := func(query string) int { return dbtest.Get[int](t, x.s.DB, query) }
	x.stdin = keitarotest.Key + "\n"
	plan := x.wants(2, "import", "keitaro", "--url", fake.URL, "--plan")
	x.has(plan, "+ create campaigns/keitaro.", "Reading campaigns", "Plan ", "0 refused")
	if n := count(`SELECT count(*) FROM campaigns`); n != 0 {
		t.Errorf("--plan has made %d campaigns", n)
	}
	x.has(x.wants(1, "import", "keitaro", "--url", fake.URL), "add --yes")
	text := x.wants(0, "import", "keitaro", "--url", fake.URL, "--yes")
	x.has(text, "Written records:", "sy undo ")
	if campaigns, links := count(`SELECT count(*) FROM campaigns`), count(`SELECT count(DISTINCT campaign_id) FROM foreign_links`); campaigns != 2 || links != 2 {
		t.Errorf("%d campaigns are created, %d of them with links, want 2 with links", campaigns, links)
	}
	if n := count(`SELECT count(*) FROM config_plans WHERE origin = 'keitaro' AND access IS NULL AND strpos(encode(document, 'escape'), '` + keitarotest.Key + `') = 0`); n != 3 {
		t.Errorf("%d plans are stored without a key of the tracker, want all 3", n)
	}
	if strings.Contains(plan+text, keitarotest.Key) {
		t.Error("the tracker's key was printed")
	}
	x.has(x.wants(0, "import", "keitaro", "--url", fake.URL, "--plan", "-o", "json"), `"same"`)

	x.stdin = "wrong\n"
	x.has(x.wants(1, "import", "keitaro", "--url", fake.URL, "--plan"), "does not accept the API key")
	x.stdin = ""
	x.has(x.wants(1, "import", "keitaro", "--url", fake.URL), "there is no key of the tracker")
	x.has(x.wants(1, "import", "binom"), "--url")
	x.has(x.wants(1, "import", "csv", "--url", "old"), "--offers")
	offers := filepath.Join(x.home, "offers.csv")
	if err := os.WriteFile(offers, []byte("name,url\nShoes,https://shop.example/?c={clickid}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.has(x.wants(1, "import", "voluum", "--offers", offers), "sy import csv")
	x.wants(0, "import", "csv", "--url", "old", "--offers", offers, "--yes")
	x.has(x.wants(0, "get", "offer", "Shoes"), "Shoes")
}
