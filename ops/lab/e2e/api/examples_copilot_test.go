package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	dbcopilot "switchyard/db/copilot"
	"switchyard/models"
	"switchyard/models/copilot"
)

func (x *exampleEnv) copilot(account uuid.UUID, key string) {
	x.t.Helper()
	at := time.Now().UTC().Truncate(time.Microsecond)
	err := dbcopilot.NewSuggestions(x.Store).Save(x.t.Context(), account, dbcopilot.FoundSuggestions{At: at, Next: at.Add(24 * time.Hour), Judged: 1, List: []copilot.Suggestion{{
		Kind: "empty_token", Key: "x", Title: "Traffic source “Push” never fills sub2",
		Detail:    "None of its 4200 clicks came with sub2. Check that the link at the source has the parameter with its macro {creative}.",
		ExpiresAt: models.Stamp{Time: at.Add(copilot.Life)},
		Evidence: copilot.Evidence{
			Figures: []copilot.Figure{}, From: x.today.AddDate(0, 0, -30).Format(time.DateOnly),
			To: x.today.AddDate(0, 0, -1).Format(time.DateOnly), Sample: 4200, Confidence: 1, Method: "counted", Minimum: "200 clicks",
		},
	}}})
	if err != nil {
		x.t.Fatal(err)
	}
	list, _ := x.callAs(x.As(key), "GET /copilot", nil, nil)["suggestions"].([]any)
	if len(list) != 1 {
		x.t.Fatalf("%d suggestions are listed, want 1", len(list))
	}
	x.callAs(x.As(key), "POST /copilot", nil, object{"action": "snooze", "id": list[0].(map[string]any)["id"], "days": 3})
	made := x.As(key).Do("POST", "/campaigns", object{"name": "Shoes DE push", "alias": "shoes-preview", "destination_url": "https://shop.example/"}).
		Want(http.StatusCreated, "").Map()["id"].(string)
	action := copilot.Action{Op: copilot.OpPauseCampaign, CampaignID: uuid.NullUUID{UUID: uuid.MustParse(made), Valid: true}}
	record, err := dbcopilot.NewSuggestions(x.Store).Record(x.t.Context(), account, action)
	if err != nil {
		x.t.Fatal(err)
	}
	proposal, err := dbcopilot.NewProposals(x.Store).Create(x.t.Context(), copilot.Proposal{
		Owned: models.Owned{AccountID: account}, CampaignID: action.CampaignID, Title: action.Title(record), Action: action, Digest: action.JudgedDigest(record),
	}, at)
	if err != nil {
		x.t.Fatal(err)
	}
	x.callAs(x.As(key), "POST /copilot/proposals", nil, object{
		"reason": "It lost 40 USD in 3 days at 412 clicks.", "action": object{"op": "pause_campaign", "campaign_id": made},
	})
	x.callAs(x.As(key), "GET /copilot/preview", params{"id": proposal.ID.String()}, nil)
	x.rules(x.As(key))
}

func (x *exampleEnv) rules(s *apitest.Server) {
	x.t.Helper()
	rule := object{
		"name": "Stop losing placements", "looks_at": "value", "attribute": "sub1", "action": "deny", "window": 3, "every_minutes": 60,
		"conditions": []object{
			{"figure": "cost", "operator": ">", "value": 3, "times": "payout"}, {"figure": "conversions", "operator": "=", "value": 0},
		},
	}
	x.callAs(s, "POST /copilot/rules/replay", nil, rule)
	id := x.callAs(s, "POST /copilot/rules", nil, rule)["id"].(string)
	x.callAs(s, "PATCH /copilot/rules", nil, object{"id": id, "mode": "live", "cooldown_minutes": 2880})
	x.callAs(s, "GET /copilot/rules", nil, nil)
	x.callAs(s, "GET /copilot/rules/{id}/runs", params{"id": id}, nil)
	x.callAs(s, "DELETE /copilot/rules", params{"id": id}, nil)
}
