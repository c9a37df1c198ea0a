package copilot

import (
	"maps"
	"math"
	"slices"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// DenyAttributes are the attributes that OpDeny accepts, and ExcludeAttributes are the attributes that OpExclude accepts.
var (
	DenyAttributes    = append([]string{"ip", "ip_range", "asn", "country", "isp", "user_agent", "referrer"}, models.SubKeys[:]...)
	ExcludeAttributes = []string{"country", "device_type", "os", "browser", "connection_type", "mobile_operator", "hour_of_day"}
)

// Ops returns the names of the operations.
func Ops() []string { return slices.Sorted(maps.Keys(ops)) }

var ops map[string]op

func init() {
	paths := op{target: TargetFlow, judged: pathsOf, read: readPaths, write: writePaths}
	filters := op{target: TargetFlow, judged: pathsOf, read: readFilters, write: writeFilters}
	destinations := op{target: TargetFlow, judged: pathOf, read: readDestinations, write: writeDestinations}
	offers := op{target: TargetOffer, judged: offerState, read: readOffer, write: writeOffer}
	campaigns := op{target: TargetCampaign, judged: campaignState, read: readCampaign, write: writeCampaign}
	networks := op{target: TargetNetwork, judged: networkState, read: readNetwork, write: writeNetwork}
	entries := op{target: TargetBotLists, judged: campaignOf, read: readEntries, write: writeEntries}
	needCampaign := needID("campaign_id", func(a Action) uuid.NullUUID { return a.CampaignID })
	needOffer := needID("offer_id", func(a Action) uuid.NullUUID { return a.OfferID })
	needNetwork := needID("network_id", func(a Action) uuid.NullUUID { return a.NetworkID })
	row := func(o op, title func(Action, Record) string, change func(Action, Part) (Part, error), checks ...func(Action) string) op {
		o.title, o.change, o.checks = title, change, checks
		return o
	}
	ops = map[string]op{
		OpPauseCampaign:         row(campaigns, pauseCampaignTitle, pause, needCampaign),
		OpPausePath:             row(paths, pausePathTitle, pausePath, needCampaign, needPath),
		OpSetWeights:            row(paths, weightsTitle, setWeights, needCampaign, needWeights),
		OpSetDestinationWeights: row(destinations, destinationsTitle, setDestinationWeights, needCampaign, needPath, needWeights),
		OpSwapDestination:       row(destinations, swapTitle, swapDestination, needCampaign, needPath, needSwap),
		OpExclude:               row(filters, excludeTitle, exclude, needCampaign, needValues(ExcludeAttributes...)),
		OpPauseOffer:            row(offers, pauseOfferTitle, pause, needOffer),
		OpSetCap:                row(offers, capTitle, setCap, needOffer, needCap),
		OpDeny:                  row(entries, denyTitle, deny, needCampaign, needValues(DenyAttributes...)),
		OpMapPostback:           row(networks, mapTitle, mapPostback, needNetwork, needMapping),
	}
}

func thousandths(w float64) float64 {
	if w <= 0 {
		return 0
	}
	return max(math.Round(w*1000)/1000, 0.001)
}

func pausePath(a Action, p Part) (Part, error) {
	out := Part{Paths: slices.Clone(p.Paths)}
	left, found := 0, false
	for i, path := range out.Paths {
		if path.ID == a.PathID {
			if !path.IsActive {
				return p, stale("the path is paused already")
			}
			out.Paths[i].IsActive, found = false, true
			continue
		}
		if path.IsActive && path.Weight > 0 {
			left++
		}
	}
	switch {
	case !found:
		return p, stale("the path is gone")
	case left == 0:
		return p, stale("no other path is left")
	}
	return out, nil
}

func setWeights(a Action, p Part) (Part, error) {
	out := Part{Paths: slices.Clone(p.Paths)}
	for _, w := range a.Weights {
		i := slices.IndexFunc(out.Paths, func(path PathPart) bool { return path.ID == w.ID })
		if i < 0 {
			return p, stale("a path is gone")
		}
		out.Paths[i].Weight = thousandths(w.Weight)
	}
	if !slices.ContainsFunc(out.Paths, func(path PathPart) bool { return path.IsActive && path.Weight > 0 }) {
		return p, models.Invalid("invalid", "no path would be left")
	}
	return out, nil
}

// onlyIndex returns the index of the destination with the given id. It fails unless the path has this destination exactly once.
func onlyIndex(list []flow.Destination, id string) (int, error) {
	at := -1
	for i, d := range list {
		if d.ID != id {
			continue
		}
		if at >= 0 {
			return -1, models.Invalid("invalid", "the path has this destination twice")
		}
		at = i
	}
	if at < 0 {
		return -1, stale("the path no longer has this destination")
	}
	return at, nil
}

func setDestinationWeights(a Action, p Part) (Part, error) {
	out := Part{Destinations: slices.Clone(p.Destinations)}
	for _, w := range a.Weights {
		i, err := onlyIndex(out.Destinations, w.ID)
		if err != nil {
			return p, err
		}
		out.Destinations[i].Weight = thousandths(w.Weight)
	}
	return out, nil
}

// swapDestination puts To in the place of From. If the path already has To, without a weight and in the same slot, From gets the
// place of To.
func swapDestination(a Action, p Part) (Part, error) {
	i, err := onlyIndex(p.Destinations, a.From)
	if err != nil {
		return p, err
	}
	out := Part{Destinations: slices.Clone(p.Destinations)}
	out.Destinations[i].ID = a.To
	if !slices.ContainsFunc(p.Destinations, func(d flow.Destination) bool { return d.ID == a.To }) {
		return out, nil
	}
	k, err := onlyIndex(p.Destinations, a.To)
	switch {
	case err != nil:
		return p, err
	case p.Destinations[k].Weight > 0 || p.Destinations[k].Slot != p.Destinations[i].Slot:
		return p, models.Invalid("invalid", "the path already has the destination that would replace this one")
	}
	out.Destinations[k].ID = a.From
	return out, nil
}

// exclude makes the regular paths refuse visitors with the values. The default path then takes them.
func exclude(a Action, p Part) (Part, error) {
	values := make([]any, len(a.Values))
	for i, v := range a.Values {
		values[i] = v
	}
	out := Part{Filters: slices.Clone(p.Filters)}
	if !slices.ContainsFunc(out.Filters, func(f FilterPart) bool { return f.Type == flow.Default }) {
		return p, models.Invalid("invalid", "the flow has no default path that could take the visitors")
	}
	for i, f := range out.Filters {
		switch {
		case f.Type != flow.Regular:
			continue
		case f.Logic == "or":
			return p, models.Invalid("invalid", "a path takes visitors who match any one of its conditions, so no value can be excluded from it")
		}
		closed := cond.Canonical(cond.Condition{Attribute: a.Attribute, Operator: "not_in", Value: slices.Clone(values)})
		out.Filters[i].Filters = append(slices.Clone(f.Filters), closed)
	}
	return out, nil
}

func pause(_ Action, p Part) (Part, error) {
	if p.Status != models.CampaignActive {
		return p, stale("the campaign or offer is not active")
	}
	p.Status = models.CampaignPaused
	return p, nil
}

func setCap(a Action, p Part) (Part, error) {
	p.Cap = a.Cap
	return p, nil
}

func campaignOf(a Action, _ Record) any { return a.CampaignID }

func campaignState(_ Action, r Record) any {
	if r.Campaign == nil {
		return nil
	}
	return r.Campaign.Status
}

func readCampaign(_ Action, r Record) (p Part, err error) {
	if r.Campaign == nil {
		return p, stale("the campaign is gone")
	}
	return Part{Status: r.Campaign.Status}, nil
}

func writeCampaign(_ Action, r Record, p Part) Record {
	c := *r.Campaign
	c.Status = p.Status
	r.Campaign = &c
	return r
}

// readEntries returns the ids of the created entries.
func readEntries(_ Action, r Record) (p Part, err error) {
	for _, e := range r.Entries {
		p.Entries = append(p.Entries, e.ID)
	}
	return p, nil
}

// deny returns a part with one entry for each campaign.
func deny(a Action, _ Part) (Part, error) {
	return Part{Entries: make([]uuid.UUID, len(denied(a)))}, nil
}

// denied returns the campaigns for which deny creates entries.
func denied(a Action) []uuid.UUID {
	list := []uuid.UUID{a.CampaignID.UUID}
	for _, id := range a.Campaigns {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// writeEntries sets the entries to create. An undo sets none.
func writeEntries(a Action, r Record, p Part) Record {
	r.Entries = nil
	if len(p.Entries) == 0 {
		return r
	}
	for _, id := range denied(a) {
		e := models.BotEntry{
			ListType: models.BotDeny, Attribute: a.Attribute, Operator: "equals", Value: slices.Clone(models.BotValues(a.Values)),
			Note: "Copilot", CampaignID: uuid.NullUUID{UUID: id, Valid: true},
		}
		if a.Attribute == "ip_range" {
			e.Operator = "in_cidr"
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

func networkState(_ Action, r Record) any {
	if r.Network == nil {
		return nil
	}
	return r.Network.PostbackParams
}

func readNetwork(_ Action, r Record) (p Part, err error) {
	if r.Network == nil {
		return p, stale("the network is gone")
	}
	return Part{Params: maps.Clone(r.Network.PostbackParams)}, nil
}

func writeNetwork(_ Action, r Record, p Part) Record {
	n := *r.Network
	if n.PostbackParams = maps.Clone(p.Params); n.PostbackParams == nil {
		n.PostbackParams = map[string]string{}
	}
	r.Network = &n
	return r
}

func mapPostback(a Action, p Part) (Part, error) {
	out := Part{Params: maps.Clone(p.Params)}
	if out.Params == nil {
		out.Params = map[string]string{}
	}
	if out.Params[a.Field] == a.Parameter {
		return p, stale("the network has this parameter already")
	}
	out.Params[a.Field] = a.Parameter
	return out, nil
}

// BlockOp returns the operation that blocks visitors with a value of an attribute. It is OpDeny, or OpExclude if bot lists lack
// the attribute. ok is false if neither accepts it.
func BlockOp(attribute string) (op string, ok bool) {
	if slices.Contains(DenyAttributes, attribute) {
		return OpDeny, true
	}
	return OpExclude, slices.Contains(ExcludeAttributes, attribute)
}
