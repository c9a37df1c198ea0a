// Package copilot has the handlers of /copilot: suggestions, changes, rules, and the chat with its AI connection.
package copilot

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	dbcopilot "switchyard/db/copilot"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/copilot"
)

// Deps are the dependencies of the handlers.
type Deps struct {
	Jobs *jobs.Client
	// AIProvider is the provider of the install's own language model. It is empty if the install has no model.
	AIProvider string
}

// Routes returns the routes of /copilot and below it.
func Routes(d Deps) []route.Route {
	return slices.Concat(aiRoutes(d), chatRoutes(d), suggestionRoutes(d), ruleRoutes(d))
}

// suggestionRoutes returns the routes of /copilot, /copilot/proposals and /copilot/preview.
func suggestionRoutes(d Deps) []route.Route {
	const group = "Copilot"
	return []route.Route{
		route.New("GET", "/copilot", group, "open suggestions, recent changes and proposals",
			route.Handle(listSuggestions)).
			WithShare(route.Lists).
			WithQuery(route.Param{Name: "count", Enum: []string{"1"}, Doc: "1: answer only how many suggestions are open"}),
		{
			Method: "POST", Path: "/copilot", Group: group, Summary: "act on a suggestion, change or proposal, or refresh",
			Codes: route.Codes("400 invalid advice_only", "403 plan_required", "404 not_found", "409 not_open stale already_undone",
				"429 too_soon", "502 network"),
			Slow: refreshCopilotJob.Answer(), SlowWhen: refreshesCopilot, Handle: route.HandleBody(d.runAction),
		},
		{
			Method: "POST", Path: "/copilot/proposals", Group: group, Summary: "propose a change, which is made only when it is applied",
			Codes: route.Codes("400 invalid", "409 stale"), Status: http.StatusCreated, Proposes: true, Handle: route.HandleBody(createProposal),
		},
		route.New("GET", "/copilot/preview", group, "what a suggestion or a proposal would change, or what a change has changed",
			route.Handle(previewCopilot), route.Codes("400 advice_only invalid"), answer.IDCodes).
			WithQuery(answer.QueryID...).
			WithQuery(route.Param{
				Name: "variant", Enum: []string{copilot.VariantNetwork, copilot.VariantMost, copilot.VariantAll},
				Doc: "the variant of a suggestion, as in POST /copilot",
			}),
	}
}

// CopilotAnswer is the answer of GET /copilot.
type CopilotAnswer struct {
	*CopilotList
	*CopilotCount
}

// CopilotCount is the number of open suggestions.
type CopilotCount struct {
	Open int `json:"open"`
}

// CopilotList has the open suggestions, the last changes and the proposals.
type CopilotList struct {
	Plan        string              `json:"plan"`
	CanApply    bool                `json:"canApply" doc:"whether the plan lets suggestions be applied by POST /copilot"`
	LastRunAt   *string             `json:"lastRunAt" doc:"when the figures were last judged; null: not yet"`
	Looked      *copilot.Scope      `json:"looked" doc:"what the last run judged; null: unknown"`
	Total       int                 `json:"total" doc:"how many suggestions are open"`
	Suggestions []CopilotSuggestion `json:"suggestions" doc:"the most important first, at most 200"`
	Changes     []CopilotChange     `json:"changes" doc:"changes that were applied, newest first, at most 50"`
	Proposals   []ChatProposal      `json:"proposals" doc:"changes that the chat, a key or an assistant proposed, open and decided ones, newest first, at most 100"`
}

// CopilotSuggestion is a suggestion.
type CopilotSuggestion struct {
	copilot.Suggestion
	AdviceOnly bool     `json:"advice_only" doc:"true: the suggestion is only advice and cannot be applied automatically"`
	Variants   []string `json:"variants" doc:"the variants in which it can be applied: network, most or all; empty: there is only one way"`
}

// CopilotChange is an action that was applied. It may have been undone since.
type CopilotChange struct {
	ID           uuid.UUID         `json:"id"`
	SuggestionID uuid.NullUUID     `json:"suggestion_id" doc:"the suggestion that was applied"`
	ProposalID   uuid.NullUUID     `json:"proposal_id" doc:"the proposal that was applied"`
	RuleID       uuid.NullUUID     `json:"rule_id" doc:"the rule of POST /copilot/rules that made the change"`
	CampaignID   uuid.NullUUID     `json:"campaign_id"`
	Title        string            `json:"title"`
	Evidence     *copilot.Evidence `json:"evidence" doc:"the figures that made the rule act; null: no rule made the change"`
	Action       copilot.Action    `json:"action"`
	Status       string            `json:"status" enum:"applied,undone"`
	CreatedAt    models.Stamp      `json:"created_at"`
	UndoneAt     *models.Stamp     `json:"undone_at"`
}

func suggestionAnswer(s copilot.Suggestion) CopilotSuggestion {
	out := CopilotSuggestion{Suggestion: s, AdviceOnly: s.Action == nil, Variants: []string{}}
	if s.Action != nil {
		out.Variants = s.Action.Variants()
	}
	return out
}

func changeAnswer(c copilot.Change) CopilotChange {
	return CopilotChange{c.ID, c.SuggestionID, c.ProposalID, c.RuleID, c.CampaignID, c.Title, c.Evidence, c.Action, c.Status, c.CreatedAt, c.UndoneAt}
}

func proposalAnswer(p copilot.Proposal) ChatProposal {
	return ChatProposal{p, answer.Stamp(p.ExpiresAt)}
}

func listSuggestions(c *route.Call) (out CopilotAnswer, err error) {
	suggestions, now := dbcopilot.NewSuggestions(c.Store), time.Now()
	open, err := suggestions.CountOpen(c.Context(), c.Account.ID, now)
	if err != nil || c.Query.Get("count") == "1" {
		return CopilotAnswer{CopilotCount: &CopilotCount{open}}, err
	}
	run, err := suggestions.LastRun(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	list, err := suggestions.Open(c.Context(), c.Account.ID, now)
	if err != nil {
		return out, err
	}
	changes, err := suggestions.Changes(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	proposals, err := dbcopilot.NewProposals(c.Store).List(c.Context(), c.Account.ID, now)
	return CopilotAnswer{CopilotList: &CopilotList{
		Plan: c.Account.Plan, CanApply: c.Account.Allowances().OneClick, LastRunAt: answer.StampOrNull(run.RunAt), Looked: run.Scope, Total: open,
		Suggestions: answer.Each(list, suggestionAnswer), Changes: answer.Each(changes, changeAnswer), Proposals: answer.Each(proposals, proposalAnswer),
	}}, err
}

// CopilotPreview is the change that an action makes to its record.
type CopilotPreview struct {
	ID     uuid.UUID         `json:"id"`
	Action copilot.Action    `json:"action"`
	Before copilot.Part      `json:"before"`
	After  copilot.Part      `json:"after"`
	Names  map[string]string `json:"names" doc:"the names of paths, offers and landing pages, by id"`
	Stale  *string           `json:"stale" doc:"why the action can no longer be carried out; null: it can be carried out"`
}

func previewCopilot(c *route.Call) (CopilotPreview, error) {
	p, err := dbcopilot.NewSuggestions(c.Store).Preview(c.Context(), c.Account.ID, c.ID, c.Query.Get("variant"))
	out := CopilotPreview{ID: c.ID, Action: p.Action, Before: p.Before, After: p.After, Names: p.Names}
	if p.Stale != nil {
		out.Stale = &p.Stale.Message
	}
	return out, err
}

// CopilotBody is the body of POST /copilot.
type CopilotBody struct {
	Action  string `json:"action" required:"invalid" bad:"invalid" enum:"refresh,apply,dismiss,snooze,undo,apply_proposal,cancel_proposal"`
	ID      string `json:"id" bad:"invalid" maxLength:"100" doc:"id of the suggestion, change or proposal; not used by refresh"`
	Variant string `json:"variant" bad:"invalid" enum:"network,most,all" doc:"for the action apply. most: block the values with the largest losses in the campaign; all: block every value in the campaign; network: block every value in each campaign of the traffic source"`
	Days    int    `json:"days" bad:"invalid" min:"1" max:"90" default:"7" doc:"snooze: for how many days"`
}

// CopilotActed is the answer of POST /copilot.
type CopilotActed struct {
	Action       string  `json:"action"`
	ID           *string `json:"id" doc:"id of the suggestion, change or proposal; null: the action was refresh"`
	Status       *string `json:"status" doc:"state of the suggestion, change or proposal after the call"`
	ChangeID     *string `json:"change_id" doc:"apply and apply_proposal: id of the change that was made, for the action undo; undo: id of the change that was undone"`
	SnoozedUntil *string `json:"snoozedUntil" doc:"snooze: when the suggestion opens again"`
	LastRunAt    *string `json:"lastRunAt" doc:"refresh: when the figures were judged"`
	Judged       *int    `json:"judged" doc:"refresh: how many cases were judged, such as campaigns, offers and values"`
	Open         *int    `json:"open" doc:"refresh: how many suggestions are open"`
}

const refreshAction = "refresh"

// copilotActions maps each action of POST /copilot except refresh to its function.
var copilotActions = map[string]func(d Deps, c *route.Call, id uuid.UUID, b CopilotBody) (CopilotActed, error){
	"apply":           Deps.applySuggestion,
	"undo":            Deps.undoChange,
	"apply_proposal":  Deps.applyProposal,
	"cancel_proposal": Deps.cancelProposal,

	"dismiss": Deps.dismissSuggestion,
	"snooze":  Deps.snoozeSuggestion,
}

func refreshesCopilot(body []byte) bool {
	var b struct{ Action string }
	return json.Unmarshal(body, &b) == nil && b.Action == refreshAction
}

func (d Deps) runAction(c *route.Call, b CopilotBody) (CopilotActed, error) {
	c.RecordField("action", b.Action)
	if b.Action == refreshAction {
		return d.refreshCopilot(c)
	}
	act, ok := copilotActions[b.Action]
	if !ok || b.ID == "" {
		return CopilotActed{}, models.Invalid("invalid", "the action %s needs the id of a suggestion, a change or a proposal", b.Action)
	}
	id, ok := models.ParseID(b.ID)
	if !ok {
		return CopilotActed{}, models.NotFound("suggestion, change or proposal")
	}
	return act(d, c, id, b)
}

var refreshCopilotJob = slow.New(jobs.RefreshCopilot, func(r jobs.CopilotRefreshed) CopilotActed {
	return CopilotActed{Action: refreshAction, LastRunAt: new(answer.Stamp(r.At)), Judged: &r.Judged, Open: &r.Open}
})

func (d Deps) refreshCopilot(c *route.Call) (CopilotActed, error) {
	if err := dbcopilot.NewSuggestions(c.Store).RequestRefresh(c.Context(), c.Account.ID, c.AttemptID, time.Now()); err != nil {
		return CopilotActed{}, err
	}
	return refreshCopilotJob.Run(c, d.Jobs, jobs.None{})
}

func decidedAnswer(b CopilotBody, status string) CopilotActed {
	return CopilotActed{Action: b.Action, ID: &b.ID, Status: &status}
}

func (d Deps) dismissSuggestion(c *route.Call, id uuid.UUID, b CopilotBody) (CopilotActed, error) {
	s, err := dbcopilot.NewSuggestions(c.Store).Decide(c.Context(), c.Account.ID, id, time.Now(), copilot.StatusDismissed, nil)
	return decidedAnswer(b, s.Status), err
}

func (d Deps) snoozeSuggestion(c *route.Call, id uuid.UUID, b CopilotBody) (CopilotActed, error) {
	until := time.Now().AddDate(0, 0, b.Days)
	s, err := dbcopilot.NewSuggestions(c.Store).Decide(c.Context(), c.Account.ID, id, time.Now(), copilot.StatusSnoozed, &until)
	out := decidedAnswer(b, s.Status)
	out.SnoozedUntil = answer.StampOrNull(&until)
	return out, err
}

// ProposalBody is the body of POST /copilot/proposals.
type ProposalBody struct {
	Reason string         `json:"reason" required:"invalid_input" bad:"invalid_input" trim:"true" maxLength:"1000" doc:"why to make the change, with the figures, for people to read"`
	Action copilot.Action `json:"action" required:"invalid_input" bad:"invalid_input"`
}

func createProposal(c *route.Call, b ProposalBody) (ChatProposal, error) {
	b.Action.Campaigns, b.Action.Worst = nil, 0 // only suggestions have these
	p := copilot.Proposal{CampaignID: b.Action.CampaignID, Reason: models.OneLine(b.Reason, maxReason), Action: b.Action}
	p.AccountID = c.Account.ID
	p, err := dbcopilot.NewProposals(c.Store).Create(c.Context(), p, time.Now())
	return proposalAnswer(p), err
}

const maxReason = 1000 // characters

// checkApplyPlan returns the error plan_required if the plan has no one-click apply.
func checkApplyPlan(c *route.Call) error {
	if !c.Account.Allowances().OneClick {
		return &models.Error{
			Kind: models.KindForbidden, Code: "plan_required",
			Message: "the plan " + c.Account.Plan + " has no one-click apply: make the described change by hand",
		}
	}
	return nil
}

// changedAnswer returns the answer to an action that made or reverted a change. It dispatches the webhook deliveries of the
// change.
func (d Deps) changedAnswer(c *route.Call, b CopilotBody, status string, done dbcopilot.Applied) CopilotActed {
	if len(done.Deliveries) > 0 {
		c.After(func(ctx context.Context) {
			d.Jobs.DispatchFor(ctx, c.Account.ID, models.KindDeliverWebhook, done.Deliveries...)
		})
	}
	out := decidedAnswer(b, status)
	out.ChangeID = new(done.Change.ID.String())
	return out
}

func (d Deps) applySuggestion(c *route.Call, id uuid.UUID, b CopilotBody) (CopilotActed, error) {
	if err := checkApplyPlan(c); err != nil {
		return CopilotActed{}, err
	}
	done, err := dbcopilot.NewSuggestions(c.Store).Apply(c.Context(), c.Account.ID, id, b.Variant, time.Now())
	return d.changedAnswer(c, b, copilot.StatusApplied, done), err
}

func (d Deps) undoChange(c *route.Call, id uuid.UUID, b CopilotBody) (CopilotActed, error) {
	done, err := dbcopilot.NewSuggestions(c.Store).Undo(c.Context(), c.Account.ID, id)
	return d.changedAnswer(c, b, copilot.StatusUndone, done), err
}

func (d Deps) applyProposal(c *route.Call, id uuid.UUID, b CopilotBody) (CopilotActed, error) {
	if err := checkApplyPlan(c); err != nil {
		return CopilotActed{}, err
	}
	done, err := dbcopilot.NewProposals(c.Store).Apply(c.Context(), c.Account.ID, id, time.Now())
	return d.changedAnswer(c, b, copilot.StatusApplied, done), err
}

func (d Deps) cancelProposal(c *route.Call, id uuid.UUID, b CopilotBody) (CopilotActed, error) {
	err := dbcopilot.NewProposals(c.Store).Cancel(c.Context(), c.Account.ID, id, time.Now())
	return decidedAnswer(b, copilot.StatusCancelled), err
}
