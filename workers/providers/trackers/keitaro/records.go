package keitaro

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/clickattr"
	"switchyard/models/flow"
	"switchyard/models/postback"
	"switchyard/models/token"
	"switchyard/models/trackerimport"
)

// maxNotes is in characters.
const maxNotes = 2000

// networkParams is the key of a network, and what the network adds to the addresses of its offers.
type networkParams struct {
	key   string
	query string // added to the addresses, without the parameter of the click id
}

func (r *reader) readNetworks() {
	for _, n := range sorted(r.in.Networks, func(n *network) text { return n.ID }, func(n *network) text { return n.State }) {
		it := r.item(accountconfig.Networks, n.ID, n.Name)
		r.text(it, "notes", "notes", string(n.Notes), maxNotes)
		click, rest := r.offerParam(string(n.OfferParam))
		if click != "" {
			it.m["click_param"] = click
		}
		r.networkPostback(it, string(n.PostbackURL))
		if r.put(it) {
			r.networks[string(n.ID)] = networkParams{it.key, rest}
		}
	}
}

// offerParam separates the parameter of the click id from the rest.
func (r *reader) offerParam(query string) (click, rest string) {
	var others []string
	for pair := range strings.SplitSeq(strings.Trim(query, "?& "), "&") {
		name, value, _ := strings.Cut(pair, "=")
		switch value = r.address(value); {
		case pair == "":
		case click == "" && (value == "{subid}" || value == "{_subid}"):
			click = name
		default:
			others = append(others, name+"="+value)
		}
	}
	return click, strings.Join(others, "&")
}

// statusWords are parameters that list the network's words for a status.
var statusWords = []struct{ param, status string }{
	{"lead_status", models.StatusPending},
	{"sale_status", models.StatusApproved},
	{"rejected_status", models.StatusRejected},
	{"trash_status", models.StatusRejected},
	{"rebill_status", models.StatusApproved},
	{"upsell_status", models.StatusApproved},
}

// networkPostback reads the names of parameters, the macros and the words for statuses from the postback address that Keitaro
// displays. It does not keep the address, which contains a key of the old tracker.
func (r *reader) networkPostback(it *item, address string) {
	_, query, _ := strings.Cut(address, "?")
	params, macros, words := members{}, members{}, map[string][]any{}
	meaning := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		for _, s := range statusWords {
			if !strings.EqualFold(name, s.param) {
				continue
			}
			if s.param == "rebill_status" || s.param == "upsell_status" {
				r.note(trackerimport.Changed, it, fmt.Sprintf("The words of its parameter %s count as approved. Add a goal to the postback, such as goal=rebill, to distinguish them.", s.param))
			}
			for word := range strings.SplitSeq(value, ",") {
				word = strings.TrimSpace(word)
				if other := meaning[strings.ToLower(word)]; word == "" || token.LooksLikeMacro(word) || other != "" {
					if other != "" && other != s.status {
						r.note(trackerimport.Changed, it, fmt.Sprintf("The word %q stood for %s and for %s. It is %s here.", models.Shortened(word, 60), other, s.status, other))
					}
					continue
				}
				meaning[strings.ToLower(word)] = s.status
				words[s.status] = append(words[s.status], word)
			}
		}
		for _, field := range []string{"click_id", "payout", "status", "conversion_id", "currency", "goal"} {
			if _, taken := params[field]; taken || !containsFold(postback.Names(field), name) {
				continue
			}
			params[field] = name
			if token.LooksLikeMacro(value) {
				macros[field] = value
			}
		}
	}
	if _, known := params["click_id"]; known {
		it.m["postback_params"] = params
		if len(macros) > 0 {
			it.m["macros"] = macros
		}
	}
	if len(words) > 0 {
		byStatus := members{}
		for status, list := range words {
			byStatus[status] = list
		}
		it.m["status_map"] = byStatus
	}
}

func containsFold(list []string, word string) bool {
	for _, w := range list {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// transitions maps Keitaro's redirect types to ours.
var transitions = map[string]struct {
	to       string
	outdated bool
}{
	"": {flow.Transition302, false}, "http": {flow.Transition302, false}, "meta": {flow.TransitionMeta, false},
	"double_meta": {flow.TransitionDoubleMeta, false}, "js": {flow.TransitionJS, false},
	"blank_referrer": {flow.TransitionBlankReferrer, false}, "formsubmit": {flow.TransitionFormPost, false},
	"iframe": {flow.TransitionIframe, false}, "frame": {flow.TransitionIframe, true}, "js_for_script": {flow.TransitionJS, true},
	"js_for_iframe": {flow.TransitionIframe, true},
}

// page reads what landing pages and offers have in common. ok is false if the record has no address that can be used
// here.
func (r *reader) page(it *item, p *page, extra string) (rec record, ok bool) {
	rec = record{key: it.key, name: fmt.Sprint(it.m["name"])}
	way, isAddress := transitions[strings.ToLower(string(p.ActionType))]
	kind := p.LandingType + p.OfferType
	address := string(p.Payload)
	if address == "" {
		address = string(p.URL)
	}
	if !isAddress || kind.is("local", "preloaded", "action") || address == "" {
		text := trackerimport.HostedOffer
		if it.kind == accountconfig.Landers {
			text = trackerimport.Hosted(1)
		}
		r.note(trackerimport.Refused, it, text)
		return rec, false
	}
	if way.outdated {
		r.note(trackerimport.Changed, it, fmt.Sprintf("The redirect type %s becomes %s here.", p.ActionType, way.to))
	}
	rec.transition = way.to
	address = appendQuery(r.address(address), extra)
	if text := badAddress(address, false); text != "" {
		r.note(trackerimport.Refused, it, text)
		return rec, false
	}
	it.m["url"] = address
	r.group(it, p.GroupID, 255)
	r.text(it, "notes", "notes", string(p.Notes), maxNotes)
	it.pauseIf(p.State)
	return rec, true
}

func (r *reader) readLandings() {
	for _, l := range sorted(r.in.Landings, func(p *page) text { return p.ID }, func(p *page) text { return p.State }) {
		it := r.item(accountconfig.Landers, l.ID, l.Name)
		rec, ok := r.page(it, l, "")
		if n := l.OfferCount.number(); n > 1 {
			if n > flow.MaxSlot {
				r.note(trackerimport.Changed, it, fmt.Sprintf("It had %d links to offers; a page has at most %d here.", n, flow.MaxSlot))
			}
			it.m["click_slots"] = json.Number(strconv.Itoa(min(n, flow.MaxSlot)))
		}
		rec.refused = !ok || !r.put(it)
		r.landers[string(l.ID)] = rec
	}
}

func (r *reader) readOffers() {
	for _, o := range sorted(r.in.Offers, func(p *page) text { return p.ID }, func(p *page) text { return p.State }) {
		it := r.item(accountconfig.Offers, o.ID, o.Name)
		n, known := r.networks[o.NetworkID.id()]
		if known {
			it.m["network"] = n.key
		} else if o.NetworkID.id() != "" {
			r.note(trackerimport.Changed, it, "Its network was not imported.")
		}
		rec, ok := r.page(it, o, n.query)
		rec.refused = !ok || !r.payout(it, o) || !r.put(it)
		r.offers[string(o.ID)] = rec
	}
}

// payout reads the payout, the cap and the countries of an offer. It returns false if the payout cannot be used.
func (r *reader) payout(it *item, o *page) bool {
	value := o.PayoutValue
	if o.PayoutType.is("CPC") {
		r.note(trackerimport.Changed, it, trackerimport.PaidPerClick)
		value = ""
	}
	if !r.amount(it, "payout", value, o.PayoutCurrency, false) {
		return false
	}
	it.m["payout_from_param"] = bool(o.PayoutAuto)
	if o.PayoutUpsell {
		r.note(trackerimport.Changed, it, "Repeated conversions of a click count if each has an id of its own; without one a click converts once for each goal.")
	}
	if n := o.DailyCap.number(); bool(o.CapEnabled) && n > 0 {
		it.m["daily_cap"] = json.Number(strconv.Itoa(n))
	}
	if o.Alternative.id() != "" {
		r.note(trackerimport.Changed, it, trackerimport.AlternativeOffer)
	}
	r.countries(it, o.Country)
	return true
}

// countries sets the country of an offer. Several countries become tags, because an offer has one country here.
func (r *reader) countries(it *item, list texts) {
	var codes []string
	for _, c := range list {
		if code, ok := clickattr.Countries.Find(c); ok {
			codes = append(codes, code)
		}
	}
	if len(codes) == 1 {
		it.m["country"] = codes[0]
		return
	}
	tags := []any{}
	for _, code := range codes {
		tags = append(tags, "geo:"+code)
	}
	if len(tags) > 0 {
		it.m["tags"] = tags
		r.note(trackerimport.Changed, it, "An offer has one country here. Its countries became tags.")
	}
}
