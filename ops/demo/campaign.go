package demo

import (
	"context"
	"fmt"

	"switchyard/ops/client"
)

type object = map[string]any

// Campaign is the demo campaign that SetUp creates or finds.
type Campaign struct {
	ID   string `json:"id"`
	Link string `json:"url"`
}

const (
	campaignName = "Demo: phones and everybody else"
	landerHost   = "example.org"
	tokens       = "?click={clickid}&country={country}&device={device_type}"
)

// SetUp creates the demo campaign and the records that it needs. It reuses records that exist already.
func SetUp(ctx context.Context, api *client.API) (Campaign, error) {
	s := setup{api: api}
	network := s.ensure(ctx, "/networks", object{"name": "Demo network"})
	source := s.ensure(ctx, "/traffic-sources", object{
		"name": "Demo source", "token_macros": object{"zone": "{zone}", "creative": "{creative}"}, "cost_param": "bid",
	})
	lander := s.ensure(ctx, "/landers", object{
		"name": "Demo page", "url": "https://" + landerHost + "/page" + tokens, "click_slots": 1,
	})
	app := s.ensure(ctx, "/offers", object{
		"name": "Demo app", "url": "https://example.com/app" + tokens, "payout": 2.4, "network_id": network,
	})
	shop := s.ensure(ctx, "/offers", object{
		"name": "Demo shop", "url": "https://example.com/shop" + tokens, "payout": 1.1, "network_id": network,
	})
	id := s.ensure(ctx, "/campaigns", object{
		"name": campaignName, "alias": "demo-campaign", "source_id": source, "cost_model": "cpc", "cost_value": 0.04,
		"streams": []object{{
			"name": "phones", "action": "offer", "destinations": []object{{"id": app, "weight": 100}},
			"filters": []object{{"attribute": "device_type", "operator": "in", "value": []string{"mobile", "tablet"}}},
		}, {
			"name": "everybody else", "stream_type": "default", "action": "lander",
			"destinations": []object{{"id": lander, "weight": 100}, {"id": shop, "weight": 70}, {"id": app, "weight": 30}},
		}},
	})
	if s.err != nil {
		return Campaign{}, fmt.Errorf("demo: %w", s.err)
	}
	var answer struct{ Campaign Campaign }
	if err := api.Get(ctx, "/campaigns/"+id, &answer); err != nil {
		return Campaign{}, fmt.Errorf("demo: %w", err)
	}
	return answer.Campaign, nil
}

// setup creates records until the first error, and does nothing after that.
type setup struct {
	api *client.API
	err error
}

// ensure returns the id of the record that has the name in body, from the list at path. It creates the record if the list does not
// have it.
func (s *setup) ensure(ctx context.Context, path string, body object) string {
	if s.err != nil {
		return ""
	}
	var list struct{ Rows []struct{ ID, Name string } }
	if s.err = s.api.Get(ctx, path, &list); s.err != nil {
		return ""
	}
	for _, row := range list.Rows {
		if row.Name == body["name"] {
			return row.ID
		}
	}
	var made struct{ ID string }
	s.err = s.api.Create(ctx, path, body, &made)
	return made.ID
}
