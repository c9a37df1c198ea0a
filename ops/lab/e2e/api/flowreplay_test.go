package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/spool"
	"switchyard/models"
)

// TestFlowReplay replays the clicks of a campaign through a flow.
func TestFlowReplay(t *testing.T) {
	t.Parallel()
	x := newExportEnv(t)
	made := x.s.Do("POST", "/offers", map[string]any{"name": "=One", "url": "https://one.example/"}).Want(http.StatusCreated, "")
	offer := made.Map()["id"].(string)
	french := map[string]any{
		"id": uuid.NewString(), "name": "French", "action": "offer", "destinations": []any{map[string]any{"id": offer}},
		"filters": []any{map[string]any{"attribute": "country", "operator": "equals", "value": "FR"}},
	}
	rest := map[string]any{
		"id": uuid.NewString(), "name": "Rest", "action": "redirect", "stream_type": "default",
		"destinations": []any{map[string]any{"url": "https://rest.example/"}},
	}
	saved := []any{french, rest}
	campaign := x.s.Do("POST", "/campaigns", map[string]any{"name": "Replayed", "alias": "replayed", "domain_id": x.campaign, "streams": saved}).
		Want(http.StatusCreated, "").Map()["id"].(string)
	flow := x.s.Do("GET", "/campaigns/"+campaign+"/flow", nil).Want(http.StatusOK, "").Map()["streams"].([]any)
	french, rest = flow[0].(map[string]any), flow[1].(map[string]any)
	x.replayed(uuid.MustParse(campaign), french["id"].(string), rest["id"].(string), offer)

	replay := func(body any, query string) (map[string]any, map[string][2]float64) {
		t.Helper()
		// A replay changes no data, so a read-only key may ask for it.
		got := x.s.As(x.s.ReadKey).Do("POST", "/campaigns/"+campaign+"/flow/replay"+query, body).Want(http.StatusOK, "").Map()
		split := map[string][2]float64{}
		for _, r := range got["rows"].([]any) {
			r := r.(map[string]any)
			split[fmt.Sprint(r["to"], " ", r["stream_name"], " ", r["offer_name"])] = [2]float64{r["clicks"].(float64), r["was"].(float64)}
		}
		return got, split
	}
	expect := func(body map[string]any, changed float64, want map[string][2]float64) {
		t.Helper()
		got, split := replay(body, "")
		if got["clicks"] != 18.0 || got["bot_clicks"] != 3.0 || got["changed"] != changed || fmt.Sprint(split) != fmt.Sprint(want) {
			t.Errorf("the replay of %v has %v clicks, %v bots and %v changed decisions; its rows are %v, want %v", body, got["clicks"], got["bot_clicks"], got["changed"], split, want)
		}
	}
	const one, other = "path French =One", "path Rest <nil>"
	expect(map[string]any{}, 0, map[string][2]float64{one: {9, 9}, other: {9, 9}})

	french["daily_cap"] = 4 // nine French clicks are on one day
	expect(map[string]any{"streams": flow}, 5, map[string][2]float64{one: {4, 9}, other: {14, 9}})
	french["daily_cap"] = nil
	french["filters"] = []any{map[string]any{"attribute": "country", "operator": "equals", "value": "DE"}}
	expect(map[string]any{"streams": flow}, 18, map[string][2]float64{one: {9, 9}, other: {9, 9}})
	expect(map[string]any{"streams": []any{french}, "fallback_url": "https://fallback.example/"}, 18,
		map[string][2]float64{one: {9, 9}, "fallback_url <nil> <nil>": {9, 0}, other: {0, 9}})

	if got, _ := replay(nil, "?from=2020-01-01&to=2020-01-02"); got["clicks"] != 0.0 || len(got["rows"].([]any)) != 0 {
		t.Errorf("the replay of a window without clicks is %v, want no clicks and no rows", got)
	}
	path := "/campaigns/" + campaign + "/flow/replay"
	x.s.Do("POST", path, map[string]any{"streams": []any{}}).Want(http.StatusBadRequest, "no_streams")
	x.s.Do("POST", path, map[string]any{"stream": flow}).Want(http.StatusBadRequest, "invalid_input")
	x.s.Do("POST", path, map[string]any{"flow_rotation": "x"}).Want(http.StatusBadRequest, "invalid_flow_rotation")
	x.s.Do("POST", path+"?from=x", nil).Want(http.StatusBadRequest, "invalid_input")
	_, foreign, _ := x.s.NewAccount("scale")
	x.s.As(foreign).Do("POST", path, nil).Want(http.StatusNotFound, "not_found")
	x.s.Do("POST", "/campaigns/"+uuid.NewString()+"/flow/replay", nil).Want(http.StatusNotFound, "not_found")
}

func (x *exportEnv) replayed(campaign uuid.UUID, french, rest, offer string) {
	x.t.Helper()
	var all []spool.Record
	day := time.Now().UTC().Truncate(24 * time.Hour).Add(-24 * time.Hour)
	for i := range 21 {
		c := models.Click{
			ID: models.FloorClickID(day.Add(time.Duration(i) * time.Hour)), AccountID: x.s.Account.ID, CampaignID: campaign,
			StreamID: uuid.MustParse(rest), Visitor: models.Visitor{Country: "DE", IsBot: i%7 == 6}, Currency: "USD",
			RouteSeed: uint64(i), Via: 4, UniqueHours: 24, UniqueKey: [16]byte{1, byte(i)},
		}
		if c.ID[15] = byte(i); i%7 < 3 {
			c.Country, c.StreamID, c.OfferID, c.Via = "FR", uuid.MustParse(french), uuid.MustParse(offer), 3
		}
		all = append(all, spool.Record{Click: &c})
	}
	storeRecords(x.t, x.s.DB, all...)
}
