package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Domain is an account's own tracking domain as operators see it.
type Domain struct {
	ID         uuid.UUID `json:"id"`
	AccountID  uuid.UUID `json:"account_id"`
	Domain     string    `json:"domain"`
	IsVerified bool      `json:"is_verified"`
	Proof      string    `json:"proof"`
	IsDefault  bool      `json:"is_default"`
	CreatedAt  string    `json:"created_at"`
}

func domainRecord(d models.Domain) Domain {
	return Domain{
		ID: d.ID, AccountID: d.AccountID, Domain: d.Host, IsVerified: d.IsVerified, Proof: d.Proof, IsDefault: d.IsDefault,
		CreatedAt: stamp(d.CreatedAt.Time),
	}
}

// Domains lists the entries of a hostname in all accounts that have added it. If host is empty, it lists all hostnames.
func (a Admin) Domains(ctx context.Context, host string) ([]Domain, error) {
	if host != "" {
		list, err := a.Store.Domains().ByHost(ctx, hostname(host))
		return db.Map(list, domainRecord), err
	}
	list, err := a.Store.Domains().ListAll(ctx)
	return db.Map(list, domainRecord), err
}

// AddDomain adds a hostname to an account and marks it as verified. Unlike the API, it accepts names in the registered domain of
// BASE_URL, of TRACKING_HOST or of a shared link domain, for links of the operator. It refuses the dashboard's host, and
// TRACKING_HOST with the names below it.
func (a Admin) AddDomain(ctx context.Context, host, account string) (Domain, error) {
	name, ok := models.HostOf(host)
	if !ok || models.PublicSuffix(name) {
		return Domain{}, models.Invalid("invalid_domain", "%.100q is not a hostname that an account can have", host)
	}
	if err := a.checkFree(name); err != nil {
		return Domain{}, err
	}
	owner, err := a.Account(ctx, account)
	if err != nil {
		return Domain{}, err
	}
	set := models.DomainSettings{DomainFields: models.DomainFields{Crawlers: "disallow", HTTPSOnly: true}}
	added, _, err := a.Store.Domains().Add(ctx, owner.ID, []string{name}, set)
	if err != nil {
		return Domain{}, err
	}
	saved, err := a.Store.Domains().SetVerified(ctx, owner.ID, added[0].ID, true)
	return domainRecord(saved), err
}

func (a Admin) checkFree(host string) error {
	switch {
	case host == a.Dashboard:
		return models.Invalid("reserved_domain", "the dashboard is at %s: a link at its host could act as the person who clicks it", host)
	case a.Tracker != "" && (host == a.Tracker || strings.HasSuffix(host, "."+a.Tracker)):
		return models.Invalid("reserved_domain", "TRACKING_HOST %s and the names below it belong to no account", a.Tracker)
	}
	return nil
}

// VerifyDomain marks a hostname as verified, so that links on it work, or as not verified. account is needed only if
// several accounts have added the hostname.
func (a Admin) VerifyDomain(ctx context.Context, host, account string, on bool) (Domain, error) {
	list, err := a.Store.Domains().ByHost(ctx, hostname(host))
	if err != nil {
		return Domain{}, err
	}
	if on {
		if err := a.checkFree(hostname(host)); err != nil {
			return Domain{}, err
		}
	}
	if account != "" {
		list = slices.DeleteFunc(list, func(d models.Domain) bool { return d.AccountID.String() != strings.ToLower(account) })
	}
	switch len(list) {
	case 0:
		return Domain{}, models.NotFound("domain: an account must add it first (POST /domains)")
	case 1:
		saved, err := a.Store.Domains().SetVerified(ctx, list[0].AccountID, list[0].ID, on)
		return domainRecord(saved), err
	}
	return Domain{}, models.Invalid("required", "%d accounts have added %s: name one with --account", len(list), host)
}

func hostname(text string) string {
	host, _ := models.HostOf(text)
	return host
}
