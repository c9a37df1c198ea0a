package copilot

import (
	"cmp"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/api/v1/resource"
	dbcopilot "switchyard/db/copilot"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/autorule"
	"switchyard/models/bind"
	"switchyard/models/copilot"
)

// ruleRoutes returns the routes of /copilot/rules.
func ruleRoutes(d Deps) []route.Route {
	const group, path = "Copilot", "/copilot/rules"
	res := resource.Kind[dbcopilot.Rules, autorule.Rule, CopilotRule]{
		Group: group, Path: path, Table: dbcopilot.NewRules, Answer: copilotRule, Filters: resource.UseFilters[:1],
	}
	codes := route.Codes("400 invalid_rule invalid_condition invalid_scope", "403 plan_required")
	change := route.New("PATCH", path, group, "change a rule, or switch it on or off", route.HandleBody(changeCopilotRule),
		route.Codes("400 no_fields required too_long"), answer.IDCodes, codes)
	change.Version = res.Version()
	return []route.Route{
		resource.List(res, "rules of the account, newest first"),
		route.New("POST", path, group, "add a rule that changes campaigns automatically or raises alerts", route.HandleBody(createCopilotRule),
			route.Codes("400 required too_long"), codes).Creates(),
		change,
		resource.Remove(res, "delete a rule; what it has changed stays", answer.Deleted),
		route.New("GET", path+"/{id}/runs", group, "the runs of a rule in which something matched, newest first",
			route.Handle(listCopilotRuleRuns), answer.IDCodes).WithPage(),
		route.New("POST", path+"/replay", group, "tell what a rule would have done over the last 30 days, without doing anything",
			route.HandleBody(d.replayCopilotRule),
			route.Codes("400 required too_long invalid_rule invalid_condition invalid_scope too_large")).
			WithShare(route.Reads).Awaits(replayRuleJob.Answer()),
	}
}

// CopilotRule is a rule of the account.
type CopilotRule struct {
	autorule.Rule
	When string `json:"when" doc:"the conditions as text for people"`
}

func copilotRule(r autorule.Rule) CopilotRule { return CopilotRule{r, r.Text()} }

// CopilotRuleBody is the body of POST /copilot/rules.
type CopilotRuleBody struct {
	Name     string `json:"name" required:"true" trim:"true" maxLength:"100"`
	IsActive bool   `json:"is_active" bad:"invalid_rule" optional:"true"`

	autorule.Settings `optional:"true"`
}

// Preset sets the defaults of a new rule.
func (b *CopilotRuleBody) Preset(*route.Call) { b.IsActive, b.Settings = true, autorule.Defaults() }

// CopilotRulePatch is the body of PATCH /copilot/rules. A field that is left out keeps its value.
type CopilotRulePatch struct {
	bind.ID
	Name     string `json:"name" optional:"true" empty:"required" trim:"true" maxLength:"100"`
	IsActive bool   `json:"is_active" bad:"invalid_rule" optional:"true"`

	autorule.Settings `optional:"true"`
}

// checkRulePlan returns the error plan_required if a rule changes records and the plan has no one-click apply. A rule that only
// raises alerts is allowed on every plan.
func checkRulePlan(c *route.Call, s autorule.Settings) error {
	if !s.Changes() {
		return nil
	}
	return checkApplyPlan(c)
}

func createCopilotRule(c *route.Call, b CopilotRuleBody) (a CopilotRule, err error) {
	if err := cmp.Or(b.Validate(), checkRulePlan(c, b.Settings)); err != nil {
		return a, err
	}
	rule := autorule.Rule{Name: b.Name, IsActive: b.IsActive, Settings: b.Settings}
	rule.SetOwner(c.Account.ID, uuid.Nil)
	rule, err = dbcopilot.NewRules(c.Store).Create(c.Context(), rule)
	return copilotRule(rule), err
}

func changeCopilotRule(c *route.Call, b CopilotRulePatch) (CopilotRule, error) {
	if !bind.HasFields(c.Body, struct {
		Name     string `json:"name"`
		IsActive bool   `json:"is_active"`
		autorule.Settings
	}{}) {
		return CopilotRule{}, models.Invalid("no_fields", "there is nothing to change")
	}
	saved, err := dbcopilot.NewRules(c.Store).Change(c.Context(), c.Account.ID, b.RecordID(), func(r *autorule.Rule) error {
		p := CopilotRulePatch{Name: r.Name, IsActive: r.IsActive, Settings: r.Settings}
		if err := bind.Decode(c.Body, &p); err != nil {
			return err
		}
		r.Name, r.IsActive, r.Settings = p.Name, p.IsActive, p.Settings
		if err := r.Validate(); err != nil || !r.IsActive {
			return err
		}
		return checkRulePlan(c, r.Settings)
	})
	return copilotRule(saved), err
}

// CopilotRuleRun is a run of a rule.
type CopilotRuleRun struct{ autorule.Run }

func listCopilotRuleRuns(c *route.Call) (resource.Listed[CopilotRuleRun], error) {
	runs, next, err := dbcopilot.NewRules(c.Store).Runs(c.Context(), c.Account.ID, c.ID, c.Page)
	return resource.Listed[CopilotRuleRun]{
		Rows: answer.Each(runs, func(r autorule.Run) CopilotRuleRun { return CopilotRuleRun{r} }), NextCursor: answer.Cursor(next),
	}, err
}

// CopilotRuleReplay is the answer of POST /copilot/rules/replay.
type CopilotRuleReplay struct {
	From   string                 `json:"from" doc:"start of the replayed time, in UTC; the replay covers 30 whole days in the account's time zone"`
	To     string                 `json:"to"`
	Looked int                    `json:"looked" doc:"how many campaigns, paths, offers or values were checked"`
	Total  int                    `json:"total" doc:"how often the rule would have acted"`
	Rows   []CopilotRuleReplayRow `json:"rows" doc:"the first 500 actions, oldest first"`
}

// CopilotRuleReplayRow is an action that a rule would have taken.
type CopilotRuleReplayRow struct {
	At      string           `json:"at" doc:"the end of the hour or day in which the rule would have acted"`
	Of      string           `json:"of"`
	Figures []copilot.Figure `json:"figures" doc:"the figures that met the conditions of the rule"`
	After   answer.Figures   `json:"after" doc:"the recorded figures of the time from then until the end of the 30 days. They are the figures without the action, because a replay changes nothing"`
}

var replayRuleJob = slow.New(jobs.ReplayRule, func(r jobs.RuleReplay) CopilotRuleReplay {
	return CopilotRuleReplay{
		answer.Stamp(r.From), answer.Stamp(r.To), r.Looked, r.Total, answer.Each(r.Rows, func(w jobs.RuleReplayRow) CopilotRuleReplayRow {
			return CopilotRuleReplayRow{answer.Stamp(w.At), w.Of, w.Figures, w.After}
		}),
	}
})

func (d Deps) replayCopilotRule(c *route.Call, b CopilotRuleBody) (CopilotRuleReplay, error) {
	if err := b.Validate(); err != nil {
		return CopilotRuleReplay{}, err
	}
	rule := autorule.Rule{Settings: b.Settings}
	rule.SetOwner(c.Account.ID, uuid.Nil)
	if err := dbcopilot.NewRules(c.Store).CheckScope(c.Context(), rule); err != nil {
		return CopilotRuleReplay{}, err
	}
	return replayRuleJob.Join(c, d.Jobs, jobs.RuleReplayArgs{Rule: b.Settings})
}
