package accountconfig

import (
	"maps"
	"slices"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

type decoded struct {
	flows map[place][]flow.Path
	costs map[uuid.UUID]cond.Cost // costs of the conditions of saved rules
}

// canonical returns the members of a record as the account would show them after saving the record.
func (p *planner) canonical(kind Kind, key string, m Members, ids IDs) (Members, error) {
	switch kind {
	case Domains:
		return again(DomainCodec, key, m, ids, nil)
	case Networks:
		return again(NetworkCodec, key, m, ids, nil)
	case Sources:
		return again(SourceCodec, key, m, ids, nil)
	case Landers:
		return again(LanderCodec, key, m, ids, nil)
	case Offers:
		return again(OfferCodec, key, m, ids, nil)
	case Sites:
		return again(SiteCodec, key, m, ids, nil)
	case Rules:
		return again(RuleCodec, key, m, ids, func(r models.Rule) {
			p.addCost(hashID(Rules, key), cond.Cost{Steps: r.MatchSteps, Bytes: r.MatchBytes})
		})
	case Campaigns:
		return again(CampaignCodec(p.now.Account), key, m, ids, func(c Campaign) { p.addFlow(place{kind, key}, c.Paths) })
	case Flows:
		return again(FlowCodec, key, m, ids, func(f flow.Saved) { p.addFlow(place{kind, key}, f.Paths) })
	case Smartlinks:
		return again(SmartlinkCodec, key, m, ids, nil)
	case CopilotRules:
		return again(CopilotRuleCodec, key, m, ids, nil)
	case BotDetection:
		return again(BotDetectionCodec, key, m, ids, nil)
	}
	return again(BotListCodec, key, m, ids, nil)
}

func again[R any](c *Codec[R], key string, m Members, ids IDs, see func(R)) (Members, error) {
	record, err := c.Decode(key, m, ids)
	if err != nil {
		return nil, err
	}
	if see != nil {
		see(record)
	}
	return c.Encode(record, ids)
}

func (d *decoded) addFlow(at place, paths []flow.Path) {
	if d.flows == nil {
		d.flows = map[place][]flow.Path{}
	}
	flow.Canonical(paths)
	d.flows[at] = paths
}

func (d *decoded) addCost(id uuid.UUID, cost cond.Cost) {
	if d.costs == nil {
		d.costs = map[uuid.UUID]cond.Cost{}
	}
	d.costs[id] = cost
}

func (p *planner) checkFlows(list []*Item) {
	known := flow.Known{
		Offers: p.idsOf(Offers), Landers: p.idsOf(Landers), Campaigns: p.idsOf(Campaigns), Rules: map[uuid.UUID]cond.Cost{},
	}
	for key, m := range p.now.Records[Rules] {
		if r, err := RuleCodec.Decode(key, m, &asking{known: p.known}); err == nil {
			known.Rules[hashID(Rules, key)] = cond.Cost{Steps: r.MatchSteps, Bytes: r.MatchBytes}
		}
	}
	maps.Copy(known.Rules, p.costs)
	for _, item := range list {
		paths, ok := p.flows[place{item.Kind, item.Key}]
		if !ok || item.Op == OpRefused || item.Op == OpSame {
			continue
		}
		direct, _ := item.After["destination_url"].(string)
		fallback, _ := item.After["fallback_url"].(string)
		if len(paths) == 0 && item.Kind == Campaigns && direct+fallback != "" {
			continue
		}
		if err := flow.Validate(paths, known); err != nil {
			item.refuse("%s", problemOf(err).Text)
		}
	}
}

func (p *planner) idsOf(kind Kind) map[uuid.UUID]bool {
	ids := map[uuid.UUID]bool{}
	for _, doc := range []Document{p.now.Records, p.want} {
		for key := range doc[kind] {
			ids[hashID(kind, key)] = true
		}
	}
	return ids
}

// hashID returns an id that stands for a record with the given key while a plan is made.
func hashID(kind Kind, key string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(string(kind)+"/"+key))
}

// asking implements IDs with ids that are hashes of keys. It remembers which records were requested.
type asking struct {
	known func(place) bool
	asked []place
	keys  map[uuid.UUID]place
}

// ID returns the id of a record that is in the account or in the document.
func (a *asking) ID(kind Kind, key string) (uuid.UUID, bool) {
	at := place{kind, key}
	if !a.known(at) {
		return uuid.Nil, false
	}
	id := hashID(kind, key)
	if a.keys == nil {
		a.keys = map[uuid.UUID]place{}
	}
	a.keys[id] = at
	if !slices.Contains(a.asked, at) {
		a.asked = append(a.asked, at)
	}
	return id, true
}

// Key returns the key of a record whose id was requested.
func (a *asking) Key(kind Kind, id uuid.UUID) (string, bool) {
	at, ok := a.keys[id]
	return at.key, ok && at.kind == kind
}
