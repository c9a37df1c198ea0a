package redtrack

import (
	"fmt"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// paths returns the paths of a campaign. A visitor's stream is chosen by weight among those whose filters match.
func (r *reader) paths(it *moved.Item, c moved.Value, params []moved.Param) (out []moved.Path) {
	optimised := false
	for _, one := range c.At("streams").List() {
		s := one.At("stream")
		optimised = optimised || one.At("optimization", "is_enabled").True()
		path := moved.Path{Name: s.At("title").Text(), Weight: one.At("weight").Text()}
		path.Test = filters(s.At("filters"), params)
		pages := s.At("landings")
		if pre := s.At("prelandings"); len(pre.List()) > 0 {
			if len(pages.List()) > 0 {
				path.Notes = append(path.Notes, trackerimport.TwoPages)
			} else {
				pages = pre
			}
		}
		if s.At("expires_at").Text() != "" && !strings.HasPrefix(s.At("expires_at").Text(), "0001") {
			path.Notes = append(path.Notes, fmt.Sprintf("It was set to end at %s. A path does not end automatically here.", models.Shortened(s.At("expires_at").Text(), 40)))
		}
		out = append(out, r.split(path, pages.List(), s.At("offers").List(), params)...)
	}
	if optimised {
		r.Change(it, trackerimport.WeightsAsTheyAre)
	}
	return out
}

// destination is a landing page or an offer of a stream.
type destination struct {
	share    moved.Share
	isPage   bool
	filter   string // the active filter, if it is the only one and not "subs"; otherwise empty
	value    moved.Value
	splits   bool // filter is set, so it can be inverted
	filtered bool // at least one filter is active
}

func (r *reader) destinations(pages, offers []moved.Value) (out []destination) {
	add := func(kind accountconfig.Kind, list []moved.Value) {
		for _, v := range list {
			d := destination{isPage: kind == accountconfig.Landers}
			d.share = moved.Share{Kind: kind, ID: v.At("id").ID(), Name: v.At("name").Text(), Weight: v.At("weight").Text()}
			var active []string
			for _, name := range v.At("filters").Names() {
				if v.At("filters", name, "active").True() {
					active = append(active, name)
				}
			}
			if d.filtered = len(active) > 0; len(active) == 1 && active[0] != "subs" {
				d.filter, d.value, d.splits = active[0], v.At("filters", active[0]), true
			}
			out = append(out, d)
		}
	}
	add(accountconfig.Landers, pages)
	add(accountconfig.Offers, offers)
	return out
}

// split returns a path for each set of destinations whose filters can match the same visitor. A visitor can take only one of these
// paths. Each path has the weight of the stream, so the shares of streams stay.
func (r *reader) split(path moved.Path, pages, offers []moved.Value, params []moved.Param) (out []moved.Path) {
	const most = 3 // destinations with a filter, which give up to 8 paths
	all := r.destinations(pages, offers)
	listicles, filtered, can := 0, 0, true
	for _, d := range all {
		if d.isPage && r.listicles[d.share.ID] {
			listicles++
		}
		if d.filtered {
			filtered++
			can = can && d.splits
		}
	}
	path.Numbered = listicles > 0 && listicles == len(pages)
	if filtered > most || !can {
		path.Lost = append(path.Lost, trackerimport.FilterLost("on single destinations", nil))
		filtered = 0
		for i := range all {
			all[i].filter = ""
		}
	}
	if filtered > 0 {
		path.Notes = append(path.Notes, "Some of its destinations had filters of their own, so it was split into several paths. Visitors for whom it has no destination take another path.")
	}
	for set := range 1 << filtered {
		one, n := path, 0
		one.Pages, one.Onward = nil, nil
		for _, d := range all {
			in := true
			if d.filter != "" {
				in = set&(1<<n) == 0
				n++
				var test moved.Test
				filter(&test, d.filter, d.value, !in, params)
				one.Test = one.Test.And(test)
			}
			switch {
			case !in:
			case d.isPage:
				one.Pages = append(one.Pages, d.share)
			default:
				one.Onward = append(one.Onward, d.share)
			}
		}
		if filtered > 0 && (len(one.Onward) == 0 && len(offers) > 0 || len(one.Pages) == 0 && len(pages) > 0) {
			continue // no destination for these visitors
		}
		out = append(out, one)
	}
	return out
}

func filters(all moved.Value, params []moved.Param) (t moved.Test) {
	for _, name := range all.Names() {
		if f := all.At(name); f.At("active").True() {
			filter(&t, name, f, false, params)
		}
	}
	return t
}

// lists has our attribute for each filter that lists values.
var lists = map[string]string{
	"browser": "browser", "city": "city", "country": "country", "device_brand": "device_brand", "device_model": "device_model",
	"device_type": "device_type", "domain_referrer": "referrer_domain", "isp": "isp", "languages": "language", "os": "os", "region": "region",
	"referrer": "referrer",
}

// filter adds a filter to a test, inverted if turned is true.
func filter(t *moved.Test, name string, f moved.Value, turned bool, params []moved.Param) {
	reject := f.At("exclude").True() != turned
	values := f.At("values").Texts()
	contains := f.At("comparison_type").Is("contains", "contain")
	if how := f.At("comparison_type"); !contains && how.Text() != "" && !how.Is("equals", "equal", "is", "in") {
		t.Lose(name+" "+how.Text(), values, reject)
		return
	}
	attribute := lists[name]
	switch {
	case name == "subs":
		subs(t, f, reject, contains, params)
	case name == "unique_visitor":
		t.Bool(name, "is_unique", !reject)
	case attribute != "" && contains:
		t.Contains(name, attribute, values, reject)
	case attribute != "":
		t.Listed(name, attribute, values, reject)
	case name == "ip" && !contains:
		t.Networks(name, values, reject)
	case name == "connection_type" && !contains:
		t.Connections(name, values, reject)
	case name == "proxy_type" && !contains:
		proxies(t, name, values, reject)
	default:
		t.Lose(name, values, reject)
	}
}

var proxyKinds = map[string]string{"vpn": "vpn", "tor": "tor", "dch": "datacenter", "datacenter": "datacenter", "pub": "proxy", "web": "proxy", "proxy": "proxy"}

func proxies(t *moved.Test, name string, values []string, reject bool) {
	var kinds []string
	for _, v := range values {
		kind := proxyKinds[strings.ToLower(v)]
		if kind == "" {
			t.Lose(name, values, reject)
			return
		}
		kinds = append(kinds, kind)
	}
	t.Listed(name, "proxy_kind", kinds, reject)
}

// subs adds a filter on sub-parameters to a test. Commas separate their values.
func subs(t *moved.Test, f moved.Value, reject, contains bool, params []moved.Param) {
	items := f.At("items")
	set := 0
	for _, name := range items.Names() {
		if items.At(name).Text() != "" || len(items.At(name).Texts()) > 0 {
			set++
		}
	}
	for _, name := range items.Names() {
		var values []string
		for _, text := range items.At(name).Texts() {
			for v := range strings.SplitSeq(text, ",") {
				if v = strings.TrimSpace(v); v != "" {
					values = append(values, v)
				}
			}
		}
		n, err := strconv.Atoi(strings.TrimPrefix(name, "sub"))
		switch {
		case len(values) == 0:
		case err != nil || set > 1 && reject: // unclear whether one match stops a visitor, or only all together
			t.Lose(name, values, reject)
		case contains:
			t.Contains(name, moved.SubAttribute(n, params), values, reject)
		default:
			t.Listed(name, moved.SubAttribute(n, params), values, reject)
		}
	}
	if set == 0 {
		t.Lose("subs", nil, reject)
	}
}
