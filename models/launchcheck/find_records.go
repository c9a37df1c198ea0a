package launchcheck

import (
	"strconv"
	"time"

	"switchyard/models"
	"switchyard/models/flow"
)

const day = 24 * time.Hour

// The ages above which a worker's check is too old to count. Verified domains are checked once a day, and links every
// hour.
const (
	oldDomainLook = 3 * day
	oldLinkLook   = day
)

func (d *Domain) place(value string, at *time.Time) Place {
	p := Place{Kind: AtDomain, ID: d.ID, Name: d.Host, Value: value}
	if at != nil {
		p.At = *at
	}
	return p
}

func no(answer *bool) bool { return answer != nil && !*answer }

func domainUnverified(f *Facts, add func(Place)) {
	if d := &f.Domain; !d.Shared && !d.IsVerified {
		add(d.place(d.Detail, d.CheckedAt))
	}
}

func (d *Domain) leadsElsewhere() bool {
	return !d.Shared && d.IsVerified && (d.WrongSince != nil || no(d.Points))
}

func domainElsewhere(f *Facts, add func(Place)) {
	if d := &f.Domain; d.leadsElsewhere() {
		add(d.place(d.Detail, d.CheckedAt))
	}
}

func domainUnsafe(f *Facts, add func(Place)) {
	if d := &f.Domain; d.UnsafeAt != nil {
		add(d.place("", d.UnsafeAt))
	}
}

func (d *Domain) leadsHere() bool { return !d.Shared && d.IsVerified && !d.leadsElsewhere() }

func (d *Domain) withoutCertificate(now time.Time) bool {
	return d.leadsHere() && (no(d.HTTPS) || d.CertificateEnds != nil && d.CertificateEnds.Before(now))
}

func certificateFailing(f *Facts, add func(Place)) {
	if d := &f.Domain; d.withoutCertificate(f.Now) {
		add(d.place(d.Failure, d.CheckedAt))
	}
}

func certificateEnding(f *Facts, add func(Place)) {
	d := &f.Domain
	if d.leadsHere() && !d.withoutCertificate(f.Now) && d.CertificateEnds != nil && d.CertificateEnds.Before(f.Now.Add(models.CertificateExpiresSoon)) {
		add(d.place(d.CertificateEnds.UTC().Format(time.DateOnly), nil))
	}
}

func registrationEnding(f *Facts, add func(Place)) {
	d := &f.Domain
	if d.leadsHere() && d.RegisteredUntil != nil && d.RegisteredUntil.Before(f.Now.Add(models.RegistrationEndsSoon)) {
		add(d.place(d.RegisteredUntil.UTC().Format(time.DateOnly), nil))
	}
}

func domainUnlooked(f *Facts, add func(Place)) {
	d := &f.Domain
	if d.leadsHere() && !d.withoutCertificate(f.Now) &&
		(d.CheckedAt == nil || d.Points == nil || d.HTTPS == nil || f.Now.Sub(*d.CheckedAt) > oldDomainLook) {
		add(d.place("", d.CheckedAt))
	}
}

// looked calls add for each active record for which fits returns true. fresh says whether the last check of the record's link is
// recent enough to count.
func looked(f *Facts, add func(Place), fits func(r *Record, fresh bool) bool) {
	f.eachRecord("", func(r Record, p Place) {
		if r.IsActive && fits(&r, r.CheckedAt != nil && f.Now.Sub(*r.CheckedAt) <= oldLinkLook) {
			p.Field, p.Value = "url", r.Error
			if r.CheckedAt != nil {
				p.At = *r.CheckedAt
			}
			add(p)
		}
	})
}

func destinationBroken(f *Facts, add func(Place)) {
	looked(f, add, func(r *Record, _ bool) bool { return r.BrokenAt != nil })
}

func destinationFailing(f *Facts, add func(Place)) {
	looked(f, add, func(r *Record, fresh bool) bool { return fresh && r.Error != "" && r.BrokenAt == nil })
}

func destinationUnchecked(f *Facts, add func(Place)) {
	looked(f, add, func(r *Record, fresh bool) bool { return !fresh && r.BrokenAt == nil })
}

func destinationUnsafe(f *Facts, add func(Place)) {
	f.eachRecord("", func(r Record, p Place) {
		if r.UnsafeAt != nil {
			p.Field, p.At = "url", *r.UnsafeAt
			add(p)
		}
	})
}

func destinationClosed(f *Facts, add func(Place)) {
	f.eachRecord("", func(r Record, p Place) {
		if !r.IsActive {
			p.Field = "is_active"
			add(p)
		}
	})
}

func destinationGone(f *Facts, add func(Place)) {
	f.eachPath(func(_ int, p *flow.Path) {
		for _, d := range p.Destinations {
			id, ok := models.ParseID(d.ID)
			if _, found := f.Records[id]; ok && !found && d.Weight > 0 {
				add(f.at(p))
				return
			}
		}
	})
}

func addressUnchecked(f *Facts, add func(Place)) {
	seen := map[string]bool{}
	f.eachAddress(func(p Place, url string) {
		if p.Kind != AtCampaign || seen[url] {
			return
		}
		seen[url] = true
		p.Value = url
		add(p)
	})
}

func networkMissing(f *Facts, add func(Place)) {
	f.eachPaidOffer(func(r Record, p Place) {
		if !r.NetworkID.Valid {
			p.Field = "network_id"
			add(p)
		}
	})
}

// eachPaidOffer calls fn for each offer whose conversions a network must report. There is no such offer if the account's own pages
// report the goals of the campaign.
func (f *Facts) eachPaidOffer(fn func(Record, Place)) {
	if !f.expectsGoals() {
		f.eachRecord(AtOffer, fn)
	}
}

func (f *Facts) eachNetwork(fn func(Network, Place)) {
	seen := map[string]bool{}
	f.eachPaidOffer(func(r Record, _ Place) {
		n, ok := f.Networks[r.NetworkID.UUID]
		if ok && !seen[n.ID.String()] {
			seen[n.ID.String()] = true
			fn(n, Place{Kind: AtNetwork, ID: n.ID, Name: n.Name})
		}
	})
}

func postbacksFailing(f *Facts, add func(Place)) {
	f.eachNetwork(func(n Network, p Place) {
		if n.Failing != "" {
			p.Value, p.At = n.Failing, n.FailingSince
			add(p)
		}
	})
}

func postbackUnseen(f *Facts, add func(Place)) {
	since := f.Now.Add(-Days * day)
	f.eachNetwork(func(n Network, p Place) {
		if n.LastPostback == nil && (n.SyncedAt == nil || n.SyncedAt.Before(since)) {
			add(p)
		}
	})
}

func payoutMissing(f *Facts, add func(Place)) {
	f.eachPaidOffer(func(r Record, p Place) {
		if r.Payout.IsZero() && !r.PayoutFromParam {
			p.Field = "payout"
			add(p)
		}
	})
}

func payoutUntold(f *Facts, add func(Place)) {
	f.eachPaidOffer(func(r Record, p Place) {
		n, ok := f.Networks[r.NetworkID.UUID]
		if r.Payout.IsZero() && r.PayoutFromParam && ok && !n.TellsPayout && n.SyncedAt == nil {
			p.Field = "payout"
			add(p)
		}
	})
}

func offerCapped(f *Facts, add func(Place)) {
	f.eachRecord(AtOffer, func(r Record, p Place) {
		if r.IsActive && r.DailyCap != nil && f.Used[r.ID] >= *r.DailyCap {
			p.Field, p.Value = "daily_cap", strconv.Itoa(*r.DailyCap)
			add(p)
		}
	})
}

func rateMissing(f *Facts, add func(Place)) {
	for _, p := range f.Currencies() {
		if !f.Rated[p.Value] {
			add(p)
		}
	}
}

// minVisits is the number of visitors after which a landing page is considered broken if no visitor clicked on it.
const minVisits = 50

func landerUnclicked(f *Facts, add func(Place)) {
	f.eachLander(func(r Record, p Place) {
		if v := f.Landers[r.ID]; v.Out == 0 && v.Clicks >= minVisits {
			p.Value = strconv.FormatInt(v.Clicks, 10)
			add(p)
		}
	})
}

func landerUntried(f *Facts, add func(Place)) {
	f.eachLander(func(r Record, p Place) {
		if v := f.Landers[r.ID]; v.Out == 0 && v.Clicks < minVisits {
			add(p)
		}
	})
}

func (f *Facts) eachLander(fn func(Record, Place)) {
	f.eachRecord(AtLander, func(r Record, p Place) {
		if r.IsActive {
			fn(r, p)
		}
	})
}
