package dns

import (
	"context"
	"net/url"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// netlify is Netlify's API. libdns' package for it is made for an older version of libdns and accepts no HTTP client.
type netlify struct{ rest.API }

func openNetlify(a rest.API, c map[string]string) account {
	a.Sign = rest.Bearer(c["api_token"])
	return &netlify{a}
}

const netlifyPage = 100 // zones on a page

func (p *netlify) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer []listedZone
		err := p.Get(ctx, "/dns_zones", pageQuery(page, netlifyPage), &answer)
		return zonesOf(answer), len(answer) == netlifyPage, err
	})
}

func (p *netlify) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	var answer []listedRecord
	err := p.Get(ctx, "/dns_zones/"+url.PathEscape(z.id)+"/dns_records", nil, &answer)
	return named(answer, z, name), err
}

func (p *netlify) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	return p.Post(ctx, "/dns_zones/"+url.PathEscape(z.id)+"/dns_records", map[string]any{
		"type": r.Type, "hostname": absolute(r.Name, z.name), "value": withoutDot(r), "ttl": ttlAtLeast(r, 300),
	}, nil)
}
