package copilot_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/await"
	"switchyard/models/copilot"
	"switchyard/models/flow"
)

// newRuled makes an env in which it is noon of a recent day in Tokyo. The day is recent because the cool-down after an undo uses
// the database's clock.
func newRuled(t *testing.T) *env {
	t.Helper()
	w := newEnv(t)
	w.setNow(time.Now().UTC().Truncate(24 * time.Hour).Add(-21 * time.Hour))
	return w
}

// rule saves a live rule that is due now. It pauses a path that had at least 100 clicks and no conversion yesterday, unless
// `change` gives it other settings.
func (w *env) rule(change func(*autorule.Settings)) autorule.Rule {
	w.Helper()
	s := autorule.Defaults()
	s.Mode, s.LooksAt, s.Action, s.IncludeCurrent = autorule.Live, autorule.Path, autorule.Pause, false
	s.Conditions = []autorule.Comparison{{Figure: "clicks", Operator: ">=", Value: number(100)}, {Figure: "conversions", Operator: "=", Value: number(0)}}
	change(&s)
	if err := s.Validate(); err != nil {
		w.Fatal(err)
	}
	r := autorule.Rule{Name: "stop", IsActive: true, Settings: s}
	r.AccountID = w.account.ID
	r, err := dbcopilot.NewRules(w.store).Create(w.Context(), r)
	if err != nil {
		w.Fatal(err)
	}
	w.due()
	return r
}

func number(n int64) models.Money { return models.NewMoney(decimal.NewFromInt(n)) }

func (w *env) due() {
	w.Helper()
	dbtest.Exec(w, w.d, `UPDATE copilot_rules SET next_at = $1`, *w.now.Load())
}

func job[A, R any](w *env, j jobs.Job[A, R], args A) (out R) {
	w.Helper()
	row, err := j.NewRow(w.account.ID, args)
	if err == nil {
		err = jobrow.Insert(w.Context(), w.d, row)
	}
	if err != nil {
		w.Fatal(err)
	}
	if row = w.ended(row); row.State != models.JobDone {
		w.Fatalf("%s %s", row.State, row.Error)
	}
	if err := json.Unmarshal(row.Result, &out); err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *env) ended(row models.Job) models.Job {
	w.Helper()
	w.client.DispatchFor(w.Context(), w.account.ID, row.Kind, row.ID)
	await.Until(w.T, "the job has ended", func() bool {
		found, err := jobrow.Find(w.Context(), w.d, w.account.ID, row.ID)
		if err != nil {
			w.Fatal(err)
		}
		row = found
		return row.State == models.JobDone || row.State == models.JobFailed
	})
	return row
}

// run runs the due rules and returns the run of r at the present moment, or the zero Run.
func (w *env) run(r autorule.Rule) autorule.Run {
	w.Helper()
	job(w, jobs.RunRules, jobs.RulesArgs{At: *w.now.Load()})
	runs, _, err := dbcopilot.NewRules(w.store).Runs(w.Context(), w.account.ID, r.ID, store.Page{Limit: 1})
	if err != nil {
		w.Fatal(err)
	}
	if len(runs) == 0 || !runs[0].At.Equal(*w.now.Load()) {
		return autorule.Run{}
	}
	return runs[0]
}

func outcomes(r autorule.Run) string {
	return strings.Join(db.Map(r.Items, func(i autorule.RunItem) string { return i.Outcome }), " ")
}

func (w *env) flow() []flow.Path {
	w.Helper()
	f, err := w.store.Campaigns().Flow(w.Context(), w.account.ID, w.campaign.ID)
	if err != nil {
		w.Fatal(err)
	}
	return f.Paths
}

func (w *env) later(d time.Duration) { w.setNow(w.now.Load().Add(d)) }

func (w *env) changes() []copilot.Change {
	w.Helper()
	list, err := dbcopilot.NewSuggestions(w.store).Changes(w.Context(), w.account.ID)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// TestRulePauses checks that a matching path is paused by a change with its evidence, and stays active during the cool-down after
// an undo.
func TestRulePauses(t *testing.T) {
	t.Parallel()
	w := newRuled(t)
	w.addFigures(1, 1000, 40, 0)
	r := w.rule(func(*autorule.Settings) {})
	run := w.run(r)
	if outcomes(run) != "done" || run.Looked != 2 || run.Matched != 1 || run.Done != 1 || run.Outcome != autorule.RunDone {
		t.Fatalf("%+v", run)
	}
	if paths := w.flow(); !paths[0].IsActive || paths[1].IsActive {
		t.Errorf("%+v", paths)
	}
	list := w.changes()
	if len(list) != 1 || list[0].RuleID.UUID != r.ID || list[0].ID != run.Items[0].ChangeID.UUID || list[0].Evidence.Sample != 1000 ||
		!strings.Contains(list[0].Evidence.Method, "clicks >= 100 and conversions = 0") {
		t.Fatalf("%+v", list)
	}
	saved, err := dbcopilot.NewRules(w.store).Find(t.Context(), w.account.ID, r.ID)
	if err != nil || saved.LastRun == nil || saved.LastRun.Done != 1 || !saved.NextAt.Equal(w.now.Load().Add(time.Hour)) {
		t.Errorf("%+v, %v", saved, err)
	}
	w.later(2 * time.Hour)
	if run := w.run(r); run.Matched != 0 {
		t.Errorf("a run after the path was paused matches it again: %+v", run)
	}
	if _, err := dbcopilot.NewSuggestions(w.store).Undo(t.Context(), w.account.ID, list[0].ID); err != nil {
		t.Fatal(err)
	}
	w.due()
	if run := w.run(r); outcomes(run) != "cooling" || !w.flow()[1].IsActive {
		t.Errorf("the run after the change was undone is %+v, want an active path that is cooling", run)
	}
	w.setNow(time.Now().UTC().Add(25 * time.Hour).Truncate(time.Hour))
	w.addFigures(1, 1000, 40, 0)
	w.due()
	if run := w.run(r); outcomes(run) != "done" || w.flow()[1].IsActive {
		t.Errorf("the run after the cool-down is %+v, want the path paused again", run)
	}
}

// TestRuleWeighs checks that a weight is changed once in a cool-down, also if a run is repeated, as after a crash.
func TestRuleWeighs(t *testing.T) {
	t.Parallel()
	w := newRuled(t)
	w.addFigures(1, 1000, 40, 0)
	r := w.rule(func(s *autorule.Settings) {
		s.Action, s.Factor, s.MinWeight = autorule.Weight, models.NewMoney(decimal.RequireFromString("0.5")), number(20)
	})
	before := w.flow()[1].Weight
	for _, want := range []string{"done", "cooling"} { // both runs look at the same window
		w.due()
		if run := w.run(r); outcomes(run) != want {
			t.Errorf("%+v, want %s", run, want)
		}
		if got := w.flow()[1].Weight; got != before/2 {
			t.Errorf("weight %v, want %v", got, before/2)
		}
		dbtest.Exec(w, w.d, `DELETE FROM copilot_rule_runs`)
	}
	for _, want := range []float64{before / 4, 20} {
		w.later(25 * time.Hour)
		w.addFigures(1, 1000, 40, 0)
		w.due()
		if run := w.run(r); outcomes(run) != "done" || w.flow()[1].Weight != want {
			t.Errorf("%+v, weight %v, want %v", run, w.flow()[1].Weight, want)
		}
	}
	w.later(25 * time.Hour)
	w.addFigures(1, 1000, 40, 0)
	w.due()
	if run := w.run(r); outcomes(run) != "idle" {
		t.Errorf("the run at the minimum weight is %+v, want idle", run)
	}
}

// TestRuleStale checks that a record is left unchanged if the record or the rule has changed since both were read. Of several
// concurrent acts, only one is carried out.
func TestRuleStale(t *testing.T) {
	t.Parallel()
	w := newRuled(t)
	r := w.rule(func(*autorule.Settings) {})
	paths := w.flow()
	campaign := uuid.NullUUID{UUID: w.campaign.ID, Valid: true}
	target := autorule.Target{Campaign: w.campaign.ID, Path: paths[1].ID, Name: "B"}
	act := autorule.Act{
		CampaignID: campaign, Targets: []autorule.Target{target}, What: "pause B",
		Action: copilot.Action{Op: copilot.OpPausePath, CampaignID: campaign, PathID: paths[1].ID},
	}
	judged := act.Action.JudgedDigest(copilot.Record{Paths: paths})
	try := func(r autorule.Rule) error {
		_, err := dbcopilot.NewRules(w.store).Act(t.Context(), r, act, judged, r.NewRun(w.account, *w.now.Load()), nil)
		return err
	}
	isStale := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, models.Conflict("stale", "")) || !w.flow()[1].IsActive {
			t.Errorf("%s: %v", what, err)
		}
	}
	weigh := func(weight float64) {
		t.Helper()
		_, err := w.store.Campaigns().ChangeFlow(t.Context(), w.account.ID, w.campaign.ID, func(f store.CampaignFlow) ([]flow.Path, error) {
			f.Paths[0].Weight = weight
			return f.Paths, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	weigh(7)
	isStale("the flow was changed", try(r))
	weigh(paths[0].Weight)
	changed, err := dbcopilot.NewRules(w.store).Change(t.Context(), w.account.ID, r.ID, func(r *autorule.Rule) error {
		r.EveryMinutes = 30
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	isStale("the rule was changed", try(r))
	var done, refused atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := try(changed)
			switch {
			case err == nil:
				done.Add(1)
			case errors.Is(err, models.Conflict("cooling", "")):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if done.Load() != 1 || refused.Load() != 7 || len(w.changes()) != 1 {
		t.Errorf("eight concurrent acts: %d done, %d refused, %d changes; want 1, 7 and 1", done.Load(), refused.Load(), len(w.changes()))
	}
}

// TestRuleJobs checks that the clock starts one job for each account, and that a deleted campaign is left out.
func TestRuleJobs(t *testing.T) {
	t.Parallel()
	w := newRuled(t)
	w.addFigures(1, 1000, 40, 0)
	r := w.rule(func(s *autorule.Settings) { s.LooksAt = autorule.Campaign })
	w.rule(func(*autorule.Settings) {})
	if err := w.store.Campaigns().Remove(t.Context(), w.account.ID, w.campaign.ID); err != nil {
		t.Fatal(err)
	}
	now := *w.now.Load()
	due, err := dbcopilot.NewRules(w.store).ClaimDue(t.Context(), now, now.Add(time.Minute), 10)
	again, err2 := dbcopilot.NewRules(w.store).ClaimDue(t.Context(), now, now.Add(time.Minute), 10)
	if err := errors.Join(err, err2); err != nil || !slices.Equal(due, []uuid.UUID{w.account.ID}) || len(again) != 0 {
		t.Errorf("due accounts %v, then %v; %v", due, again, err)
	}
	w.later(2 * time.Minute)
	if _, err := jobs.Submit(t.Context(), w.client, jobs.SweepRules, uuid.Nil, jobs.Tick{At: now}); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "both rules have run", func() bool {
		n, err := db.Get[int](t.Context(), w.d, "runs", `SELECT count(*) FROM copilot_rules WHERE last_run <> 'null' AND next_at > $1`, *w.now.Load())
		if err != nil {
			t.Fatal(err)
		}
		return n == 2
	})
	n, err := db.Get[int](t.Context(), w.d, "jobs", `SELECT count(*) FROM jobs WHERE kind = $1`, jobs.RunRules.Kind())
	if err != nil || n != 1 || len(w.changes()) != 0 {
		t.Errorf("%d jobs and %d changes, want 1 and 0: %v", n, len(w.changes()), err)
	}
	saved, err := dbcopilot.NewRules(w.store).Find(t.Context(), w.account.ID, r.ID)
	if err != nil || saved.LastRun.Matched != 0 {
		t.Errorf("%+v, %v", saved.LastRun, err)
	}
}

// TestRuleDenies checks that values that cost more than three payouts are denied together, by one change, and only once.
func TestRuleDenies(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	now := time.Now().UTC().Truncate(time.Microsecond)
	w.setNow(now)
	w.addFigures(5, 100, 10, 0) // a conversion pays 10
	w.setNow(now.Add(time.Hour))
	w.storeClicks(20, func(c *models.Click) { c.Subs[0] = "cheap" })
	w.storeClicks(31, func(c *models.Click) { c.Subs[0] = "Bad" })
	w.storeClicks(40, func(c *models.Click) { c.Subs[0] = "worse" })
	w.storeClicks(50, func(*models.Click) {})
	r := w.rule(func(s *autorule.Settings) {
		s.LooksAt, s.Attribute, s.Action, s.Window, s.WindowUnit, s.IncludeCurrent = autorule.Value, "sub1", autorule.Deny, 3, autorule.Hours, true
		s.Conditions[0] = autorule.Comparison{Figure: "cost", Operator: ">", Value: number(3), Times: autorule.Payout}
	})
	run := w.run(r)
	if outcomes(run) != "done done" || run.Looked != 3 || run.Done != 1 {
		t.Fatalf("%+v", run)
	}
	list := w.changes()
	if len(list) != 1 || !slices.Equal(list[0].Action.Values, []string{"worse", "Bad"}) || list[0].CampaignID.UUID != w.campaign.ID {
		t.Errorf("%+v", list)
	}
	dbtest.Exec(w, w.d, `UPDATE copilot_rule_targets SET until = '-infinity'`)
	w.due()
	w.later(time.Minute)
	if run := w.run(r); run.Matched != 0 {
		t.Errorf("a run after the values were denied matches them again: %+v", run)
	}
	if _, err := dbcopilot.NewSuggestions(w.store).Undo(t.Context(), w.account.ID, list[0].ID); err != nil {
		t.Fatal(err)
	}
	w.due()
	w.later(time.Minute)
	if run := w.run(r); outcomes(run) != "cooling cooling" {
		t.Errorf("the run after the change was undone is %+v, want both values cooling", run)
	}
}

// TestRuleAlerts checks that an alert lasts while its rule matches, and does not begin again within the cool-down.
func TestRuleAlerts(t *testing.T) {
	t.Parallel()
	w := newRuled(t)
	r := w.rule(func(s *autorule.Settings) {
		s.LooksAt, s.Action = autorule.Campaign, autorule.Alert
		s.Conditions = []autorule.Comparison{{Figure: "clicks", Operator: "<", Value: number(10)}}
	})
	alerts := func() []dbcopilot.RuleAlert {
		t.Helper()
		list, err := dbcopilot.NewRules(w.store).Alerts(t.Context(), w.account.ID)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	next := func(d time.Duration) string {
		t.Helper()
		w.later(d)
		w.due()
		return outcomes(w.run(r))
	}
	if got := next(0); got != "done" || len(alerts()) != 1 || alerts()[0].Message != "clicks < 10: clicks 0, conversions 0, cost 0, revenue 0" {
		t.Errorf("%s, %+v", got, alerts())
	}
	since := alerts()[0].Since
	if got := next(time.Minute); got != "done" || len(alerts()) != 1 || !alerts()[0].Since.Equal(since) {
		t.Errorf("%s, %+v", got, alerts())
	}
	w.addFigures(1, 1000, 40, 0)
	if got := next(time.Minute); got != "" || len(alerts()) != 0 {
		t.Errorf("after the rule no longer matches: %s, %+v", got, alerts())
	}
	dbtest.Exec(w, w.d, `DELETE FROM ledger`)
	if got := next(time.Minute); got != "cooling" || len(alerts()) != 0 {
		t.Errorf("within the cool-down: %s, %+v; want cooling and no alert", got, alerts())
	}
	if got := next(25 * time.Hour); got != "done" || len(alerts()) != 1 {
		t.Errorf("after the cool-down: %s, %+v; want done and one alert", got, alerts())
	}
	if _, err := dbcopilot.NewRules(w.store).Change(t.Context(), w.account.ID, r.ID, func(r *autorule.Rule) error { r.IsActive = false; return nil }); err != nil {
		t.Fatal(err)
	}
	if list := alerts(); len(list) != 0 {
		t.Errorf("a rule that is switched off still has the alerts %+v", list)
	}
}

// TestRuleChangesNothing checks that in shadow mode, without the required plan, and if there is too much to read, a run changes
// nothing and records the reason. Later runs make at most MaxChanges changes, and do not pause the last path.
func TestRuleChangesNothing(t *testing.T) {
	t.Parallel()
	w := newRuled(t)
	w.addFigures(1, 1000, 0, 0)
	r := w.rule(func(s *autorule.Settings) { s.Mode, s.MaxChanges = autorule.Shadow, 1 })
	is := func(what, outcome, items string) {
		t.Helper()
		w.later(time.Minute)
		w.due()
		run := w.run(r)
		if run.Outcome != outcome || outcomes(run) != items || len(w.changes()) != 0 {
			t.Errorf("%s: %+v", what, run)
		}
	}
	is("shadow", autorule.RunShadow, "would would")
	dbtest.Exec(w, w.d, `UPDATE copilot_rules SET mode = 'live'`)
	dbtest.Exec(w, w.d, `UPDATE accounts SET plan = 'growth'`)
	is("plan", autorule.RunPlan, "would would")
	dbtest.Exec(w, w.d, `UPDATE accounts SET plan = 'pro'`)
	w.extraClicks.Store(1 << 40)
	is("too large", autorule.RunTooLarge, "")
	w.extraClicks.Store(0)
	w.later(time.Minute)
	w.due()
	if run := w.run(r); outcomes(run) != "done left" || len(w.changes()) != 1 {
		t.Errorf("with a limit of one change: %+v", run)
	}
	w.later(25 * time.Hour)
	w.addFigures(1, 1000, 0, 0)
	w.due()
	if run := w.run(r); outcomes(run) != "refused" || !strings.Contains(run.Items[0].Why, "no other path") {
		t.Errorf("a run that would pause the last path is %+v, want refused", run)
	}
}

// TestRuleFails checks that a failing rule does not stop the other rules and is tried again. Earlier changes are not repeated.
func TestRuleFails(t *testing.T) {
	t.Parallel()
	w := newRuled(t)
	w.addFigures(1, 1000, 40, 0)
	half := func(s *autorule.Settings) {
		s.Action, s.Factor = autorule.Weight, models.NewMoney(decimal.RequireFromString("0.5"))
	}
	first := w.rule(func(*autorule.Settings) {})
	second := w.rule(half)
	dbtest.Exec(w, w.d, `UPDATE copilot_rules SET next_at = next_at - interval '1 minute' WHERE id = $1`, first.ID)
	w.broken.Store(1)
	if run := w.run(second); outcomes(run) != "done" || w.flow()[1].Weight == w.paths[1].Weight {
		t.Errorf("the run of the second rule is %+v, want done with a changed weight", run)
	}
	runs, _, err := dbcopilot.NewRules(w.store).Runs(t.Context(), w.account.ID, first.ID, store.Page{Limit: 9})
	if err != nil || len(runs) != 1 || outcomes(runs[0]) != "done" || w.flow()[1].IsActive || len(w.changes()) != 2 {
		t.Errorf("%+v, %v, %d changes", runs, err, len(w.changes()))
	}
	w.later(2 * time.Hour)
	w.broken.Store(1 << 40)
	row, err := jobs.RunRules.NewRow(w.account.ID, jobs.RulesArgs{At: *w.now.Load()})
	if err := errors.Join(err, jobrow.Insert(t.Context(), w.d, row)); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(w, w.d, `UPDATE jobs SET attempts = $2 WHERE id = $1`, row.ID, jobs.RunRules.Policy().MaxAttempts-1)
	if row = w.ended(row); row.State != models.JobDone {
		t.Errorf("%s %s", row.State, row.Error)
	}
	for _, r := range []autorule.Rule{first, second} {
		saved, err := dbcopilot.NewRules(w.store).Find(t.Context(), w.account.ID, r.ID)
		if err != nil || saved.LastRun.Outcome != autorule.RunFailed || !saved.NextAt.After(*w.now.Load()) {
			t.Errorf("%+v, %v", saved, err)
		}
	}
}

// TestRuleReplay checks that a replay lists, with times and names, what the rule would have done, and changes nothing.
func TestRuleReplay(t *testing.T) {
	t.Parallel()
	w := newRuled(t)
	w.addFigures(4, 150, 40, 0)
	r := w.rule(func(s *autorule.Settings) { s.Window, s.Conditions[0].Value = 2, number(300) })
	got := job(w, jobs.ReplayRule, jobs.RuleReplayArgs{Rule: r.Settings})
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	local := w.now.Load().In(tokyo)
	start := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, tokyo)
	if got.Total != 1 || got.Looked != 2 || !got.To.Equal(start) || !got.Rows[0].At.Equal(start.AddDate(0, 0, -2)) || got.Rows[0].After.Clicks != 300 ||
		got.Rows[0].Of != "path "+w.paths[1].Name+" of campaign shoes" {
		t.Errorf("%+v", got)
	}
	r.WindowUnit, r.Window, r.Conditions[0].Value = autorule.Hours, 6, number(150)
	if got := job(w, jobs.ReplayRule, jobs.RuleReplayArgs{Rule: r.Settings}); got.Total != 1 || !got.Rows[0].At.Equal(w.now.Load().AddDate(0, 0, -4).Add(time.Hour)) {
		t.Errorf("a replay by the hour gave %+v", got)
	}
	w.extraClicks.Store(1 << 40)
	row, err := jobs.ReplayRule.NewRow(w.account.ID, jobs.RuleReplayArgs{Rule: r.Settings})
	if err := errors.Join(err, jobrow.Insert(t.Context(), w.d, row)); err != nil {
		t.Fatal(err)
	}
	if row = w.ended(row); row.State != models.JobFailed || !strings.Contains(string(row.Error), "too_large") {
		t.Errorf("%s %s", row.State, row.Error)
	}
	if len(w.changes()) != 0 {
		t.Error("a replay changed something")
	}
}
