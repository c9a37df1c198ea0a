package routing

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/bot"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// Snapshot is an immutable picture of everything that routes. References to offers and landers are shared by all
// snapshots and by the plans of campaigns: a change of an offer shows in every campaign and compiles none anew.
type Snapshot struct {
	accounts  shards[uuid.UUID, *Account]
	domains   shards[uuid.UUID, *store.RoutingDomain]
	hosts     shards[string, *store.RoutingDomain]
	sources   shards[uuid.UUID, *Source]
	networks  shards[uuid.UUID, *Network]
	refs      shards[uuid.UUID, *flow.Ref] // offers and landers
	rules     shards[uuid.UUID, *rule]
	campaigns shards[uuid.UUID, *Campaign]
	addresses shards[address, *Campaign] // active campaigns only

	smartlinks shards[uuid.UUID, *Smartlink]
	slugs      shards[address, *Smartlink]
	secret     []byte // of the keys of protected landers; nil until it is known
}

// address is where a tracking link points; aliases tell upper from lower case.
type address struct {
	domain uuid.UUID
	alias  string
}

// Account is an account ready to route for.
type Account struct {
	Row  store.RoutingAccount
	Zone *time.Location
	Bots bot.Settings
}

// DayStart is when the account's day began.
func (a *Account) DayStart(now time.Time) time.Time {
	y, m, d := now.In(a.Zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, a.Zone)
}

// Offer is the record of an offer's reference.
type Offer struct {
	Row  store.RoutingOffer
	URL  *token.Template
	Gone bool
}

// Lander is the record of a lander's reference.
type Lander struct {
	Row   store.RoutingLander
	URL   *token.Template
	Guard *Guard // nil: everybody is let in
	Gone  bool
}

// Network is an affiliate network.
type Network struct{ Row store.RoutingNetwork }

// Campaign is one campaign ready to route. A campaign that is not active has no address and takes no hand-over.
type Campaign struct {
	Row          store.RoutingCampaign // without its flow
	Plan         *flow.Plan
	Price        Price
	CountsClicks bool // its flow looks at clicks of the day

	streams     compressed // the flow
	id          string     // the id as conditions see it
	fallback    *token.Template
	destination *token.Template
	hash        uint64      // of its flow and the settings around it
	missing     []uuid.UUID // offers and landers that were not there when the plan was compiled
	rules       []ruleUse   // saved rules in the plan
}

// Text is the id as conditions see it.
func (c *Campaign) Text() string { return c.id }

func (c *Campaign) active() bool { return c.Row.Status == "active" }

// Compile makes a snapshot of records alone.
func Compile(r *store.Routing) *Snapshot { return (&Snapshot{}).Update(nil, r) }

// Update gives a snapshot in which the records of keys are replaced by those of r. A key without a record is gone.
func (s *Snapshot) Update(keys []store.RoutingKey, r *store.Routing) *Snapshot {
	return s.builder().apply(keys, r)
}

// Find gives the domain of a host, and the campaign that an alias names on it; nil when there is none to route by.
func (s *Snapshot) Find(host, alias string) (*store.RoutingDomain, *Campaign) {
	d, ok := s.hosts.get(host)
	if !ok {
		return nil, nil
	}
	c, ok := s.addresses.get(address{d.ID, alias})
	if !ok || !Serves(d, c.Row.AccountID) {
		return d, nil
	}
	return d, c
}

// Domain gives the tracking domain of a host, nil when it is none.
func (s *Snapshot) Domain(host string) *store.RoutingDomain {
	d, _ := s.hosts.get(host)
	return d
}

// Serves tells whether a domain carries an account's traffic: its own, or every account's on a shared one.
func Serves(d *store.RoutingDomain, account uuid.UUID) bool {
	return !d.AccountID.Valid || d.AccountID.UUID == account
}

// Campaign gives a campaign, active or not; nil when there is none such.
func (s *Snapshot) Campaign(id uuid.UUID) *Campaign {
	c, _ := s.campaigns.get(id)
	return c
}

// Campaigns is how many campaigns there are.
func (s *Snapshot) Campaigns() int { return s.campaigns.size() }

// Handover gives the campaign that another one hands over to: an active one of the same account.
func (s *Snapshot) Handover(from *Campaign, id uuid.UUID) *Campaign {
	c, ok := s.campaigns.get(id)
	if !ok || !c.active() || c.Row.AccountID != from.Row.AccountID {
		return nil
	}
	return c
}

// LastResort is the decision of a campaign whose hand-over leads nowhere.
func (c *Campaign) LastResort(collect bool) flow.Decision {
	switch {
	case c.fallback != nil:
		return flow.Decision{Via: flow.ViaFallback, URL: c.fallback, Collect: collect}
	case c.destination != nil:
		return flow.Decision{Via: flow.ViaDestination, URL: c.destination, Collect: collect}
	}
	return flow.Decision{Collect: collect}
}

// Account gives an account, UnknownAccount when there is none such.
func (s *Snapshot) Account(id uuid.UUID) *Account {
	if a, ok := s.accounts.get(id); ok {
		return a
	}
	return UnknownAccount
}

// UnknownAccount stands in for the moment between the notices of a campaign and of its account.
var UnknownAccount = &Account{Zone: time.UTC}

// Source gives a traffic source, NoSource when there is none such.
func (s *Snapshot) Source(id uuid.NullUUID) *Source {
	if !id.Valid {
		return NoSource
	}
	if src, ok := s.sources.get(id.UUID); ok {
		return src
	}
	return NoSource
}

// Network gives an affiliate network, nil when there is none such.
func (s *Snapshot) Network(id uuid.UUID) *Network {
	n, _ := s.networks.get(id)
	return n
}

// Ref gives the reference of an offer or a lander, nil when there is none such.
func (s *Snapshot) Ref(id uuid.UUID) *flow.Ref {
	r, _ := s.refs.get(id)
	return r
}

// LanderSecret signs the keys of protected landers; nil until it is known.
func (s *Snapshot) LanderSecret() []byte { return s.secret }

// CappedOffers lists the offers that have a daily cap, or had one when they were shut, by account.
func (s *Snapshot) CappedOffers() map[uuid.UUID][]*flow.Ref {
	m := map[uuid.UUID][]*flow.Ref{}
	for _, ref := range s.refs.all {
		if o := OfferOf(ref); o != nil && (o.Row.DailyCap != nil || ref.Capped()) {
			m[o.Row.AccountID] = append(m[o.Row.AccountID], ref)
		}
	}
	return m
}

// CountingAccounts lists the accounts whose campaigns look at clicks of the day.
func (s *Snapshot) CountingAccounts() map[uuid.UUID]bool {
	m := map[uuid.UUID]bool{}
	for _, c := range s.campaigns.all {
		if c.active() && c.CountsClicks {
			m[c.Row.AccountID] = true
		}
	}
	return m
}

// OfferOf gives the offer of a reference, nil when it is none.
func OfferOf(r *flow.Ref) *Offer {
	if r == nil {
		return nil
	}
	o, _ := r.Record().(*Offer)
	return o
}

// LanderOf gives the lander of a reference, nil when it is none.
func LanderOf(r *flow.Ref) *Lander {
	if r == nil {
		return nil
	}
	l, _ := r.Record().(*Lander)
	return l
}
