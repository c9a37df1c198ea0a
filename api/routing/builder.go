package routing

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // accounts have time zones, and not every system has their data
	"unique"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/store"
	"switchyard/models/bot"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// draft is a snapshot being made from another one. One goroutine at a time makes drafts.
type Builder struct {
	*Snapshot
	explained bool // plans are to be asked how they decide
	newRefs   bool // an offer or lander appeared that no plan could know
	newRules  bool // a saved rule has a matcher that no plan could know
	compiled  int  // campaigns
}

func (s *Snapshot) builder() *Builder {
	return &Builder{Snapshot: &Snapshot{
		accounts: s.accounts.fork(), domains: s.domains.fork(), hosts: s.hosts.fork(), sources: s.sources.fork(),
		networks: s.networks.fork(), refs: s.refs.fork(), rules: s.rules.fork(), campaigns: s.campaigns.fork(), addresses: s.addresses.fork(),
		smartlinks: s.smartlinks.fork(), slugs: s.slugs.fork(), secret: s.secret,
	}}
}

// apply replaces the records of keys by those of r; a key without a record is gone. It gives the finished snapshot.
func (d *Builder) apply(keys []store.RoutingKey, r *store.Routing) *Snapshot {
	gone := make(map[store.RoutingKey]bool, len(keys))
	for _, k := range keys {
		gone[k] = true
	}
	for _, row := range r.Accounts {
		delete(gone, store.RoutingKey{Table: "accounts", ID: row.ID})
		d.accounts.put(row.ID, newAccount(row))
	}
	for i := range r.Domains {
		delete(gone, store.RoutingKey{Table: "domains", ID: r.Domains[i].ID})
		d.putDomain(&r.Domains[i])
	}
	for _, row := range r.Sources {
		delete(gone, store.RoutingKey{Table: "traffic_sources", ID: row.ID})
		d.sources.put(row.ID, newSource(row))
	}
	for _, row := range r.Networks {
		delete(gone, store.RoutingKey{Table: "networks", ID: row.ID})
		d.networks.put(row.ID, &Network{row})
	}
	for _, row := range r.Offers {
		delete(gone, store.RoutingKey{Table: "offers", ID: row.ID})
		o := &Offer{Row: row, URL: compileURL(row.URL)}
		d.putRef(row.ID, flow.KindOffer, o, row.IsActive && o.URL != nil)
	}
	for _, row := range r.Landers {
		delete(gone, store.RoutingKey{Table: "landers", ID: row.ID})
		l := newLander(row)
		d.putRef(row.ID, flow.KindLander, l, row.IsActive && l.URL != nil)
	}
	for i := range r.Rules {
		delete(gone, store.RoutingKey{Table: "rules", ID: r.Rules[i].ID})
		d.putRule(r.Rules[i])
	}
	for k := range gone {
		d.remove(k)
	}
	changed := make([]store.RoutingCampaign, 0, len(r.Campaigns))
	for i := range r.Campaigns {
		row := &r.Campaigns[i]
		delete(gone, store.RoutingKey{Table: "campaigns", ID: row.ID})
		if old, ok := d.campaigns.get(row.ID); !ok || old.Row.Version != row.Version || row.Version == 0 {
			changed = append(changed, *row)
		}
	}
	d.putCampaigns(changed)
	for i := range r.Smartlinks {
		delete(gone, store.RoutingKey{Table: "smartlinks", ID: r.Smartlinks[i].ID})
		d.putSmartlink(r.Smartlinks[i])
	}
	for k := range gone {
		switch k.Table {
		case "campaigns":
			d.removeCampaign(k.ID)
		case "smartlinks":
			d.removeSmartlink(k.ID)
		}
	}
	if r.LanderSecret != nil {
		d.secret = r.LanderSecret
	}
	d.completePlans()
	return d.Snapshot
}

func newAccount(row store.RoutingAccount) *Account {
	zone, err := time.LoadLocation(row.Timezone)
	if err != nil {
		zone = time.UTC
	}
	return &Account{Row: row, Zone: zone, Bots: bot.NewSettings(row.BotThreshold, row.BotDisabled)}
}

// compileURL gives nil for what is no address to send anybody to.
func compileURL(url string) *token.Template {
	if token.ValidURL(url) != nil {
		return nil
	}
	return token.Compile(url)
}

func (d *Builder) putDomain(row *store.RoutingDomain) {
	if old, ok := d.domains.get(row.ID); ok && old.Host != row.Host {
		d.hosts.remove(old.Host)
	}
	d.domains.put(row.ID, row)
	d.hosts.put(row.Host, row)
}

// putRef sets the shared reference, so that every plan that has it sees the change at once.
func (d *Builder) putRef(id uuid.UUID, kind flow.Kind, record any, active bool) {
	ref, ok := d.refs.get(id)
	if ok {
		ref.SetRecord(record)
	} else {
		ref = flow.NewRef(id, kind, record)
		d.refs.put(id, ref)
		d.newRefs = true
	}
	ref.SetPaused(!active)
}

func (d *Builder) remove(k store.RoutingKey) {
	switch k.Table {
	case "accounts":
		d.accounts.remove(k.ID)
	case "domains":
		if old, ok := d.domains.get(k.ID); ok {
			if now, ok := d.hosts.get(old.Host); ok && now.ID == k.ID {
				d.hosts.remove(old.Host)
			}
			d.domains.remove(k.ID)
		}
	case "traffic_sources":
		d.sources.remove(k.ID)
	case "networks":
		d.networks.remove(k.ID)
	case "rules":
		d.rules.remove(k.ID)
		d.newRules = true
	case "offers", "landers":
		if ref, ok := d.refs.get(k.ID); ok {
			ref.SetPaused(true) // plans still hold it; a record that returns opens it again
			ref.SetRecord(goneRecord(ref.Record()))
		}
	}
}

// goneRecord marks a record as deleted: it has no version any more, and is not kept on disk.
func goneRecord(record any) any {
	switch r := record.(type) {
	case *Offer:
		c := *r
		c.Gone = true
		return &c
	case *Lander:
		c := *r
		c.Gone = true
		return &c
	}
	return record
}

// putCampaigns compiles campaigns, on all processors when they are many, and gives them their addresses.
func (d *Builder) putCampaigns(rows []store.RoutingCampaign) {
	made := make([]*Campaign, len(rows))
	var next atomic.Int64
	var crew sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(rows)) {
		crew.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(rows); i = next.Add(1) - 1 {
				made[i] = d.compile(rows[i])
			}
		})
	}
	crew.Wait()
	d.compiled += len(rows)
	for _, c := range made {
		d.unlink(c.Row.ID)
		d.campaigns.put(c.Row.ID, c)
		if c.active() {
			d.addresses.put(address{c.Row.DomainID, c.Row.Alias}, c)
		}
	}
}

func (d *Builder) removeCampaign(id uuid.UUID) {
	d.unlink(id)
	d.campaigns.remove(id)
}

// unlink frees the address of a campaign, unless another one has taken it meanwhile.
func (d *Builder) unlink(id uuid.UUID) {
	old, ok := d.campaigns.get(id)
	if !ok {
		return
	}
	at := address{old.Row.DomainID, old.Row.Alias}
	if now, ok := d.addresses.get(at); ok && now.Row.ID == id {
		d.addresses.remove(at)
	}
}

// compile prepares a campaign; it only reads the draft. A flow that cannot be read leaves the campaign with its fallback
// addresses, so that paid visitors still arrive somewhere.
func (d *Builder) compile(row store.RoutingCampaign) *Campaign {
	share(&row)
	c := &Campaign{
		Row: row, id: row.ID.String(), Price: newPrice(row.CostModel, row.CostValue),
		fallback: compileURL(row.FallbackURL), destination: compileURL(row.DestinationURL),
	}
	o := flow.Options{
		Explained: d.explained,
		Rotation:  flow.Rotation(row.FlowRotation), Bind: flow.Bind(row.BindVisitors),
		FallbackURL: usableURL(row.FallbackURL), DestinationURL: usableURL(row.DestinationURL),
		Ref: func(id uuid.UUID) *flow.Ref {
			ref, ok := d.refs.get(id)
			if ok && refAccount(ref) == row.AccountID {
				return ref
			}
			c.missing = append(c.missing, id)
			return nil
		},
		Rule: func(id uuid.UUID) *cond.Matcher { return d.useRule(c, id) },
	}
	c.streams, c.Row.Streams = compress(row.Streams), nil
	var paths []flow.Path
	var err error
	if len(row.Streams) > len(`[]`) {
		paths, err = flow.Parse(row.Streams)
	}
	if err == nil {
		c.Plan, err = flow.Compile(paths, o)
	}
	if err != nil {
		slog.ErrorContext(context.Background(), "campaign cannot be routed by its flow", "campaign_id", row.ID, "error", err)
		c.Plan, _ = flow.Compile(nil, o)
	}
	c.hash, c.CountsClicks = hashCampaign(&row), c.Plan.Uses(cond.ClicksToday)
	for _, route := range c.Plan.Routes() {
		c.CountsClicks = c.CountsClicks || route.DailyCap > 0
	}
	return c
}

// share lets what most campaigns have in common be the same memory in all: what is looked at with every click is then
// seldom fetched from far.
func share(row *store.RoutingCampaign) {
	for _, s := range []*string{
		&row.Status, &row.CostModel, &row.Currency, &row.FlowRotation, &row.BindVisitors, &row.UniquenessMethod,
		&row.UniquenessParam,
	} {
		*s = unique.Make(*s).Value()
	}
	for _, n := range []*decimal.Decimal{&row.CostValue, &row.TrafficLossPct} {
		if n.IsZero() {
			*n = decimal.Decimal{} // which has no memory of its own
		}
	}
}

func usableURL(url string) string {
	if token.ValidURL(url) != nil {
		return ""
	}
	return url
}

func refAccount(ref *flow.Ref) uuid.UUID {
	if o := OfferOf(ref); o != nil {
		return o.Row.AccountID
	}
	if l := LanderOf(ref); l != nil {
		return l.Row.AccountID
	}
	return uuid.Nil
}

// completePlans compiles again the campaigns that name an offer, a lander or a saved rule which has appeared only now, or
// a rule that needs more than before.
func (d *Builder) completePlans() {
	if !d.newRefs && !d.newRules {
		return
	}
	var again []store.RoutingCampaign
	for _, c := range d.campaigns.all {
		if d.lacksRef(c) || d.outdated(c) {
			again = append(again, c.whole())
		}
	}
	d.putCampaigns(again)
}

func (d *Builder) lacksRef(c *Campaign) bool {
	return slices.ContainsFunc(c.missing, func(id uuid.UUID) bool {
		ref, ok := d.refs.get(id)
		return ok && refAccount(ref) == c.Row.AccountID
	})
}

// whole gives the campaign's record with its flow.
func (c *Campaign) whole() store.RoutingCampaign {
	row := c.Row
	row.Streams = c.streams.text()
	return row
}

// routing gives every record of a snapshot but the campaigns. Paused references whose records are gone are kept out.
func (s *Snapshot) routing() *store.Routing {
	r := &store.Routing{}
	for _, a := range s.accounts.all {
		r.Accounts = append(r.Accounts, a.Row)
	}
	for _, d := range s.domains.all {
		r.Domains = append(r.Domains, *d)
	}
	for _, src := range s.sources.all {
		r.Sources = append(r.Sources, src.Row)
	}
	for _, n := range s.networks.all {
		r.Networks = append(r.Networks, n.Row)
	}
	for _, ref := range s.refs.all {
		if o := OfferOf(ref); o != nil && !o.Gone {
			r.Offers = append(r.Offers, o.Row)
		}
		if l := LanderOf(ref); l != nil && !l.Gone {
			r.Landers = append(r.Landers, l.Row)
		}
	}
	for _, one := range s.rules.all {
		r.Rules = append(r.Rules, one.Row)
	}
	for _, l := range s.smartlinks.all {
		r.Smartlinks = append(r.Smartlinks, l.Row)
	}
	r.LanderSecret = s.secret
	return r
}
