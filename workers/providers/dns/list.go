package dns

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

const maxPages = 200

// pages reads a list by calls of the function page, from page 1 until a page is the last or is empty.
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

// listedZone is a zone in the JSON of a provider. Each provider uses one of Name, Domain and FQDN for the zone's name.
type listedZone struct{ ID, Name, Domain, FQDN rest.Text }

func zonesOf(list []listedZone) []zone {
	out := make([]zone, len(list))
	for i, z := range list {
		out[i] = zone{string(cmp.Or(z.Name, z.Domain, z.FQDN)), string(z.ID)}
	}
	return out
}

func zonesNamed(names []string) []zone {
	out := make([]zone, len(names))
	for i, name := range names {
		out[i] = zone{name: name}
	}
	return out
}

// listedRecord is a record in the JSON of a provider. Each provider has the record's name in Name or Hostname, and its data in Data,
// Content, Value or Target.
type listedRecord struct {
	Type                         string
	Name, Hostname               rest.Text
	Data, Content, Value, Target rest.Text
}

func named(list []listedRecord, z zone, name string) (out []libdns.RR) {
	for _, r := range list {
		if relative(string(cmp.Or(r.Name, r.Hostname)), z.name) == name {
			out = append(out, libdns.RR{Name: name, Type: r.Type, Data: string(cmp.Or(r.Data, r.Content, r.Value, r.Target))})
		}
	}
	return out
}

func recordsOf(name, kind string, datas ...string) []libdns.RR {
	out := make([]libdns.RR, len(datas))
	for i, data := range datas {
		out[i] = libdns.RR{Name: name, Type: kind, Data: data}
	}
	return out
}

func pageQuery(page, size int) url.Values {
	return url.Values{"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(size)}}
}

// withRecord returns the data of r's record set after r is added. The parameter have contains the records under r's name.
// withRecord refuses a second CNAME or ALIAS of a name, and a record that exists already.
func withRecord(have []libdns.RR, r libdns.RR) (set []string, err error) {
	for _, h := range have {
		if h.Type == r.Type {
			set = append(set, h.Data)
		}
	}
	if len(set) > 0 && (r.Type == "CNAME" || r.Type == "ALIAS") || slices.Contains(set, r.Data) {
		return nil, errors.New("the provider has such a record already")
	}
	return append(set, r.Data), nil
}

// withoutDot returns a record's data without the dot at its end, for providers that write names this way.
func withoutDot(r libdns.RR) string { return strings.TrimSuffix(r.Data, ".") }

// ttlAtLeast returns the TTL of a record in seconds, or the provider's minimum if the TTL is below it.
func ttlAtLeast(r libdns.RR, seconds int) int { return max(int(r.TTL.Seconds()), seconds) }

// blankApex converts a name for providers that write the apex as an empty text.
func blankApex(name string) string {
	if name == "@" {
		return ""
	}
	return name
}
