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
type bunny struct{ rest.API }

func openBunny(a rest.API, c map[string]string) account {
	a.Sign = rest.Header("AccessKey", c["access_key"])
	return &bunny{a}
}

// bunnyTypes maps bunny.net's number of a record type to its name.
var bunnyTypes = []string{
	"A", "AAAA", "CNAME", "TXT", "MX", "REDIRECT", "FLATTEN", "PULLZONE", "SRV", "CAA", "PTR", "SCRIPT", "NS", "SVCB", "HTTPS",
}

func (p *bunny) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer struct {
			Items        []listedZone
			HasMoreItems bool
		}
		err := p.Get(ctx, "/dnszone", url.Values{"page": {strconv.Itoa(page)}, "perPage": {"100"}}, &answer)
		return zonesOf(answer.Items), answer.HasMoreItems, err
	})
}

func (p *bunny) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	var answer struct {
		Records []struct {
			Type        int
			Name, Value string
		}
	}
	if err := p.Get(ctx, "/dnszone/"+z.id, nil, &answer); err != nil {
		return nil, err
	}
	var out []libdns.RR
	for _, r := range answer.Records {
		if bare(r.Name) != blankApex(name) {
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

func (p *bunny) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	return p.Do(ctx, rest.Request{Method: http.MethodPut, Path: "/dnszone/" + z.id + "/records", Body: map[string]any{
		"Type": slices.Index(bunnyTypes, r.Type), "Name": blankApex(r.Name), "Value": withoutDot(r), "Ttl": ttlAtLeast(r, 15),
	}}, nil)
}
