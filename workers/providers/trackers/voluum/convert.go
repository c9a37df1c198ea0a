package voluum

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/flow"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// tokens maps Voluum's macros to our tokens. Macros that have the name of a token, or of an alias of one, are left out.
var tokens = map[string]string{
	"lander.id": "lander_id", "lander.name": "lander_name", "countryname": "country_name", "ipaddress": "ip", "isp.name": "isp",
	"visitor.id": "visitor_id", "conversion.transactionid": "conversion_id",
}

type reader struct {
	*moved.Book
	in     *account
	flows  map[string]moved.Value
	used   map[string]int           // number of campaigns by flow
	params map[string][]moved.Param // by source
	// named maps custom variables to parameters of links. A variable for which sources use different parameters has an empty one.
	named      map[string]string
	workspaces map[string]string // names by id
}

func (in *account) result(host string) trackerimport.Result {
	r := &reader{
		moved.New("voluum", host), in, map[string]moved.Value{}, map[string]int{}, map[string][]moved.Param{}, map[string]string{}, map[string]string{},
	}
	r.Tokens, r.Macro, r.Foreign = tokens, r.macro, variableLeft.FindString
	for _, s := range in.sources {
		for _, v := range s.At("customVariables").List() {
			name, param := strings.ToLower(v.At("name").Text()), v.At("parameter").Text()
			if other, known := r.named[name]; known && other != param {
				param = ""
			}
			r.named[name] = param
		}
	}
	for _, f := range in.flows {
		r.flows[f.At("id").ID()] = f
	}
	list := in.domains
	if !list.IsList() {
		list = list.At("trackerDomains")
	}
	for _, d := range list.List() {
		it, host := r.Domain(cmp.Or(d.At("id").Text(), d.At("domain").Text(), d.Text()), cmp.Or(d.At("domain").Text(), d.At("name").Text(), d.Text()))
		if host != "" && !r.Out.Has(it.Kind, it.Key) {
			r.Put(it)
		}
	}
	for _, n := range in.networks {
		r.network(n)
	}
	for _, s := range in.sources {
		r.source(s)
	}
	for _, l := range in.landers {
		r.lander(l)
	}
	for _, o := range in.offers {
		r.offer(o)
	}
	r.countWorkspaces()
	r.readCampaigns()
	return r.Result()
}

// variableLeft matches a {var:name} in a rewritten address. macro did not translate it, because no source has the variable or
// sources use different parameters for it.
var variableLeft = regexp.MustCompile(`(?i)\{var:[^}]*\}`)

// macro translates {var:name}.
func (r *reader) macro(name string) string {
	if variable, ok := strings.CutPrefix(strings.ToLower(name), "var:"); ok && r.named[variable] != "" {
		return "param." + r.named[variable]
	}
	return ""
}

func (r *reader) network(n moved.Value) {
	it := r.Item(accountconfig.Networks, n.At("id").ID(), n.At("name").Text())
	if n.At("appendClickIdToOfferUrl").True() {
		r.Text(it, "click_param", "click parameter", n.At("offerUrlClickIdParameter").Text(), 100)
	}
	params := moved.Members{}
	for _, p := range []struct{ member, token string }{
		{"click_id", "postbackClickIdToken"},
		{"payout", "postbackPayoutToken"},
		{"conversion_id", "postbackTransactionIdToken"},
		{"goal", "postbackEventTypeToken"},
	} {
		if name := n.At(p.token).Text(); name != "" && !strings.ContainsAny(name, "{}[]<>#") {
			params[p.member] = name
		}
	}
	if params["click_id"] != nil {
		it.M["postback_params"] = params
	}
	if code := n.At("currencyCode").Text(); code != "" {
		if iso, ok := trackerimport.Currency(code); ok {
			it.M["currency"] = iso
		} else {
			r.Refuse(it, trackerimport.UnknownCurrency(code))
		}
	}
	if n.At("duplicatedPostbackIsUpsell").True() {
		r.Change(it, moved.Upsell)
	}
	if n.At("whitelistConfiguration", "onlyWhitelistedPostbackIps").True() {
		r.Change(it, trackerimport.UseSecret)
	}
	r.Put(it)
}

func variable(v moved.Value) (name, macro string) {
	return v.At("parameter").Text(), v.At("placeholder").Text()
}

func (r *reader) source(s moved.Value) {
	it := r.Item(accountconfig.Sources, s.At("id").ID(), s.At("name").Text())
	var params []moved.Param
	for i, v := range s.At("customVariables").List() {
		name, macro := variable(v)
		n := i + 1
		if index := v.At("index"); index.Text() != "" {
			n = index.Int()
		}
		params = append(params, moved.Param{Sub: n, Name: name, Macro: macro, Label: v.At("name").Text()})
	}
	r.Params(it, params)
	r.params[it.ID] = params
	name, macro := variable(s.At("clickIdVariable"))
	r.External(it, name, macro)
	name, macro = variable(s.At("costVariable"))
	r.Cost(it, name, macro)
	if u := s.At("postbackUrl").Text(); u != "" && !s.At("skipSendingPostback").True() {
		r.Address(it, "postback_url", u, true)
	}
	for _, p := range s.At("customPostbacksConfiguration", "customConversionPostbacks").List() {
		if u := p.At("customPostbackUrl").Text(); u != "" {
			r.Change(it, fmt.Sprintf("The postback of %s was left out: %s", models.Shortened(p.At("name").Text(), 60), models.Shortened(u, 300)))
		}
	}
	r.Put(it)
}

func (r *reader) lander(l moved.Value) {
	it := r.Item(accountconfig.Landers, l.At("id").ID(), l.At("name").Text())
	r.Address(it, "url", l.At("url").Text(), false)
	if n := l.At("numberOfOffers").Int(); n > 1 {
		it.M["click_slots"] = json.Number(strconv.Itoa(min(n, flow.MaxSlot)))
	}
	r.common(it, l)
	r.Put(it)
}

// common reads what several kinds of records have.
func (r *reader) common(it *moved.Item, v moved.Value) {
	if code := v.At("country", "code"); !code.Is("global", "") {
		r.Country(it, []string{code.Text()})
	}
	r.Tags(it, v.At("tags").Texts())
}

func (r *reader) offer(o moved.Value) {
	it := r.Item(accountconfig.Offers, o.At("id").ID(), o.At("name").Text())
	if id := o.At("affiliateNetwork", "id").ID(); id != "" {
		if n := r.Ref(accountconfig.Networks, id); n != nil && !n.Refused {
			it.M["network"] = n.Key
		} else {
			r.Change(it, "Its network was not imported.")
		}
	}
	r.Address(it, "url", o.At("url").Text(), false)
	payout := o.At("payout")
	auto := payout.At("type").Is("AUTO")
	it.M["payout_from_param"] = auto
	amount := payout.At("value").Text()
	if auto {
		amount = ""
	}
	r.Amount(it, "payout", amount, o.At("currencyCode").Text())
	if len(payout.At("geoPayouts").List()) > 0 {
		r.Change(it, trackerimport.OnePayout)
	}
	r.common(it, o)
	r.cap(it, o.At("capConfiguration"))
	r.Put(it)
}

func (r *reader) cap(it *moved.Item, c moved.Value) {
	n := c.At("limit").Int()
	if !c.At("enabled").True() || n < 1 {
		return
	}
	unit, kind := c.At("timeUnit"), c.At("capType")
	if unit.Is("DAY", "DAILY") && kind.Is("", "CONVERSIONS", "CONVERSION") {
		it.M["daily_cap"] = json.Number(strconv.Itoa(n))
	} else {
		r.OtherCaps(it, []string{strings.ToLower(fmt.Sprintf("of %d %s per %s", n, cmp.Or(kind.Text(), "conversions"), cmp.Or(unit.Text(), "offer")))})
	}
	if c.At("replacementOfferId", "id").ID() != "" || c.At("replacementOfferId").ID() != "" {
		r.Change(it, trackerimport.AlternativeOffer)
	}
}

var costModels = map[string]string{
	"CPC": "cpc", "CPA": "cpa", "CPM": "cpm", "REV_SHARE": "revshare", "REVSHARE": "revshare", "AUTO": "auto", "NOT_TRACKED": "cpc", "": "cpc",
}

func (r *reader) readCampaigns() {
	items := make([]*moved.Item, len(r.in.campaign))
	for i, c := range r.in.campaign {
		items[i] = r.Item(accountconfig.Campaigns, c.At("id").ID(), c.At("name").Text())
		r.used[c.At("redirectTarget", "flow", "id").ID()]++
	}
	var drafts []moved.Draft
	for i, c := range r.in.campaign {
		it := items[i]
		r.Link(it, c.At("preferredTrackingDomain").Text(), it.ID, trackerimport.FormPath)
		r.common(it, c)
		if len(r.workspaces) > 1 {
			r.Group(it, r.workspaces[c.At("workspace", "id").ID()])
		}
		r.cost(it, c)
		source := c.At("trafficSource", "id").ID()
		if ref := r.Ref(accountconfig.Sources, source); ref != nil && !ref.Refused {
			it.M["source"] = ref.Key
		} else if source != "" {
			it.M["status"] = models.CampaignPaused
			r.Note(trackerimport.Lost, it, trackerimport.Missing("Its traffic source"))
		}
		for _, p := range c.At("customPostbacksConfiguration", "customConversionPostbacks").List() {
			if u := p.At("customPostbackUrl").Text(); u != "" {
				r.Change(it, trackerimport.OtherPostback(it.Name, u))
			}
		}
		it.M["flow_rotation"] = "position"
		drafts = append(drafts, moved.Draft{Item: it, Paths: r.target(it, c, r.params[source])})
	}
	r.Campaigns(drafts)
}

// cost uses the source's currency if the campaign names none.
func (r *reader) cost(it *moved.Item, c moved.Value) {
	cost := c.At("costModel")
	word := cost.At("type").Text()
	model, ok := costModels[strings.ToUpper(word)]
	if !ok {
		r.Refuse(it, fmt.Sprintf("The cost model %q does not exist here.", models.Shortened(word, 30)))
		return
	}
	it.M["cost_model"] = model
	value := cost.At("value").Text()
	if cost.At("type").Is("NOT_TRACKED", "AUTO", "") {
		value = ""
	}
	code := c.At("currencyCode").Text()
	for _, s := range r.in.sources {
		if code == "" && s.At("id").ID() == c.At("trafficSource", "id").ID() {
			code = s.At("currencyCode").Text()
		}
	}
	r.Amount(it, "cost_value", value, code)
	if cost.At("trafficLossEnabled").True() {
		if ratio := cost.At("trafficLossRatio").Text(); ratio != "" && ratio != "0" {
			r.Change(it, fmt.Sprintf("Its traffic loss was %s. Enter it here in percent.", models.Shortened(ratio, 20)))
		}
	}
}

// countWorkspaces collects the workspaces, which become groups of campaigns if there are several.
func (r *reader) countWorkspaces() {
	for _, c := range r.in.campaign {
		if w := c.At("workspace"); w.At("id").ID() != "" {
			r.workspaces[w.At("id").ID()] = cmp.Or(w.At("name").Text(), "Workspace "+w.At("id").Text())
		}
	}
	if len(r.workspaces) > 1 {
		r.Out.Note(trackerimport.Changed, "", "", "", trackerimport.PeopleAnew(len(r.workspaces)))
	}
}
