package click

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// smartlink is one smartlink ready to route. As is what tokens see in place of a campaign.
type smartlink struct {
	row         store.RoutingSmartlink
	as          *campaign
	rules       []smartRule
	destination *token.Template // nil: nowhere
}

type smartRule struct {
	id    uuid.UUID
	match *cond.Matcher
	url   *token.Template
}

// putSmartlink compiles a smartlink. A rule that cannot be used is left out, so that visitors still arrive somewhere.
func (d *draft) putSmartlink(row store.RoutingSmartlink) {
	d.removeSmartlink(row.ID)
	l := &smartlink{row: row, destination: compileURL(row.DestinationURL)}
	l.as = &campaign{row: store.RoutingCampaign{
		AccountID: row.AccountID, Name: row.Name, Alias: row.Slug, DomainID: row.DomainID, SourceID: row.SourceID,
	}}
	var rules []models.SmartlinkRule
	if err := json.Unmarshal(row.Rules, &rules); err != nil {
		slog.Error("the rules of a smartlink cannot be used", "smartlink_id", row.ID, "error", err)
	}
	for _, r := range rules {
		match, err := cond.Compile(r.Conditions, r.Logic)
		url := compileURL(r.DestinationURL)
		if err != nil || url == nil {
			slog.Error("a rule of a smartlink cannot be used", "smartlink_id", row.ID, "rule_id", r.ID, "error", err)
			continue
		}
		l.rules = append(l.rules, smartRule{r.ID, match, url})
	}
	d.smartlinks.put(row.ID, l)
	d.slugs.put(address{row.DomainID, row.Slug}, l)
}

// removeSmartlink frees the address of a smartlink, unless another one has taken it meanwhile.
func (d *draft) removeSmartlink(id uuid.UUID) {
	old, ok := d.smartlinks.get(id)
	if !ok {
		return
	}
	at := address{old.row.DomainID, old.row.Slug}
	if now, ok := d.slugs.get(at); ok && now.row.ID == id {
		d.slugs.remove(at)
	}
	d.smartlinks.remove(id)
}

// smartlink gives the smartlink that a domain and a slug name, nil when there is none to route by.
func (s *snapshot) smartlink(d *store.RoutingDomain, slug string) *smartlink {
	l, ok := s.slugs.get(address{d.ID, slug})
	if !ok || !serves(d, l.row.AccountID) {
		return nil
	}
	return l
}

// shortLink answers a word that is no campaign's.
func (h *Handler) shortLink(w http.ResponseWriter, req *http.Request, d *store.RoutingDomain, word string) {
	if l := h.keeper.current.Load().smartlink(d, word); l != nil {
		h.follow(w, req, d, l)
		return
	}
	notFound(w)
}

// follow answers a smartlink: the first rule that matches the visitor says where he goes.
func (h *Handler) follow(w http.ResponseWriter, req *http.Request, d *store.RoutingDomain, l *smartlink) {
	start := time.Now()
	r := h.take(req)
	defer h.give(r)
	r.domain, r.camp, r.isHTTPS = d, l.as, h.isHTTPS(req)
	r.account, r.source = r.snap.account(l.row.AccountID), r.snap.source(l.row.SourceID)
	r.meet(l)
	rule, template, where := l.choose(&r.facts)
	r.out = r.expand(r.out[:0], template, nil)
	if len(r.out) == 0 {
		notFound(w)
		return
	}
	r.click.Destination = string(r.out)
	if r.counted {
		h.record(spool.Record{Smart: &models.SmartlinkClick{
			Click: r.click, SmartlinkID: l.row.ID, RuleID: rule, DestinationURL: where,
		}})
		if r.known.isNew {
			r.setCookie(w.Header(), visitorCookie, visitorAge, r.click.VisitorID)
		}
	}
	r.send(w, flow.Transition302)
	h.metrics.seconds.Observe(time.Since(start).Seconds())
}

// meet fills the click with what is known before a rule is chosen. A visitor is unique whom the domain has not seen
// before, as far as his cookies tell.
func (r *request) meet(l *smartlink) {
	c := &r.click
	r.readQuery(r.http.URL.RawQuery)
	c.AccountID, c.Domain = l.row.AccountID, r.domain.Host
	if l.row.SourceID.Valid && r.source != noSource {
		c.SourceID = l.row.SourceID.UUID
	}
	c.Params = postback.Clean(r.http.URL.RawQuery, maxParams)
	r.readSubs()
	c.ExternalID = received(r.externalID())
	r.identify()
	r.unique = r.known.isNew
	r.describe()
	r.judge()
	r.facts.SetText(cond.SourceID, idText(c.SourceID))
	r.facts.SetBool(cond.IsUnique, r.unique)
	r.counted = r.http.Method == http.MethodGet && r.seen.Signals&(bot.Prefetch|bot.HeadRequest) == 0
	if r.counted {
		c.ID = models.NewClickID()
	}
}

// choose gives the rule (the zero id for none), its address and the address as it was saved.
func (l *smartlink) choose(f *cond.Facts) (rule uuid.UUID, url *token.Template, source string) {
	for i := range l.rules {
		if l.rules[i].match.Match(f) {
			return l.rules[i].id, l.rules[i].url, l.rules[i].url.Source()
		}
	}
	return uuid.Nil, l.destination, l.row.DestinationURL
}
