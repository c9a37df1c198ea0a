// Package alerts has the handlers of /alerts and of the channels to which alerts are sent.
package alerts

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	dbalerts "switchyard/db/alerts"
	"switchyard/db/click"
	"switchyard/db/clickcopy"
	"switchyard/db/conversion"
	"switchyard/db/copilot"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
)

// Deps are the dependencies of the handlers.
type Deps struct {
	Jobs *jobs.Client
	// Reports reads figures. Calls that use it need a place in their route's share.
	Reports dbalerts.Figures
	// Clicks is the log of clicks, whose copy in ClickHouse is checked.
	Clicks click.Log
	// Spool returns the number and lag of this process's clicks that wait to be stored. It is nil if clicks never wait.
	Spool func() spool.Stats
	// EgressAllow lists the networks of private addresses to which this service may send requests for a customer's URL.
	EgressAllow []netip.Prefix
	// EdgePublishing reports whether workers publish campaigns to an edge.
	EdgePublishing bool
	// Email reports whether workers send e-mail.
	Email bool
}

// Routes returns the routes of /alerts and below it.
func Routes(d Deps) []route.Route { return append(listRoutes(d), channelRoutes(d)...) }

// listRoutes returns the routes of /alerts.
func listRoutes(d Deps) []route.Route {
	return []route.Route{route.New("GET", "/alerts", "Account", "what needs attention now, since when, and what to do",
		route.Handle(d.listAlerts)).WithShare(route.Reads)}
}

// AlertList is the answer of GET /alerts.
type AlertList struct {
	Alerts    []Alert        `json:"alerts" doc:"newest first; at most 500 with the same cause"`
	Count     int            `json:"count"`
	CheckedAt *string        `json:"checkedAt" doc:"when the links were last checked; null before the first time"`
	Services  []AlertService `json:"services" doc:"the parts of the install and its checks, with their states"`

	UnmatchedPostbacks int `json:"unmatchedPostbacks" doc:"postbacks of the last seven days that found no click; at most 100 are counted"`
	OpenSuggestions    int `json:"openSuggestions" doc:"open suggestions of the Copilot"`
}

const (
	unmatchedDays = 7
	mostUnmatched = 100
)

// Alert is a problem that needs attention. It disappears as soon as its cause has ended.
type Alert struct {
	Type      string   `json:"type" enum:"link.broken,link.unsafe,domain.stray,domain.expiring,certificate.expiring,certificate.failing,dns_account.failing,network.failing,uploads.failing,uploads.stopped,oauth.revoked,oauth.failing,spend.failing,webhook.failing,source.failing,source.unfilled,geo_database.failing,postbacks.unmatched,postbacks.refused,postbacks.unread,clicks.unread,offer.capped,currency.unconverted,plan.limit_reached,plan.limit_near,rule.matched,clicks.behind,jobs.behind"`
	Severity  string   `json:"severity" enum:"warning,critical"`
	Kind      string   `json:"kind" enum:"offer,lander,domain,dns_account,oauth_connection,webhook,source,network,account,copilot_rule" doc:"the kind of record that id names"`
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	URL       *string  `json:"url" doc:"the record's URL with its tokens; a webhook's URL has no path if the caller may not change the webhook"`
	Message   string   `json:"message" doc:"what was found"`
	Do        string   `json:"do" doc:"what to do"`
	Status    *int     `json:"status" doc:"status of the answer to the last check; null: no answer came, or there was no check"`
	Threats   []string `json:"threats" doc:"for an unsafe link: the threats, in the words of the list of unsafe addresses that contains the link"`
	Since     string   `json:"since" doc:"when the problem began; for an offer at its cap: when the account's day began"`
	CheckedAt *string  `json:"checkedAt" doc:"when the record was last checked"`
}

// AlertService is a part of the install, or a check that the install makes.
type AlertService struct {
	Name      string  `json:"name" enum:"link_checks,safe_browsing,database,jobs,clicks,clickhouse,edge"`
	Status    string  `json:"status" enum:"ok,behind,failing,off,waiting" doc:"behind: it works, but its data are old; off: not set up on this install; waiting: not run yet"`
	Message   *string `json:"message"`
	CheckedAt *string `json:"checkedAt" doc:"when the service was last checked; for jobs: when the last scheduled job ran; for the edge: when it was last updated"`
}

func (d Deps) listAlerts(c *route.Call) (out AlertList, err error) {
	now := time.Now()
	if out.Services, out.CheckedAt, err = d.services(c, now); err != nil {
		return out, err
	}
	c.MustHavePlace()
	found, err := dbalerts.Reader{Store: c.Store, Figures: d.Reports}.List(c.Context(), c.Account, now)
	if err != nil {
		return out, err
	}
	out.Alerts, out.Count = answer.Each(found, alertAnswer), len(found)
	if !c.MayWriteAs(models.RoleMember) {
		for i, a := range found {
			if a.Kind == "webhook" {
				out.Alerts[i].URL = new(answer.MaskedURL(*a.URL))
			}
		}
	}
	out.UnmatchedPostbacks, err = conversion.CountUnmatched(c.Context(), c.Store.Conn(), c.Account.ID, now.AddDate(0, 0, -unmatchedDays),
		mostUnmatched)
	if err != nil {
		return out, err
	}
	out.OpenSuggestions, err = copilot.NewSuggestions(c.Store).CountOpen(c.Context(), c.Account.ID, now)
	return out, err
}

func alertAnswer(a dbalerts.Alert) Alert {
	return Alert{
		Type: a.Type, Severity: a.Severity, Kind: a.Kind, ID: a.ID.String(), Name: a.Name, URL: a.URL, Message: a.Message,
		Do: a.Do, Status: a.Status, Threats: append([]string{}, a.Threats...), Since: answer.Stamp(a.Since),
		CheckedAt: answer.StampOrNull(a.CheckedAt),
	}
}

// clockStopped is the time without a scheduled job after which the service "jobs" is reported as failing.
const clockStopped = 5 * time.Minute

// services returns the state of the parts of the install, and the time of the last check of links.
func (d Deps) services(c *route.Call, now time.Time) (out []AlertService, checked *string, err error) {
	stored, err := c.Store.Links().Services(c.Context())
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{models.ServiceLinkChecks, models.ServiceSafeBrowsing, models.ServiceJobs} {
		s := AlertService{Name: name, Status: models.ServiceWaiting}
		if i := slices.IndexFunc(stored, func(v models.LinkService) bool { return v.Name == name }); i >= 0 {
			s.Status, s.Message = stored[i].Status, answer.OrNull(stored[i].Message)
			s.CheckedAt = answer.StampOrNull(&stored[i].CheckedAt)
			if name == models.ServiceJobs && now.Sub(stored[i].CheckedAt) > clockStopped {
				s.setFailing("the scheduled jobs do not run: the queue, the clock (which starts these jobs) or all workers have stopped")
			}
		}
		if name == models.ServiceLinkChecks {
			checked = s.CheckedAt
		}
		out = append(out, s)
	}
	// Reading the services above has shown that the database answers.
	database := AlertService{Name: "database", Status: models.ServiceOK, CheckedAt: new(answer.Stamp(now))}
	clicks, err := d.clicksService(c, now)
	if err != nil {
		return nil, nil, err
	}
	clickhouse, err := d.clickhouseService(c, now)
	if err != nil {
		return nil, nil, err
	}
	edge, err := d.edgeService(c)
	return append(out, database, clicks, clickhouse, edge), checked, err
}

func (s *AlertService) setFailing(message string) {
	s.Status, s.Message = models.ServiceFailing, &message
}

// clicksService returns the state of the service "clicks", which fails if recorded clicks wait too long to be stored. The other
// web processes have stored their lag in PostgreSQL.
func (d Deps) clicksService(c *route.Call, now time.Time) (AlertService, error) {
	s := AlertService{Name: "clicks", Status: models.ServiceWaiting}
	stored, err := ingest.ReadStored(c.Context(), c.Store.Conn(), now)
	lag := time.Duration(0)
	if stored.Until != nil {
		lag = now.Sub(*stored.Until)
	}
	if d.Spool != nil {
		lag = max(lag, d.Spool().Lag)
	}
	if stored.Processes > 0 || d.Spool != nil {
		s.Status, s.CheckedAt = models.ServiceOK, answer.StampOrNull(&now)
	}
	if lag > ingest.Behind {
		s.setFailing(fmt.Sprintf("clicks are recorded and wait to be stored: figures are %s old", lag.Round(time.Second)))
	}
	return s, err
}

func (d Deps) clickhouseService(c *route.Call, now time.Time) (AlertService, error) {
	status, message, err := clickcopy.Health(c.Context(), d.Clicks)
	s := AlertService{Name: "clickhouse", Status: status, Message: answer.OrNull(message)}
	if status != models.ServiceOff {
		s.CheckedAt = answer.StampOrNull(&now)
	}
	return s, err
}

func (d Deps) edgeService(c *route.Call) (AlertService, error) {
	s := AlertService{Name: "edge", Status: models.ServiceOff}
	if !d.EdgePublishing {
		return s, nil
	}
	state, err := c.Store.Edge().State(c.Context(), c.Account.ID)
	s.Status, s.CheckedAt = models.ServiceWaiting, answer.StampOrNull(state.PublishedAt)
	switch {
	case state.Failure != "":
		s.setFailing(state.Failure)
	case state.PublishedAt != nil:
		s.Status = models.ServiceOK
	}
	return s, err
}
