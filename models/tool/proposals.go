package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/copilot"
)

func proposalTools() []Tool {
	id := func(name, doc string) Param { return Param{Name: name, Type: ID, Doc: doc} }
	return []Tool{
		{
			Name: "propose_change", Title: "Propose a change", Kind: Proposes,
			About: "Stores a proposal for one change and returns its id, what it would change, and how to apply it. Nothing changes until apply_proposal, or until a person " +
				"applies it in the dashboard. Needs a full key; at most 100 proposals are open, each for 7 days. Weights, swaps and pauses of paths need the minimum sample: without " +
				"it, the answer is too_early and nothing is stored. Send insist true to propose all the same. Operations: " + ActionsAbout,
			Params: []Param{
				need(Param{Name: "reason", Long: 1000, Doc: "why, with the figures and their window; a person reads it"}),
				need(Param{Name: "op", Enum: copilot.Ops(), Doc: "the operation"}),
				id("campaign_id", "see the operation"), id("path_id", "see the operation"), id("offer_id", "see the operation"), id("network_id", "see the operation"),
				id("from_id", "swap_destination: the offer or landing page that is replaced"), id("to_id", "swap_destination: the offer or landing page that replaces it"),
				{Name: "weights", Type: Weights, Doc: "new weights; an item that is left out keeps its weight"},
				{Name: "cap", Type: Whole, Min: 1, Max: copilot.MaxCap, Doc: "set_cap: conversions a day; left out: no cap"},
				{Name: "attribute", Doc: "see the operation"},
				{Name: "values", Type: Texts, Doc: "see the operation"},
				{Name: "field", Doc: "map_postback: a field of postbacks"},
				{Name: "parameter", Doc: "map_postback: the parameter that carries this field"},
				{Name: "insist", Type: Flag, Doc: "true: propose although it is too early to judge"},
			},
			Answer: []Member{
				value("state", "proposed, or too_early: nothing was stored"), value("proposal_id", ""), value("title", "what the proposal does"), value("expires_at", ""),
				value("before{", "the part of the record as it is now"), value("after{", "the same part as it would be"), value("names{", "names of paths and destinations, by id"),
				value("apply_with", "what to call next"), value("missing", "too_early: what the sample lacks"),
			},
			Run: propose,
		},
		{
			Name: "apply_proposal", Title: "Apply a proposal", Kind: Changes, Repeatable: true,
			About: "Carries out a proposal. Changes live routing at once. Needs a full key and a plan with one-click apply. Refused as stale if the record has changed since. " +
				"undo_change reverts the change. Applying the proposal again returns the same change.",
			Params: []Param{need(id("proposal_id", "from propose_change or list_suggestions"))},
			Answer: []Member{value("status", ""), value("change_id", "id to send to undo_change")},
			Run:    apply,
		},
		{
			Name: "undo_change", Title: "Take a change back", Kind: Changes, Repeatable: true,
			About:  "Takes back a change that was applied from a proposal, a suggestion or a rule. Changes live routing at once. Needs a full key. Refused as stale if the record has changed since.",
			Params: []Param{need(id("change_id", "from apply_proposal or list_suggestions"))},
			Answer: []Member{value("status", ""), value("change_id", "")},
			Run: func(ctx context.Context, c *Call) (Values, error) {
				if err := c.reserve(ctx, ""); err != nil { // without a record, so that a change can be undone within Cooldown
					return nil, err
				}
				a, err := c.post(ctx, "/copilot", map[string]any{"action": "undo", "id": c.Args.Text("change_id")})
				if e, ok := models.AsError(err); ok && e.Code == "already_undone" {
					return Values{"status": "undone", "change_id": c.Args.Text("change_id")}, nil
				}
				return Values{"status": a["status"], "change_id": a["change_id"]}, err
			},
		},
	}
}

// ActionsAbout describes the operations of proposals and their arguments.
var ActionsAbout = "pause_campaign: campaign_id. pause_path: campaign_id, path_id. set_weights: campaign_id and weights of paths. " +
	"set_destination_weights: campaign_id, path_id and weights of its offers or landing pages. " +
	"swap_destination: campaign_id, path_id, from_id, to_id. pause_offer: offer_id. " +
	"set_cap: offer_id and cap (conversions a day; left out: none). " +
	"exclude: campaign_id, attribute (" + strings.Join(copilot.ExcludeAttributes, ", ") + ") and values. " +
	"deny: campaign_id, attribute (" + strings.Join(copilot.DenyAttributes, ", ") + ") and values that count as bots. " +
	"map_postback: network_id, field and parameter."

func actionOf(a Args) map[string]any {
	action := map[string]any{"op": a.Text("op")}
	for member, name := range map[string]string{
		"campaign_id": "campaign_id", "path_id": "path_id", "offer_id": "offer_id", "network_id": "network_id", "from": "from_id", "to": "to_id",
		"attribute": "attribute", "field": "field", "parameter": "parameter",
	} {
		if v := a.Text(name); v != "" {
			action[member] = v
		}
	}
	if l, _ := a.weights("weights"); len(l) > 0 {
		action["weights"] = l
	}
	if n := a.whole("cap", 0); n > 0 {
		action["cap"] = n
	}
	if l := a.texts("values"); len(l) > 0 {
		action["values"] = l
	}
	return action
}

var judgedBy = map[string][]string{
	copilot.OpPausePath: {copilot.ByPath}, copilot.OpSetWeights: {copilot.ByPath},
	copilot.OpSetDestinationWeights: {copilot.ByOffer, copilot.ByLander}, copilot.OpSwapDestination: {copilot.ByOffer, copilot.ByLander},
}

func propose(ctx context.Context, c *Call) (Values, error) {
	if !c.Args.Flag("insist", false) {
		ids := []string{c.Args.Text("path_id"), c.Args.Text("from_id")}
		weights, _ := c.Args.weights("weights")
		for _, w := range weights {
			ids = append(ids, w.ID)
		}
		missing, err := tooEarly(ctx, c, c.Args.Text("op"), ids)
		if err != nil {
			return nil, err
		}
		if missing != "" {
			return Values{"state": copilot.TooEarly, "missing": missing, "apply_with": "propose_change with insist true, if a person wants it all the same"}, nil
		}
	}
	p, err := c.post(ctx, "/copilot/proposals", map[string]any{"reason": c.Args.Text("reason"), "action": actionOf(c.Args)})
	if err != nil {
		return nil, err
	}
	id := text(p["id"])
	out := Values{"state": "proposed", "proposal_id": id, "title": p["title"], "expires_at": p["expires_at"], "apply_with": "apply_proposal with proposal_id " + id}
	preview, err := c.get(ctx, "/copilot/preview", nil, "id", id)
	if err != nil {
		return nil, err
	}
	out["before"], out["after"], out["names"] = preview["before"], preview["after"], preview["names"]
	return out, nil
}

// tooEarly returns a text that says what the sample of the last 30 days lacks to judge an operation on paths or destinations of a
// campaign. The text is empty if the sample is large enough, if no campaign_id was sent, or if the operation is not judged by
// figures.
func tooEarly(ctx context.Context, c *Call, op string, ids []string) (string, error) {
	campaign := c.Args.Text("campaign_id")
	if campaign == "" {
		return "", nil
	}
	for _, by := range judgedBy[op] {
		a, err := c.get(ctx, "/campaigns/"+campaign+"/compare", nil, "by", by, "from", monthAgo())
		if err != nil {
			return "", err
		}
		for _, g := range list(a, "groups") {
			named := slices.ContainsFunc(list(g, "arms"), func(arm object) bool { return slices.Contains(ids, text(arm["id"])) })
			if g["state"] != copilot.TooEarly || !named {
				continue
			}
			clicks := int64(0)
			for _, arm := range list(g, "arms") {
				clicks += number(arm["clicks"]).IntPart()
			}
			lacks := "conversions"
			if n := text(g["more_clicks"]); n != "" {
				lacks = "about " + n + " more clicks"
			}
			if n := text(g["more_days"]); n != "" && n != "0" {
				lacks += " and " + n + " more days with clicks"
			}
			return strconv.FormatInt(clicks, 10) + " clicks in 30 days are too few: it takes " + lacks + " to judge", nil
		}
	}
	return "", nil
}

func apply(ctx context.Context, c *Call) (Values, error) {
	id := c.Args.Text("proposal_id")
	known, err := c.get(ctx, "/copilot", nil)
	if err != nil {
		return nil, err
	}
	for _, change := range list(known, "changes") {
		if text(change["proposal_id"]) == id {
			return Values{"status": change["status"], "change_id": change["id"]}, nil
		}
	}
	record := ""
	for _, p := range list(known, "proposals") {
		if text(p["id"]) == id {
			record = target(p["action"])
		}
	}
	if err := c.reserve(ctx, record); err != nil {
		return nil, err
	}
	a, err := c.post(ctx, "/copilot", map[string]any{"action": "apply_proposal", "id": id})
	return Values{"status": a["status"], "change_id": a["change_id"]}, err
}

func target(action any) string {
	raw, _ := json.Marshal(action)
	var a copilot.Action
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	return a.Target().ID.String()
}
