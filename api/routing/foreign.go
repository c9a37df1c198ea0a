package routing

import (
	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/foreign"
)

// ForeignLink is a link of another tracker that leads to a campaign.
type ForeignLink struct{ store.RoutingForeignLink }

// foreignPlace is where a foreign link works: a domain of an account or, with the zero domain, all of its domains.
type foreignPlace struct{ account, domain uuid.UUID }

// foreignAddress is the place of a foreign link, with the form and the id of its URL as in foreign.Address.
type foreignAddress struct {
	foreignPlace

	form, id string
}

func (b *Builder) foreignLink(row *store.RoutingForeignLink, _ *ForeignLink) *ForeignLink {
	return &ForeignLink{*row}
}

func (l *ForeignLink) row() store.RoutingRow { return &l.RoutingForeignLink }

func (l *ForeignLink) address() foreignAddress {
	return addressOf(foreignPlace{l.AccountID, l.DomainID.UUID}, l.Form, l.ForeignID)
}

// addressOf returns the key by which a link is stored and looked up. A link of FormQuery (/click?key=) works in FormPHP
// (/click.php?key=) too, and the reverse, so both forms have the key of FormQuery.
func addressOf(at foreignPlace, form, id string) foreignAddress {
	if form == foreign.FormPHP {
		form = foreign.FormQuery
	}
	return foreignAddress{at, form, id}
}

func (l *ForeignLink) link(s *Snapshot) {
	s.foreign.put(l.address(), l)
	l.count(s, 1)
}

func (l *ForeignLink) unlink(s *Snapshot) {
	release(&s.foreign, l.address(), l)
	l.count(s, -1)
}

func (l *ForeignLink) count(s *Snapshot, by int) {
	at := l.address().foreignPlace
	n, _ := s.foreignOn.get(at)
	if n += by; n > 0 {
		s.foreignOn.put(at, n)
	} else {
		s.foreignOn.remove(at)
	}
}

// places returns the places whose foreign links work on a domain: the domain itself, and all domains of its account. On a shared domain
// no foreign links work, so the result is empty.
func places(d *Domain) []foreignPlace {
	if !d.AccountID.Valid {
		return nil
	}
	return []foreignPlace{{d.AccountID.UUID, d.ID}, {d.AccountID.UUID, uuid.Nil}}
}

// AnswersForeign reports whether a domain answers the addresses of other trackers: it does if its account has imported links for
// it or for all domains.
func (s *Snapshot) AnswersForeign(d *Domain) bool {
	for _, at := range places(d) {
		if _, ok := s.foreignOn.get(at); ok {
			return true
		}
	}
	return false
}

// ForeignCampaign returns the campaign to which a link of another tracker leads on a domain, or nil. If no link with the exact
// id leads to a campaign, it tries the id without a punctuation mark at its end. A link for the domain takes precedence over a
// link for all domains.
func (s *Snapshot) ForeignCampaign(d *Domain, a foreign.Address) *Campaign {
	for _, id := range []string{a.ID, models.TrimLink(a.ID)} {
		for _, at := range places(d) {
			l, ok := s.foreign.get(addressOf(at, a.Form, id))
			if !ok {
				continue
			}
			if c := s.Campaign(l.CampaignID); c != nil && c.Row.AccountID == at.account && c.Linked() {
				return c
			}
		}
	}
	return nil
}

// OldTracker returns the account's old tracker. Postbacks about that tracker's clicks are forwarded to it. The result is empty if
// no postbacks are forwarded.
func (s *Snapshot) OldTracker(account uuid.UUID) string {
	if account == uuid.Nil {
		return ""
	}
	return s.Account(account).Row.OldTracker
}

// HasOldClicks reports whether an account has clicks that were brought over from another tracker.
func (s *Snapshot) HasOldClicks(account uuid.UUID) bool {
	return account != uuid.Nil && s.Account(account).Row.HasOldClicks
}
