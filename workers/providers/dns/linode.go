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
type linode struct {
	rest.API
	ids zoneIDs
}

func openLinode(a rest.API, c map[string]string) Provider {
	a.Sign = rest.Bearer(c["api_token"])
	return &linode{a, zoneIDs{}}
}

func linodePage(n int) url.Values { return url.Values{"page": {strconv.Itoa(n)}, "page_size": {"500"}} }

func (p *linode) Zones(ctx context.Context) ([]string, error) {
	return pages(func(page int) ([]string, bool, error) {
		var answer struct {
			Data []struct {
				ID           int64
				Domain, Type string
			}
			Pages int
		}
		err := p.Get(ctx, "/domains", linodePage(page), &answer)
		var out []string
		for _, d := range answer.Data {
			if d.Type != "slave" {
				out = append(out, p.ids.set(d.Domain, strconv.FormatInt(d.ID, 10)))
			}
		}
		return out, page < answer.Pages, err
	})
}

func (p *linode) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	id, err := p.ids.of(ctx, p, zone)
	if err != nil {
		return nil, err
	}
	all, err := pages(func(page int) ([]libdns.RR, bool, error) {
		var answer struct {
			Data  []struct{ Type, Name, Target string }
			Pages int
		}
		err := p.Get(ctx, "/domains/"+id+"/records", linodePage(page), &answer)
		out := make([]libdns.RR, len(answer.Data))
		for i, r := range answer.Data {
			out[i] = libdns.RR{Name: relative(r.Name, zone), Type: r.Type, Data: r.Target}
		}
		return out, page < answer.Pages, err
	})
	return named(all, name), err
}

func (p *linode) Append(ctx context.Context, zone string, r libdns.RR) error {
	id, err := p.ids.of(ctx, p, zone)
	if err != nil {
		return err
	}
	return p.Post(ctx, "/domains/"+id+"/records", map[string]any{
		"type": r.Type, "name": blank(r.Name), "target": undotted(r), "ttl_sec": seconds(r, 300),
	}, nil)
}
