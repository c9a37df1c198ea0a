package routing

import (
	"encoding/json"
	"log/slog"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/token"
)

// Smartlink is one smartlink ready to route.
type Smartlink struct {
	Row        store.RoutingSmartlink
	AsCampaign *Campaign // stands for the smartlink where tokens need a campaign

	rules       []smartRule
	destination *token.Template // for visitors that no rule matches; nil: they are sent nowhere
	unusable    bool            // at least one of its rules cannot be used
}

type smartRule struct {
	id    uuid.UUID
	match *cond.Matcher
	url   *token.Template
}

// smartlink compiles a smartlink. A rule that cannot be used is left out, so that visitors still arrive somewhere.
func (b *Builder) smartlink(row *store.RoutingSmartlink, _ *Smartlink) *Smartlink {
	l := &Smartlink{Row: *row, destination: compileURL(row.DestinationURL)}
	l.AsCampaign = &Campaign{Row: store.RoutingCampaign{
		AccountID: row.AccountID, Name: row.Name, Alias: row.Slug, DomainID: row.DomainID, SourceID: row.SourceID,
	}}
	if row.Paused {
		return l
	}
	var rules []models.SmartlinkRule
	if err := json.Unmarshal(row.Rules, &rules); err != nil {
		slog.Error("the rules of a smartlink cannot be used", "smartlink_id", row.ID, "error", err)
		l.unusable = true
	}
	var cost cond.Cost
	for _, r := range rules {
		match, err := cond.Compile(r.Conditions, r.Logic)
		url := compileURL(r.DestinationURL)
		if err == nil {
			cost = cost.Plus(match.Cost())
			err = cost.Check(cond.FlowBudget)
		}
		if err != nil || url == nil {
			slog.Error("a rule of a smartlink cannot be used", "smartlink_id", row.ID, "rule_id", r.ID, "error", err)
			l.unusable = true
			continue
		}
		match.DiscardConditions() // routing needs only the compiled form
		l.rules = append(l.rules, smartRule{r.ID, match, url})
	}
	return l
}

func (l *Smartlink) row() store.RoutingRow { return &l.Row }
func (l *Smartlink) link(s *Snapshot)      { s.slugs.put(address{l.Row.DomainID, l.Row.Slug}, l) }
func (l *Smartlink) unlink(s *Snapshot)    { release(&s.slugs, address{l.Row.DomainID, l.Row.Slug}, l) }

// Smartlink returns the smartlink with a slug on a domain. It returns nil if there is no such smartlink, if it is paused, or
// if the domain does not serve its account.
func (s *Snapshot) Smartlink(d *Domain, slug string) *Smartlink {
	l, ok := s.slugs.get(address{d.ID, slug})
	if !ok || l.Row.Paused || !d.Serves(l.Row.AccountID) {
		return nil
	}
	return l
}

// isSmartlinkSlug reports whether a slug on a domain belongs to a smartlink, even to a paused one.
func (s *Snapshot) isSmartlinkSlug(d *Domain, slug string) bool {
	l, ok := s.slugs.get(address{d.ID, slug})
	return ok && d.Serves(l.Row.AccountID)
}

// Choose returns the id of the first rule that matches, its address, and the text of that address. If no rule matches, it returns
// the zero id and the smartlink's own destination.
func (l *Smartlink) Choose(f *cond.Facts) (rule uuid.UUID, url *token.Template, text string) {
	for i := range l.rules {
		if l.rules[i].match.Match(f) {
			return l.rules[i].id, l.rules[i].url, l.rules[i].url.Source()
		}
	}
	return uuid.Nil, l.destination, l.Row.DestinationURL
}
