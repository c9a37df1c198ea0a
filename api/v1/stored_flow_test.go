package v1_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// A campaign whose stored flow breaks today's rules cannot be cloned. The code is the same as for a request that sends this flow.
func TestCloneRefusesAStoredFlow(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	flowWith := func(field string, value any) []any { return []any{with(redirectPath("a"), field, value)} }
	twoPathsWith := func(field string, value any) []any {
		return []any{
			with(with(redirectPath("a"), "id", uuid.NewString()), field, value),
			with(with(redirectPath("b"), "id", uuid.NewString()), field, value),
		}
	}
	to := func(url string, weight int) []any { return []any{map[string]any{"url": url, "weight": weight}} }
	inline := []any{map[string]any{"name": "r", "conditions": []any{condition("os", "equals", "ios")}}}
	i := 0
	for code, streams := range map[string][]any{
		"no_streams":              {},
		"duplicate_rule_name":     twoPathsWith("rules", inline),
		"duplicate_path_name":     twoPathsWith("name", "same"),
		"invalid_action":          flowWith("action", "fly"),
		"invalid_stream_type":     flowWith("stream_type", "odd"),
		"invalid_transition":      flowWith("transition", "308"),
		"invalid_rule_group":      flowWith("rule_group", 1000),
		"invalid_cap":             flowWith("daily_cap", 0),
		"destination_required":    flowWith("destinations", []any{}),
		"lander_required":         flowWith("action", "lander"),
		"invalid_destination":     flowWith("destinations", []any{map[string]any{"id": uuid.NewString()}}),
		"invalid_destination_url": flowWith("destinations", to("ftp://x.example", 1)),
		"zero_weights":            flowWith("destinations", to("https://x.example", 0)),
		"invalid_filter":          flowWith("filters", []any{condition("colour", "equals", "x")}),
		"zero_path_weights":       flowWith("weight", 0),
		"multiple_defaults":       twoPathsWith("stream_type", "default"),
	} {
		raw, err := json.Marshal(streams)
		if err != nil {
			t.Fatal(err)
		}
		i++
		id := d.make(t, d.campaign(fmt.Sprint("campaign ", i)))["id"]
		dbtest.Exec(t, d.DB, `UPDATE campaigns SET streams = $2 WHERE id = $1`, id, string(raw))
		d.Do("POST", campaignPath(id)+"/clone", nil).Want(400, code)
	}
	id := d.make(t, d.campaign("moved"))["id"]
	other, _, _ := d.NewAccount("scale")
	dbtest.Exec(t, d.DB, `UPDATE domains SET account_id = $2 WHERE id = $1`, d.ownDomain, other.ID)
	d.Do("POST", campaignPath(id)+"/clone", nil).Want(400, "invalid_domain")
}

// A PUT is refused for the same reasons as a POST.
func TestPutIsRefusedLikePost(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Do("POST", "/offers", offer("Taken")).Want(201, "")
	id := s.Do("POST", "/offers", offer("Free")).Want(201, "").Map()["id"]
	s.Do("PUT", "/offers", with(offer("taken"), "id", id)).Want(409, "duplicate_name")
	_, starter, _ := s.NewAccount("starter")
	for _, path := range []string{"/traffic-sources", "/networks"} {
		s.As(starter).Do("PUT", path, with(source("x"), "id", id)).Want(402, "plan_limit")
	}
	s.Do("GET", "/logs/repeat-ips?link="+uuid.NewString(), nil).Want(404, "not_found")
}
