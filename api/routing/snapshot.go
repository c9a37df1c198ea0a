package routing

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/botdata"
	"switchyard/models/flow"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// Snapshot is a copy of all records that routing uses. It is immutable except for the references to offers and landers and the
// matchers of saved rules, which all snapshots and all plans of campaigns share. A change of an offer therefore recompiles no
// campaign.
type Snapshot struct {
	records   [kindCount]shards[uuid.UUID, record]
	hosts     shards[string, *Domain]
	addresses shards[address, *Campaign] // linked campaigns only
	aliases   shards[alias, []*Campaign] // all campaigns, the oldest first; a list is never changed
	slugs     shards[address, *Smartlink]
	foreign   shards[foreignAddress, *ForeignLink]
	foreignOn shards[foreignPlace, int]       // the number of foreign links at each place
	secrets   shards[networkParam, int]       // the number of networks that send their secret in the parameter
	mapped    shards[networkParam, int]       // the number of networks that send any field in the parameter
	botLists  shards[uuid.UUID, *botLists]    // bot lists by account
	blocks    shards[uuid.UUID, []*BlockList] // lists of blocked values by account, source or campaign; a list is never changed
	siteKeys  shards[string, *Account]        // accounts by their public key
	goalKeys  shards[goalSecret, *Account]    // accounts by the hash of a goal secret
	siteLists shards[uuid.UUID, []*Site]      // sites by account, the oldest first; a list is never changed
	goalLists shards[uuid.UUID, []*Goal]      // goals by site, the oldest first; a list is never changed
	botData   botdata.Set                     // the operator's lists, for all accounts
	secret    []byte                          // see SigningSecret; nil until it is known
}

// address is the domain and the alias of a tracking link, or the domain and the slug of a smartlink. Aliases and slugs
// are case-sensitive.
type address struct {
	domain uuid.UUID
	alias  string
}

// alias is an account and the word of a tracking link on any of the account's domains.
type alias struct {
	account uuid.UUID
	word    string
}

// Account has what routing needs of an account.
type Account struct {
	Row  store.RoutingAccount
	Zone *time.Location
	Bots bot.Settings
}

// DayStart returns the time at which the account's present day began.
func (a *Account) DayStart(now time.Time) time.Time {
	y, m, d := now.In(a.Zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, a.Zone)
}

func (a *Account) row() store.RoutingRow { return &a.Row }

// Domain is a host of tracking links.
type Domain struct{ store.RoutingDomain }

func (d *Domain) row() store.RoutingRow { return &d.RoutingDomain }
func (d *Domain) link(s *Snapshot)      { s.hosts.put(d.Host, d) }
func (d *Domain) unlink(s *Snapshot)    { release(&s.hosts, d.Host, d) }

// Serves reports whether a domain carries an account's traffic.
func (d *Domain) Serves(account uuid.UUID) bool {
	return !d.AccountID.Valid || d.AccountID.UUID == account
}

// Network is an affiliate network.
type Network struct {
	Row store.RoutingNetwork
	// Postbacks names the parameters in which the network's postbacks send each field. It is nil until the network's settings have
	// been read from PostgreSQL.
	Postbacks *postback.Network
}

func (n *Network) row() store.RoutingRow { return &n.Row }
func (n *Network) link(s *Snapshot)      { n.countParams(s, 1) }
func (n *Network) unlink(s *Snapshot)    { n.countParams(s, -1) }

// networkParam is a parameter, in lower case, in which a network of an account sends its secret or another field. The zero
// account stands for any account. An empty name stands for any parameter, for a network whose parameters are not known.
type networkParam struct {
	account uuid.UUID
	name    string
}

// countParams adds a number, which is 1 or -1, to the count of each parameter in which the network sends its secret or another field.
func (n *Network) countParams(s *Snapshot, by int) {
	if n.Postbacks == nil {
		n.countParam(&s.secrets, "", by)
		return
	}
	if name := n.Postbacks.SecretParam(); name != "" {
		n.countParam(&s.secrets, name, by)
	}
	for _, name := range n.Postbacks.OwnParams() {
		n.countParam(&s.mapped, name, by)
	}
}

func (n *Network) countParam(counts *shards[networkParam, int], name string, by int) {
	for _, k := range [...]networkParam{{n.Row.AccountID, name}, {uuid.Nil, name}} {
		count, _ := counts.get(k)
		if count += by; count > 0 {
			counts.put(k, count)
		} else {
			counts.remove(k)
		}
	}
}

// IsMapped reports whether any network of the account has settings that name this parameter. The parameter is given in lower
// case. With the zero account it looks at the networks of all accounts.
func (s *Snapshot) IsMapped(account uuid.UUID, name string) bool {
	_, ok := s.mapped.get(networkParam{account, name})
	return ok
}

// MayBeRead reports whether IsMapped or MayBeSecret is true for a parameter.
func (s *Snapshot) MayBeRead(account uuid.UUID, name string) bool {
	return s.IsMapped(account, name) || s.MayBeSecret(account, name)
}

// MayBeSecret reports whether a network of an account may send its secret in a parameter, given in lower case. With the zero
// account it reports this for any network.
func (s *Snapshot) MayBeSecret(account uuid.UUID, name string) bool {
	if _, ok := s.secrets.get(networkParam{account: account}); ok {
		return true
	}
	_, ok := s.secrets.get(networkParam{account, name})
	return ok
}

// Offer is an offer.
type Offer struct {
	Row     store.RoutingOffer
	URL     *token.Template // nil: the offer leads nowhere
	ref     *flow.Ref
	removed bool
}

func (o *Offer) row() store.RoutingRow {
	if o.removed {
		return nil
	}
	return &o.Row
}

// detach closes the offer's reference, which plans may still contain, so that no visitor is sent to the offer. If the row returns,
// the reference is opened again.
func (o *Offer) detach(*Builder) record {
	c := *o
	c.removed = true
	o.ref.SetPaused(true)
	o.ref.SetRecord(&c)
	return &c
}

// Lander is a landing page.
type Lander struct {
	Row     store.RoutingLander
	URL     *token.Template // nil: the page leads nowhere
	Guard   *Guard          // nil: every visitor is let in
	Removed bool
	ref     *flow.Ref
}

func (l *Lander) row() store.RoutingRow {
	if l.Removed {
		return nil
	}
	return &l.Row
}

// detach closes the lander's reference, as Offer.detach does for an offer.
func (l *Lander) detach(*Builder) record {
	c := *l
	c.Removed = true
	l.ref.SetPaused(true)
	l.ref.SetRecord(&c)
	return &c
}

// Campaign has what routing needs of a campaign.
type Campaign struct {
	Row          store.RoutingCampaign // the row without its flow
	Plan         *flow.Plan
	Price        Price
	CountsClicks bool // a condition or a daily cap of the flow needs the number of today's clicks
	unusable     bool // the saved flow cannot be used

	streams compressed  // the flow
	id      string      // Row.ID as text, as conditions see it
	hash    uint64      // see hashCampaign
	missing []uuid.UUID // offers and landers that did not exist when the plan was compiled
	rules   []ruleUse   // saved rules in the plan
}

// Text returns the id as text, as conditions see it.
func (c *Campaign) Text() string { return c.id }

// Linked reports whether the campaign's link leads anywhere: to its flow, or, while it is paused, to its fallback_url.
func (c *Campaign) Linked() bool {
	if c.Active() || c.Row.Status != models.CampaignPaused {
		return c.Active()
	}
	_, ok := c.Plan.Fallback()
	return ok
}

// Active reports whether the campaign routes by its flow.
func (c *Campaign) Active() bool { return c.Row.Status == "active" }

func (c *Campaign) row() store.RoutingRow { return &c.Row }

func (c *Campaign) fullRow() store.RoutingRow {
	row := c.Row
	row.Streams = c.streams.text()
	return &row
}

func (c *Campaign) link(s *Snapshot) {
	if c.Linked() {
		s.addresses.put(address{c.Row.DomainID, c.Row.Alias}, c)
	}
	insert(&s.aliases, alias{c.Row.AccountID, c.Row.Alias}, c)
}

func (c *Campaign) unlink(s *Snapshot) {
	release(&s.addresses, address{c.Row.DomainID, c.Row.Alias}, c)
	removeFromList(&s.aliases, alias{c.Row.AccountID, c.Row.Alias}, c)
}

func (c *Campaign) key() uuid.UUID { return c.Row.ID }

// Compile returns a snapshot that has only the records in r.
func Compile(r *store.Routing) *Snapshot { return (&Snapshot{}).Update(nil, r) }

// Update returns a snapshot in which the records with the given keys are replaced by the records in r. If r has no
// record for a key, the record with this key is removed.
func (s *Snapshot) Update(keys []store.RoutingKey, r *store.Routing) *Snapshot {
	return s.builder().apply(keys, r)
}

// Find returns the domain of a host, and the campaign that an alias names on it. Each is nil if it is not found.
// A campaign whose link leads nowhere is not found.
func (s *Snapshot) Find(host, alias string) (*Domain, *Campaign) {
	d := s.Domain(host)
	if d == nil {
		return nil, nil
	}
	if c, ok := s.addresses.get(address{d.ID, alias}); ok {
		if !d.Serves(c.Row.AccountID) {
			return d, nil
		}
		return d, c
	}
	return d, s.findOnOtherDomain(d, alias)
}

// findOnOtherDomain returns the campaign for a link that is used on the account's domain d, although the campaign belongs to
// another domain. If several campaigns have the alias, only the oldest one is used. The result is nil if the link of that
// campaign leads nowhere. It is also nil if a smartlink or a campaign, even a paused one, has the alias on d itself, because pausing
// that record must not send its visitors to another campaign.
func (s *Snapshot) findOnOtherDomain(d *Domain, word string) *Campaign {
	if !d.AccountID.Valid {
		return nil
	}
	list, _ := s.aliases.get(alias{d.AccountID.UUID, word})
	isOfDomain := func(c *Campaign) bool { return c.Row.DomainID == d.ID }
	if len(list) == 0 || !list[0].Linked() || slices.ContainsFunc(list, isOfDomain) || s.isSmartlinkSlug(d, word) {
		return nil
	}
	return list[0]
}

// Domain returns the tracking domain of a host, or nil if the host is not a tracking domain.
func (s *Snapshot) Domain(host string) *Domain {
	d, _ := s.hosts.get(host)
	return d
}

// Campaign returns a campaign, active or not, or nil if it does not exist.
func (s *Snapshot) Campaign(id uuid.UUID) *Campaign { return find[*Campaign](s, campaigns, id) }

// Campaigns returns the number of campaigns.
func (s *Snapshot) Campaigns() int { return s.records[campaigns].size() }

// Account returns an account. It returns UnknownAccount if the snapshot does not have the account.
func (s *Snapshot) Account(id uuid.UUID) *Account {
	return cmp.Or(find[*Account](s, accounts, id), UnknownAccount)
}

// UnknownAccount is used in place of an account that is not in the snapshot.
var UnknownAccount = &Account{Zone: time.UTC}

// Source returns a traffic source, or NoSource if it does not exist.
func (s *Snapshot) Source(id uuid.NullUUID) *Source {
	return cmp.Or(find[*Source](s, sources, id.UUID), NoSource)
}

// Network returns an affiliate network, or nil if it does not exist.
func (s *Snapshot) Network(id uuid.UUID) *Network { return find[*Network](s, networks, id) }

// Lander returns a landing page, or nil if the snapshot does not have it.
func (s *Snapshot) Lander(id uuid.UUID) *Lander { return find[*Lander](s, landers, id) }

// Offer returns an offer, or nil if the snapshot does not have it.
func (s *Snapshot) Offer(id uuid.UUID) *Offer { return find[*Offer](s, offers, id) }

// SigningSecret returns the secret that signs the keys of protected landers, hop links and domain proofs, or nil while it is unknown.
func (s *Snapshot) SigningSecret() []byte { return s.secret }

// refOf returns the reference of an account's offer or lander, or nil if the account has no such record.
func (s *Snapshot) refOf(account, id uuid.UUID) *flow.Ref {
	if o := find[*Offer](s, offers, id); o != nil && o.Row.AccountID == account {
		return o.ref
	}
	if l := find[*Lander](s, landers, id); l != nil && l.Row.AccountID == account {
		return l.ref
	}
	return nil
}

// CappedOffers returns, by account, the offers that have a daily cap, and the offers that a former cap still keeps closed.
func (s *Snapshot) CappedOffers() map[uuid.UUID][]*Offer {
	m := map[uuid.UUID][]*Offer{}
	for o := range each[*Offer](s, offers) {
		if o.Row.DailyCap != nil || o.ref.Capped() {
			m[o.Row.AccountID] = append(m[o.Row.AccountID], o)
		}
	}
	return m
}

// SetConversions closes the offer if its conversions today, n, have reached its daily cap. Otherwise it opens the offer.
func (o *Offer) SetConversions(n int) {
	o.ref.SetCapped(o.Row.DailyCap != nil && n >= *o.Row.DailyCap)
}

// CountingAccounts returns the accounts with active campaigns whose flows need the number of today's clicks.
func (s *Snapshot) CountingAccounts() map[uuid.UUID]bool {
	m := map[uuid.UUID]bool{}
	for c := range each[*Campaign](s, campaigns) {
		if c.Active() && c.CountsClicks {
			m[c.Row.AccountID] = true
		}
	}
	return m
}

// Versions returns the version of each record's row.
func (s *Snapshot) Versions() map[store.RoutingKey]int64 {
	m := make(map[store.RoutingKey]int64)
	for k := range kindCount {
		for r := range each[record](s, k) {
			if row := r.row(); row != nil {
				m[row.Head().RoutingKey] = row.Head().Version
			}
		}
	}
	return m
}

// OfferOf returns the offer of a reference, or nil if the reference is not to an offer.
func OfferOf(r *flow.Ref) *Offer { return recordOf[*Offer](r) }

// LanderOf returns the lander of a reference, or nil if the reference is not to a lander.
func LanderOf(r *flow.Ref) *Lander { return recordOf[*Lander](r) }

func recordOf[R record](r *flow.Ref) (out R) {
	if r != nil {
		out, _ = r.Record().(R)
	}
	return out
}
