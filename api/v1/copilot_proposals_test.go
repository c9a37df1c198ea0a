package v1_test

import (
	"strings"
	"testing"
)

// TestPropose: a key proposes a change. Nothing changes until the proposal is applied.
func TestPropose(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	pause := object{"op": "pause_campaign", "campaign_id": p.campaign}
	made := p.Do("POST", "/copilot/proposals", object{"reason": "It\nloses.", "action": pause}).Want(201, "").Map()
	same(t, made, object{"status": "open", "reason": "It loses.", "campaign_id": p.campaign.String()})
	if campaign := p.Do("GET", "/campaigns/"+p.campaign.String(), nil).Want(200, "").Map()["campaign"].(object); campaign["status"] != "active" {
		t.Errorf("the campaign is %v before the proposal is applied", campaign["status"])
	}
	p.Do("POST", "/copilot", object{"action": "apply_proposal", "id": made["id"]}).Want(200, "")
	if campaign := p.Do("GET", "/campaigns/"+p.campaign.String(), nil).Want(200, "").Map()["campaign"].(object); campaign["status"] != "paused" {
		t.Errorf("the campaign is %v after the proposal is applied", campaign["status"])
	}
	other := p.another(t)
	for _, body := range []object{
		{"reason": "", "action": pause}, {"reason": "x"}, {"reason": "x", "action": object{"op": "delete_campaign"}}, {"reason": strings.Repeat("x", 1001), "action": pause},
	} {
		p.Do("POST", "/copilot/proposals", body).Want(400, "invalid_input")
	}
	for _, action := range []object{{"op": "pause_campaign"}, {"op": "pause_campaign", "campaign_id": other.campaign}} {
		p.Do("POST", "/copilot/proposals", object{"reason": "x", "action": action}).Want(400, "invalid")
	}
	p.Do("POST", "/copilot/proposals", object{"reason": "x", "action": pause}).Want(409, "stale") // it is paused already
	p.As(p.ReadKey).Do("POST", "/copilot/proposals", object{"reason": "x", "action": pause}).Want(403, "read_only_key")
}
