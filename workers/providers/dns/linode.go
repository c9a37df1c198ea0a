package dns

import (
	"context"
	"net/url"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// linode is Linode's API. libdns' package for it replaces the logger of the whole process, and reports no error if it cannot
// set a record.
type linode struct{ rest.API }

func openLinode(a rest.API, c map[string]string) account {
	a.Sign = rest.Bearer(c["api_token"])
	return &linode{a}
}

func linodePage(n int) url.Values { return url.Values{"page": {strconv.Itoa(n)}, "page_size": {"500"}} }

func (p *linode) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer struct {
			Data []struct {
				listedZone
				Type string
			}
			Pages int
		}
		err := p.Get(ctx, "/domains", linodePage(page), &answer)
		var primary []listedZone
		for _, d := range answer.Data {
			if d.Type != "slave" {
				primary = append(primary, d.listedZone)
			}
		}
		return zonesOf(primary), page < answer.Pages, err
	})
}

func (p *linode) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	all, err := pages(func(page int) ([]listedRecord, bool, error) {
		var answer struct {
			Data  []listedRecord
			Pages int
		}
		err := p.Get(ctx, "/domains/"+z.id+"/records", linodePage(page), &answer)
		return answer.Data, page < answer.Pages, err
	})
	return named(all, z, name), err
}

func (p *linode) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	return p.Post(ctx, "/domains/"+z.id+"/records", map[string]any{
		"type": r.Type, "name": blankApex(r.Name), "target": withoutDot(r), "ttl_sec": ttlAtLeast(r, 300),
	}, nil)
}
