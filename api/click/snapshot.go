package click

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/bot"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// snapshot is an immutable picture of everything that routes. References to offers and landers are shared by all
// snapshots and by the plans of campaigns: a change of an offer shows in every campaign and compiles none anew.
type snapshot struct {
	accounts  shards[uuid.UUID, *account]
	domains   shards[uuid.UUID, *store.RoutingDomain]
	hosts     shards[string, *store.RoutingDomain]
	sources   shards[uuid.UUID, *source]
	networks  shards[uuid.UUID, *network]
	refs      shards[uuid.UUID, *flow.Ref] // offers and landers
	rules     shards[uuid.UUID, *rule]
	campaigns shards[uuid.UUID, *campaign]
	addresses shards[address, *campaign] // active campaigns only

	smartlinks shards[uuid.UUID, *smartlink]
	slugs      shards[address, *smartlink]
	signer     *signer // of keys of protected landers; nil until it is known
}

// address is where a tracking link points; aliases tell upper from lower case.
type address struct {
	domain uuid.UUID
	alias  string
}

type account struct {
	row  store.RoutingAccount
	zone *time.Location
	bots bot.Settings
}

// offer is the record of an offer's reference.
type offer struct {
	row  store.RoutingOffer
	url  *token.Template
	gone bool
}

// lander is the record of a lander's reference.
type lander struct {
	row   store.RoutingLander
	url   *token.Template
	guard *guard // nil: everybody is let in
	gone  bool
}

type network struct{ row store.RoutingNetwork }

// campaign is one campaign ready to route. A campaign that is not active has no address and takes no hand-over.
type campaign struct {
	row         store.RoutingCampaign // without its flow
	streams     packed                // the flow
	id          string                // the id as conditions see it
	plan        *flow.Plan
	fallback    *token.Template
	destination *token.Template
	price       price
	hash        uint64      // of its flow and the settings around it
	counts      bool        // its flow looks at clicks of the day
	missing     []uuid.UUID // offers and landers that were not there when the plan was compiled
	rules       []ruleUse   // saved rules in the plan
}

func (c *campaign) active() bool { return c.row.Status == "active" }

// find gives the campaign that a host and an alias name, nil when there is none to route by.
func (s *snapshot) find(host, alias string) (*store.RoutingDomain, *campaign) {
	d, ok := s.hosts.get(host)
	if !ok {
		return nil, nil
	}
	c, ok := s.addresses.get(address{d.ID, alias})
	if !ok || !serves(d, c.row.AccountID) {
		return d, nil
	}
	return d, c
}

// serves tells whether a domain carries an account's traffic: its own, or every account's on a shared one.
func serves(d *store.RoutingDomain, account uuid.UUID) bool {
	return !d.AccountID.Valid || d.AccountID.UUID == account
}

// handover gives the campaign that another one hands over to: an active one of the same account.
func (s *snapshot) handover(from *campaign, id uuid.UUID) *campaign {
	c, ok := s.campaigns.get(id)
	if !ok || !c.active() || c.row.AccountID != from.row.AccountID {
		return nil
	}
	return c
}

func (s *snapshot) account(id uuid.UUID) *account {
	if a, ok := s.accounts.get(id); ok {
		return a
	}
	return unknownAccount
}

// unknownAccount stands in for the moment between the notices of a campaign and of its account.
var unknownAccount = &account{zone: time.UTC}

func (s *snapshot) source(id uuid.NullUUID) *source {
	if !id.Valid {
		return noSource
	}
	if src, ok := s.sources.get(id.UUID); ok {
		return src
	}
	return noSource
}

func (s *snapshot) network(id uuid.NullUUID) *network {
	if !id.Valid {
		return nil
	}
	n, _ := s.networks.get(id.UUID)
	return n
}

func asOffer(r *flow.Ref) *offer {
	if r == nil {
		return nil
	}
	o, _ := r.Record().(*offer)
	return o
}

func asLander(r *flow.Ref) *lander {
	if r == nil {
		return nil
	}
	l, _ := r.Record().(*lander)
	return l
}
