package keitaro

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/subslot"
	"switchyard/models/trackerimport"
)

// fields lists the fields that parameters of Keitaro fill: first otherFields, then the sub-parameters.
var fields = func() []string {
	list := slices.Clone(otherFields)
	for n := 1; n <= maxSubs; n++ {
		list = append(list, subField(n))
	}
	return list
}()

// set returns false if the parameter was not set up: it has no name, or only the field's name, as is Keitaro's default.
func (p parameters) set(field string) (parameter, bool) {
	one, ok := p[field]
	return one, ok && one.Name != "" && (one.Name != field || one.Macro != "" || one.Label != "")
}

func (p parameters) isEmpty() bool {
	return !slices.ContainsFunc(fields, func(f string) bool { _, ok := p.set(f); return ok })
}

// text returns a text that is equal for equal parameters. It ignores labels.
func (p parameters) text() string {
	var out strings.Builder
	for _, field := range fields {
		if one, ok := p.set(field); ok {
			fmt.Fprintf(&out, "%s=%q %q\n", field, one.Name, one.Macro)
		}
	}
	return out.String()
}

// chooseExtra assigns free sub-parameters, last first, to the fields keyword, creative_id, ad_campaign_id and source if they are
// used. A parameter called keyword needs none.
func (r *reader) chooseExtra() {
	r.extra, r.paramNames = map[string]int{}, map[string][]string{}
	taken, wanted := map[int]bool{}, map[string]bool{}
	look := func(p parameters) {
		for _, field := range fields {
			one, ok := p.set(field)
			if !ok {
				continue
			}
			taken[subNumber(field)] = true
			if n := subslot.Meant(one.Name); n > 0 {
				taken[n] = true
			}
			wanted[field] = wanted[field] || field != "keyword" || one.Name != "keyword"
			if !slices.Contains(r.paramNames[field], one.Name) && len(r.paramNames[field]) < 2 {
				r.paramNames[field] = append(r.paramNames[field], one.Name)
			}
		}
	}
	for i := range r.in.Sources {
		if !r.in.Sources[i].State.is("deleted") {
			look(r.in.Sources[i].Parameters)
		}
	}
	for _, c := range r.campaigns {
		look(c.Parameters)
	}
	n := maxSubs
	for _, field := range []string{"keyword", "creative_id", "ad_campaign_id", "source"} {
		for n > 0 && taken[n] {
			n--
		}
		if wanted[field] && n > 0 {
			r.extra[field] = n
			n--
		}
	}
}

// attributeOf returns the attribute that has a field's value in clicks, if their source has these parameters.
func (r *reader) attributeOf(p parameters, field string) string {
	one, isSet := p.set(field)
	name := field
	if isSet {
		name = one.Name
	}
	n := subNumber(field)
	if n == 0 && isSet {
		n = r.extra[field]
	}
	switch meant := subslot.Meant(name); {
	case meant > 0:
		return "sub" + strconv.Itoa(meant)
	case n > 0 && isSet:
		return "sub" + strconv.Itoa(n)
	case name == "keyword":
		return "keyword"
	}
	return "param." + name
}

func (r *reader) readSources() {
	for _, s := range sorted(r.in.Sources, func(s *source) text { return s.ID }, func(s *source) text { return s.State }) {
		it := r.item(accountconfig.Sources, s.ID, s.Name)
		rec := record{
			key: it.key, name: fmt.Sprint(it.m["name"]), params: s.Parameters, trafficLoss: s.TrafficLoss,
			postback: s2s{URL: s.PostbackURL, Statuses: s.Statuses},
		}
		r.sourceFields(it, s)
		rec.refused = !r.sourcePostback(it, s.PostbackURL, "", s.Statuses) || !r.put(it)
		r.sources[string(s.ID)] = rec
	}
}

func (r *reader) sourceFields(it *item, s *source) {
	r.text(it, "notes", "notes", string(s.Notes), maxNotes)
	if s.TrafficLoss != "" && s.TrafficLoss != "0" {
		it.m["traffic_loss_pct"] = json.Number(s.TrafficLoss)
	}
	r.parameters(it, s.Parameters)
}

func (r *reader) parameters(it *item, p parameters) {
	macros, subs := members{}, []any{}
	taken := map[string]bool{}
	for _, field := range fields {
		one, ok := p.set(field)
		if !ok {
			continue
		}
		if lower := strings.ToLower(one.Name); taken[lower] {
			r.note(trackerimport.Changed, it, fmt.Sprintf("The parameter %s filled several fields; %s was left out.", models.Shortened(one.Name, 60), field))
			continue
		} else {
			taken[lower] = true
		}
		switch field {
		case "cost":
			it.m["cost_param"], it.m["cost_macro"] = one.Name, one.Macro
			continue
		case "external_id":
			it.m["external_id_param"], it.m["external_id_macro"] = one.Name, one.Macro
			continue
		case "currency":
			r.note(trackerimport.Changed, it, fmt.Sprintf("The parameter %s gave the currency of the cost. Here the cost is in the currency of the campaign: check that the currencies agree.", models.Shortened(one.Name, 60)))
			continue
		}
		macros[one.Name] = one.Macro
		subs = r.subOf(it, subs, field, one)
	}
	if len(macros) > 0 {
		it.m["token_macros"] = macros
	}
	if len(subs) > 0 {
		it.m["subs"] = subs
	}
}

// subOf adds the sub-parameter that a parameter fills, unless its name already stands for another one here.
func (r *reader) subOf(it *item, subs []any, field string, one parameter) []any {
	n := subNumber(field)
	if n == 0 {
		if n = r.extra[field]; n > 0 {
			r.note(trackerimport.Changed, it, fmt.Sprintf("%s is sub%d here.", field, n))
		}
	}
	switch meant := subslot.Meant(one.Name); {
	case n == 0:
		return subs
	case meant > 0 && meant != n:
		r.note(trackerimport.Changed, it, fmt.Sprintf("The parameter %s filled %s; here it fills sub%d, as its name says.", one.Name, field, meant))
		return subs
	}
	sub := members{"sub": json.Number(strconv.Itoa(n)), "param": one.Name}
	if one.Label != "" && !isField(one.Label) && !strings.EqualFold(one.Label, one.Name) {
		sub["name"] = models.Cut(one.Label, 100)
	}
	return append(subs, sub)
}

// statusOf translates the statuses of conversions except rebills.
var statusOf = map[string]string{
	"lead": models.StatusPending, "sale": models.StatusApproved, "rejected": models.StatusRejected, "trash": models.StatusRejected,
}

// rebill is a status in Keitaro and a goal here.
const rebill = "rebill"

// sourcePostback returns false if the address cannot be used.
func (r *reader) sourcePostback(it *item, address, method text, statuses texts) bool {
	if address == "" {
		return true
	}
	to := r.address(string(address))
	if text := badAddress(to, true); text != "" {
		r.note(trackerimport.Refused, it, text)
		return false
	}
	it.m["postback_url"] = to
	if method.is("POST") {
		it.m["postback_method"] = "POST"
	}
	list, others := []any{}, []string{}
	for _, s := range statuses {
		ours := statusOf[strings.ToLower(s)]
		switch {
		case strings.EqualFold(s, rebill):
		case ours == "":
			others = append(others, s)
		case !slices.Contains(list, any(ours)):
			list = append(list, ours)
		}
	}
	if len(others) > 0 {
		r.note(trackerimport.Changed, it, fmt.Sprintf("No postback reports the statuses %s to it, because they do not exist here.", models.Shortened(strings.Join(others, ", "), 200)))
	}
	it.m["postback_statuses"] = list
	ofRebills := []any{}
	if containsFold(statuses, rebill) {
		ofRebills = append(ofRebills, models.StatusApproved)
	}
	if containsFold(statuses, rebill) != slices.Contains(list, any(models.StatusApproved)) {
		it.m["postback_goals"] = []any{members{"goal": rebill, "statuses": ofRebills}}
	}
	return true
}

// sourceFor returns the campaign's source, or a copy with the campaign's parameters and postback. ok is false if the source was
// refused.
func (r *reader) sourceFor(it *item, c *campaign) (key string, params parameters, ok bool) {
	own, known := r.sources[c.SourceID.id()]
	if !known && c.SourceID.id() != "" {
		r.note(trackerimport.Changed, it, "Its traffic source was not imported.")
	}
	params = c.Parameters
	if params.isEmpty() {
		params = own.params
	}
	more := s2s{URL: own.postback.URL, Statuses: own.postback.Statuses}
	for _, p := range c.Postbacks {
		switch {
		case p.URL == "", p.URL == more.URL:
		case more.URL == "":
			more = p
		default:
			r.note(trackerimport.Changed, it, trackerimport.OtherPostback(string(c.Name), string(p.URL)))
		}
	}
	if params.text() == own.params.text() && more.URL == own.postback.URL {
		return own.key, params, !own.refused
	}
	if own.refused {
		return "", params, false
	}
	print := fmt.Sprintf("%s\n%s\n%q", c.SourceID.id(), params.text(), more)
	key, made := r.copies[print]
	if !made {
		key = r.copySource(c, own, params, more)
		r.copies[print] = key
	}
	return key, params, key != ""
}

// copySource makes a source for a campaign with other parameters or another postback than its source. It returns an empty key if
// the new source was refused.
func (r *reader) copySource(c *campaign, own record, params parameters, more s2s) string {
	key, title := r.key(c.ID, "source"), string(c.Name)
	if own.key != "" {
		key, title = r.key(c.SourceID, "campaign", string(c.ID)), own.name+" ("+title+")"
	}
	name, _ := r.names[accountconfig.Sources].Unique(title, "source")
	it := &item{accountconfig.Sources, key, name, members{"name": name}}
	r.note(trackerimport.Changed, it, fmt.Sprintf("Campaign %s had parameters or a postback of its own, so this source was made for it.", models.Shortened(string(c.Name), 100)))
	r.sourceFields(it, &source{Parameters: params, TrafficLoss: own.trafficLoss})
	if !r.sourcePostback(it, more.URL, more.Method, more.Statuses) || !r.put(it) {
		return ""
	}
	return key
}
