package alerts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// strayDomains lists the domains that are verified or used for links, but lead elsewhere or are not proved.
func strayDomains(ctx context.Context, l reading) ([]Alert, error) {
	found, err := l.Store.Domains().Stray(ctx, l.account.ID, l.now)
	return db.Map(found, func(d store.StrayDomain) Alert {
		end := " Links on it stop working on " + d.Since.Add(models.UnverifyAfter).UTC().Format(time.DateOnly) + "."
		switch {
		case !d.IsVerified:
			end = " Links on it do not work until it is verified."
		case d.ByOperator:
			end = ""
		}
		return Alert{
			Type: "domain.stray", Severity: Critical, Kind: "domain", ID: d.ID, Name: d.Host, Message: d.Detail + end,
			Since: d.Since, CheckedAt: &d.CheckedAt,
		}
	}), err
}

// endingDomains lists the domains whose registration ends soon.
func endingDomains(ctx context.Context, l reading) ([]Alert, error) {
	found, err := l.Store.Domains().Ending(ctx, l.account.ID, l.now)
	return db.Map(found, func(d store.EndingDomain) Alert {
		a := Alert{
			Type: "domain.expiring", Severity: Critical, Kind: "domain", ID: d.ID, Name: d.Host,
			Message: "the registration of " + models.Apex(d.Host) + " ends on " + d.Until.UTC().Format(time.DateOnly),
			Since:   d.Until.Add(-models.RegistrationEndsSoon), CheckedAt: &d.CheckedAt,
		}
		if d.Until.After(l.now.Add(models.RegistrationEndsSoon / 4)) {
			a.Severity = Warning
		}
		return a
	}), err
}

// troubledCertificates lists the domains whose certificate expires soon without having been renewed, or could not be obtained.
func troubledCertificates(ctx context.Context, l reading) ([]Alert, error) {
	now := l.now
	found, err := l.Store.Certificates().Troubled(ctx, l.account.ID, now)
	return db.Map(found, func(k models.Certificate) Alert {
		a := Alert{
			Type: "certificate.failing", Severity: Critical, Kind: "domain", ID: k.DomainID, Name: k.Hostname,
			Since: k.ChangedAt, CheckedAt: k.CheckedAt,
			Message: "its HTTPS certificate could not be obtained: " + cmp.Or(k.Failure, strings.Join(k.Errors, "; "), "it is "+k.SSLStatus),
		}
		if k.FailingSince != nil {
			a.Since = *k.FailingSince
		}
		if k.ExpiresAt == nil || !k.ExpiresAt.Before(now.Add(models.CertificateExpiresSoon)) {
			return a
		}
		a.Type, a.Since = "certificate.expiring", k.ExpiresAt.Add(-models.CertificateExpiresSoon)
		a.Message = "its HTTPS certificate ends on " + k.ExpiresAt.UTC().Format(time.DateOnly) + " and was not renewed"
		if k.Failure != "" {
			a.Message += ": " + k.Failure
		}
		if k.ExpiresAt.After(now.Add(models.CertificateExpiresSoon / 4)) {
			a.Severity = Warning
		}
		return a
	}), err
}

// failingDNSAccounts lists the DNS accounts whose last request failed.
func failingDNSAccounts(ctx context.Context, l reading) ([]Alert, error) {
	connected, err := l.Store.DNSAccounts().List(ctx, l.account.ID)
	connected = slices.DeleteFunc(connected, func(a models.DNSAccount) bool { return a.FailingSince == nil })
	return db.Map(connected, func(a models.DNSAccount) Alert {
		return Alert{
			Type: "dns_account.failing", Severity: Warning, Kind: "dns_account", ID: a.ID, Name: a.Name(),
			Message: a.Failure, Since: *a.FailingSince,
			CheckedAt: a.CheckedAt,
		}
	}), err
}
