package dns

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// gandi is Gandi's LiveDNS. libdns' package for it accepts no HTTP client, and follows addresses that an answer contains.
type gandi struct{ rest.API }

func openGandi(a rest.API, c map[string]string) Provider {
	a.Sign = rest.Bearer(c["api_token"])
	return &gandi{a}
}

const gandiPage = 100

func (p *gandi) Zones(ctx context.Context) ([]string, error) {
	return pages(func(page int) ([]string, bool, error) {
		var answer []struct{ FQDN string }
		err := p.Get(ctx, "/domains", url.Values{"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(gandiPage)}}, &answer)
		var out []string
		for _, d := range answer {
			out = append(out, d.FQDN)
		}
		return out, len(out) == gandiPage, err
	})
}

func gandiPath(zone, name string) string {
	return "/domains/" + url.PathEscape(zone) + "/records/" + url.PathEscape(name)
}

func (p *gandi) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	var answer []struct {
		Type   string   `json:"rrset_type"`
		Values []string `json:"rrset_values"`
	}
	err := p.Get(ctx, gandiPath(zone, name), nil, &answer)
	if rest.HasStatus(err, http.StatusNotFound) {
		return nil, nil // the name is not in use
	}
	var out []libdns.RR
	for _, set := range answer {
		for _, data := range set.Values {
			out = append(out, libdns.RR{Name: name, Type: set.Type, Data: data})
		}
	}
	return out, err
}

func (p *gandi) Append(ctx context.Context, zone string, r libdns.RR) error {
	r = quoted(r)
	all, present, err := withRecord(ctx, p, zone, r)
	if err != nil {
		return err
	}
	method := http.MethodPost
	if present {
		method = http.MethodPut
	}
	return p.Do(ctx, rest.Request{Method: method, Path: gandiPath(zone, r.Name) + "/" + r.Type, Body: map[string]any{
		"rrset_values": all, "rrset_ttl": seconds(r, 300),
	}}, nil)
}
