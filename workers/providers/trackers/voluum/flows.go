package voluum

import (
	"fmt"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/flow"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// target returns the paths of a campaign's own flow, shared flow or single address.
func (r *reader) target(it *moved.Item, c moved.Value, params []moved.Param) []moved.Path {
	to := c.At("redirectTarget")
	if c.At("directTracking").True() {
		r.Change(it, "Visitors came straight to its page, without a link. Put this campaign's page tag on it.")
	}
	if u := to.Text(); u != "" {
		return []moved.Path{{Name: "Direct", Onward: []moved.Share{{Kind: accountconfig.Offers, URL: u}}}}
	}
	if u := to.At("directUrl").Text() + to.At("url").Text(); u != "" {
		return []moved.Path{{Name: "Direct", Onward: []moved.Share{{Kind: accountconfig.Offers, URL: u}}}}
	}
	f := to.At("inlineFlow")
	if id := to.At("flow", "id").ID(); id != "" {
		known := false
		if f, known = r.flows[id]; !known {
			r.Refuse(it, "Its flow was deleted there.")
			return nil
		}
		if r.used[id] > 1 {
			r.Change(it, fmt.Sprintf("It shared the flow %q with others. Here it has paths of its own.", models.Shortened(f.At("name").Text(), 60)))
		}
	}
	if f.At("automationConfiguration", "autoOptimized").True() || f.At("defaultPathsSmartRotation").True() {
		r.Change(it, trackerimport.WeightsAsTheyAre)
	}
	return r.paths(f, params)
}

// paths returns the paths that have conditions, group by group, then the default paths.
func (r *reader) paths(f moved.Value, params []moved.Param) (out []moved.Path) {
	group := 1
	for _, g := range f.At("conditionalPathsGroups").List() {
		test := conditions(g.At("conditions"), params)
		for _, p := range g.At("paths").List() {
			path := r.path(f, p)
			path.Group, path.Test = group, test
			path.Off = path.Off || g.At("active").False()
			path.Name = strings.TrimPrefix(g.At("name").Text()+": "+path.Name, ": ")
			out = append(out, path)
		}
		group++
	}
	for _, p := range f.At("defaultPaths").List() {
		path := r.path(f, p)
		path.Group = group
		out = append(out, path)
	}
	return out
}

var transitions = map[string]string{
	"": flow.Transition302, "REGULAR": flow.Transition302, "META": flow.TransitionMeta, "META_REFRESH": flow.TransitionMeta,
	"DOUBLE_META": flow.TransitionDoubleMeta, "DOUBLE_META_REFRESH": flow.TransitionDoubleMeta,
}

func (r *reader) path(f, p moved.Value) moved.Path {
	out := moved.Path{
		Name: p.At("name").Text(), Off: p.At("active").False(), Weight: p.At("weight").Text(), Numbered: p.At("listicle").True(),
	}
	mode := p.At("offerRedirectMode")
	if mode.Text() == "" {
		mode = f.At("defaultOfferRedirectMode")
	}
	way, known := transitions[strings.ToUpper(mode.Text())]
	if !known {
		way = flow.Transition302
		out.Notes = append(out.Notes, fmt.Sprintf("Its redirect %s is 302 here.", models.Shortened(mode.Text(), 30)))
	}
	out.Transition = way
	if p.At("autoOptimized").True() || p.At("smartRotation").True() {
		out.Notes = append(out.Notes, trackerimport.WeightsAsTheyAre)
	}
	if s := p.At("realtimeRoutingApiState"); s.Text() != "" && !s.Is("DISABLED") {
		out.Lost = append(out.Lost, trackerimport.FilterLost("realtime routing API", nil))
	}
	for _, l := range p.At("landers").List() {
		id := l.At("lander", "id").ID()
		if id == "" {
			id = l.At("id").ID()
		}
		if sub := l.At("sublanders").List(); len(sub) > 0 {
			out.Notes = append(out.Notes, trackerimport.TwoPages)
			last := sub[len(sub)-1]
			if second := last.At("lander", "id").ID() + last.At("id").ID(); second != "" {
				id = second
			}
		}
		out.Pages = append(out.Pages, moved.Share{Kind: accountconfig.Landers, ID: id, Weight: l.At("weight").Text()})
	}
	if p.At("destination").Is("DIRECT_LINKING") {
		out.Pages = nil
	}
	for _, o := range p.At("offers").List() {
		id := o.At("offer", "id").ID()
		if id == "" {
			id = o.At("id").ID()
		}
		out.Onward = append(out.Onward, moved.Share{Kind: accountconfig.Offers, ID: id, Weight: o.At("weight").Text()})
	}
	return out
}

// These are the conditions with a list of values: our attribute, and the member that has the values.
var lists = map[string]struct{ attribute, member string }{
	"country": {"country", "countries"}, "region": {"region", "names"}, "city": {"city", "names"}, "deviceType": {"device_type", "deviceTypes"},
	"operatingSystem": {"os", "operatingSystems"}, "os": {"os", "operatingSystems"}, "browser": {"browser", "browsers"},
	"language": {"language", "languages"}, "isp": {"isp", "names"}, "mobileCarrier": {"mobile_operator", "mobileCarriers"},
	"brand": {"device_brand", "brands"}, "model": {"device_model", "models"}, "referrerDomain": {"referrer_domain", "domains"},
}

func conditions(all moved.Value, params []moved.Param) (t moved.Test) {
	for _, name := range all.Names() {
		c := all.At(name)
		if len(c.Names()) == 0 {
			continue // null
		}
		condition(&t, name, c, params)
	}
	return t
}

func condition(t *moved.Test, name string, c moved.Value, params []moved.Param) {
	if name == "customVariable" {
		for _, v := range c.At("values").List() {
			values := v.At("variableValues").Texts()
			reject, ok := predicate(v)
			index := v.At("variableIndex")
			if !ok || index.Text() == "" {
				t.Lose(name, values, reject)
				continue
			}
			t.Masks(name+" "+index.Text(), moved.SubAttribute(number(index), params), values, reject)
		}
		return
	}
	values := valuesOf(name, c)
	reject, ok := predicate(c)
	l := lists[name]
	switch {
	case !ok:
		t.Lose(name, values, reject)
	case l.attribute != "":
		t.Listed(name, l.attribute, values, reject)
	case name == "connectionType":
		t.Connections(name, values, reject)
	case name == "ip":
		t.Networks(name, values, reject)
	case name == "referrer":
		t.Masks(name, "referrer", values, reject)
	case name == "dayOfWeek" || name == "weekDay" || name == "weekday":
		t.Weekdays(name, values, reject)
	default:
		t.Lose(name, values, reject)
	}
}

func number(index moved.Value) int {
	n, _ := strconv.Atoi(strings.TrimLeft(index.Text(), "vV"))
	return n
}

// predicate reports whether the visitor must not have the values (reject). ok is false for an unknown predicate.
func predicate(c moved.Value) (reject, ok bool) {
	switch p := c.At("predicate"); {
	case p.Is("MUST_BE"):
		return false, true
	case p.Is("MUST_NOT_BE"):
		return true, true
	}
	return false, false
}

// valuesOf returns the values of the member that is known for this kind of condition. If this member is no list, it returns the
// values of the first member that is one.
func valuesOf(name string, c moved.Value) []string {
	if member := lists[name].member; member != "" && c.At(member).IsList() {
		return c.At(member).Texts()
	}
	for _, member := range c.Names() {
		if c.At(member).IsList() {
			return c.At(member).Texts()
		}
	}
	return nil
}
