package dns

import (
	"context"
	"net/http"
	"net/url"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// gandi is Gandi's LiveDNS. libdns' package for it accepts no HTTP client, and follows addresses that an answer contains.
type gandi struct{ rest.API }

func openGandi(a rest.API, c map[string]string) account {
	a.Sign = rest.Bearer(c["api_token"])
	return &gandi{a}
}

const gandiPage = 100 // zones on a page

func (p *gandi) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer []listedZone
		err := p.Get(ctx, "/domains", pageQuery(page, gandiPage), &answer)
		return zonesOf(answer), len(answer) == gandiPage, err
	})
}

func gandiPath(z zone, name string) string {
	return "/domains/" + url.PathEscape(z.name) + "/records/" + url.PathEscape(name)
}

func (p *gandi) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	var answer []struct {
		Type   string   `json:"rrset_type"`
		Values []string `json:"rrset_values"`
	}
	err := p.Get(ctx, gandiPath(z, name), nil, &answer)
	if rest.HasStatus(err, http.StatusNotFound) {
		return nil, nil // the name is not in use
	}
	var out []libdns.RR
	for _, set := range answer {
		out = append(out, recordsOf(name, set.Type, set.Values...)...)
	}
	return out, err
}

func (p *gandi) Append(ctx context.Context, z zone, r libdns.RR, set []string) error {
	method := http.MethodPost
	if len(set) > 1 {
		method = http.MethodPut
	}
	return p.Do(ctx, rest.Request{Method: method, Path: gandiPath(z, r.Name) + "/" + r.Type, Body: map[string]any{
		"rrset_values": set, "rrset_ttl": ttlAtLeast(r, 300),
	}}, nil)
}
