package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/ops/client"
)

type story struct {
	name, source   string
	ways           []way // the last way takes all visitors that the others do not take
	daily          int
	growth         float64 // change of the daily clicks over all days: .35 is 35 % more
	rate           float64 // on the first day: the share of clicks that convert, bots not counted
	rateGrowth     float64 // the rate on the last day is about rate × rateGrowth
	goesOn         float64 // share of a lander's visitors who go on to the offer
	cost, payout   float64
	bots, rejected float64 // share of visitors that are bots; share of conversions that are rejected
	mobile         bool
	countries      []string // the first country has the most visitors
}

// A way without a lander leads straight to the offers.
type way struct {
	name               string
	countries, systems []string // empty: any
	landers, offers    []choice
	luck               float64 // factor on the conversion rate of its visitors; 0 means 1
}

type choice struct {
	name   string
	weight int
}

func only(name string) []choice { return []choice{{name, 100}} }

var stories = []story{
	{
		name: "DACH nutra · mobile", source: "PropellerAds", daily: 330, growth: .35, rate: .021, rateGrowth: 1.55, goesOn: .31, cost: .031,
		payout: 2.35, bots: .05, rejected: .08, mobile: true, countries: []string{"DE", "AT", "CH"},
		ways: []way{
			{
				name: "Android in Germany", countries: []string{"DE"}, systems: []string{"Android"}, luck: 1.2,
				landers: []choice{{"Quiz v3", 70}, {"Story B", 30}}, offers: []choice{{"NutraX DE", 80}, {"SlimFit DACH", 20}},
			},
			{name: "iPhones", systems: []string{"iOS"}, landers: only("Calculator"), offers: []choice{{"NutraX DE", 60}, {"SlimFit DACH", 40}}},
			{name: "Everybody else", landers: only("Quiz v3"), offers: only("NutraX DE"), luck: .8},
		},
	},
	{
		name: "Tier-1 advertorial", source: "Taboola", daily: 210, growth: .12, rate: .024, rateGrowth: 1.05, goesOn: .28, cost: .034, payout: 2.6,
		bots: .04, rejected: .06, countries: []string{"US", "GB", "CA", "AU"},
		ways: []way{
			{name: "Americans", countries: []string{"US", "CA"}, landers: []choice{{"Story A", 50}, {"Story A, short", 50}}, offers: only("Sleepwell US"), luck: 1.1},
			{name: "The rest of the world", landers: only("Story A"), offers: []choice{{"Sleepwell US", 40}, {"Sleepwell GB", 60}}, luck: .9},
		},
	},
	{
		name: "Sweeps LATAM push", source: "PropellerAds", daily: 280, growth: .2, rate: .017, rateGrowth: 1, cost: .0115, payout: 1.25,
		bots: .11, rejected: .12, mobile: true, countries: []string{"BR", "MX", "AR", "CL"},
		ways: []way{{name: "Everybody", offers: []choice{{"Phone sweep", 70}, {"Voucher sweep", 30}}}},
	},
	{
		name: "Finance FR native", source: "Outbrain", daily: 100, growth: -.05, rate: .019, rateGrowth: .7, goesOn: .22, cost: .06, payout: 4.6,
		bots: .03, rejected: .1, countries: []string{"FR", "BE"},
		ways: []way{{name: "Everybody", landers: only("Comparatif"), offers: only("Crédit FR")}},
	},
	{
		name: "Dating PL pops", source: "PopAds", daily: 150, growth: -.2, rate: .007, rateGrowth: .5, goesOn: .15, cost: .0215, payout: 4.6,
		bots: .22, rejected: .15, countries: []string{"PL"},
		ways: []way{{name: "Everybody", landers: only("Chat"), offers: only("Randka PL")}},
	},
}

func campaignAlias(name string) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
}

type records struct {
	campaign, source, network uuid.UUID
	ways                      []wayRecords // in the order of the story's ways
}

type wayRecords struct {
	stream uuid.UUID
	offers shares
	luck   float64
}

func (r records) way(stream uuid.UUID) wayRecords {
	at := slices.IndexFunc(r.ways, func(w wayRecords) bool { return w.stream == stream })
	if at < 0 {
		at = len(r.ways) - 1
	}
	return r.ways[at]
}

type shares []share

type share struct {
	id     uuid.UUID
	weight int
}

func (s shares) draw(r *rand.Rand) uuid.UUID {
	sum := 0
	for _, page := range s {
		sum += page.weight
	}
	if sum == 0 {
		return uuid.Nil
	}
	at := r.IntN(sum)
	for _, page := range s {
		if at -= page.weight; at < 0 {
			return page.id
		}
	}
	return uuid.Nil
}

// setUpStory creates the records of a story.
func setUpStory(ctx context.Context, api *client.API, st *story) (records, error) {
	s := setup{api: api}
	ids := records{network: asID(s.ensure(ctx, "/networks", object{
		"name": "AdHive", "macros": object{"click_id": "{aff_sub}", "payout": "{payout}", "status": "{status}", "conversion_id": "{transaction_id}"},
	}))}
	ids.source = asID(s.ensure(ctx, "/traffic-sources", object{
		"name": st.source, "token_macros": object{"sub1": "{zoneid}", "sub2": "{bannerid}"}, "external_id_param": "visitor",
	}))
	paths := make([]object, len(st.ways))
	for i := range st.ways {
		way, by := s.way(ctx, st, i, ids.network)
		paths[i], ids.ways = way, append(ids.ways, by)
	}
	campaign := s.ensure(ctx, "/campaigns", object{
		"name": st.name, "alias": "demo-" + campaignAlias(st.name), "source_id": ids.source, "cost_model": "cpc", "cost_value": st.cost, "streams": paths,
	})
	if s.err != nil {
		return records{}, fmt.Errorf("demo: %w", s.err)
	}
	ids.campaign = asID(campaign)
	var shown struct{ Streams []struct{ ID, Name string } }
	if err := api.Get(ctx, "/campaigns/"+campaign, &shown); err != nil {
		return records{}, fmt.Errorf("demo: %w", err)
	}
	for i, w := range st.ways {
		at := slices.IndexFunc(shown.Streams, func(p struct{ ID, Name string }) bool { return p.Name == w.name })
		if at < 0 {
			return records{}, errors.New("demo: the stored campaign has no path with the name " + w.name)
		}
		ids.ways[i].stream = asID(shown.Streams[at].ID)
	}
	return ids, nil
}

// way creates the landers and offers of the story's way i that do not exist yet.
func (s *setup) way(ctx context.Context, st *story, i int, network uuid.UUID) (object, wayRecords) {
	w := st.ways[i]
	by := wayRecords{luck: cmp.Or(w.luck, 1)}
	path := object{"name": w.name, "action": "offer"}
	if i == len(st.ways)-1 {
		path["stream_type"] = "default"
	}
	var destinations []object
	add := func(list []choice, make func(name string) string) (made shares) {
		for _, c := range list {
			id := make(c.name)
			made = append(made, share{asID(id), c.weight})
			destinations = append(destinations, object{"id": id, "weight": c.weight})
		}
		return made
	}
	if len(w.landers) > 0 {
		path["action"] = "lander"
	}
	add(w.landers, func(name string) string {
		return s.ensure(ctx, "/landers", object{"name": name, "url": "https://" + landerHost + "/" + campaignAlias(name) + tokens, "click_slots": 1})
	})
	by.offers = add(w.offers, func(name string) string {
		return s.ensure(ctx, "/offers", object{
			"name": name, "url": "https://example.com/" + campaignAlias(name) + tokens, "payout": st.payout, "network_id": network,
		})
	})
	path["destinations"] = destinations
	var filters []object
	if len(w.countries) > 0 {
		filters = append(filters, object{"attribute": "country", "operator": "in", "value": w.countries})
	}
	if len(w.systems) > 0 {
		filters = append(filters, object{"attribute": "os", "operator": "in", "value": w.systems})
	}
	if len(filters) > 0 {
		path["filters"] = filters
	}
	return path, by
}

// asID returns the zero id for a malformed text. A text is malformed only after an earlier error.
func asID(text string) uuid.UUID {
	id, _ := uuid.Parse(text)
	return id
}
