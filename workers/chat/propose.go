package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	dbcopilot "switchyard/db/copilot"
	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/workers/providers/ai"
)

// proposeTool is the only tool that is not a look-up. It stores a proposal for a person.
const proposeTool = "propose"

const (
	maxProposals = 3 // for one question
	maxReason    = 1000
)

type proposal struct {
	copilot.Proposal

	raw json.RawMessage // the action as JSON
}

func text(about string) map[string]any { return map[string]any{"type": "string", "description": about} }

// proposing describes the tool to the model. The rules of each action check its arguments.
var proposing = ai.Tool{
	Name: proposeTool,
	Description: "proposes one change, which a person applies or not. Look the ids up first. " +
		"pause_campaign: campaign_id. pause_path: campaign_id, path_id. set_weights: campaign_id and weights of paths. " +
		"set_destination_weights: campaign_id, path_id and weights of its offers or landing pages. " +
		"swap_destination: campaign_id, path_id, from, to. pause_offer: offer_id. " +
		"set_cap: offer_id and cap (conversions a day; left out: none). " +
		"exclude: campaign_id, attribute (" + strings.Join(copilot.ExcludeAttributes, ", ") + ") and values. " +
		"deny: campaign_id, attribute (" + strings.Join(copilot.DenyAttributes, ", ") + ") and values that count as bots. " +
		"map_postback: network_id, field and parameter.",
	Parameters: map[string]any{
		"type": "object", "required": []string{"reason", "action"}, "properties": map[string]any{
			"reason": text("why, with the figures"),
			"action": map[string]any{"type": "object", "required": []string{"op"}, "properties": map[string]any{
				"op": map[string]any{"type": "string", "enum": copilot.Ops()}, "campaign_id": text("id"), "path_id": text("id"),
				"offer_id": text("id"), "network_id": text("id"), "from": text("id"), "to": text("id"),
				"weights": map[string]any{"type": "array", "items": map[string]any{
					"type": "object", "required": []string{"id", "weight"}, "properties": map[string]any{
						"id": text("id"), "weight": map[string]any{"type": "number"},
					},
				}},
				"cap": map[string]any{"type": "integer"}, "attribute": text("name"),
				"values": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
				"field":  text("name"), "parameter": text("name"),
			}},
		},
	},
}

// propose stores a proposal. If the proposal is refused, the error tells the model why.
func (s *session) propose(ctx context.Context, arguments string) (string, error) {
	var sent struct {
		Reason string         `json:"reason"`
		Action copilot.Action `json:"action"`
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(arguments)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&sent); err != nil {
		return "", models.Invalid("invalid", "the arguments must be an object with reason and action, as described")
	}
	if len(s.proposals) >= maxProposals {
		return "", models.Invalid("invalid", "%d changes were proposed: that is enough for one question", maxProposals)
	}
	sent.Action.Campaigns, sent.Action.Worst = nil, 0 // only suggestions have these
	p := copilot.Proposal{CampaignID: sent.Action.CampaignID, Reason: models.OneLine(sent.Reason, maxReason), Action: sent.Action}
	p.AccountID = s.account.ID
	p, err := dbcopilot.NewProposals(s.store).Create(ctx, p, s.o.Now())
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(p.Action)
	s.proposals = append(s.proposals, proposal{p, raw})
	return "The change is proposed. It is not made: a person decides.", err
}
