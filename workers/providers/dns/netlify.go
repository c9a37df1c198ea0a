package dns

import (
	"context"
	"net/url"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// netlify is Netlify's API. libdns' package for it is made for an older version of libdns and accepts no HTTP client.
type netlify struct {
	rest.API
	ids zoneIDs
}

func openNetlify(a rest.API, c map[string]string) Provider {
	a.Sign = rest.Bearer(c["api_token"])
	return &netlify{a, zoneIDs{}}
}

const netlifyPage = 100

func (p *netlify) Zones(ctx context.Context) ([]string, error) {
	return pages(func(page int) ([]string, bool, error) {
		var answer []struct{ ID, Name string }
		err := p.Get(ctx, "/dns_zones", url.Values{"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(netlifyPage)}}, &answer)
		var out []string
		for _, z := range answer {
			out = append(out, p.ids.set(z.Name, z.ID))
		}
		return out, len(out) == netlifyPage, err
	})
}

func (p *netlify) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	id, err := p.ids.of(ctx, p, zone)
	if err != nil {
		return nil, err
	}
	var answer []struct{ Hostname, Type, Value string }
	if err := p.Get(ctx, "/dns_zones/"+url.PathEscape(id)+"/dns_records", nil, &answer); err != nil {
		return nil, err
	}
	var out []libdns.RR
	for _, r := range answer {
		if relative(r.Hostname, zone) == name {
			out = append(out, libdns.RR{Name: name, Type: r.Type, Data: r.Value})
		}
	}
	return out, nil
}

func (p *netlify) Append(ctx context.Context, zone string, r libdns.RR) error {
	id, err := p.ids.of(ctx, p, zone)
	if err != nil {
		return err
	}
	return p.Post(ctx, "/dns_zones/"+url.PathEscape(id)+"/dns_records", map[string]any{
		"type": r.Type, "hostname": absolute(r.Name, zone), "value": undotted(r), "ttl": seconds(r, 300),
	}, nil)
}
