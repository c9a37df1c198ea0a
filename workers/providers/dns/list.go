package dns

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/libdns/libdns"
)

// maxPages is the maximum number of pages that are read of a list.
const maxPages = 200

// pages reads a list page by page, from page 1 until page reports that there are no more.
func pages[T any](page func(n int) (items []T, more bool, err error)) ([]T, error) {
	var all []T
	for n := 1; n <= maxPages; n++ {
		items, more, err := page(n)
		if err != nil {
			return nil, err
		}
		if all = append(all, items...); !more || len(items) == 0 {
			return all, nil
		}
	}
	return nil, errors.New("the provider's list has too many pages")
}

// names returns the names of zones.
func names[Z ~struct{ Name string }](zones []Z) []string {
	out := make([]string, len(zones))
	for i, z := range zones {
		out[i] = struct{ Name string }(z).Name
	}
	return out
}

// named returns the records with the given name.
func named(list []libdns.RR, name string) (out []libdns.RR) {
	for _, r := range list {
		if bare(r.Name) == bare(name) {
			out = append(out, r)
		}
	}
	return out
}

// zoneIDs maps the names of zones to the provider's ids.
type zoneIDs map[string]string

// of returns the id of a zone. It lists the zones first, if that has not been done yet.
func (z zoneIDs) of(ctx context.Context, p Provider, zone string) (string, error) {
	if len(z) == 0 {
		if _, err := p.Zones(ctx); err != nil {
			return "", err
		}
	}
	id, ok := z[zone]
	if !ok {
		return "", errNoZone
	}
	return id, nil
}

var errNoZone = errors.New("the account holds no such zone")

// set stores the id of a zone and returns the zone's name.
func (z zoneIDs) set(zone, id string) string {
	z[bare(zone)] = id
	return zone
}

// values returns the data of r's record set after r is added. It is for providers that accept only whole sets. present says
// that the set exists, so it must be changed and not created. A second CNAME or ALIAS of a name is an error, and so is a
// record that exists already.
func values(have []libdns.RR, r libdns.RR) (all []string, present bool, err error) {
	for _, h := range have {
		if h.Type == r.Type {
			all = append(all, h.Data)
		}
	}
	present = len(all) > 0
	if present && (r.Type == "CNAME" || r.Type == "ALIAS") || slices.Contains(all, r.Data) {
		return nil, true, errors.New("the provider has such a record already")
	}
	return append(all, r.Data), present, nil
}

// withRecord is values for the records that a zone has under r's name.
func withRecord(ctx context.Context, p Provider, zone string, r libdns.RR) (all []string, present bool, err error) {
	have, err := p.Records(ctx, zone, r.Name)
	if err != nil {
		return nil, false, err
	}
	return values(have, r)
}

// quoted puts quotes around the data of a TXT record, for providers that write texts as a zone file does.
func quoted(r libdns.RR) libdns.RR {
	if r.Type == "TXT" {
		r.Data = strconv.Quote(r.Data)
	}
	return r
}

// undotted returns a record's data without the dot at its end, for providers that write names this way.
func undotted(r libdns.RR) string { return strings.TrimSuffix(r.Data, ".") }

// seconds returns the TTL of a record in seconds, but at least least.
func seconds(r libdns.RR, least int) int { return max(int(r.TTL.Seconds()), least) }

// blank converts a name for providers that write the apex as an empty text.
func blank(name string) string {
	if name == "@" {
		return ""
	}
	return name
}
