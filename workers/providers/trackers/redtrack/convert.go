package redtrack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// tokens maps RedTrack's macros to our tokens. It has no macros that are aliases of our tokens already.
var tokens = map[string]string{
	"campaignid": "campaign_id", "campaignname": "campaign_name", "campaign_title": "campaign_name", "offerid": "offer_id",
	"offername": "offer_name", "offer_title": "offer_name", "landerid": "lander_id", "landingid": "lander_id", "landing_id": "lander_id",
	"landername": "lander_name", "landing_title": "lander_name", "sourceid": "source_id", "sourcename": "source_name",
	"source_title": "source_name", "networkid": "network_id", "networkname": "network_name", "countryname": "country_name",
	"ua": "user_agent", "devicebrand": "device_brand", "devicemodel": "device_model", "connectiontype": "connection_type",
	"domain_referrer": "referrer_domain", "sum": "payout", "type": "goal",
}

// States of campaigns and offers.
const (
	paused  = "2"
	deleted = "3"
)

type reader struct {
	*moved.Book
	in         *account
	params     map[string][]moved.Param // by the id of the source
	currencies map[string]string        // by the id of source or network
	listicles  map[string]bool          // landing pages with a link for each offer, by id
}

func (in *account) result(host string) trackerimport.Result {
	r := &reader{moved.New("redtrack", host), in, map[string][]moved.Param{}, map[string]string{}, map[string]bool{}}
	r.Tokens = tokens
	for _, d := range in.domains {
		it, host := r.Domain(d.At("id").Text(), d.At("url").Text())
		if host == "" || r.Out.Has(it.Kind, it.Key) {
			continue
		}
		if u := d.At("fallback_url").Text(); u != "" {
			r.Change(it, fmt.Sprintf("Visitors without a campaign went to %s. Enter it as the page of the bare domain.", models.Shortened(u, 300)))
		}
		r.Put(it)
	}
	for _, n := range in.networks {
		r.network(n)
	}
	for _, s := range in.sources {
		r.source(s)
	}
	for _, l := range in.landings {
		it := r.Item(accountconfig.Landers, l.At("id").ID(), l.At("title").Text())
		r.listicles[it.ID] = l.At("listicle").True()
		r.Address(it, "url", l.At("url").Text(), false)
		r.Tags(it, l.At("tags").Texts())
		r.Put(it)
	}
	for _, o := range in.offers {
		if !o.At("status").Is(deleted) {
			r.offer(o)
		}
	}
	r.readCampaigns()
	return r.Result()
}

func (r *reader) network(n moved.Value) {
	it := r.Item(accountconfig.Networks, n.At("id").ID(), n.At("title").Text())
	r.Text(it, "notes", "notes", n.At("notes").Text(), moved.MaxNotes)
	if click := n.At("clickid").Text(); plain.MatchString(click) {
		params := moved.Members{"click_id": click}
		if sum := n.At("sum").Text(); plain.MatchString(sum) {
			params["payout"] = sum
		}
		it.M["postback_params"] = params
	}
	if code := n.At("currency").Text(); code != "" {
		iso, ok := trackerimport.Currency(code)
		if !ok {
			r.Refuse(it, trackerimport.UnknownCurrency(code))
		}
		it.M["currency"], r.currencies[it.ID] = iso, code
	}
	if n.At("enable_ip_whitelist").True() || n.At("postback_protected").True() {
		r.Change(it, trackerimport.UseSecret)
	}
	r.Put(it)
}

var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

func (r *reader) source(s moved.Value) {
	it := r.Item(accountconfig.Sources, s.At("id").ID(), s.At("title").Text())
	var params []moved.Param
	for i, v := range s.At("subs").List() {
		p := moved.Param{Sub: i + 1, Name: v.At("alias").Text(), Macro: v.At("value").Text(), Label: v.At("hint").Text()}
		if p.Name == "" && p.Macro == "" && p.Label == "" {
			continue
		}
		if !plain.MatchString(p.Name) {
			p.Label, p.Name = cmp.Or(p.Label, p.Name), "sub"+strconv.Itoa(i+1)
		}
		if role := v.At("role").Text(); p.Label == "" {
			p.Label = role
		}
		params = append(params, p)
	}
	r.Params(it, params)
	r.params[it.ID], r.currencies[it.ID] = params, s.At("currency").Text()
	if macro := s.At("ref_id").Text(); macro != "" {
		r.External(it, cmp.Or(s.At("ref_id_alias").Text(), "ref_id"), macro)
	}
	if macro := s.At("cost_id").Text(); macro != "" {
		r.Cost(it, "cost", macro)
	}
	if u := s.At("postback_url").Text(); u != "" {
		r.Address(it, "postback_url", u, true)
	}
	r.Put(it)
}

func (r *reader) offer(o moved.Value) {
	it := r.Item(accountconfig.Offers, o.At("id").ID(), o.At("title").Text())
	network := o.At("program_id").ID()
	if network != "" {
		if n := r.Ref(accountconfig.Networks, network); n != nil && !n.Refused {
			it.M["network"] = n.Key
		} else {
			r.Change(it, "Its network was not imported.")
		}
	}
	r.Address(it, "url", o.At("url").Text(), false)
	r.Amount(it, "payout", o.At("payment", "amount").Text(), r.currencies[network])
	r.Country(it, o.At("country_codes").Texts())
	r.Tags(it, o.At("tags").Texts())
	r.Text(it, "notes", "notes", o.At("notes").Text(), moved.MaxNotes)
	if o.At("status").Is(paused) {
		it.M["is_active"] = false
	}
	if n := o.At("cap").Int(); n > 0 {
		it.M["daily_cap"] = json.Number(strconv.Itoa(n))
		r.Change(it, fmt.Sprintf("Its cap of %d conversions is a cap for each day here. Check it.", n))
	}
	if n := max(o.At("click_cap").Int(), o.At("clcap").Int()); n > 0 {
		r.OtherCaps(it, []string{fmt.Sprintf("of %d clicks per %s", n, cmp.Or(o.At("click_cap_period").Text(), "day"))})
	}
	if s := o.At("default_conversion_status"); s.Text() != "" && !s.Is("approved", "accepted") {
		r.Change(it, fmt.Sprintf("A conversion without a status was %s there; here it is approved.", models.Shortened(s.Text(), 30)))
	}
	r.Put(it)
}

var costModels = map[string]string{
	"cpc": "cpc", "cpa": "cpa", "cpm": "cpm", "revshare": "revshare", "rev_share": "revshare", "auto": "auto", "popcpc": "cpc",
	"none": "cpc", "not_tracked": "cpc", "do_not_track": "cpc", "": "cpc",
}

func (r *reader) readCampaigns() {
	var live []moved.Value
	for _, c := range r.in.campaign {
		if !c.At("status").Is(deleted) {
			live = append(live, c)
		}
	}
	var drafts []moved.Draft
	for _, c := range live {
		it := r.Item(accountconfig.Campaigns, c.At("id").ID(), c.At("title").Text())
		source := c.At("source_id").ID()
		if c.At("status").Is(paused) {
			it.M["status"] = models.CampaignPaused
		}
		domain := c.At("domain_id").Text()
		if domain == "" {
			domain = c.At("trackback_url").Text()
		}
		r.Link(it, domain, it.ID, trackerimport.FormPath)
		r.Tags(it, c.At("tags").Texts())
		r.Text(it, "notes", "notes", strings.Join(c.At("notes").Texts(), "\n"), moved.MaxCampaignNotes)
		r.cost(it, c, r.currencies[source])
		if ref := r.Ref(accountconfig.Sources, source); ref != nil && !ref.Refused {
			it.M["source"] = ref.Key
		} else if source != "" {
			it.M["status"] = models.CampaignPaused
			r.Note(trackerimport.Lost, it, trackerimport.Missing("Its traffic source"))
		}
		r.others(it, c)
		it.M["flow_rotation"] = "weight"
		drafts = append(drafts, moved.Draft{Item: it, Paths: r.paths(it, c, r.params[source])})
	}
	r.Campaigns(drafts)
}

func (r *reader) cost(it *moved.Item, c moved.Value, currency string) {
	word := c.At("cost_model").Text()
	model, ok := costModels[strings.ToLower(word)]
	if !ok {
		r.Refuse(it, fmt.Sprintf("The cost model %q does not exist here.", models.Shortened(word, 30)))
		return
	}
	it.M["cost_model"] = model
	value := c.At("cpc").Text()
	if model == "revshare" {
		value = c.At("rev_share").Text()
	}
	if model == "auto" || word == "" || strings.Contains(strings.ToLower(word), "no") {
		value = ""
	}
	r.Amount(it, "cost_value", value, currency)
}

// others notes the other settings of a campaign that work differently here.
func (r *reader) others(it *moved.Item, c moved.Value) {
	urls := []string{c.At("postback_url").Text(), c.At("integration_postback", "url").Text()}
	for _, list := range []string{"postbacks", "click_postbacks", "impression_postbacks"} {
		for _, p := range c.At(list).List() {
			urls = append(urls, cmp.Or(p.At("url").Text(), p.At("postback_url").Text()))
		}
	}
	for _, u := range urls {
		if u != "" {
			r.Change(it, trackerimport.OtherPostback(it.Name, u))
		}
	}
	for _, name := range c.Names() {
		if strings.HasPrefix(name, "custom_") && strings.Contains(name, "payout") && len(c.At(name).List()) > 0 {
			r.Change(it, trackerimport.OnePayout)
		}
	}
	if end := c.At("expires_at").Text(); end != "" && !strings.HasPrefix(end, "0001") {
		r.Change(it, fmt.Sprintf("It was set to end at %s. A campaign does not end automatically here.", models.Shortened(end, 40)))
	}
	if kind := c.At("redirect_type"); kind.Int() != 0 {
		r.Change(it, fmt.Sprintf("Its kind of redirect was %d; here visitors are sent on by 302. Check it.", kind.Int()))
	}
}
