package dns

import (
	"context"
	"net/url"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// digitalOcean is DigitalOcean's API. libdns' package for it has its own transport, which cannot be replaced.
type digitalOcean struct{ rest.API }

func openDigitalOcean(a rest.API, c map[string]string) account {
	a.Sign = rest.Bearer(c["api_token"])
	return &digitalOcean{a}
}

// doLinks has the link to the next page; empty: this is the last page.
type doLinks struct {
	Links struct {
		Pages struct{ Next string }
	}
}

const doPage = 200 // items on a page

func (p *digitalOcean) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer struct {
			Domains []listedZone
			doLinks
		}
		err := p.Get(ctx, "/domains", pageQuery(page, doPage), &answer)
		return zonesOf(answer.Domains), answer.Links.Pages.Next != "", err
	})
}

func (p *digitalOcean) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	return pages(func(page int) ([]libdns.RR, bool, error) {
		var answer struct {
			Records []listedRecord `json:"domain_records"`
			doLinks
		}
		query := pageQuery(page, doPage)
		query.Set("name", absolute(name, z.name))
		err := p.Get(ctx, "/domains/"+url.PathEscape(z.name)+"/records", query, &answer)
		return named(answer.Records, z, name), answer.Links.Pages.Next != "", err
	})
}

func (p *digitalOcean) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	return p.Post(ctx, "/domains/"+url.PathEscape(z.name)+"/records", map[string]any{
		"type": r.Type, "name": r.Name, "data": r.Data, "ttl": ttlAtLeast(r, 30),
	}, nil)
}
