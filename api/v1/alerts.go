package v1

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/rates"
	"switchyard/db/store"
	"switchyard/models"
)

// alerts are the rows of /alerts.
func alerts(d Deps) []route.Route {
	return []route.Route{{
		Method: "GET", Path: "/alerts", Group: "Account",
		Summary: "what needs attention now: broken and unsafe links, domains that lead elsewhere or get no certificate, failing webhook endpoints, traffic sources " +
			"that cannot be told of conversions, amounts without an exchange rate, a geo database that does not answer, ad platforms that somebody has to sign in at again, networks whose postbacks are not matched or not believed, offers at their daily cap, a passed allowance",
		Share: route.Reads, Handle: route.Do(d.listAlerts),
	}}
}

// AlertList is the answer of GET /alerts.
type AlertList struct {
	Alerts    []Alert        `json:"alerts" doc:"the latest first; at most 500 broken and 500 unsafe links"`
	Count     int            `json:"count"`
	CheckedAt *string        `json:"checkedAt" doc:"when the links were last checked; null before the first time"`
	Services  []AlertService `json:"services" doc:"the checks that alerts come from"`
}

// Alert is one thing that needs attention. It goes away by itself once its cause does.
type Alert struct {
	Type      string   `json:"type" enum:"link.broken,link.unsafe,domain.stray,certificate.expiring,certificate.failing,dns_account.failing,network.failing,uploads.failing,uploads.stopped,oauth.revoked,oauth.failing,spend.failing,webhook.failing,source.failing,geo_database.failing,postbacks.unmatched,postbacks.refused,offer.capped,currency.unconverted,plan.limit_reached"`
	Severity  string   `json:"severity" enum:"warning,critical"`
	Kind      string   `json:"kind" enum:"offer,lander,domain,dns_account,oauth_connection,webhook,source,network,account" doc:"what id is the id of"`
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	URL       *string  `json:"url" doc:"as the record has it, with its tokens"`
	Message   string   `json:"message"`
	Status    *int     `json:"status" doc:"what the last check was answered; null when no answer came or there is none"`
	Threats   []string `json:"threats" doc:"of an unsafe link, in the list's own words"`
	Since     string   `json:"since" doc:"of an offer at its cap: when the account's day began"`
	CheckedAt *string  `json:"checkedAt" doc:"when it was last looked at"`
}

// AlertService is a kind of check.
type AlertService struct {
	Name      string  `json:"name" enum:"link_checks,safe_browsing"`
	Status    string  `json:"status" enum:"ok,failing,off,waiting" doc:"off: not set up on this install; waiting: not run yet"`
	Message   *string `json:"message"`
	CheckedAt *string `json:"checkedAt"`
}

func (d Deps) listAlerts(c *route.Call) (AlertList, error) {
	out := AlertList{Alerts: []Alert{}}
	services, err := c.Store.Links().Services(c.Context())
	if err != nil {
		return out, err
	}
	out.Services, out.CheckedAt = showServices(services)
	for _, find := range []func(*route.Call) ([]Alert, error){
		brokenLinks, unsafeLinks, failingWebhooks, failingSources, failingGeoDatabase, badPostbacks, strayDomains, troubledCertificates, failingDNSAccounts, failingNetworks, troubledUploads, troubledConnections, failingSpend, unconvertedMoney, d.cappedOffers, passedLimit,
	} {
		found, err := find(c)
		if err != nil {
			return out, err
		}
		out.Alerts = append(out.Alerts, found...)
	}
	slices.SortStableFunc(out.Alerts, func(a, b Alert) int { return cmp.Compare(b.Since, a.Since) })
	out.Count = len(out.Alerts)
	return out, nil
}

// showServices gives every kind of check, and when links were last checked.
func showServices(have []models.LinkService) (out []AlertService, checked *string) {
	for _, name := range []string{models.ServiceLinkChecks, models.ServiceSafeBrowsing} {
		s := AlertService{Name: name, Status: models.ServiceWaiting}
		if i := slices.IndexFunc(have, func(v models.LinkService) bool { return v.Name == name }); i >= 0 {
			s.Status, s.Message = have[i].Status, answer.OrNull(have[i].Message)
			s.CheckedAt = answer.StampOrNull(&have[i].CheckedAt)
		}
		if name == models.ServiceLinkChecks {
			checked = s.CheckedAt
		}
		out = append(out, s)
	}
	return out, checked
}

func linkAlert(p models.LinkProblem, kind, severity, message string) Alert {
	return Alert{
		Type: kind, Severity: severity, Kind: p.Kind, ID: p.ID.String(), Name: p.Name, URL: &p.URL, Message: message,
		Status: p.State.Status, Threats: append([]string{}, p.Threats...), Since: answer.Stamp(p.Since),
		CheckedAt: answer.StampOrNull(p.CheckedAt),
	}
}

func brokenLinks(c *route.Call) ([]Alert, error) {
	links, err := c.Store.Links().Broken(c.Context(), c.Account.ID)
	return answer.Each(links, func(p models.LinkProblem) Alert {
		return linkAlert(p, models.EventLinkBroken, "warning", p.State.Error)
	}), err
}

func unsafeLinks(c *route.Call) ([]Alert, error) {
	links, err := c.Store.Links().Unsafe(c.Context(), c.Account.ID)
	return answer.Each(links, func(p models.LinkProblem) Alert {
		message := "listed as " + strings.Join(p.Threats, ", ")
		if p.FailedOver > 0 {
			message += fmt.Sprintf("; %d campaigns moved to %s", p.FailedOver, p.FailedOverTo)
		}
		return linkAlert(p, models.EventLinkUnsafe, "critical", message)
	}), err
}

// failingWebhooks lists the active endpoints whose last attempts all failed, models.FailingReceiver of them at least.
func failingWebhooks(c *route.Call) ([]Alert, error) {
	hooks, err := c.Store.Webhooks().List(c.Context(), c.Account.ID)
	var out []Alert
	for _, w := range hooks {
		if !w.Active || w.FailingSince == nil || w.Failures < models.FailingReceiver {
			continue
		}
		out = append(out, Alert{
			Type: "webhook.failing", Severity: "warning", Kind: "webhook", ID: w.ID.String(), Name: w.Name, URL: &w.URL,
			Message: fmt.Sprintf("the last %d attempts to deliver failed", w.Failures), Threats: []string{},
			Since: answer.Stamp(*w.FailingSince),
		})
	}
	return out, err
}

// strayDomains lists the domains that lead elsewhere although links are on them.
func strayDomains(c *route.Call) ([]Alert, error) {
	found, err := c.Store.Domains().Stray(c.Context(), c.Account.ID, time.Now())
	return answer.Each(found, func(d store.StrayDomain) Alert {
		end := " Links on it stop working on " + d.Since.Add(models.UnverifyAfter).UTC().Format(time.DateOnly) + "."
		switch {
		case !d.IsVerified:
			end = " Links on it do not work until it is verified again."
		case d.ByOperator:
			end = ""
		}
		return Alert{
			Type: "domain.stray", Severity: "critical", Kind: "domain", ID: d.ID.String(), Name: d.Host, Message: d.Detail + end,
			Threats: []string{}, Since: answer.Stamp(d.Since), CheckedAt: answer.StampOrNull(&d.CheckedAt),
		}
	}), err
}

// troubledCertificates lists the domains whose certificate ends soon and was not renewed, or cannot be had.
func troubledCertificates(c *route.Call) ([]Alert, error) {
	now := time.Now()
	found, err := c.Store.Certificates().Troubled(c.Context(), c.Account.ID, now)
	return answer.Each(found, func(k models.Certificate) Alert {
		a := Alert{
			Type: "certificate.failing", Severity: "critical", Kind: "domain", ID: k.DomainID.String(), Name: k.Hostname, Threats: []string{},
			Since: answer.Stamp(k.ChangedAt), CheckedAt: answer.StampOrNull(k.CheckedAt),
			Message: "its HTTPS certificate could not be had: " + cmp.Or(k.Failure, strings.Join(k.Errors, "; "), "it is "+k.SSLStatus),
		}
		if k.FailingSince != nil {
			a.Since = answer.Stamp(*k.FailingSince)
		}
		if k.ExpiresAt == nil || !k.ExpiresAt.Before(now.Add(store.CertificateExpiresSoon)) {
			return a
		}
		a.Type, a.Since = "certificate.expiring", answer.Stamp(k.ExpiresAt.Add(-store.CertificateExpiresSoon))
		a.Message = "its HTTPS certificate ends on " + k.ExpiresAt.UTC().Format(time.DateOnly) + " and was not renewed"
		if k.Failure != "" {
			a.Message += ": " + k.Failure
		}
		if k.ExpiresAt.After(now.Add(store.CertificateExpiresSoon / 4)) {
			a.Severity = "warning"
		}
		return a
	}), err
}

// failingDNSAccounts lists the DNS accounts that did not work when they were last asked.
func failingDNSAccounts(c *route.Call) ([]Alert, error) {
	connected, err := c.Store.DNSAccounts().List(c.Context(), c.Account.ID)
	var out []Alert
	for _, a := range connected {
		if a.FailingSince == nil {
			continue
		}
		out = append(out, Alert{
			Type: "dns_account.failing", Severity: "warning", Kind: "dns_account", ID: a.ID.String(), Name: a.Name(),
			Message: a.Failure + "; see POST /integrations/test", Threats: []string{}, Since: answer.Stamp(*a.FailingSince),
			CheckedAt: answer.StampOrNull(a.CheckedAt),
		})
	}
	return out, err
}

// failingNetworks lists the networks whose orders could not be imported several times in a row.
func failingNetworks(c *route.Call) ([]Alert, error) {
	found, err := c.Store.NetworkIntegrations().Failing(c.Context(), c.Account.ID)
	return failingIntegrations("network.failing", "network", found), err
}

func failingIntegrations(of, kind string, list []store.FailingIntegration) []Alert {
	return answer.Each(list, func(i store.FailingIntegration) Alert {
		return Alert{
			Type: of, Severity: "warning", Kind: kind, ID: i.ID.String(), Name: i.Name,
			Message: fmt.Sprintf("asking %s failed %d times in a row: %s", i.Provider, i.Failures, i.Failure), Threats: []string{},
			Since: answer.Stamp(i.Since), CheckedAt: answer.StampOrNull(i.CheckedAt),
		}
	})
}

// unconvertedMoney lists the currencies whose amounts count no money, as some day has no rate.
func unconvertedMoney(c *route.Call) ([]Alert, error) {
	found, err := c.Store.Unconverted(c.Context(), c.Account.ID)
	return answer.Each(found, func(u rates.Unconverted) Alert {
		return Alert{
			Type: "currency.unconverted", Severity: "critical", Kind: "account", ID: c.Account.ID.String(), Name: u.Currency,
			Message: fmt.Sprintf("amounts in %s count no money on %d days from %s on: there is no rate to %s. They will count once there is one",
				u.Currency, u.Days, u.First.UTC().Format(time.DateOnly), c.Account.Currency),
			Threats: []string{}, Since: answer.Stamp(u.Since),
		}
	}), err
}

// troubledConnections lists the connections by sign-in that the platform takes no longer, or whose tokens cannot be renewed.
func troubledConnections(c *route.Call) ([]Alert, error) {
	found, err := c.Store.OAuthConnections().Troubled(c.Context(), c.Account.ID, time.Now())
	return answer.Each(found, func(k models.OAuthConnection) Alert {
		a := Alert{
			Type: "oauth.failing", Severity: "warning", Kind: "oauth_connection", ID: k.ID.String(), Name: k.Name(), Threats: []string{},
			Message: "its tokens could not be renewed: " + k.Failure, Since: answer.Stamp(*k.Since),
		}
		if k.Status == models.OAuthRevoked {
			a.Type, a.Severity, a.Message = "oauth.revoked", "critical", "the platform takes the sign-in no longer, sign in again: "+k.Failure
		}
		return a
	}), err
}

// failingSpend lists the traffic sources whose spend could not be read several times in a row.
func failingSpend(c *route.Call) ([]Alert, error) {
	found, err := c.Store.SourceIntegrations().Failing(c.Context(), c.Account.ID)
	return failingIntegrations("spend.failing", "source", found), err
}

// failingGeoDatabase is the alert of a geo database whose last look-up failed.
func failingGeoDatabase(c *route.Call) ([]Alert, error) {
	g, err := c.Store.GeoDatabases().Find(c.Context(), c.Account.ID)
	switch {
	case errors.Is(err, models.NotFound("geo database")):
		return nil, nil
	case err != nil || !g.Enabled || g.FailingSince == nil:
		return nil, err
	}
	return []Alert{{
		Type: "geo_database.failing", Severity: "warning", Kind: "account", ID: c.Account.ID.String(), Name: g.Provider,
		Message: g.Failure + ": clicks are described by the service's own databases; see PUT /geo-database", Threats: []string{},
		Since: answer.Stamp(*g.FailingSince),
	}}, nil
}

// cappedOffers lists the offers that have reached their daily cap today.
func (d Deps) cappedOffers(c *route.Call) ([]Alert, error) {
	offers, err := c.Store.Offers().WithCap(c.Context(), c.Account.ID)
	if err != nil {
		return nil, err
	}
	capped, err := d.cappedToday(c, offers)
	var out []Alert
	for _, o := range offers {
		if err != nil || !capped(o) {
			continue
		}
		out = append(out, Alert{
			Type: "offer.capped", Severity: "warning", Kind: "offer", ID: o.ID.String(), Name: o.Name, URL: &o.URL,
			Message: fmt.Sprintf("it has its %d conversions of the day: visitors are sent elsewhere", *o.DailyCap),
			Threats: []string{}, Since: answer.Stamp(c.Account.DayStart(time.Now())),
		})
	}
	return out, err
}

// passedLimit gives the passed allowance of this month, unless the plan has a larger one by now.
func passedLimit(c *route.Call) ([]Alert, error) {
	l, err := c.Store.Usage().Limit(c.Context(), c.Account.ID, time.Now())
	if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound {
		return nil, nil
	}
	if err != nil || l.Plan != c.Account.Plan {
		return nil, err
	}
	return []Alert{{
		Type: models.EventPlanLimitReached, Severity: "warning", Kind: "account", ID: l.AccountID.String(),
		Name: c.Account.Name, Message: fmt.Sprintf("the month's clicks passed the %d of the plan %q", l.Allowance, l.Plan),
		Threats: []string{}, Since: answer.Stamp(l.ReachedAt),
	}}, nil
}
