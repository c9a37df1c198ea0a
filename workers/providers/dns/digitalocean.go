package dns

import (
	"context"
	"net/url"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// digitalOcean is DigitalOcean's API. libdns' package for it has its own transport, which cannot be replaced.
type digitalOcean struct{ rest.API }

func openDigitalOcean(a rest.API, c map[string]string) Provider {
	a.Sign = rest.Bearer(c["api_token"])
	return &digitalOcean{a}
}

// doLinks has the link to the next page; empty: this is the last page.
type doLinks struct {
	Links struct {
		Pages struct{ Next string }
	}
}

func doPage(n int) url.Values { return url.Values{"page": {strconv.Itoa(n)}, "per_page": {"200"}} }

func (p *digitalOcean) Zones(ctx context.Context) ([]string, error) {
	return pages(func(page int) ([]string, bool, error) {
		var answer struct {
			Domains []struct{ Name string }
			doLinks
		}
		err := p.Get(ctx, "/domains", doPage(page), &answer)
		return names(answer.Domains), answer.Links.Pages.Next != "", err
	})
}

func (p *digitalOcean) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	return pages(func(page int) ([]libdns.RR, bool, error) {
		var answer struct {
			Records []struct{ Type, Name, Data string } `json:"domain_records"`
			doLinks
		}
		query := doPage(page)
		query.Set("name", absolute(name, zone))
		err := p.Get(ctx, "/domains/"+url.PathEscape(zone)+"/records", query, &answer)
		var out []libdns.RR
		for _, r := range answer.Records {
			if relative(r.Name, zone) == name {
				out = append(out, libdns.RR{Name: name, Type: r.Type, Data: r.Data})
			}
		}
		return out, answer.Links.Pages.Next != "", err
	})
}

func (p *digitalOcean) Append(ctx context.Context, zone string, r libdns.RR) error {
	return p.Post(ctx, "/domains/"+url.PathEscape(zone)+"/records", map[string]any{
		"type": r.Type, "name": r.Name, "data": r.Data, "ttl": seconds(r, 30),
	}, nil)
}
