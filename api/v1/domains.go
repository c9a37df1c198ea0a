package v1

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
)

// domains returns the routes of /domains.
func domains(d Deps) []route.Route {
	res := resource.Kind[store.Domains, models.Domain, DomainRow]{
		Group: "Domains", Path: "/domains", Table: (*store.Store).Domains,
	}
	edge := slices.Concat(answer.IDCodes, route.Codes("502 edge_*", "503 edge_not_configured"))
	add := res.Row("POST", "", "add one or more domains", route.HandleBody(d.addDomains),
		route.Codes("400 required too_long invalid_domain too_many reserved_domain invalid_dns_account "+
			"dns_account_not_found invalid_index_page", "402 plan_limit", "409 shared_domain duplicate")).
		Creates().Awaits(addDomainsJob.Answer())
	add.SlowWhen = namesDNSAccount
	verify := res.Row("POST", "/{id}/verify", "check that the domain points at the tracker and serves HTTPS",
		route.HandleRecord(res.Table, d.verifyDomain), route.Codes("503 tracking_domain_unset"), answer.IDCodes).
		WithShare(route.Sends).Awaits(verifyDomainJob.Answer())
	verify.Checks = true
	return []route.Route{
		res.Row("GET", "", "the account's tracking domains, and the shared link domains", route.Handle(d.listDomains)).WithPage(),
		add,
		res.Row("PATCH", "", "replace the settings of a domain, or make it the default", route.HandleBody(changeDomain),
			route.Codes("400 invalid_index_page", "409 domain_unsafe"), answer.IDCodes),
		res.Row("DELETE", "", "delete a domain", route.Handle(deleteDomain), route.Codes("409 domain_in_use"), answer.IDCodes).
			WithQuery(answer.QueryID...),
		res.Row("POST", "/{id}/certificate", "request the HTTPS certificate at the edge",
			route.HandleRecord(res.Table, atEdge(d, requestCertificateJob)), edge).
			Creates().WithShare(route.Sends).Awaits(requestCertificateJob.Answer()),
		res.Row("GET", "/{id}/certificate", "the certificate's state at the edge", route.HandleRecord(res.Table, atEdge(d, readCertificateJob)), edge).
			WithShare(route.Sends).Awaits(readCertificateJob.Answer()),
		res.Row("DELETE", "/{id}/certificate", "release the certificate", route.HandleRecord(res.Table, atEdge(d, releaseCertificateJob)), edge).
			WithShare(route.Sends).Awaits(releaseCertificateJob.Answer()),
		res.Row("POST", "/{id}/point", "point the domain at the tracker through a connected DNS account",
			route.HandleRecord(res.Table, d.pointDomain), route.Codes("400 no_provider", "404 not_found")).
			WithShare(route.Sends).Awaits(pointDomainJob.Answer()),
		verify,
	}
}

// DomainRow is a domain in the list.
type DomainRow struct {
	models.Domain
	DNSRecords []models.DNSRecord `json:"dns_records" doc:"the DNS records to set: one points the domain here, the TXT record proves that the domain is the account's. A CNAME to the account's own target is such a proof too, unless another account has or had the host. The type ALIAS stands for an ALIAS record, an ANAME record, a flattened CNAME, or address records with the addresses of its value"`
}

// SharedDomainRow is a link domain that every account may use.
type SharedDomainRow struct {
	ID        uuid.UUID `json:"id"`
	Domain    string    `json:"domain"`
	IsDefault bool      `json:"is_default" doc:"campaigns that name no domain use it"`
}

// DomainList is the answer of GET /domains.
type DomainList struct {
	Rows        []DomainRow       `json:"rows"`
	NextCursor  *string           `json:"next_cursor" doc:"null at the end"`
	Shared      []SharedDomainRow `json:"shared" doc:"the link domains that every account may use"`
	CNAMETarget *string           `json:"cname_target" doc:"the target for a domain's CNAME: a name for this account alone if TRACKING_HOST is set; null if the install has none"`
}

func (d Deps) listDomains(c *route.Call) (DomainList, error) {
	found, next, err := c.Store.Domains().List(c.Context(), c.Account.ID, c.Page)
	if err != nil {
		return DomainList{}, err
	}
	shared, err := c.Store.Domains().Shared(c.Context())
	return DomainList{
		Rows:       answer.Each(found, func(domain models.Domain) DomainRow { return DomainRow{domain, d.Tracker.Records(domain)} }),
		NextCursor: answer.Cursor(next),
		Shared: answer.Each(shared, func(d store.SharedDomain) SharedDomainRow {
			return SharedDomainRow{d.ID, d.Host, d.IsDefault}
		}),
		CNAMETarget: answer.OrNull(d.Tracker.Target(c.Account.DomainToken)),
	}, err
}

// DomainBody is the body of POST /domains.
type DomainBody struct {
	Domain       string    `json:"domain" required:"true" maxLength:"4000" doc:"up to 50 hostnames, separated by commas or spaces"`
	DNSAccountID uuid.UUID `json:"dns_account_id" bad:"invalid_dns_account" doc:"id of a connected DNS account, in which the records are set; if it is sent, at most 10 hostnames are allowed"`
	form.DomainBody
}

// maxHosts is the maximum number of hostnames that a call adds. With a DNS account the maximum is jobs.MaxPointed.
const maxHosts = 50

// DomainAdded is the answer of POST /domains.
type DomainAdded struct {
	ID         uuid.UUID         `json:"id"`
	Domain     string            `json:"domain"`
	IsVerified bool              `json:"is_verified"`
	Added      []string          `json:"added" doc:"hostnames that were added"`
	Skipped    []string          `json:"skipped" doc:"hostnames that had been added before"`
	DNS        []models.DNSPoint `json:"dns" doc:"what was done in the DNS account for each host that was added; empty without a DNS account"`
}

// namesDNSAccount reports whether a body of POST /domains names a DNS account.
func namesDNSAccount(body []byte) bool {
	var b struct {
		DNSAccountID json.RawMessage `json:"dns_account_id"`
	}
	return json.Unmarshal(body, &b) == nil && len(b.DNSAccountID) > 0
}

var addDomainsJob = slow.New(jobs.AddDomains, func(a jobs.AddedDomains) DomainAdded {
	out := DomainAdded{
		Added: answer.Each(a.Added, func(d jobs.AddedDomain) string { return d.Host }), Skipped: a.Skipped, DNS: a.Points,
	}
	if len(a.Added) > 0 {
		out.ID, out.Domain, out.IsVerified = a.Added[0].ID, a.Added[0].Host, a.Added[0].IsVerified
	}
	return out
})

func (d Deps) addDomains(c *route.Call, b DomainBody) (DomainAdded, error) {
	hosts, err := d.hosts(c, b)
	if err != nil {
		return DomainAdded{}, err
	}
	set, err := b.Settings()
	if err != nil {
		return DomainAdded{}, err
	}
	if b.DNSAccountID != uuid.Nil {
		if _, err := c.Store.DNSAccounts().Named(c.Context(), c.Account.ID, b.DNSAccountID, "dns_account_not_found"); err != nil {
			return DomainAdded{}, err
		}
		return addDomainsJob.Run(c, d.Jobs, jobs.AddDomainsArgs{DNS: b.DNSAccountID, Hosts: hosts, Settings: set})
	}
	added, skipped, err := c.Store.Domains().Add(c.Context(), c.Account.ID, hosts, set)
	return addDomainsJob.PublicResult(jobs.AddedDomains{
		Added: answer.Each(added, func(d models.Domain) jobs.AddedDomain {
			return jobs.AddedDomain{ID: d.ID, Host: d.Host, IsVerified: d.IsVerified}
		}),
		Skipped: append([]string{}, skipped...), Points: []models.DNSPoint{},
	}), err
}

// hosts returns the hostnames of a body, without duplicates.
func (d Deps) hosts(c *route.Call, b DomainBody) ([]string, error) {
	shared, err := c.Store.Domains().Shared(c.Context())
	if err != nil {
		return nil, err
	}
	var hosts []string
	words := strings.FieldsFunc(b.Domain, func(r rune) bool { return r == ',' || r == ';' || r <= ' ' })
	for _, word := range words {
		if strings.Contains(word, "*") {
			return nil, models.Invalid("invalid_domain", "%.100q has a wildcard: add each hostname by itself", word)
		}
		host, ok := models.HostOf(word)
		if slices.ContainsFunc(shared, func(s store.SharedDomain) bool { return s.Host == host }) {
			// ok may be false: a shared domain may be a name without a dot, such as localhost.
			return nil, models.Conflict("shared_domain", "%s is a shared link domain, which every account has", host)
		}
		if d.reserved(host, shared) {
			return nil, models.Invalid("reserved_domain", "%s is reserved for this install itself", host)
		}
		if !ok {
			return nil, models.Invalid("invalid_domain", "%.100q is not a hostname", word)
		}
		if models.PublicSuffix(host) {
			return nil, models.Invalid("invalid_domain", "%s cannot be a domain of yours, because names below it belong to many owners", host)
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	limit := maxHosts
	if b.DNSAccountID != uuid.Nil {
		limit = jobs.MaxPointed
	}
	switch {
	case len(hosts) > limit:
		return nil, models.Invalid("too_many", "at most %d hostnames can be added at once", limit)
	case len(hosts) == 0:
		return nil, models.Invalid("required", "domain is required")
	}
	return hosts, nil
}

// reserved reports whether a host has the registered domain of the dashboard, of the tracking host or of a shared link domain.
// See models.Reserves.
func (d Deps) reserved(host string, shared []store.SharedDomain) bool {
	own := append(answer.Each(shared, func(s store.SharedDomain) string { return s.Host }), d.BaseURL, d.Tracker.Host)
	return slices.ContainsFunc(own, func(name string) bool { return models.Reserves(name, host) })
}

// DomainPatch is the body of PATCH /domains.
type DomainPatch struct {
	bind.ID
	Action    string           `json:"action" enum:"set_default,fail_back" doc:"set_default: only makes this domain the default; fail_back: only moves back the campaigns that failed over from this domain"`
	GroupName string           `json:"group_name" bad:"invalid_input" trim:"true" maxLength:"100" doc:"a domain of the group named spare takes over the campaigns of a domain that fails over"`
	Failover  bind.Opt[bool]   `json:"failover" doc:"whether the domain's campaigns move to a spare domain if a list of unsafe addresses contains the domain; left out: unchanged"`
	TagName   bind.Opt[string] `json:"tag_name" trim:"true" case:"lower" pattern:"^([a-z0-9][a-z0-9_-]{0,49})?$" doc:"the page tag is also served as /{tag_name}.js; empty or null: only as /t.js; left out: unchanged"`
	models.DomainFields
}

// DomainChanged is the answer of PATCH /domains.
type DomainChanged struct {
	ID        uuid.UUID `json:"id"`
	Domain    string    `json:"domain"`
	IsDefault *bool     `json:"is_default,omitempty" doc:"set for the action set_default"`
	Campaigns *int      `json:"campaigns,omitempty" doc:"set for the action fail_back: how many campaigns moved back"`
	Kept      *int      `json:"kept,omitempty" doc:"set for the action fail_back: how many campaigns could not move back, because their alias is now taken on this domain"`
}

func changeDomain(c *route.Call, b DomainPatch) (DomainChanged, error) {
	switch b.Action {
	case "set_default":
		d, err := c.Store.Domains().SetDefault(c.Context(), c.Account.ID, b.RecordID())
		return DomainChanged{ID: d.ID, Domain: d.Host, IsDefault: &d.IsDefault}, err
	case "fail_back":
		d, moved, kept, err := c.Store.Domains().FailBack(c.Context(), c.Account.ID, b.RecordID())
		return DomainChanged{ID: d.ID, Domain: d.Host, Campaigns: &moved, Kept: &kept}, err
	}
	if err := models.CheckTagName(b.TagName.Value); err != nil {
		return DomainChanged{}, err
	}
	d, err := c.Store.Domains().Update(c.Context(), c.Account.ID, b.RecordID(), func(s *models.DomainSettings) {
		s.GroupName, s.DomainFields = b.GroupName, b.DomainFields
		s.Failover = b.Failover.Or(s.Failover)
		b.TagName.Into(&s.TagName, "")
	})
	return DomainChanged{ID: d.ID, Domain: d.Host}, err
}

// DomainDeleted is the answer of DELETE /domains.
type DomainDeleted struct {
	ID                  uuid.UUID `json:"id"`
	Deleted             bool      `json:"deleted"`
	CertificateReleased bool      `json:"certificate_released" doc:"true: a job will delete the certificate at the edge; false: the edge had no certificate for the domain"`
}

func deleteDomain(c *route.Call) (DomainDeleted, error) {
	released, err := c.Store.Domains().Delete(c.Context(), c.Account.ID, c.ID)
	return DomainDeleted{ID: c.ID, Deleted: true, CertificateReleased: released}, err
}
