package botlist

import (
	"bytes"
	"net/netip"
	"slices"

	"github.com/gaissmai/bart"
	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
)

// Lists holds the entries of an account in a form in which visitors can be looked up. Nil means that the account has no entries.
type Lists struct{ allow, deny list }

// list holds the entries of one type. all has the entries for every campaign. campaigns has the entries of single campaigns.
type list struct {
	all       *scope
	campaigns map[uuid.UUID]*scope
}

// scope is a set of entries. Its maps and tables map values to the ids of entries.
type scope struct {
	networks *bart.Table[uuid.UUID]
	texts    []texts
	searches []search
}

// texts holds the values with which an attribute is compared for equality, ignoring case.
type texts struct {
	attr   cond.Attr
	values map[string]uuid.UUID
}

type search struct {
	entry uuid.UUID
	*cond.Matcher
}

// Compile prepares the entries of an account. If two entries have the same value, the older entry counts. An entry that cannot
// be compiled matches no visitor.
func Compile(entries []*models.BotEntry) *Lists {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b *models.BotEntry) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	l := &Lists{}
	for _, e := range entries {
		to := &l.deny
		if e.ListType == models.BotAllow {
			to = &l.allow
		}
		to.scopeOf(e.CampaignID).add(e)
	}
	return l
}

func (l *list) scopeOf(campaign uuid.NullUUID) *scope {
	if !campaign.Valid {
		if l.all == nil {
			l.all = &scope{}
		}
		return l.all
	}
	if l.campaigns == nil {
		l.campaigns = map[uuid.UUID]*scope{}
	}
	if l.campaigns[campaign.UUID] == nil {
		l.campaigns[campaign.UUID] = &scope{}
	}
	return l.campaigns[campaign.UUID]
}

func (s *scope) add(e *models.BotEntry) {
	switch {
	case byAddress(e):
		s.addNetworks(e)
	case e.Operator == equals:
		s.addTexts(e)
	default:
		if m, err := compile(e); err == nil {
			s.searches = append(s.searches, search{e.ID, m})
		}
	}
}

func (s *scope) addNetworks(e *models.BotEntry) {
	if s.networks == nil {
		s.networks = &bart.Table[uuid.UUID]{}
	}
	for _, v := range e.Value {
		for _, p := range cond.ParseRange(v).Prefixes() {
			if _, taken := s.networks.Get(p); !taken {
				s.networks.Insert(p, e.ID)
			}
		}
	}
}

func (s *scope) addTexts(e *models.BotEntry) {
	attr := attrOf(e.Attribute)
	i := slices.IndexFunc(s.texts, func(t texts) bool { return t.attr == attr })
	if i < 0 {
		i, s.texts = len(s.texts), append(s.texts, texts{attr, map[string]uuid.UUID{}})
	}
	for _, v := range e.Value {
		folded := string(cond.Fold(v))
		if _, taken := s.texts[i].values[folded]; !taken {
			s.texts[i].values[folded] = e.ID
		}
	}
}

// Judge returns the entry that a visitor of a campaign matches, or the zero id. Allow entries come before deny entries.
func (l *Lists) Judge(f *cond.Facts, addr netip.Addr, campaign uuid.UUID) (entry uuid.UUID, allowed bool) {
	if l == nil {
		return uuid.Nil, false
	}
	if id := l.allow.find(f, addr, campaign); id != uuid.Nil {
		return id, true
	}
	return l.deny.find(f, addr, campaign), false
}

func (l *list) find(f *cond.Facts, addr netip.Addr, campaign uuid.UUID) uuid.UUID {
	if l.all != nil {
		if id := l.all.find(f, addr); id != uuid.Nil {
			return id
		}
	}
	if s := l.campaigns[campaign]; s != nil {
		return s.find(f, addr)
	}
	return uuid.Nil
}

func (s *scope) find(f *cond.Facts, addr netip.Addr) uuid.UUID {
	if s.networks != nil && addr.IsValid() {
		if id, ok := s.networks.Lookup(addr.Unmap()); ok {
			return id
		}
	}
	for i := range s.texts {
		t := &s.texts[i]
		if !f.Known(t.attr) {
			continue
		}
		if id, ok := t.values[string(f.Folded(t.attr))]; ok {
			return id
		}
	}
	for i := range s.searches {
		if s.searches[i].Match(f) {
			return s.searches[i].entry
		}
	}
	return uuid.Nil
}
