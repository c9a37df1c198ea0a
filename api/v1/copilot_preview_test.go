package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/models/copilot"
)

// TestCopilotPreview: a preview shows the change that the action makes when it is applied, and changes nothing itself.
func TestCopilotPreview(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	preview := func(query string) string { return "/copilot/preview?id=" + query }
	id, before := p.suggest(p.actions()[copilot.OpSetWeights]), p.state()
	foreseen := p.Do("GET", preview(id), nil).Want(200, "").Map()
	if p.state() != before {
		t.Error("a preview changed records")
	}
	if foreseen["stale"] != nil || cmp.Equal(foreseen["before"], foreseen["after"]) {
		t.Errorf("the preview is stale or shows no change: %v", foreseen)
	}
	change := p.act("apply", id).Want(200, "").Map()["change_id"].(string)
	done := p.Do("GET", preview(change), nil).Want(200, "").Map()
	for _, part := range []string{"action", "before", "after"} {
		if diff := cmp.Diff(foreseen[part], done[part]); diff != "" {
			t.Errorf("the field %s of the preview differs from the change: %s", part, diff)
		}
	}
	id = p.suggest(p.actions()[copilot.OpPausePath])
	p.act("undo", change).Want(200, "")
	if p.Do("GET", preview(id), nil).Want(200, "").Map()["stale"] == nil {
		t.Error("the preview does not say that the weights have changed since")
	}
	_, other, _ := p.NewAccount("pro")
	p.As(other).Do("GET", preview(id), nil).Want(404, "not_found")
	p.Do("GET", preview(uuid.NewString()), nil).Want(404, "not_found")
	p.Do("GET", preview("x"), nil).Want(400, "invalid_id")
	p.Do("GET", preview(id+"&variant=worst"), nil).Want(400, "invalid")
	p.Do("GET", preview(p.suggest(p.actions()[copilot.OpDeny])+"&variant=network"), nil).Want(400, "invalid")
	p.Do("GET", preview(p.suggest(nil)), nil).Want(400, "advice_only")
}

// TestCampaignChanges: a change of a campaign is listed with the names of the changed fields, but not for a copy of the campaign.
func TestCampaignChanges(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	changes := func(id string) string { return "/campaigns/" + id + "/changes" }
	p.Do("PATCH", "/campaigns/"+p.campaign.String(), object{"notes": "seen"}).Want(200, "")
	rows := p.Do("GET", changes(p.campaign.String()), nil).Want(200, "").Map()["rows"].([]any)
	if len(rows) == 0 || !cmp.Equal(rows[0].(map[string]any)["fields"], []any{"notes"}) {
		t.Errorf("the newest change does not have the field notes: %v", rows)
	}
	twin := p.Do("POST", "/campaigns/"+p.campaign.String()+"/clone", object{}).Want(201, "").Map()["id"].(string)
	for _, row := range p.Do("GET", changes(twin), nil).Want(200, "").Map()["rows"].([]any) {
		if cmp.Equal(row.(map[string]any)["fields"], []any{"notes"}) {
			t.Errorf("the changes of the copy include %v, which changed another campaign", row)
		}
	}
	_, other, _ := p.NewAccount("pro")
	p.As(other).Do("GET", changes(p.campaign.String()), nil).Want(404, "not_found")
	p.Do("GET", changes(uuid.NewString()), nil).Want(404, "not_found")
	p.Do("GET", changes("x"), nil).Want(400, "invalid_id")
}
