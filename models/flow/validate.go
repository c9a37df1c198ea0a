package flow

import (
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/token"
)

// Known holds the ids in a flow (see References) that belong to the account. Rules has the costs of saved rules.
type Known struct {
	Offers, Landers, Campaigns map[uuid.UUID]bool
	Rules                      map[uuid.UUID]cond.Cost
	// Old is the flow that is stored now. Its values are accepted even if no visitor can have them.
	Old []Path
}

// References returns the well-formed ids in the paths, each id once.
func References(paths []Path) (destinations, campaigns, rules []uuid.UUID) {
	add := func(list *[]uuid.UUID, text string) {
		if id, ok := models.ParseID(text); ok && !slices.Contains(*list, id) {
			*list = append(*list, id)
		}
	}
	for _, p := range paths {
		for _, d := range p.Destinations {
			add(&destinations, d.ID)
		}
		for _, r := range p.Rules {
			add(&rules, r.RuleID)
		}
		add(&campaigns, p.CampaignID)
	}
	return destinations, campaigns, rules
}

// Validate returns a *models.Error, with a code of the API, if a flow cannot be routed. The paths must be normalised. A valid
// flow can be compiled.
func Validate(paths []Path, known Known) error {
	if len(paths) == 0 {
		return models.Invalid("no_streams", "the flow has no paths")
	}
	if len(paths) > MaxPaths {
		return models.Invalid("invalid_input", "a flow has at most %d paths", MaxPaths)
	}
	names, defaults, total := map[string]bool{}, 0, 0.0
	for i := range paths {
		p := &paths[i]
		if names[p.Name] {
			return models.Invalid("duplicate_path_name", "two paths are named %q", p.Name)
		}
		names[p.Name] = true
		for _, check := range pathChecks {
			if err := check(p, known); err != nil {
				return models.Invalid(err.Code, "path %q: %s", p.Name, err.Message)
			}
		}
		if p.StreamType == Default {
			defaults++
		}
		total += p.Weight
	}
	if err := checkRuleNames(paths); err != nil {
		return err
	}
	if err := CostOf(paths, known.Rules).Check(cond.FlowBudget); err != nil {
		return models.Invalid("invalid_filter", "all paths together: %s", err)
	}
	if err := checkValues(paths, known.Old); err != nil {
		return err
	}
	if defaults > 1 {
		return models.Invalid("multiple_defaults", "a flow has at most one default path, this one has %d", defaults)
	}
	if total == 0 {
		return models.Invalid("zero_path_weights", "every path has the weight 0")
	}
	return nil
}

// checkRuleNames refuses a rule name that is used twice. Several paths may use the same saved rule.
func checkRuleNames(paths []Path) error {
	type use struct{ path, rule string }
	seen := map[string]use{}
	for _, p := range paths {
		for _, r := range p.Rules {
			before, ok := seen[r.Name]
			if ok && (r.RuleID == "" || before.rule != r.RuleID || before.path == p.ID) {
				return models.Invalid("duplicate_rule_name", "two rules are named %q", r.Name)
			}
			seen[r.Name] = use{p.ID, r.RuleID}
		}
	}
	return nil
}

var pathChecks = []func(*Path, Known) *models.Error{checkChoices, checkNumbers, checkRules, checkTarget, checkResponse}

var (
	streamTypes = []string{Regular, Forced, Default}
	actions     = []string{ActionLander, ActionOffer, ActionRedirect, ActionCampaign, ActionNothing}
	transitions = []string{
		Transition302, Transition301, Transition303, Transition307, TransitionMeta,
		TransitionDoubleMeta, TransitionJS, TransitionBlankReferrer, TransitionFormPost, TransitionIframe,
	}
	statuses = []int{200, 204, 404}
)

func checkChoices(p *Path, _ Known) *models.Error {
	switch {
	case !slices.Contains(streamTypes, p.StreamType):
		return models.Invalid("invalid_stream_type", "the stream_type must be regular, forced or default")
	case !slices.Contains(actions, p.Action):
		return models.Invalid("invalid_action", "the action must be lander, offer, redirect, campaign or nothing")
	case !slices.Contains(transitions, p.Transition):
		return models.Invalid("invalid_transition", "there is no such transition")
	case utf8.RuneCountInString(p.Name) > MaxNameLen:
		return models.Invalid("invalid_input", "the name is over %d characters", MaxNameLen)
	}
	if _, ok := models.ParseID(p.ID); !ok {
		return models.Invalid("invalid_input", "the id is not a uuid")
	}
	return nil
}

func checkNumbers(p *Path, _ Known) *models.Error {
	switch {
	case p.RuleGroup < 0 || p.RuleGroup > MaxRuleGroup:
		return models.Invalid("invalid_rule_group", "the rule_group must be between 0 and %d", MaxRuleGroup)
	case p.DailyCap != nil && *p.DailyCap < 1:
		return models.Invalid("invalid_cap", "the daily_cap must be at least 1")
	case !validWeight(p.Weight):
		return models.Invalid("invalid_input", "the weight must be between 0 and %d", MaxWeight)
	}
	return nil
}

func checkRules(p *Path, known Known) *models.Error {
	if err := checkConditions(p.Filters); err != nil {
		return err
	}
	if len(p.Rules) > MaxRules {
		return models.Invalid("invalid_filter", "it has more than %d rules", MaxRules)
	}
	for _, r := range p.Rules {
		if utf8.RuneCountInString(r.Name) > MaxNameLen {
			return models.Invalid("invalid_filter", "a rule's name is over %d characters", MaxNameLen)
		}
		if r.RuleID == "" {
			if len(r.Conditions) == 0 {
				return models.Invalid("invalid_filter", "the rule %q has neither a rule_id nor conditions", r.Name)
			}
			if err := checkConditions(r.Conditions); err != nil {
				return err
			}
			continue
		}
		id, ok := models.ParseID(r.RuleID)
		if _, saved := known.Rules[id]; !ok || !saved || len(r.Conditions) > 0 {
			return models.Invalid("invalid_filter", "the rule %q names no saved rule, or has both a rule_id and conditions", r.Name)
		}
	}
	return nil
}

func checkConditions(list []cond.Condition) *models.Error {
	if len(list) > cond.MaxConditions {
		return models.Invalid("invalid_filter", "it has a list with more than %d conditions", cond.MaxConditions)
	}
	for _, c := range list {
		if err := cond.Validate(c); err != nil {
			return models.Invalid("invalid_filter", "%s", err)
		}
	}
	return nil
}

// checkValues refuses values that no visitor can have, except in conditions of the old flow.
func checkValues(paths, old []Path) error {
	var kept []cond.Condition
	for _, p := range old {
		for list := range p.conditions {
			kept = append(kept, list...)
		}
	}
	for _, p := range paths {
		for list := range p.conditions {
			if err := cond.CheckValues(list, kept); err != nil {
				return models.Invalid("invalid_filter", "path %q: %s", p.Name, err)
			}
		}
	}
	return nil
}

// conditions yields the path's own lists of conditions.
func (p Path) conditions(yield func([]cond.Condition) bool) {
	if !yield(p.Filters) {
		return
	}
	for _, r := range p.Rules {
		if !yield(r.Conditions) {
			return
		}
	}
}

// Canonical makes the values in the conditions of the paths canonical.
func Canonical(paths []Path) {
	for _, p := range paths {
		for list := range p.conditions {
			for i := range list {
				list[i] = cond.Canonical(list[i])
			}
		}
	}
}

// CostOf returns the cost of all conditions of valid paths, with their saved rules.
func CostOf(paths []Path, rules map[uuid.UUID]cond.Cost) (sum cond.Cost) {
	add := func(list []cond.Condition) {
		cost, _ := cond.CostOf(list)
		sum = sum.Plus(cost)
	}
	for _, p := range paths {
		add(p.Filters)
		for _, r := range p.Rules {
			add(r.Conditions)
			id, _ := models.ParseID(r.RuleID)
			sum = sum.Plus(rules[id])
		}
	}
	return sum
}

func checkTarget(p *Path, known Known) *models.Error {
	if len(p.Destinations) > MaxDestinations {
		return models.Invalid("invalid_destination", "it has more than %d destinations", MaxDestinations)
	}
	var count [3]int
	var weight [3]float64
	for _, d := range p.Destinations {
		k, err := checkDestination(d, known)
		if err != nil {
			return err
		}
		count[k]++
		weight[k] += d.Weight
	}
	onward := count[KindOffer] + count[KindURL]
	switch p.Action {
	case ActionNothing:
		return nil
	case ActionCampaign:
		return checkHandover(p.CampaignID, known)
	case ActionLander:
		if len(p.Destinations) > 0 && count[KindLander] == 0 {
			return models.Invalid("lander_required", "a lander path needs a landing page among its destinations")
		}
	default:
		if count[KindLander] > 0 {
			return models.Invalid("invalid_destination", "a landing page can only be a destination of a path with the action lander")
		}
	}
	switch {
	case len(p.Destinations) == 0:
		return models.Invalid("destination_required", "it has no destination")
	case count[KindLander] > 0 && weight[KindLander] == 0, onward > 0 && weight[KindOffer]+weight[KindURL] == 0:
		return models.Invalid("zero_weights", "every landing page, or every offer and address, has the weight 0")
	}
	return nil
}

func checkHandover(campaignID string, known Known) *models.Error {
	if campaignID == "" {
		return models.Invalid("destination_required", "campaign_id is missing: the path must name the campaign to which it hands visitors over")
	}
	if id, ok := models.ParseID(campaignID); !ok || !known.Campaigns[id] {
		return models.Invalid("invalid_destination", "campaign_id is not a campaign of this account")
	}
	return nil
}

func checkDestination(d Destination, known Known) (Kind, *models.Error) {
	switch {
	case (d.ID == "") == (d.URL == ""):
		return 0, models.Invalid("invalid_destination", "a destination must have either an id or a url")
	case !validWeight(d.Weight):
		return 0, models.Invalid("invalid_input", "a destination's weight must be between 0 and %d", MaxWeight)
	case d.Slot < 0 || d.Slot > MaxSlot:
		return 0, models.Invalid("invalid_destination", "a destination's slot must be between 0 and %d", MaxSlot)
	case d.URL != "":
		return KindURL, checkURL(d.URL)
	}
	id, ok := models.ParseID(d.ID)
	switch {
	case ok && known.Landers[id]:
		return KindLander, nil
	case ok && known.Offers[id]:
		return KindOffer, nil
	}
	return 0, models.Invalid("invalid_destination", "a destination is not an offer or landing page of this account")
}

func checkURL(url string) *models.Error {
	err := token.ValidURL(url)
	if utf8.RuneCountInString(url) > MaxURLLen {
		err = errors.New("the address is too long")
	}
	if err != nil {
		return models.Invalid("invalid_destination_url", "%s", err)
	}
	return nil
}

func checkResponse(p *Path, _ Known) *models.Error {
	switch {
	case p.Action != ActionNothing || p.Response == nil:
		return nil
	case !slices.Contains(statuses, p.Response.Status):
		return models.Invalid("invalid_input", "the response's status must be 200, 204 or 404")
	case utf8.RuneCountInString(p.Response.Body) > MaxBodyLen:
		return models.Invalid("invalid_input", "the response's body is over %d characters", MaxBodyLen)
	}
	return nil
}

func validWeight(w float64) bool { return w >= 0 && w <= MaxWeight }

// thousandths rounds a weight to thousandths, the precision of random choices. A weight above 0 stays above 0.
func thousandths(w float64) float64 {
	if w > 0 && w < 0.001 {
		return 0.001
	}
	return math.Round(w*1000) / 1000
}
