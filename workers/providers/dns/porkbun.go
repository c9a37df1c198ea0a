package dns

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// porkbun is Porkbun's API. libdns' package for it leaves out records of unknown types, so a conflicting record could go
// unnoticed. It accepts neither an HTTP client nor a context.
type porkbun struct {
	rest.API
	keys map[string]any
}

func openPorkbun(a rest.API, c map[string]string) Provider {
	a.Failed = func(body []byte) string {
		var answer struct{ Status, Message string }
		if json.Unmarshal(body, &answer) == nil && answer.Status == "SUCCESS" {
			return ""
		}
		return answer.Message + " "
	}
	a.Denied = func(f *rest.FailureError) bool { return strings.Contains(f.Text, "Invalid API key") }
	return &porkbun{a, map[string]any{"apikey": c["api_key"], "secretapikey": c["secret_api_key"]}}
}

// with returns a request body with the keys and further members.
func (p *porkbun) with(more map[string]any) map[string]any {
	body := maps.Clone(p.keys)
	maps.Copy(body, more)
	return body
}

// porkbunPage is the number of domains on a page.
const porkbunPage = 1000

func (p *porkbun) Zones(ctx context.Context) ([]string, error) {
	return pages(func(page int) ([]string, bool, error) {
		var answer struct{ Domains []struct{ Domain string } }
		err := p.Post(ctx, "/domain/listAll", p.with(map[string]any{"start": strconv.Itoa((page - 1) * porkbunPage)}), &answer)
		out := make([]string, len(answer.Domains))
		for i, d := range answer.Domains {
			out[i] = d.Domain
		}
		return out, len(out) == porkbunPage, err
	})
}

func (p *porkbun) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	var answer struct {
		Records []struct{ Name, Type, Content string }
	}
	if err := p.Post(ctx, "/dns/retrieve/"+url.PathEscape(zone), p.keys, &answer); err != nil {
		return nil, err
	}
	var out []libdns.RR
	for _, r := range answer.Records {
		if relative(r.Name, zone) == name {
			out = append(out, libdns.RR{Name: name, Type: r.Type, Data: r.Content})
		}
	}
	return out, nil
}

func (p *porkbun) Append(ctx context.Context, zone string, r libdns.RR) error {
	return p.Post(ctx, "/dns/create/"+url.PathEscape(zone), p.with(map[string]any{
		"name": blank(r.Name), "type": r.Type, "content": undotted(r), "ttl": strconv.Itoa(seconds(r, 600)),
	}), nil)
}
