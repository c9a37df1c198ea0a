package accountconfig_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/await"
	"switchyard/models/foreign"
	"switchyard/workers"
	worker "switchyard/workers/accountconfig"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/keitaro/keitarotest"
)

// env is a database with a shared link domain, and a worker that plans and applies documents.
type env struct {
	*testing.T
	db     *db.DB
	store  *store.Store
	client *jobs.Client
}

func newEnv(t *testing.T) *env {
	t.Helper()
	e := &env{T: t, db: dbtest.New(t)}
	dbtest.Exec(t, e.db, `INSERT INTO domains (id, host, is_verified) VALUES ($1, 'links.example', true)`, uuid.New())
	box, err := seal.New(e.db, []byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	queue := jobstest.Redis(t)
	e.store, e.client = store.New(e.db, box), jobs.Connect(queue)
	rt := workers.New(workers.Options{DB: e.db, Redis: queue, Client: e.client, Grace: 4 * time.Second})
	worker.Register(rt, e.store, worker.Options{Client: http.DefaultClient, Clicks: click.Log{Conn: e.db}, LogEvery: time.Nanosecond})
	jobstest.Run(t, rt.Run)
	return e
}

func (e *env) account() uuid.UUID {
	e.Helper()
	id := uuid.New()
	dbtest.Exec(e, e.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'scale', $2)`, id, id.String())
	return id
}

// text returns the document that describes the present state of an account.
func (e *env) text(account uuid.UUID) string {
	e.Helper()
	state, err := dbconfig.Load(e.Context(), e.store, account)
	if err != nil {
		e.Fatal(err)
	}
	text, err := state.Records.YAML()
	if err != nil {
		e.Fatal(err)
	}
	return string(text)
}

// run stores a job, calls the function write in the same transaction, and waits for the job's end.
func run[A, R any](e *env, account uuid.UUID, job jobs.Job[A, R], args A, write func(*store.Store, uuid.UUID) error) (models.JobStatus, uuid.UUID) {
	e.Helper()
	row, err := job.NewRow(account, args)
	if err == nil {
		err = e.store.Tx(e.Context(), func(s *store.Store) error {
			if err := s.Jobs().Submit(e.Context(), row); err != nil {
				return err
			}
			return write(s, row.ID)
		})
	}
	if err != nil {
		e.Fatal(err)
	}
	e.client.DispatchFor(e.Context(), account, job.Kind(), row.ID)
	var status models.JobStatus
	await.Until(e, "the job ends", func() bool {
		status, err = jobrow.Status(e.Context(), e.db, account, row.ID)
		if err != nil {
			e.Fatal(err)
		}
		return status.Status == models.JobDone || status.Status == models.JobFailed
	})
	return status, row.ID
}

func (e *env) plan(account uuid.UUID, document string, prune accountconfig.Prune) dbconfig.Plan {
	e.Helper()
	_, id := run(e, account, jobs.PlanConfig, jobs.PlanConfigArgs{}, func(s *store.Store, id uuid.UUID) error {
		return dbconfig.PlansOf(s).Add(e.Context(), account, id, []byte(document), prune, "document", nil, nil)
	})
	p, err := dbconfig.PlansOf(e.store).Find(e.Context(), account, id)
	if err != nil {
		e.Fatal(err)
	}
	return p
}

func (e *env) items(account uuid.UUID, p dbconfig.Plan) []dbconfig.Item {
	e.Helper()
	list, err := dbconfig.PlansOf(e.store).Items(e.Context(), account, p.ID, 0, 1000, nil)
	if err != nil {
		e.Fatal(err)
	}
	return list
}

// apply carries out a plan, or takes it back, and returns the plan in its new state.
func (e *env) apply(account uuid.UUID, p dbconfig.Plan, undo bool) dbconfig.Plan {
	e.Helper()
	state := dbconfig.Applying
	if undo {
		state = dbconfig.Undoing
	}
	run(e, account, jobs.ApplyConfig, jobs.ApplyConfigArgs{PlanID: p.ID, Undo: undo}, func(s *store.Store, id uuid.UUID) error {
		_, err := dbconfig.PlansOf(s).Begin(e.Context(), account, p.ID, id, state, p.State)
		return err
	})
	p, err := dbconfig.PlansOf(e.store).Find(e.Context(), account, p.ID)
	if err != nil {
		e.Fatal(err)
	}
	return p
}

// applied applies a document. All its records must be written.
func (e *env) applied(account uuid.UUID, document string, prune accountconfig.Prune) dbconfig.Plan {
	e.Helper()
	p := e.plan(account, document, prune)
	if p.State != dbconfig.Planned || p.Counts[accountconfig.OpRefused] > 0 {
		refused := slices.DeleteFunc(e.items(account, p), func(i dbconfig.Item) bool { return i.Op != accountconfig.OpRefused })
		e.Fatalf("%s %s: %+v of\n%s", p.State, p.Problem, refused, document)
	}
	if p = e.apply(account, p, false); p.State != dbconfig.Applied {
		e.Fatalf("%s: %s", p.State, p.Problem)
	}
	return p
}

func everything(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDocumentComesBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	first, second := e.account(), e.account()
	e.applied(first, everything(t), accountconfig.Prune{})
	exported := e.text(first)
	if exported != everything(t) {
		t.Errorf("the document of the account is\n%s", exported)
	}
	if p := e.plan(first, exported, accountconfig.Prune{}); p.Work != 0 {
		t.Errorf("an account's own document would change it: %+v", e.items(first, p))
	}
	p := e.applied(second, exported, accountconfig.Prune{})
	if text := e.text(second); text != exported {
		t.Errorf("the document of the second account differs from that of the first:\n%s", text)
	}
	if p = e.apply(second, p, true); p.State != dbconfig.Undone {
		t.Fatalf("%s: %s", p.State, p.Problem)
	}
	if text := e.text(second); text != "version: 1\n" {
		t.Errorf("after the undo the account has this, want an empty document:\n%s", text)
	}
}

// TestPlanRefuses: a document that cannot be read is refused as a whole. A wrong record is refused with the records that refer to
// it.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	if p := e.plan(account, "version: 1\noffers: [", accountconfig.Prune{}); p.State != dbconfig.Refused || p.Problem == "" {
		t.Errorf("%+v", p)
	}
	dbtest.Exec(t, e.db, `INSERT INTO offers (id, account_id, name, url) VALUES ($1, $2, 'Taken', 'https://x.example')`, uuid.New(), account)
	p := e.plan(account, `version: 1
networks:
  bad: {name: Bad, currency: EUR, postback_scheme: unheard}
  Bad Key: {name: Other}
offers:
  uses-bad: {name: Uses bad, url: "https://offer.example", network: bad}
  uses-none: {name: Uses none, url: "https://offer.example", network: nobody}
  taken-2: {name: taken, url: "https://offer.example"}
  mistyped: {name: Mistyped, url: "https://offer.example", payuot: 3}
  good: {name: Good, url: "https://offer.example"}
campaigns:
  no-path: {name: No path, domain: shared}
  no-share: {name: No share, domain: shared, paths: [{action: offer, destinations: [{offer: good, weight: 0}]}]}
  uses-uses: {name: Uses uses, domain: shared, paths: [{action: offer, destinations: [{offer: uses-bad}]}]}
`, accountconfig.Prune{})
	got := map[string]string{}
	for _, i := range e.items(account, p) {
		got[string(i.Kind)+"."+i.Key] = i.Op + " " + strings.Join(i.Errors, "; ")
	}
	for at, want := range map[string]string{
		"networks.bad":        "refused postback_scheme must be one of",
		"networks.Bad Key":    "refused a key has 1 to 100 characters (a-z",
		"offers.uses-bad":     "refused networks.bad, to which the record refers, is refused",
		"offers.uses-none":    `refused network: there is no network with the key "nobody"`,
		"offers.taken-2":      "refused offers.taken has the same name",
		"offers.mistyped":     "refused payuot is unknown; did you mean payout?",
		"offers.good":         "create ",
		"campaigns.no-path":   "refused the flow has no paths",
		"campaigns.no-share":  "refused path",
		"campaigns.uses-uses": "refused offers.uses-bad, to which the record refers, is refused",
	} {
		if !strings.HasPrefix(got[at], want) {
			t.Errorf("%s: %q, want %q", at, got[at], want)
		}
	}
}

// TestChangeAndUndo: a plan shows the changes field by field. It is not carried out if one of its records has changed in the
// meantime. An undo leaves records alone that have changed since.
func TestChangeAndUndo(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	e.applied(account, everything(t), accountconfig.Prune{})
	before := e.text(account)
	changed := strings.NewReplacer("payout: 12.5", "payout: 13.75", "weight: 50\n          - offer: nutra-de", "weight: 60\n          - offer: nutra-de",
		"name: Pre 1", "name: Pre One").Replace(before)
	p := e.plan(account, changed, accountconfig.Prune{})
	var fields []string
	for _, i := range e.items(account, p) {
		for _, f := range i.Fields {
			fields = append(fields, string(i.Kind)+"."+i.Key+"."+f.Path)
		}
	}
	want := "landers.pre-1.name offers.nutra-de.payout campaigns.a-first.paths[Own rule].destinations"
	if strings.Join(fields, " ") != want || p.Work != 3 {
		t.Errorf("%d changes: %s, want %s", p.Work, fields, want)
	}
	path := dbtest.Get[string](t, e.db, `SELECT streams -> 1 ->> 'id' FROM campaigns WHERE account_id = $1 AND name = 'First'`, account)
	if p = e.apply(account, p, false); p.State != dbconfig.Applied || e.text(account) != changed {
		t.Fatalf("%s %s: the account has\n%s", p.State, p.Problem, e.text(account))
	}
	if now := dbtest.Get[string](t, e.db, `SELECT streams -> 1 ->> 'id' FROM campaigns WHERE account_id = $1 AND name = 'First'`, account); now != path {
		t.Error("a changed path has lost its id, and so its statistics")
	}
	stale := e.plan(account, before, accountconfig.Prune{})
	dbtest.Exec(t, e.db, `UPDATE offers SET payout = 20 WHERE account_id = $1 AND name = 'Nutra DE'`, account)
	if stale = e.apply(account, stale, false); stale.State != dbconfig.Planned || !strings.Contains(stale.Problem, "offers.nutra-de has changed") {
		t.Errorf("a stale plan is %s: %s", stale.State, stale.Problem)
	}
	if p = e.apply(account, p, true); p.State != dbconfig.Undone {
		t.Errorf("%s: %s", p.State, p.Problem)
	}
	if text := e.text(account); text != strings.Replace(before, "payout: 12.5", "payout: 20", 1) {
		t.Errorf("after the undo the account has\n%s", text)
	}
	if got := dbtest.Get[string](t, e.db, `SELECT (result ->> 'done') || ' written, ' || jsonb_array_length(result -> 'kept') || ' kept' FROM jobs
		WHERE account_id = $1 AND kind = $2 ORDER BY created_at DESC LIMIT 1`, account, jobs.ApplyConfig.Kind()); got != "2 written, 1 kept" {
		t.Errorf("the undo answers %s, want 2 written, 1 kept", got)
	}
}

// TestPrune: prune deletes the records of a group that are missing in the document, but archives campaigns with clicks. An undo
// restores them.
func TestPrune(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	const kept = `version: 1
offers:
  other: {name: Other, url: "https://offer.example", group_name: b}
`
	e.applied(account, kept+`  old: {name: Old, url: "https://offer.example", group_name: a}
campaigns:
  with-clicks: {name: With clicks, currency: USD, domain: shared, destination_url: "https://x.example", group_name: a}
  without: {name: Without, currency: USD, domain: shared, destination_url: "https://x.example", group_name: a, paths: [{action: offer, destinations: [{offer: old}]}]}
`, accountconfig.Prune{})
	before := e.text(account)
	campaign := dbtest.Get[uuid.UUID](t, e.db, `SELECT id FROM campaigns WHERE account_id = $1 AND name = 'With clicks'`, account)
	dbtest.Exec(t, e.db, `INSERT INTO ledger_rollups SELECT 'traffic', $1, date_trunc('hour', now()), $2, $3, $3, $3, $3, '', '', '', '', 1, 1,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0`, account, campaign, uuid.Nil)
	p := e.applied(account, kept, accountconfig.Prune{Group: "A"})
	if p.Counts[accountconfig.OpDelete] != 2 || p.Counts[accountconfig.OpArchive] != 1 {
		t.Errorf("%+v", p.Counts)
	}
	after := e.text(account)
	if strings.Contains(after, "old:") || strings.Contains(after, "without:") || !strings.Contains(after, "status: archived") {
		t.Errorf("the account has\n%s", after)
	}
	if p = e.apply(account, p, true); p.State != dbconfig.Undone || e.text(account) != before {
		t.Errorf("%s: after the undo the account has\n%s", p.State, e.text(account))
	}
}

// TestImport: the settings of a Keitaro tracker are read into a plan, and the credentials are deleted. A second import changes
// nothing.
func TestImport(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	fake := httptest.NewServer(keitarotest.New(keitarotest.Fixture("plain/in/tracker.json")))
	defer fake.Close()
	read := func() dbconfig.Plan { return e.read(account, fake.URL, 0) }
	p := read()
	if p.State != dbconfig.Planned || p.Counts[accountconfig.OpRefused] > 0 || p.Counts[accountconfig.OpCreate] < 5 {
		t.Fatalf("%s %s %v: %+v", p.State, p.Problem, p.Counts, e.items(account, p))
	}
	if n := dbtest.Get[int](t, e.db, `SELECT count(*) FROM config_plans WHERE access IS NOT NULL`); n != 0 {
		t.Error("the credentials are still there")
	}
	if p = e.apply(account, p, false); p.State != dbconfig.Applied {
		t.Fatalf("%s: %s", p.State, p.Problem)
	}
	campaigns := dbtest.Get[int](t, e.db, `SELECT count(*) FROM campaigns WHERE account_id = $1`, account)
	links := dbtest.Get[int](t, e.db, `SELECT count(DISTINCT campaign_id) FROM foreign_links WHERE account_id = $1`, account)
	if campaigns != 2 || links != 2 {
		t.Errorf("%d campaigns, %d of them with links, want 2 with links", campaigns, links)
	}
	if again := read(); again.Work != 0 {
		t.Errorf("a second import would change %+v", e.items(account, again))
	}
}

// read plans the import of a Keitaro tracker. attempts is the number of attempts that the job has had already.
func (e *env) read(account uuid.UUID, url string, attempts int) dbconfig.Plan {
	e.Helper()
	access, err := json.Marshal(trackers.Access{URL: url, Key: keitarotest.Key})
	if err == nil {
		err = e.store.Box().Ready(e.Context())
	}
	if err != nil {
		e.Fatal(err)
	}
	_, id := run(e, account, jobs.ImportConfig, jobs.ImportConfigArgs{}, func(s *store.Store, id uuid.UUID) error {
		dbtest.Exec(e, s.Conn(), `UPDATE jobs SET attempts = $2 WHERE id = $1`, id, attempts)
		return dbconfig.PlansOf(s).AddImport(e.Context(), account, id, foreign.Keitaro, access, nil)
	})
	p, err := dbconfig.PlansOf(e.store).Find(e.Context(), account, id)
	if err != nil {
		e.Fatal(err)
	}
	return p
}

// TestTrackerThatIsAway: a tracker that fails is read again some time later. After the last attempt the plan is refused. A
// tracker that does not accept the key is not asked again.
func TestTrackerThatIsAway(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	tracker := keitarotest.New(keitarotest.Fixture("plain/in/tracker.json"))
	var calls, failing atomic.Int64
	status := http.StatusServiceUnavailable
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= failing.Load() {
			w.WriteHeader(status)
			return
		}
		tracker.ServeHTTP(w, r)
	}))
	defer fake.Close()
	const tries = 5 // of a request, within an attempt
	failing.Store(tries)
	if p := e.read(account, fake.URL, 0); p.State != dbconfig.Planned || p.Progress != "" || p.Counts[accountconfig.OpCreate] < 5 {
		t.Errorf("a tracker that failed once: the plan is %s %q %v, want it planned", p.State, p.Problem, p.Counts)
	}
	if n := dbtest.Get[int](t, e.db, `SELECT max(attempts) FROM jobs`); n != 2 {
		t.Errorf("the tracker was read in %d attempts, want 2", n)
	}
	last := jobs.ImportConfig.Policy().MaxAttempts - 1
	calls.Store(0)
	if p := e.read(account, fake.URL, last); p.State != dbconfig.Refused || !strings.Contains(p.Problem, "any of 5 attempts") || !strings.Contains(p.Problem, "503") {
		t.Errorf("after the last attempt: the plan is %s %q, want it refused with the reason", p.State, p.Problem)
	}
	status = http.StatusUnauthorized
	calls.Store(0)
	if p := e.read(account, fake.URL, 0); p.State != dbconfig.Refused || !strings.Contains(p.Problem, "key") || calls.Load() != 1 {
		t.Errorf("a wrong key: the plan is %s %q after %d requests, want it refused after 1", p.State, p.Problem, calls.Load())
	}
	fake.Close()
	if p := e.read(account, fake.URL, last); p.State != dbconfig.Refused || !strings.Contains(p.Problem, "does not answer") {
		t.Errorf("a tracker that is gone: the plan is %s %q, want it refused", p.State, p.Problem)
	}
	if n := dbtest.Get[int](t, e.db, `SELECT count(*) FROM config_plans WHERE access IS NOT NULL`); n != 0 {
		t.Error("credentials are still there")
	}
}

// TestUndoTakesBackLinks: after an undo, the links of another tracker lead where they led before.
func TestUndoTakesBackLinks(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	account := e.account()
	const a, b = `campaigns:
  a: {name: A, currency: USD, domain: shared, destination_url: "https://a.example"}
`, `  b: {name: B, currency: USD, domain: shared, destination_url: "https://b.example"}
`
	e.applied(account, "version: 1\n"+a+b+`  old: {name: Old, currency: USD, domain: shared, destination_url: "https://x.example", group_name: gone}
`, accountconfig.Prune{})
	dbtest.Exec(t, e.db, `INSERT INTO foreign_links (id, account_id, form, foreign_id, campaign_id)
		SELECT gen_random_uuid(), account_id, 'path', lower(name) || n, id FROM campaigns, generate_series(1, 2) n WHERE account_id = $1`, account)
	links := func() string {
		return dbtest.Get[string](t, e.db, `SELECT string_agg(c.name || ':' || l.foreign_id, ' ' ORDER BY c.name, l.foreign_id) FROM foreign_links l
			JOIN campaigns c ON c.id = l.campaign_id WHERE l.account_id = $1`, account)
	}
	before, document := links(), e.text(account)
	p := e.plan(account, "version: 1\n"+strings.Replace(a, "a.example", "new.example", 1)+
		`  c: {name: C, currency: USD, domain: shared, destination_url: "https://c.example"}
`, accountconfig.Prune{Group: "gone"})
	dbtest.Exec(t, e.db, `UPDATE config_plans SET links = $2 WHERE id = $1`, p.ID,
		`[{"form": "path", "id": "a1", "campaign": "a"}, {"form": "path", "id": "a3", "campaign": "a"}, {"form": "path", "id": "b1", "campaign": "c"}]`)
	if p = e.apply(account, p, false); p.State != dbconfig.Applied || links() != "A:a1 A:a3 B:b2 C:b1" {
		t.Fatalf("%s %s: the links are %s", p.State, p.Problem, links())
	}
	if p = e.apply(account, p, true); p.State != dbconfig.Undone || links() != before || e.text(account) != document {
		t.Errorf("%s %s: after the undo the links are %s, and were %s", p.State, p.Problem, links(), before)
	}
	p = e.plan(account, "version: 1\n"+strings.Replace(a, "a.example", "new.example", 1), accountconfig.Prune{})
	if p = e.apply(account, e.apply(account, p, false), true); p.State != dbconfig.Undone || links() != before {
		t.Errorf("%s: after the undo of a document without links they are %s", p.State, links())
	}
}
