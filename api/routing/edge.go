package routing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// EdgeFormat is the version of the format of bundles, which are campaigns compiled for the edge. The script at the edge, which
// routes visitors by the bundles, ignores bundles of a later format than its own. If a condition or an address of a bundle names a
// sub-parameter after sub10, the bundle has edgeSubsFormat, because older scripts know only ten.
const (
	EdgeFormat     = 1
	edgeSubsFormat = 2
)

// formatOf returns the lowest format of a bundle with a condition or an address that names the sub-parameter with number sub.
func formatOf(sub int) int {
	if sub > models.EarlySubs {
		return edgeSubsFormat
	}
	return EdgeFormat
}

// edgeBundle is a campaign in the form in which the edge routes it, with the campaigns that it may hand over to.
// ops/deploy/edge/README.md describes it.
type edgeBundle struct {
	Format    int                           `json:"format"`
	Campaign  uuid.UUID                     `json:"campaign"`
	Domain    string                        `json:"domain"`
	HTTPSOnly bool                          `json:"https_only,omitempty"`
	Timezone  string                        `json:"timezone"`
	Currency  string                        `json:"currency"`
	Cost      *string                       `json:"cost"` // null: the cost depends on the link
	Source    *edgeNamed                    `json:"source"`
	External  []string                      `json:"external"` // parameters of the source's own click id
	Subs      []edgeSub                     `json:"subs"`
	Taken     []string                      `json:"taken,omitempty"` // the source's parameters for the cost and its own click id, in lower case
	Campaigns map[uuid.UUID]json.RawMessage `json:"campaigns"`       // each value is an edgeCampaign
	Offers    map[uuid.UUID]*edgeOffer      `json:"offers"`
	Landers   map[uuid.UUID]*edgeLander     `json:"landers"`
	Origin    []string                      `json:"origin"` // features that the campaigns use and the script does not have
}

type edgeNamed struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// edgeSub is a parameter of the source that fills a sub-parameter. Sub is the number of the sub-parameter.
type edgeSub struct {
	Param string `json:"param"`
	Sub   int    `json:"sub"`
}

type edgeCampaign struct {
	Name  string        `json:"name"`
	Alias string        `json:"alias"`
	Flow  string        `json:"flow"`       // a hash of the flow; each click reports the hash of the flow that routed it
	TTL   int           `json:"bind_hours"` // how long a binding lasts
	Plan  flow.Portable `json:"plan"`
}

type edgeOffer struct {
	Name    string               `json:"name"`
	URL     []token.PortablePart `json:"url"`
	Append  string               `json:"append,omitempty"` // the parameter that gets the click id
	Network *edgeNamed           `json:"network"`
	Open    bool                 `json:"open"`
	Capped  bool                 `json:"capped,omitempty"` // the offer has a daily cap
}

type edgeLander struct {
	Name    string               `json:"name"`
	URL     []token.PortablePart `json:"url"`
	Open    bool                 `json:"open"`
	Guarded bool                 `json:"guarded,omitempty"`
}

// edgeAttributes maps each attribute of a visitor that the script knows to the lowest bundle format that may use the attribute.
// The script also knows param.<name>, which is not in the map. If a decision reaches a condition on another attribute, the script
// hands the visitor over to this service.
var edgeAttributes = func() map[string]int {
	known := map[string]int{}
	for _, name := range [...]string{
		"country", "region", "city", "continent", "language", "timezone", "ip", "ip_version", "asn", "user_agent", "referrer",
		"referrer_domain", "keyword", "url", "source_id", "campaign_id", "day_of_week", "hour_of_day", "date", "schedule",
	} {
		known[cond.Named(name).String()] = EdgeFormat
	}
	for n, name := range models.SubKeys {
		known[name] = formatOf(n + 1)
	}
	return known
}()

// edgeTokens are the tokens that the script fills. {ip} is not among them, because a setting of this service decides how much of
// an IP address is shown.
var edgeTokens = func() map[string]bool {
	known := map[string]bool{}
	for _, name := range [...]string{
		"clickid", "campaign_id", "campaign_name", "campaign_alias", "path_id", "path_name", "lander_id", "lander_name", "lp_slot",
		"lp_key", "offer_id", "offer_name", "network_id", "network_name", "source_id", "source_name", "external_id", "cost",
		"currency", "country", "region", "city", "language", "asn", "user_agent", "referrer", "referrer_domain", "keyword",
		"visitor_id", "domain", "timestamp",
	} {
		t, _ := token.Lookup(name)
		known[t.Name.String()] = true
	}
	for _, n := range [...]token.Name{token.Sub, token.Date, token.Random, token.Sample, token.Param} {
		known[n.String()] = true
	}
	return known
}()

// edgeTransitions are the transitions that need no HTML page.
var edgeTransitions = []string{flow.Transition301, flow.Transition302, flow.Transition303, flow.Transition307}

const (
	// edgeGiveUp is the summed size of parts at which the compilation of a bundle stops. It is above the size limit, because
	// parts may share content that the sum counts twice.
	edgeGiveUp = 4 * models.MaxEdgeBundle
	// edgeWork is the number of bytes that one call of EdgeBundles may assemble, including bundles that turn out to be too large.
	edgeWork = 8 * models.MaxEdgeAccount
)

// EdgeBundles compiles the active campaigns on domains of their account for the edge, in a fixed order. A bundle has no Value if
// it is too large, if the bundles before it have used up MaxEdgeAccount or edgeWork, or if a campaign in it has blocked values.
// The snapshot must be an Explainer's, with the records of a single account.
func (s *Snapshot) EdgeBundles() ([]models.EdgeBundle, error) {
	return s.edgeBundles(models.MaxEdgeAccount, edgeWork)
}

// edgeBundles stops compiling once the values together exceed maxBytes, or the assembled parts together exceed maxWork bytes.
func (s *Snapshot) edgeBundles(maxBytes, maxWork int) ([]models.EdgeBundle, error) {
	list := slices.SortedFunc(each[*Campaign](s, campaigns), func(a, b *Campaign) int {
		return bytes.Compare(a.Row.ID[:], b.Row.ID[:])
	})
	var out []models.EdgeBundle
	parts, bytesKept, work := map[uuid.UUID]*edgePart{}, 0, 0
	for _, c := range list {
		d := find[*Domain](s, domains, c.Row.DomainID)
		if d == nil || !c.Active() || !d.AccountID.Valid || !d.Serves(c.Row.AccountID) {
			continue
		}
		b := models.EdgeBundle{Key: models.EdgeKey(d.Host, c.Row.Alias), CampaignID: c.Row.ID, Origin: []string{models.EdgeTooLarge}}
		if bytesKept <= maxBytes && work <= maxWork {
			k := s.newEdgeCompiler(d, c, parts)
			if err := k.finish(c, &b); err != nil {
				return nil, err
			}
			bytesKept, work = bytesKept+len(b.Value), work+k.size
		}
		out = append(out, b)
	}
	return out, nil
}

// edgePart is what one campaign adds to each bundle that includes it. It is made once for all bundles.
type edgePart struct {
	text    json.RawMessage
	offers  map[uuid.UUID]*edgeOffer
	landers map[uuid.UUID]*edgeLander
	rules   map[uuid.UUID]bool // saved rules; true: the rule is missing or broken and matches no visitor
	origin  map[string]bool
	format  int  // lowest format of bundles that include the campaign
	cost    bool // an address has the token {cost}, which the script can fill unless the cost depends on the link
	size    int  // about the number of bytes that the part adds
}

// edgeCompiler collects a bundle.
type edgeCompiler struct {
	*Snapshot
	out    edgeBundle
	parts  map[uuid.UUID]*edgePart // the parts of all campaigns so far
	after  map[uuid.UUID]int       // the smallest number of hand-overs after which a campaign is reached
	rules  map[uuid.UUID]bool
	origin map[string]bool
	size   int // summed size of the parts
}

func (s *Snapshot) newEdgeCompiler(d *Domain, c *Campaign, parts map[uuid.UUID]*edgePart) *edgeCompiler {
	src := s.Source(c.Row.SourceID)
	k := &edgeCompiler{Snapshot: s, parts: parts, after: map[uuid.UUID]int{}, rules: map[uuid.UUID]bool{}, origin: map[string]bool{}, out: edgeBundle{
		Format: EdgeFormat, Campaign: c.Row.ID, Domain: d.Host, HTTPSOnly: d.HTTPSOnly, Timezone: s.Account(c.Row.AccountID).Zone.String(),
		Currency: c.Row.Currency, Campaigns: map[uuid.UUID]json.RawMessage{}, Offers: map[uuid.UUID]*edgeOffer{},
		Landers: map[uuid.UUID]*edgeLander{},
	}}
	for _, name := range src.ExternalIDParams() {
		if name != "" {
			k.out.External = append(k.out.External, name)
		}
	}
	for _, name := range [...]string{src.Row.CostParam, src.Row.ExternalIDParam} {
		if name != "" {
			k.out.Taken = append(k.out.Taken, strings.ToLower(name))
		}
	}
	for _, sub := range src.Subs {
		k.out.Subs = append(k.out.Subs, edgeSub{sub.Param, sub.Sub + 1})
	}
	if c.Row.SourceID.Valid && src != NoSource {
		k.out.Source = &edgeNamed{c.Row.SourceID.UUID, src.Row.Name}
	}
	if !c.Price.IsStated() {
		var click models.Click
		c.Price.Apply(&click, c.Row.TrafficLossPct, src, Given{})
		k.out.Cost = new(click.Cost.String())
	}
	return k
}

// finish compiles a campaign into b, which the caller has marked as too large.
func (k *edgeCompiler) finish(c *Campaign, b *models.EdgeBundle) error {
	if err := k.campaigns(c, 0); err != nil || k.size > edgeGiveUp {
		return err
	}
	k.out.Origin = slices.Sorted(maps.Keys(k.origin))
	value, err := json.Marshal(k.out)
	if err != nil {
		return fmt.Errorf("routing: bundle of campaign %s: %w", c.Row.ID, err)
	}
	for id, broken := range k.rules {
		if b.Rules = append(b.Rules, id); broken {
			b.Broken = append(b.Broken, id)
		}
	}
	switch {
	case k.origin[models.EdgeBlocked]:
		b.Origin = k.out.Origin
	case len(value) <= models.MaxEdgeBundle:
		b.Value, b.Origin = value, k.out.Origin
	}
	return nil
}

// campaigns adds a campaign that is reached after the given number of hand-overs, and the campaigns that it may hand over to. It
// stops when the bundle is too large.
func (k *edgeCompiler) campaigns(c *Campaign, hops int) error {
	before, reached := k.after[c.Row.ID]
	if reached && before <= hops || k.size > edgeGiveUp {
		return nil
	}
	k.after[c.Row.ID] = hops
	if !reached {
		if err := k.campaign(c); err != nil {
			return err
		}
	}
	if hops == flow.MaxHandovers {
		return nil
	}
	for _, route := range c.Plan.Routes() {
		if next := k.handover(c, route.Campaign); route.Action == flow.ActionCampaign && next != nil {
			if err := k.campaigns(next, hops+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *edgeCompiler) campaign(c *Campaign) error {
	part := k.parts[c.Row.ID]
	if part == nil {
		var err error
		if part, err = k.newEdgePart(c); err != nil {
			return fmt.Errorf("routing: campaign %s for the edge: %w", c.Row.ID, err)
		}
		k.parts[c.Row.ID] = part
	}
	k.size += part.size
	k.out.Campaigns[c.Row.ID] = part.text
	maps.Copy(k.out.Offers, part.offers)
	maps.Copy(k.out.Landers, part.landers)
	maps.Copy(k.rules, part.rules)
	maps.Copy(k.origin, part.origin)
	k.out.Format = max(k.out.Format, part.format)
	if part.cost && k.out.Cost == nil {
		k.origin["token:cost"] = true
	}
	return nil
}

func (s *Snapshot) newEdgePart(c *Campaign) (*edgePart, error) {
	k := &edgePart{
		offers: map[uuid.UUID]*edgeOffer{}, landers: map[uuid.UUID]*edgeLander{}, rules: map[uuid.UUID]bool{}, origin: map[string]bool{},
	}
	if s.mayBlock(c) {
		k.origin[models.EdgeBlocked] = true
	}
	plan := c.Plan.Portable(func(name string) bool { return edgeAttributes[name] > 0 })
	for _, use := range c.rules {
		r := find[*rule](s, rules, use.id)
		k.rules[use.id] = r == nil || r.unusable
	}
	k.url(plan.Fallback)
	k.url(plan.Destination)
	for i := range plan.Routes {
		k.route(s, c, &plan.Routes[i])
	}
	var err error
	k.text, err = json.Marshal(edgeCampaign{
		Name: c.Row.Name, Alias: c.Row.Alias, Flow: FlowText(s.FlowHash(0, c)), TTL: c.Row.UniquenessTTLHours, Plan: plan,
	})
	k.size += len(k.text)
	return k, err
}

// FlowText returns the hash of a flow as text, in the form that bundles and the edge's clicks use.
func FlowText(hash uint64) string { return strconv.FormatUint(hash, 16) }

// route adds the destinations of a path. It also records in origin the features of the path that the script lacks.
func (k *edgePart) route(s *Snapshot, c *Campaign, r *flow.PortableRoute) {
	if !r.Active {
		return
	}
	if r.Capped {
		k.origin["daily_cap"] = true
	}
	if r.Action == flow.ActionNothing {
		k.origin["action:nothing"] = true
	}
	if r.Leads && !slices.Contains(edgeTransitions, r.Transition) {
		k.origin["transition:"+r.Transition] = true
	}
	for _, unit := range r.Units {
		for _, condition := range unit.All {
			format := edgeAttributes[condition.Attribute]
			k.format = max(k.format, format)
			if condition.Test == cond.OriginOnly && (format > 0 || condition.Attribute == "param") {
				k.origin["pattern:"+condition.Attribute] = true
			} else if condition.Test == cond.OriginOnly {
				k.origin["attribute:"+condition.Attribute] = true
			}
		}
	}
	for _, choice := range r.Choices {
		k.choice(s, c, &choice)
	}
}

func (k *edgePart) choice(s *Snapshot, c *Campaign, choice *flow.PortableChoice) {
	k.url(choice.URL)
	if o := find[*Offer](s, offers, choice.ID); o != nil && o.Row.AccountID == c.Row.AccountID {
		k.offer(s, o)
	}
	if l := find[*Lander](s, landers, choice.ID); l != nil && l.Row.AccountID == c.Row.AccountID {
		out := &edgeLander{Name: l.Row.Name, Open: l.ref.Open(), Guarded: l.Guard != nil}
		if l.URL != nil {
			out.URL = l.URL.Portable()
		}
		if k.landers[l.Row.ID] = out; out.Guarded {
			k.origin["protection"] = true
		}
		k.url(out.URL)
	}
}

func (k *edgePart) offer(s *Snapshot, o *Offer) {
	out := &edgeOffer{Name: o.Row.Name, Open: o.ref.Open(), Capped: o.Row.DailyCap != nil}
	if o.URL != nil {
		out.URL = o.URL.Portable()
	}
	if o.Row.NetworkID.Valid {
		out.Network = &edgeNamed{ID: o.Row.NetworkID.UUID}
	}
	if n := s.Network(o.Row.NetworkID.UUID); n != nil && out.Network != nil {
		out.Network.Name = n.Row.Name
		if o.URL != nil {
			out.Append = o.URL.AddedParam(n.Row.ClickParam)
		}
	}
	if k.offers[o.Row.ID] = out; out.Capped {
		k.origin["offer_daily_cap"] = true
	}
	k.url(out.URL)
}

// url records in origin the tokens of an address that the script cannot fill. It also updates format, size and cost.
func (k *edgePart) url(parts []token.PortablePart) {
	for i := range parts {
		p := &parts[i]
		k.format = max(k.format, formatOf(p.N))
		k.size += len(p.Text) + len(p.Arg) + len(`{"token":""},`)
		switch {
		case p.Token == "":
		case p.Token == "cost":
			k.cost = true
		case !edgeTokens[p.Token], p.Token == "date" && strings.Contains(p.Arg, "e"):
			k.origin["token:"+p.Token] = true
		}
	}
}
