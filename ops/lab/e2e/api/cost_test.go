package api

import (
	"net/http"
	"testing"
	"time"

	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/models/correction"
)

// TestCostByHand: a cost is previewed, set by hand, listed and undone.
func TestCostByHand(t *testing.T) {
	t.Parallel()
	x := newCorrectionEnv(t, 10)
	for i, campaign := range x.campaigns {
		dbtest.Exec(t, x.s.DB, `UPDATE campaigns SET source_id = $2 WHERE id = $1`, campaign, x.sources[i])
	}
	dbtest.Exec(t, x.s.DB, `UPDATE accounts SET date_format = 'MM/DD/YYYY'`)
	cost := func() float64 {
		t.Helper()
		rows := x.s.Do("GET", "/reports/performance?dimension=campaign_id&f.campaign_id="+x.campaigns[0].String(), nil).Want(200, "").Map()["rows"].([]any)
		return rows[0].(map[string]any)["cost"].(float64)
	}
	yesterday, _ := time.Parse(time.DateOnly, x.day)
	first := yesterday.AddDate(0, 0, -2).Format(time.DateOnly)
	body := map[string]any{"campaign_id": x.campaigns[0], "from": first, "to": x.day, "amount": 12.5}
	var set v1.CostSet
	x.send("/corrections/cost/set", body, &set)
	if !set.DryRun || set.ID != nil || set.Clicks != 5 || len(set.Days) != 3 || set.Before.String() != "0.05" || set.After.String() != "12.5" || cost() != 0.05 {
		t.Fatalf("the preview is %+v, want a dry run over 3 days that changes nothing", set)
	}
	if d := set.Days[0]; d.Clicks != 0 || d.CampaignID != nil || !d.After.IsZero() || d.Day != first {
		t.Errorf("the preview of a day without clicks is %+v, want no campaign and no cost", d)
	}
	if d := set.Days[2]; d.Clicks != 5 || d.CampaignName != "Campaign Push Ads" || d.After.String() != "12.5" || d.Day != x.day {
		t.Errorf("the preview of a day with clicks is %+v, want 5 clicks and a cost of 12.5", d)
	}
	body["apply"] = true
	x.send("/corrections/cost/set", body, &set)
	if set.DryRun || set.ID == nil || cost() != 12.5 {
		t.Fatalf("setting the cost is answered with %+v, and the cost is %v, want 12.5", set, cost())
	}
	undo := "/corrections/cost/changes/" + set.ID.String() + "/undo"

	// The first date is in the account's format, month/day/year. The second date has dots, so its day comes first.
	csv := "day,campaign,spend\n" + yesterday.Format("01/02/2006") + ",alias-0,20\n" + yesterday.Format("2.1.2006") + ",alias-1,4\n"
	var file costAnswer
	x.post("/corrections/cost", csv, true, &file)
	if file.Accepted != 2 || file.Outcomes[0].Result != correction.Spread || *file.Outcomes[0].SourceID != x.sources[0].String() || cost() != 20 {
		t.Fatalf("the file is answered with %+v, and the cost is %v, want 20", file, cost())
	}
	var list struct {
		Rows []struct {
			ID, Kind, Who string
			Before, After float64
			Clicks        int
		}
	}
	x.s.Do("GET", "/corrections/cost/changes", nil).Want(200, "").Into(&list)
	if len(list.Rows) != 2 || list.Rows[0].Kind != "file" || list.Rows[0].Before != 12.55 || list.Rows[0].After != 24 || list.Rows[0].Clicks != 10 ||
		list.Rows[1].Kind != "hand" || list.Rows[1].Before != 0.05 || list.Rows[1].After != 12.5 || list.Rows[1].Who == "" {
		t.Errorf("the list of changes is %+v, want the file first and then the cost by hand", list)
	}
	x.s.Do("POST", undo, nil).Want(http.StatusConflict, "overlapped")
	var undone struct{ Undone bool }
	x.send("/corrections/cost/changes/"+list.Rows[0].ID+"/undo", nil, &undone)
	if !undone.Undone || cost() != 12.5 {
		t.Errorf("after the undo of the file the cost is %v, want 12.5", cost())
	}
	x.send(undo, nil, &undone)
	if cost() != 0.05 {
		t.Errorf("after the undo of the cost by hand the cost is %v, want 0.05", cost())
	}

	refuse := func(change map[string]any, status int, code string) {
		t.Helper()
		refused := map[string]any{"campaign_id": x.campaigns[0], "from": first, "to": first, "apply": true}
		for name, v := range change {
			refused[name] = v
		}
		x.s.Do("POST", "/corrections/cost/set", refused).Want(status, code)
	}
	refuse(map[string]any{"cpc": 1}, 400, "no_clicks")
	refuse(map[string]any{"to": x.day, "amount": 1, "currency": "BRL"}, 409, "rate_missing")
	x.s.Do("GET", "/corrections/cost/changes", nil).Want(200, "").Into(&list)
	if n := dbtest.Get[int](t, x.s.DB, `SELECT count(*) FROM cost_changes`); n != 2 {
		t.Errorf("%d changes are recorded, want 2", n)
	}
}
