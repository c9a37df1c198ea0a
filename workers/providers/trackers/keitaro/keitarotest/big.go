package keitarotest

import (
	"encoding/json"
	"fmt"
)

type object = map[string]any

// Big returns the JSON of a Tracker. Each campaign has three streams.
func Big(campaigns, offers int) []byte {
	t := object{
		"groups":             []object{{"id": 1, "name": "Big", "position": 1, "type": "campaigns"}},
		"affiliate_networks": []object{{"id": 1, "name": "Big network", "offer_param": "subid={subid}", "state": "active"}},
		"traffic_sources": []object{{"id": 1, "name": "Big source", "state": "active", "parameters": object{
			"sub_id_1": object{"name": "zone", "placeholder": "{zoneid}", "alias": ""},
		}}},
		"domains":       []object{{"id": 1, "name": "go.big.example", "state": "active"}},
		"landing_pages": []object{{"id": 1, "name": "Big page", "landing_type": "external", "action_type": "http", "action_payload": "https://page.example/", "state": "active"}},
		"botlist":       "",
	}
	var list []object
	for i := 1; i <= offers; i++ {
		list = append(list, object{
			"id": i, "name": fmt.Sprintf("Offer %d", i), "offer_type": "external", "action_type": "http", "state": "active",
			"action_payload": fmt.Sprintf("https://offer.example/%d?s={subid}", i), "affiliate_network_id": 1,
			"payout_value": float64(i%50) + 0.5, "payout_currency": "USD", "payout_type": "CPA",
		})
	}
	t["offers"] = list
	var all, streams []object
	for i := 1; i <= campaigns; i++ {
		all = append(all, object{
			"id": i, "alias": fmt.Sprintf("big%06d", i), "name": fmt.Sprintf("Campaign %d", i), "type": "position", "state": "active",
			"cookies_ttl": 24, "cost_type": "CPC", "cost_value": 0.05, "cost_currency": "USD", "group_id": 1, "traffic_source_id": 1,
		})
		offer := func(n int) []object {
			return []object{{"offer_id": (i*3+n)%max(offers, 1) + 1, "share": 100, "state": "active"}}
		}
		streams = append(
			streams,
			object{
				"id": 3*i - 2, "campaign_id": i, "name": "Bots", "type": "forced", "position": 1, "weight": 100, "state": "active",
				"schema": "action", "action_type": "status404", "filters": []object{{"id": i, "name": "bot", "mode": "accept"}},
			},
			object{
				"id": 3*i - 1, "campaign_id": i, "name": "Germany", "type": "regular", "position": 2, "weight": 100, "state": "active",
				"schema": "landings", "offers": offer(0), "filters": []object{{"id": campaigns + i, "name": "country", "mode": "accept", "payload": []string{"DE"}}},
			},
			object{
				"id": 3 * i, "campaign_id": i, "name": "Others", "type": "regular", "position": 3, "weight": 100, "state": "active",
				"schema": "landings", "offers": offer(1), "landings": []object{{"landing_id": 1, "share": 100, "state": "active"}},
			},
		)
	}
	t["campaigns"], t["streams"] = all, streams
	raw, err := json.Marshal(t)
	if err != nil {
		panic("keitarotest: " + err.Error())
	}
	return raw
}
