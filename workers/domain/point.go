package domain

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/libdns/libdns"

	"switchyard/db"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// add adds domains and points them at the tracker by records in a DNS account, one after the other. With some providers each change
// replaces the whole zone, so of two changes at the same time one would be lost.
func (w *worker) add(ctx context.Context, args jobs.AddDomainsArgs) (out jobs.AddedDomains, err error) {
	id := workers.Account(ctx)
	found, err := w.store.DNSAccounts().Named(ctx, id, args.DNS, "dns_account_not_found")
	if err != nil {
		return out, err
	}
	a, why, err := w.open(ctx, found)
	if err != nil {
		return out, err
	}
	added, skipped, err := w.store.Domains().Add(ctx, id, args.Hosts, args.Settings)
	if err != nil {
		return out, err
	}
	out.Skipped = append([]string{}, skipped...)
	for _, d := range added {
		out.Added = append(out.Added, jobs.AddedDomain{ID: d.ID, Host: d.Host, IsVerified: d.IsVerified})
		zone, found := a.zoneOf(d.Host)
		switch {
		case why != "":
			out.Points = append(out.Points, failed(d.Host, "%s; see POST /integrations/test", why))
		case !found:
			out.Points = append(out.Points, failed(d.Host, "%s holds no zone of %s", a.Name(), d.Host))
		default:
			p, err := w.pointNow(ctx, a, zone, d)
			if err != nil {
				return out, err
			}
			out.Points = append(out.Points, p)
		}
	}
	return out, nil
}

func (w *worker) point(ctx context.Context, args jobs.PointDomainArgs) (out jobs.PointedDomain, err error) {
	id := workers.Account(ctx)
	d, err := w.store.Domains().Find(ctx, id, args.ID)
	if err != nil {
		return out, err
	}
	all, why, err := w.openAll(ctx, id)
	if err != nil {
		return out, err
	}
	best, bestZone := -1, ""
	var text strings.Builder
	for i, a := range all {
		if why[i] != "" {
			fmt.Fprintf(&text, "; %s could not be asked: %s", a.Name(), why[i])
		}
		if zone, found := a.zoneOf(d.Host); found && len(zone) > len(bestZone) {
			best, bestZone = i, zone
		}
	}
	if best < 0 {
		return out, models.Invalid("no_provider", "no connected DNS account holds %s%s", d.Host, text.String())
	}
	out.Provider = all[best].DNSAccount.Provider
	if out.DNSPoint, err = w.pointNow(ctx, all[best], bestZone, d); err != nil || w.o.Edge == "" {
		return out, err
	}
	have, err := w.store.Certificates().Find(ctx, id, d.ID)
	out.Certificate = &jobs.Certificate{Host: d.Host, Edge: have.Edge, CertificateState: have.Public()}
	return out, err
}

// zoneOf returns the longest zone of an account that contains a host.
func (a account) zoneOf(host string) (zone string, found bool) {
	for _, z := range a.zones {
		if (host == z || strings.HasSuffix(host, "."+z)) && len(z) > len(zone) {
			zone, found = z, true
		}
	}
	return zone, found
}

func failed(host, format string, args ...any) models.DNSPoint {
	return models.DNSPoint{Host: host, Action: models.DNSFailed, Message: fmt.Sprintf(format, args...)}
}

// ttl is the lifetime of the records that are set. A provider with a longer minimum uses its minimum.
const ttl = 5 * time.Minute

// pointNow points a domain and schedules a check at the next tick, because an earlier check may have found no records.
func (w *worker) pointNow(ctx context.Context, a account, zone string, d models.Domain) (models.DNSPoint, error) {
	p := w.pointIn(ctx, a, zone, d)
	if !p.OK {
		return p, nil
	}
	return p, w.store.Domains().ScheduleCheck(ctx, d.AccountID, d.ID, w.o.Now())
}

// pointIn points a domain in a zone of an account and adds a TXT record there that proves whose domain it is. The TXT record
// proves this even where a CNAME does not: if the host has address records, or if another account had the host before. pointIn
// changes no existing record.
func (w *worker) pointIn(ctx context.Context, a account, zone string, d models.Domain) models.DNSPoint {
	host := d.Host
	if w.o.Tracker.Host == "" {
		return failed(host, "this install has no hostname to point a domain at")
	}
	limited, cancel := context.WithTimeout(ctx, jobs.PointTimeout)
	defer cancel()
	if err := w.addProof(limited, a, zone, d); err != nil {
		return failed(host, "the TXT record %s could not be set: %s", models.DomainTXT(host), err)
	}
	name := nameIn(zone, host)
	wanted, note, err := w.recordsFor(limited, a, name)
	if err != nil {
		return failed(host, "the addresses of %s could not be looked up, and %s accepts no CNAME for %s", w.o.Tracker.Host, a.Name(), host)
	}
	have, err := a.Records(limited, zone, name)
	if err != nil {
		return failed(host, "%s", err)
	}
	missing, other := compare(have, wanted)
	switch {
	case other != nil && w.leadsHere(limited, have):
		return unchangedPoint(host, *other, "; if the addresses of "+w.o.Tracker.Host+" change, the domain may have to be pointed again")
	case other != nil:
		found := record(host, *other)
		return models.DNSPoint{
			Host: host, Action: models.DNSConflict, Record: found,
			Message: fmt.Sprintf("%s has the record %s %s, which was left as it is: remove it there and point the domain again",
				host, found.Type, found.Value),
		}
	case len(missing) == 0:
		return unchangedPoint(host, wanted[0], note)
	}
	return w.appendRecords(limited, a, zone, host, missing, note)
}

// nameIn returns the name of a host relative to its zone, "@" for the zone itself.
func nameIn(zone, host string) string {
	if host == zone {
		return "@"
	}
	return strings.TrimSuffix(host, "."+zone)
}

// addProof adds the TXT record of a domain unless it exists. Other TXT records stay.
func (w *worker) addProof(ctx context.Context, a account, zone string, d models.Domain) error {
	r := d.ProofRecord()
	txt := libdns.RR{Name: nameIn(zone, r.Name), TTL: ttl, Type: r.Type, Data: r.Value}
	have, err := a.Records(ctx, zone, txt.Name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(have, func(h libdns.RR) bool { return h.Type == txt.Type && value(h) == txt.Data }) {
		return nil
	}
	return a.Append(ctx, zone, txt)
}

func unchangedPoint(host string, by libdns.RR, note string) models.DNSPoint {
	return models.DNSPoint{
		Host: host, OK: true, Action: models.DNSKept, Record: record(host, by), Message: "its record already pointed at the tracker" + note,
	}
}

// leadsHere reports whether existing records that differ from the wanted ones lead to the tracker. They do if they are all
// addresses of the tracker, or an alias of another name that leads there. If DNS gives no answer, it returns false.
func (w *worker) leadsHere(ctx context.Context, have []libdns.RR) bool {
	var found []egress.Records
	var direct egress.Records
	for _, r := range have {
		switch r.Type {
		case "A", "AAAA":
			if addr, err := netip.ParseAddr(r.Data); err == nil {
				direct.Addresses = append(direct.Addresses, addr.Unmap())
			}
		case "CNAME":
			found, _ = w.o.Names.Records(ctx, value(r))
		}
	}
	if len(direct.Addresses) > 0 {
		found = append(found, direct)
	}
	trackerRecords, _ := w.o.Names.Records(ctx, w.o.Tracker.Host)
	yes := leadsToTracker(found, []string{w.o.Tracker.Host}, trackerRecords)
	return yes != nil && *yes
}

// appendRecords adds records and reads them back.
func (w *worker) appendRecords(ctx context.Context, a account, zone, host string, missing []libdns.RR, note string) models.DNSPoint {
	for _, r := range missing {
		if err := a.Append(ctx, zone, r); err != nil {
			return failed(host, "%s", err)
		}
	}
	have, err := a.Records(ctx, zone, missing[0].Name)
	if err != nil {
		return failed(host, "the record was set, but could not be read back: %s", err)
	}
	if lost, _ := compare(have, missing); len(lost) > 0 {
		return failed(host, "%s accepted the record %s %s, but does not list it", a.Name(), lost[0].Type, lost[0].Data)
	}
	return models.DNSPoint{
		Host: host, OK: true, Action: models.DNSCreated, Record: record(host, missing[0]),
		Message: fmt.Sprintf("%s now has %s", a.Name(), listed(missing)) + note,
	}
}

func listed(records []libdns.RR) string {
	return strings.Join(db.Map(records, func(r libdns.RR) string { return r.Type + " " + strings.TrimSuffix(r.Data, ".") }), ", ")
}

func record(host string, r libdns.RR) *models.DNSRecord {
	return &models.DNSRecord{Type: r.Type, Name: host, Value: strings.TrimSuffix(r.Data, ".")}
}

// recordsFor returns the records that point a name at the tracker, and a note that is added to the message for a person.
func (w *worker) recordsFor(ctx context.Context, a account, name string) (list []libdns.RR, note string, err error) {
	p, _ := models.DNSProviderNamed(a.DNSAccount.Provider)
	kind := "CNAME"
	if name == "@" {
		kind = p.Apex
	}
	if kind != models.ApexAddress {
		return []libdns.RR{{Name: name, TTL: ttl, Type: kind, Data: w.o.Tracker.Host + "."}}, "", nil
	}
	addresses, err := w.o.Names.Addresses(ctx, w.o.Tracker.Host)
	if err == nil && len(addresses) == 0 {
		err = errors.New("domain: the tracking host has no address")
	}
	for _, addr := range addresses {
		list = append(list, libdns.RR{Name: name, TTL: ttl, Type: kindOf(addr), Data: addr.String()})
	}
	return list, "; the apex of a zone cannot have a CNAME here, so if the addresses of " + w.o.Tracker.Host +
		" change, the domain has to be pointed again", err
}

func kindOf(addr netip.Addr) string {
	if addr.Is4() {
		return "A"
	}
	return "AAAA"
}

// allowedAtApex are the types of records that may exist at the apex next to the records that point it at the tracker.
var allowedAtApex = []string{
	"NS", "SOA", "MX", "TXT", "SPF", "CAA", "SRV", "NAPTR", "TLSA", "SSHFP", "LOC", "DS", "DNSKEY", "CDS", "CDNSKEY",
	"RRSIG", "NSEC", "NSEC3PARAM",
}

// compare returns the wanted records that do not exist, and an existing record that conflicts with them.
func compare(have, wanted []libdns.RR) (missing []libdns.RR, other *libdns.RR) {
	same := func(a libdns.RR) func(libdns.RR) bool {
		return func(b libdns.RR) bool { return a.Type == b.Type && value(a) == value(b) }
	}
	for _, r := range wanted {
		if !slices.ContainsFunc(have, same(r)) {
			missing = append(missing, r)
		}
	}
	for _, r := range have {
		harmless := wanted[0].Name == "@" && slices.Contains(allowedAtApex, r.Type)
		if !harmless && !slices.ContainsFunc(wanted, same(r)) {
			return missing, &r
		}
	}
	return missing, nil
}

// value returns a record's data in a normalised form for comparison.
func value(r libdns.RR) string {
	if addr, err := netip.ParseAddr(r.Data); err == nil {
		return addr.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(r.Data, `"`), "."))
}
