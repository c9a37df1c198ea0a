package keitaro

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

// draft is a campaign whose paths are not written yet.
type draft struct {
	*item
	c      *campaign
	params parameters
	ready  bool
	notes  []trackerimport.Note
}

// readCampaigns writes the campaigns. If a campaign is refused, the paths that hand visitors over to it must be paused. All paths
// are therefore written again until no further campaign is refused.
func (r *reader) readCampaigns() {
	drafts := r.drafts()
	for {
		before := len(r.refused)
		for i := range drafts {
			r.finish(&drafts[i])
		}
		if len(r.refused) == before {
			break
		}
	}
	for i := range drafts {
		d := &drafts[i]
		r.out.Notes = append(r.out.Notes, d.notes...)
		if !d.ready {
			continue
		}
		r.out.Put(d.kind, d.key, d.m)
		if d.c.Alias != "" {
			r.out.Links = append(r.out.Links, trackerimport.Link{Form: trackerimport.FormPath, ID: string(d.c.Alias), Campaign: d.key})
		}
	}
}

// drafts returns the campaigns, complete except for their paths.
func (r *reader) drafts() []draft {
	var list []draft
	live := sorted(r.in.Campaign, func(c *campaign) text { return c.ID }, func(c *campaign) text { return c.State })
	for _, c := range live {
		d := draft{item: r.item(accountconfig.Campaigns, c.ID, c.Name), c: c, ready: true}
		d.ready = r.settings(d.item, c)
		key, params, ok := r.sourceFor(d.item, c)
		d.params = params
		if key != "" && ok {
			d.m["source"] = key
		} else if !ok {
			d.m["status"] = models.CampaignPaused
			r.note(trackerimport.Lost, d.item, trackerimport.Missing("Its traffic source"))
		}
		if !d.ready {
			r.refused[string(c.ID)] = true
		}
		list = append(list, d)
	}
	return list
}

var (
	costModels = map[string]string{
		"cpc": "cpc", "cpuc": "cpuc", "cpm": "cpm", "cpa": "cpa", "cps": "cps", "revshare": "revshare", "cpuv": "cpuc", "cpv": "cpc",
	}
	bindings = map[string]string{"": "none", "s": "streams", "sl": "streams_landers", "slo": "streams_landers_offers"}
	methods  = map[string]string{"": "ip_ua", "ip": "ip", "ip_ua": "ip_ua", "cookies": "cookie", "cookie": "cookie"}
)

// settings sets all members of a campaign except its source and its paths, and reports whether it can be imported.
func (r *reader) settings(it *item, c *campaign) bool {
	if c.State.is("disabled") {
		it.m["status"] = models.CampaignPaused
	}
	r.link(it, c)
	if c.Type.is("weight") {
		it.m["flow_rotation"] = "weight"
	}
	bind, known := bindings[strings.ToLower(string(c.BindVisitors))]
	if !known {
		r.note(trackerimport.Changed, it, fmt.Sprintf("It bound visitors by %q, which does not exist here. Visitors are not bound.", models.Shortened(string(c.BindVisitors), 30)))
		bind = "none"
	}
	it.m["bind_visitors"] = bind
	method, known := methods[strings.ToLower(string(c.Uniqueness))]
	if !known {
		method = "ip_ua"
		r.note(trackerimport.Changed, it, fmt.Sprintf("Visitors were recognized by %s. Here they are recognized by address and browser.", models.Shortened(string(c.Uniqueness), 30)))
	}
	it.m["uniqueness_method"] = method
	if c.CookiesTTL != "" {
		const longest = 8760
		hours := min(max(c.CookiesTTL.number(), 1), longest)
		if hours != c.CookiesTTL.number() {
			r.note(trackerimport.Changed, it, fmt.Sprintf("A visitor was unique again after %s hours; here after %d.", c.CookiesTTL, hours))
		}
		it.m["uniqueness_ttl_hours"] = json.Number(strconv.Itoa(hours))
	}
	r.group(it, c.GroupID, 255)
	r.text(it, "notes", "notes", string(c.Notes), 10_000)
	return r.cost(it, c)
}

func (r *reader) cost(it *item, c *campaign) bool {
	word := strings.ToLower(string(c.CostType))
	model, known := costModels[word]
	switch {
	case bool(c.CostAuto), word == "":
		model = "auto"
	case !known:
		r.note(trackerimport.Refused, it, fmt.Sprintf("The cost model %q does not exist here.", models.Shortened(string(c.CostType), 30)))
		return false
	case word == "cpuv", word == "cpv":
		r.note(trackerimport.Changed, it, fmt.Sprintf("The cost model %s is %s here.", c.CostType, strings.ToUpper(model)))
	}
	it.m["cost_model"] = model
	return r.amount(it, "cost_value", c.CostValue, c.CostCurrency, model == "auto" && c.CostCurrency != "")
}

func (r *reader) link(it *item, c *campaign) {
	host := r.hosts[c.DomainID.id()]
	if host == "" {
		host = r.firstHost
	}
	if host != "" {
		it.m["domain"] = host
	}
	alias := string(c.Alias)
	if models.CheckAlias(alias) != nil {
		clean := strings.Map(func(c rune) rune {
			if c < 128 && (c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
				return c
			}
			return -1
		}, models.Cut(alias, 40))
		alias = strings.TrimLeft(fmt.Sprintf("%s-%06d", clean, c.ID.number()), "-")
		r.note(trackerimport.Changed, it, trackerimport.NewLink(string(c.Alias), alias))
	}
	it.m["alias"] = alias
}

func (r *reader) finish(d *draft) {
	if !d.ready {
		return
	}
	outer := r.out.Notes
	r.out.Notes = nil
	w := &pathWriter{r: r, it: d.item, c: d.c, params: d.params, names: trackerimport.Names{}, rules: trackerimport.Names{}}
	paths, ok := w.paths()
	if ok && len(paths) > 0 {
		d.m["paths"] = paths
	}
	if ok {
		if err := moved.Check(d.kind, d.key, d.m); err != nil {
			r.note(trackerimport.Refused, d.item, moved.Sentence(err))
			ok = false
		}
	}
	if !ok {
		d.ready = false
		r.refused[string(d.c.ID)] = true
	}
	d.notes, r.out.Notes = r.out.Notes, outer
}

// maxDomainGroup is the maximum length of the name of a domain's group.
const maxDomainGroup = 100

func (r *reader) readDomains() {
	for _, d := range sorted(r.in.Domains, func(d *domain) text { return d.ID }, func(d *domain) text { return d.State }) {
		if host, ok := models.HostOf(string(d.Name)); ok && !slices.Contains(slices.Collect(maps.Values(r.hosts)), host) {
			r.hosts[string(d.ID)] = host
			if r.firstHost == "" {
				r.firstHost = host
			}
			continue
		}
		r.out.Note(trackerimport.Refused, accountconfig.Domains, r.key(d.ID), string(d.Name), "It is not the name of a host, or another record has it: links need a name such as go.example.com.")
	}
}

// writeDomains writes the domains after the campaigns, because a domain may lead to one.
func (r *reader) writeDomains() {
	for _, d := range sorted(r.in.Domains, func(d *domain) text { return d.ID }, func(d *domain) text { return d.State }) {
		host := r.hosts[string(d.ID)]
		if host == "" {
			continue
		}
		it := &item{accountconfig.Domains, host, host, members{"https_only": bool(d.SSLRedirect || d.IsSSL)}}
		if d.AllowIndexing {
			it.m["crawlers"] = "allow"
		}
		if d.Wildcard {
			r.note(trackerimport.Changed, it, "Every subdomain of it led to the same place. Here each subdomain is a domain of its own.")
		}
		if d.CatchNotFound {
			r.note(trackerimport.Changed, it, "Unknown addresses of the domain led to its campaign. Here they are not found; only the bare domain leads there.")
		}
		if d.Notes != "" {
			r.note(trackerimport.Changed, it, "A domain has no notes here. They were: "+models.Shortened(string(d.Notes), 300))
		}
		if id := d.DefaultCampaign.id() + d.DefaultID.id(); id != "" {
			r.indexPage(it, text(id))
		}
		r.group(it, d.GroupID, maxDomainGroup)
		r.put(it)
	}
}

func (r *reader) indexPage(it *item, campaignID text) {
	c, ok := r.out.Document[accountconfig.Campaigns][r.key(campaignID)]
	if !ok {
		r.note(trackerimport.Changed, it, "The campaign to which the bare domain led was not imported.")
		return
	}
	host, _ := c["domain"].(string)
	alias, _ := c["alias"].(string)
	if host != "" {
		it.m["index_page"] = "https://" + host + "/" + alias
	}
}

func (r *reader) readBotList() {
	var good []any
	var bad []string
	for line := range strings.FieldsFuncSeq(r.in.BotList, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' || r == ';' }) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if network, ok := networkOf(line); ok {
			good = append(good, network)
		} else {
			bad = append(bad, line)
		}
	}
	kind := accountconfig.BotLists
	for n, part := range slices.Collect(slices.Chunk(good, models.MaxBotValues)) {
		key := r.key(text(fmt.Sprintf("botlist-%d", n+1)))
		it := &item{kind, key, "bot list", members{
			"list_type": models.BotDeny, "attribute": "ip_range", "operator": "in_cidr", "value": part, "note": "Bot list of the Keitaro at " + models.Cut(r.in.Host, 300),
		}}
		r.put(it)
	}
	if len(bad) > 0 {
		r.out.Note(trackerimport.Changed, kind, r.key("botlist-1"), "bot list",
			fmt.Sprintf("Lines that are no addresses were left out (%d): %s", len(bad), models.Shortened(strings.Join(bad, ", "), 200)))
	}
}
