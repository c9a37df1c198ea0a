package binom

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/flow"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// tokens maps the names of Binom's macros to our tokens. Names that are aliases of our tokens are left out.
var tokens = map[string]string{
	"campaign_key": "campaign_alias", "landing_id": "lander_id", "landing_name": "lander_name", "landing_num": "lander_id",
	"traffic_source_id": "source_id", "traffic_source_name": "source_name", "ts_id": "source_id", "ts_name": "source_name",
	"affiliate_network_id": "network_id", "affiliate_network_name": "network_name", "ref_domain": "referrer_domain", "state": "region",
	"clickcost": "cost", "cnv_id": "conversion_id", "cnv_status": "status", "cnv_currency": "currency", "connection": "connection_type",
	"browser_name": "browser", "os_name": "os", "lang": "language", "user_ip": "ip", "offer_num": "offer_id", "path_num": "path_id",
}

type reader struct {
	*moved.Book
	in        *install
	groups    map[string]string
	params    map[string][]moved.Param
	rotations map[string]moved.Value
}

func (in *install) result(host string) trackerimport.Result {
	r := &reader{moved.New("binom", host), in, map[string]string{}, map[string][]moved.Param{}, map[string]moved.Value{}}
	r.Tokens = tokens
	for _, list := range in.groups.List() {
		for _, g := range list.List() {
			r.groups[g.At("uuid").Text()] = g.At("name").Text()
		}
	}
	for _, rotation := range in.rotations {
		r.rotations[rotation.At("id").ID()] = rotation
	}
	r.readDomains()
	for _, n := range in.networks.List() {
		it := r.Item(accountconfig.Networks, n.At("id").ID(), n.At("name").Text())
		r.Put(it)
	}
	for _, s := range in.sources {
		r.source(s)
	}
	hosted := 0
	for _, l := range in.landings {
		hosted += r.landing(l)
	}
	if hosted > 0 {
		r.Out.Note(trackerimport.Changed, "", "", "", trackerimport.Hosted(hosted))
	}
	for _, o := range in.offers {
		r.offer(o)
	}
	r.readCampaigns()
	return r.Result()
}

func (r *reader) readDomains() {
	for _, first := range []bool{true, false} { // the default domain first: Link uses the first domain for campaigns without one
		for _, d := range r.in.domains.List() {
			if d.At("isDefault").True() != first {
				continue
			}
			it, host := r.Domain(d.At("id").Text(), d.At("domain").Text())
			if host == "" || r.Out.Has(it.Kind, it.Key) {
				continue
			}
			it.M["https_only"] = d.At("isSsl").True()
			r.Put(it)
		}
	}
}

func (r *reader) source(s moved.Value) {
	it := r.Item(accountconfig.Sources, s.At("id").ID(), s.At("name").Text())
	var params []moved.Param
	tokens := s.At("tokens")
	for i, t := range tokens.List() {
		n := i + 1
		if !tokens.IsList() {
			n, _ = strconv.Atoi(tokens.Names()[i])
		}
		params = append(params, moved.Param{Sub: n, Name: t.At("parameter").Text(), Macro: t.At("placeholder").Text(), Label: t.At("name").Text()})
	}
	r.Params(it, params)
	r.External(it, s.At("externalId", "parameter").Text(), s.At("externalId", "placeholder").Text())
	r.Cost(it, s.At("cost", "parameter").Text(), s.At("cost", "placeholder").Text())
	r.params[it.ID] = params
	if u := s.At("postbackUrl").Text(); u != "" {
		r.Address(it, "postback_url", u, true)
	}
	r.Put(it)
}

// landing reads a landing page. It returns 1 if it refuses the page because the files are on the tracker, else 0.
func (r *reader) landing(l moved.Value) int {
	it := r.Item(accountconfig.Landers, l.At("id").ID(), l.At("name").Text())
	address := cmp.Or(l.At("url").Text(), l.At("location").Text())
	r.Group(it, r.groups[l.At("groupUuid").Text()])
	if !strings.Contains(address, "://") {
		r.Refuse(it, trackerimport.Hosted(1))
		return 1
	}
	r.Address(it, "url", address, false)
	r.Put(it)
	return 0
}

func (r *reader) offer(o moved.Value) {
	it := r.Item(accountconfig.Offers, o.At("id").ID(), o.At("name").Text())
	r.Group(it, r.groups[o.At("groupUuid").Text()])
	if id := o.At("affiliateNetworkId").ID(); id != "" {
		if n := r.Ref(accountconfig.Networks, id); n != nil && !n.Refused {
			it.M["network"] = n.Key
		} else {
			r.Change(it, "Its network was not imported.")
		}
	}
	r.Address(it, "url", o.At("url").Text(), false)
	r.Amount(it, "payout", o.At("payout", "money", "amount").Text(), o.At("payout", "money", "currency").Text())
	it.M["payout_from_param"] = o.At("payout", "isAuto").True()
	if o.At("payout", "isUpsell").True() {
		r.Change(it, moved.Upsell)
	}
	r.Country(it, o.At("countryCode").Texts())
	r.caps(it, o)
	r.Put(it)
}

func (r *reader) caps(it *moved.Item, o moved.Value) {
	var others []string
	for _, c := range o.At("conversionCaps").List() {
		n := max(c.At("limit").Int(), c.At("cap").Int())
		period := strings.ToLower(cmp.Or(c.At("period").Text(), c.At("interval").Text()))
		if (period == "day" || period == "daily") && n > 0 && it.M["daily_cap"] == nil {
			it.M["daily_cap"] = json.Number(strconv.Itoa(n))
		} else if n > 0 {
			others = append(others, "of "+strconv.Itoa(n)+" per "+cmp.Or(period, "offer"))
		}
		if c.At("alternativeOfferId").ID() != "" {
			r.Change(it, trackerimport.AlternativeOffer)
		}
	}
	r.OtherCaps(it, others)
}

var costModels = map[string]string{
	"CPC": "cpc", "CPUC": "cpuc", "CPM": "cpm", "CPA": "cpa", "CPS": "cps", "REVSHARE": "revshare", "REV_SHARE": "revshare", "AUTO": "auto",
}

func (r *reader) readCampaigns() {
	var drafts []moved.Draft
	items := make([]*moved.Item, len(r.in.campaign))
	for i, c := range r.in.campaign { // paths may lead to campaigns that come later
		items[i] = r.Item(accountconfig.Campaigns, c.At("id").ID(), c.At("name").Text())
	}
	for i, c := range r.in.campaign {
		it := items[i]
		r.Link(it, c.At("domainUuid").Text(), c.At("key").Text(), trackerimport.FormQuery, trackerimport.FormPHP)
		r.Group(it, r.groups[c.At("groupUuid").Text()])
		r.cost(it, c.At("cost"))
		source := c.At("trafficSourceId").ID()
		if ref := r.Ref(accountconfig.Sources, source); ref != nil && !ref.Refused {
			it.M["source"] = ref.Key
		} else if source != "" {
			it.M["status"] = models.CampaignPaused
			r.Note(trackerimport.Lost, it, trackerimport.Missing("Its traffic source"))
		}
		r.settings(it, c.At("campaignSettings"))
		it.M["flow_rotation"] = "position"
		drafts = append(drafts, moved.Draft{Item: it, Paths: r.flow(it, c, r.params[source])})
	}
	r.Campaigns(drafts)
}

func (r *reader) cost(it *moved.Item, cost moved.Value) {
	word := cost.At("model").Text()
	model := costModels[strings.ToUpper(word)]
	if model == "" && word != "" {
		r.Refuse(it, fmt.Sprintf("The cost model %q does not exist here.", models.Shortened(word, 30)))
		return
	}
	if cost.At("isAuto").True() || model == "" {
		model = "auto"
	}
	it.M["cost_model"] = model
	r.Amount(it, "cost_value", cost.At("money", "amount").Text(), cost.At("money", "currency").Text())
}

func (r *reader) settings(it *moved.Item, s moved.Value) {
	if loss := s.At("trafficLossPercent").Text(); loss != "" && loss != "0" {
		it.M["traffic_loss_pct"] = json.Number(loss)
	}
	if p := s.At("payoutPercent").Text(); p != "" && p != "100" {
		r.Change(it, fmt.Sprintf("%s%% of the payout was reported to the source. Set this at the source.", models.Shortened(p, 10)))
	}
	if p := s.At("postbackPercent").Text(); p != "" && p != "100" {
		r.Change(it, fmt.Sprintf("%s%% of the conversions were reported to the source. Here all are reported to it.", models.Shortened(p, 10)))
	}
	if p := s.At("s2sPostback").Text(); p != "" && p != "true" && p != "false" {
		r.Change(it, trackerimport.OtherPostback(it.Name, p))
	}
	for _, one := range []struct{ member, what string }{
		{"appendToOfferUrl", "offers"}, {"appendToLandingUrl", "landing pages"}, {"appendToCampaignUrl", "its link"},
	} {
		if p := s.At(one.member).Text(); p != "" {
			r.Change(it, fmt.Sprintf("In this campaign %s was added to the addresses of %s. Add it there yourself.", models.Shortened(p, 200), one.what))
		}
	}
}

var transitions = map[string]string{
	"": flow.Transition302, "NONE": flow.Transition302, "SMART": flow.Transition302, "META": flow.TransitionMeta,
	"DOUBLE_META": flow.TransitionDoubleMeta, "DOUBLEMETA": flow.TransitionDoubleMeta,
}

// flow returns the paths of a campaign: the paths of its rules, in the order of the rules, and then the default paths.
func (r *reader) flow(it *moved.Item, c moved.Value, params []moved.Param) (out []moved.Path) {
	rotation := c.At("customRotation")
	if id := c.At("rotationId").ID(); id != "" {
		shared, ok := r.rotations[id]
		if !ok {
			r.Refuse(it, "Its rotation was deleted there.")
			return nil
		}
		rotation = shared
		r.Change(it, fmt.Sprintf("It shared the rotation %q with others. Here it has paths of its own.", models.Shortened(shared.At("name").Text(), 60)))
	}
	way, known := transitions[strings.ToUpper(c.At("hideReferrer", "type").Text())]
	if !known || c.At("hideReferrer", "type").Is("SMART") {
		r.Change(it, fmt.Sprintf("It hid the referrer by %s; here visitors are sent on by 302.", models.Shortened(c.At("hideReferrer", "type").Text(), 30)))
	}
	if mode := c.At("distributionType"); mode.Text() != "" && !mode.Is("NORMAL") {
		r.Change(it, trackerimport.WeightsAsTheyAre)
	}
	group := 1
	for _, rule := range rotation.At("rules").List() {
		test := moved.Test{}
		for _, one := range rule.At("criteria").List() {
			r.criterion(&test, one, params)
		}
		if rule.At("markAsBot").True() {
			test.Change("Its visitors were marked as bots. A path here does not mark its visitors.")
		}
		for _, p := range rule.At("paths").List() {
			path := r.path(p, way)
			path.Group, path.Test, path.Off = group, test, path.Off || rule.At("enabled").False()
			path.Name = strings.TrimPrefix(rule.At("name").Text()+": "+path.Name, ": ")
			out = append(out, path)
		}
		group++
	}
	for _, p := range rotation.At("defaultPaths").List() {
		path := r.path(p, way)
		path.Group = group
		out = append(out, path)
	}
	return out
}

func (r *reader) path(p moved.Value, way string) moved.Path {
	out := moved.Path{Name: p.At("name").Text(), Off: p.At("enabled").False(), Weight: p.At("weight").Text(), Transition: way}
	for _, l := range p.At("landings").List() {
		out.Pages = append(out.Pages, moved.Share{
			Kind: accountconfig.Landers, ID: l.At("id").ID(), Name: l.At("name").Text(), Weight: l.At("weight").Text(), Off: l.At("enabled").False(),
		})
	}
	for _, o := range p.At("offers").List() {
		s := moved.Share{Name: o.At("name").Text(), Weight: o.At("weight").Text(), Off: o.At("enabled").False()}
		switch {
		case o.At("offerId").ID() != "":
			s.Kind, s.ID = accountconfig.Offers, o.At("offerId").ID()
		case o.At("campaignId").ID() != "":
			s.Kind, s.ID = accountconfig.Campaigns, o.At("campaignId").ID()
		default:
			s.Kind, s.URL = accountconfig.Offers, o.At("directUrl").Text()
		}
		out.Onward = append(out.Onward, s)
	}
	return out
}
