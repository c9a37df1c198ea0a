package dns

import (
	"context"
	"net/url"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// vultr is Vultr's API. libdns' package for it is missing from Go's checksum database.
type vultr struct{ rest.API }

func openVultr(a rest.API, c map[string]string) Provider {
	a.Sign = rest.Bearer(c["api_key"])
	return &vultr{a}
}

// vultrMeta has the cursor of the next page; empty: this is the last page.
type vultrMeta struct {
	Meta struct {
		Links struct{ Next string }
	}
}

func vultrQuery(cursor string) url.Values {
	q := url.Values{"per_page": {"500"}}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return q
}

func (p *vultr) Zones(ctx context.Context) ([]string, error) {
	cursor := ""
	return pages(func(int) ([]string, bool, error) {
		var answer struct {
			Domains []struct{ Domain string }
			vultrMeta
		}
		err := p.Get(ctx, "/domains", vultrQuery(cursor), &answer)
		var out []string
		for _, d := range answer.Domains {
			out = append(out, d.Domain)
		}
		cursor = answer.Meta.Links.Next
		return out, cursor != "", err
	})
}

func (p *vultr) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	cursor := ""
	all, err := pages(func(int) ([]libdns.RR, bool, error) {
		var answer struct {
			Records []struct{ Type, Name, Data string }
			vultrMeta
		}
		err := p.Get(ctx, "/domains/"+url.PathEscape(zone)+"/records", vultrQuery(cursor), &answer)
		out := make([]libdns.RR, len(answer.Records))
		for i, r := range answer.Records {
			out[i] = libdns.RR{Name: relative(r.Name, zone), Type: r.Type, Data: r.Data}
		}
		cursor = answer.Meta.Links.Next
		return out, cursor != "", err
	})
	return named(all, name), err
}

func (p *vultr) Append(ctx context.Context, zone string, r libdns.RR) error {
	r = quoted(r)
	return p.Post(ctx, "/domains/"+url.PathEscape(zone)+"/records", map[string]any{
		"type": r.Type, "name": blank(r.Name), "data": undotted(r), "ttl": seconds(r, 120),
	}, nil)
}
