package dns

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// bunny is bunny.net's API. libdns' package for it accepts no HTTP client, lists only the first page of zones, and fails on
// records of newer types.
type bunny struct {
	rest.API
	ids zoneIDs
}

func openBunny(a rest.API, c map[string]string) Provider {
	a.Sign = rest.Header("AccessKey", c["access_key"])
	return &bunny{a, zoneIDs{}}
}

// bunnyTypes maps bunny.net's number of a record type to its name.
var bunnyTypes = []string{
	"A", "AAAA", "CNAME", "TXT", "MX", "REDIRECT", "FLATTEN", "PULLZONE", "SRV", "CAA", "PTR", "SCRIPT", "NS", "SVCB", "HTTPS",
}

func (p *bunny) Zones(ctx context.Context) ([]string, error) {
	return pages(func(page int) ([]string, bool, error) {
		var answer struct {
			Items []struct {
				ID     int64
				Domain string
			}
			HasMoreItems bool
		}
		err := p.Get(ctx, "/dnszone", url.Values{"page": {strconv.Itoa(page)}, "perPage": {"100"}}, &answer)
		var out []string
		for _, z := range answer.Items {
			out = append(out, p.ids.set(z.Domain, strconv.FormatInt(z.ID, 10)))
		}
		return out, answer.HasMoreItems, err
	})
}

func (p *bunny) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	id, err := p.ids.of(ctx, p, zone)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Records []struct {
			Type        int
			Name, Value string
		}
	}
	if err := p.Get(ctx, "/dnszone/"+id, nil, &answer); err != nil {
		return nil, err
	}
	var out []libdns.RR
	for _, r := range answer.Records {
		if bare(r.Name) != blank(name) {
			continue
		}
		kind := "TYPE" + strconv.Itoa(r.Type)
		if r.Type >= 0 && r.Type < len(bunnyTypes) {
			kind = bunnyTypes[r.Type]
		}
		out = append(out, libdns.RR{Name: name, Type: kind, Data: r.Value})
	}
	return out, nil
}

func (p *bunny) Append(ctx context.Context, zone string, r libdns.RR) error {
	id, err := p.ids.of(ctx, p, zone)
	if err != nil {
		return err
	}
	return p.Do(ctx, rest.Request{Method: http.MethodPut, Path: "/dnszone/" + id + "/records", Body: map[string]any{
		"Type": slices.Index(bunnyTypes, r.Type), "Name": blank(r.Name), "Value": undotted(r), "Ttl": seconds(r, 15),
	}}, nil)
}
