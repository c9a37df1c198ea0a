package dns

import (
	"context"
	"net/url"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// dnsimple is DNSimple's API. libdns' package for it reads only the first page of records, and panics if the token may not
// call /whoami.
type dnsimple struct {
	rest.API
	account string // empty: not known yet
}

func openDNSimple(a rest.API, c map[string]string) Provider {
	a.Sign = rest.Bearer(c["api_token"])
	return &dnsimple{a, c["account_id"]}
}

// path returns the API path below the account. It asks for the account's id first, if the id is not known yet.
func (p *dnsimple) path(ctx context.Context, below string) (string, error) {
	if p.account == "" {
		var answer struct {
			Data struct{ Account *struct{ ID int64 } }
		}
		if err := p.Get(ctx, "/whoami", nil, &answer); err != nil {
			return "", err
		}
		if answer.Data.Account == nil {
			return "", &rest.FailureError{Text: "the token is of a user: make one of an account, or name the account_id"}
		}
		p.account = strconv.FormatInt(answer.Data.Account.ID, 10)
	}
	return "/" + url.PathEscape(p.account) + "/zones" + below, nil
}

func dnsimplePage(n int) url.Values {
	return url.Values{"page": {strconv.Itoa(n)}, "per_page": {"100"}}
}

type dnsimplePages struct {
	Pagination struct {
		Pages int `json:"total_pages"`
	}
}

func (p *dnsimple) Zones(ctx context.Context) ([]string, error) {
	path, err := p.path(ctx, "")
	if err != nil {
		return nil, err
	}
	return pages(func(page int) ([]string, bool, error) {
		var answer struct {
			Data []struct{ Name string }
			dnsimplePages
		}
		err := p.Get(ctx, path, dnsimplePage(page), &answer)
		return names(answer.Data), page < answer.Pagination.Pages, err
	})
}

func (p *dnsimple) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	path, err := p.path(ctx, "/"+url.PathEscape(zone)+"/records")
	if err != nil {
		return nil, err
	}
	return pages(func(page int) ([]libdns.RR, bool, error) {
		var answer struct {
			Data []struct{ Type, Name, Content string }
			dnsimplePages
		}
		query := dnsimplePage(page)
		query.Set("name", blank(name))
		err := p.Get(ctx, path, query, &answer)
		var out []libdns.RR
		for _, r := range answer.Data {
			if bare(r.Name) == blank(name) {
				out = append(out, libdns.RR{Name: name, Type: r.Type, Data: r.Content})
			}
		}
		return out, page < answer.Pagination.Pages, err
	})
}

func (p *dnsimple) Append(ctx context.Context, zone string, r libdns.RR) error {
	path, err := p.path(ctx, "/"+url.PathEscape(zone)+"/records")
	if err != nil {
		return err
	}
	return p.Post(ctx, path, map[string]any{
		"type": r.Type, "name": blank(r.Name), "content": undotted(r), "ttl": seconds(r, 60),
	}, nil)
}
