package dns

import (
	"context"
	"net/url"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// vultr is Vultr's API. libdns' package for it is missing from Go's checksum database.
type vultr struct{ rest.API }

func openVultr(a rest.API, c map[string]string) account {
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

func (p *vultr) Zones(ctx context.Context) ([]zone, error) {
	cursor := ""
	return pages(func(int) ([]zone, bool, error) {
		var answer struct {
			Domains []listedZone
			vultrMeta
		}
		err := p.Get(ctx, "/domains", vultrQuery(cursor), &answer)
		cursor = answer.Meta.Links.Next
		return zonesOf(answer.Domains), cursor != "", err
	})
}

func (p *vultr) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	cursor := ""
	all, err := pages(func(int) ([]listedRecord, bool, error) {
		var answer struct {
			Records []listedRecord
			vultrMeta
		}
		err := p.Get(ctx, "/domains/"+url.PathEscape(z.name)+"/records", vultrQuery(cursor), &answer)
		cursor = answer.Meta.Links.Next
		return answer.Records, cursor != "", err
	})
	return named(all, z, name), err
}

func (p *vultr) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	return p.Post(ctx, "/domains/"+url.PathEscape(z.name)+"/records", map[string]any{
		"type": r.Type, "name": blankApex(r.Name), "data": withoutDot(r), "ttl": ttlAtLeast(r, 120),
	}, nil)
}
