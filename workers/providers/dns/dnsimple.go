package dns

import (
	"context"
	"net/url"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// dnsimple is DNSimple's API. libdns' package for it reads only the first page of records, and panics if the token has no
// right to call /whoami.
type dnsimple struct {
	rest.API
	account string // empty: not known yet
}

func openDNSimple(a rest.API, c map[string]string) account {
	a.Sign = rest.Bearer(c["api_token"])
	return &dnsimple{a, c["account_id"]}
}

// path returns the API path of the account's zones, followed by the given rest of the path. If the account id is not known, path
// asks DNSimple for it.
func (p *dnsimple) path(ctx context.Context, below string) (string, error) {
	if p.account == "" {
		var answer struct {
			Data struct{ Account *struct{ ID int64 } }
		}
		if err := p.Get(ctx, "/whoami", nil, &answer); err != nil {
			return "", err
		}
		if answer.Data.Account == nil {
			return "", &rest.FailureError{Text: "the token belongs to a user: make a token of an account, or enter the account_id"}
		}
		p.account = strconv.FormatInt(answer.Data.Account.ID, 10)
	}
	return "/" + url.PathEscape(p.account) + "/zones" + below, nil
}

const dnsimplePage = 100 // items on a page

type dnsimplePages struct {
	Pagination struct {
		Pages int `json:"total_pages"`
	}
}

func (p *dnsimple) Zones(ctx context.Context) ([]zone, error) {
	path, err := p.path(ctx, "")
	if err != nil {
		return nil, err
	}
	return pages(func(page int) ([]zone, bool, error) {
		var answer struct {
			Data []listedZone
			dnsimplePages
		}
		err := p.Get(ctx, path, pageQuery(page, dnsimplePage), &answer)
		return zonesOf(answer.Data), page < answer.Pagination.Pages, err
	})
}

func (p *dnsimple) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	path, err := p.path(ctx, "/"+url.PathEscape(z.name)+"/records")
	if err != nil {
		return nil, err
	}
	return pages(func(page int) ([]libdns.RR, bool, error) {
		var answer struct {
			Data []listedRecord
			dnsimplePages
		}
		query := pageQuery(page, dnsimplePage)
		query.Set("name", blankApex(name))
		err := p.Get(ctx, path, query, &answer)
		return named(answer.Data, z, name), page < answer.Pagination.Pages, err
	})
}

func (p *dnsimple) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	path, err := p.path(ctx, "/"+url.PathEscape(z.name)+"/records")
	if err != nil {
		return err
	}
	return p.Post(ctx, path, map[string]any{
		"type": r.Type, "name": blankApex(r.Name), "content": withoutDot(r), "ttl": ttlAtLeast(r, 60),
	}, nil)
}
