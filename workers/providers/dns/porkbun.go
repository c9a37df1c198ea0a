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

// porkbun is Porkbun's API. libdns' package for it accepts neither an HTTP client nor a context. It also leaves out records
// of unknown types, so conflicts could go unnoticed.
type porkbun struct {
	rest.API
	keys map[string]any
}

func openPorkbun(a rest.API, c map[string]string) account {
	a.Failed = func(body []byte) string {
		var answer struct{ Status, Message string }
		if json.Unmarshal(body, &answer) == nil && answer.Status == "SUCCESS" {
			return ""
		}
		return answer.Message + " " // the space makes an answer without a message a failure
	}
	a.Denied = func(f *rest.FailureError) bool { return strings.Contains(f.Text, "Invalid API key") }
	return &porkbun{a, map[string]any{"apikey": c["api_key"], "secretapikey": c["secret_api_key"]}}
}

// bodyWith returns a request body with the keys and further members.
func (p *porkbun) bodyWith(more map[string]any) map[string]any {
	body := maps.Clone(p.keys)
	maps.Copy(body, more)
	return body
}

const porkbunPage = 1000

func (p *porkbun) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer struct{ Domains []listedZone }
		err := p.Post(ctx, "/domain/listAll", p.bodyWith(map[string]any{"start": strconv.Itoa((page - 1) * porkbunPage)}), &answer)
		return zonesOf(answer.Domains), len(answer.Domains) == porkbunPage, err
	})
}

func (p *porkbun) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	var answer struct{ Records []listedRecord }
	err := p.Post(ctx, "/dns/retrieve/"+url.PathEscape(z.name), p.keys, &answer)
	return named(answer.Records, z, name), err
}

func (p *porkbun) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	return p.Post(ctx, "/dns/create/"+url.PathEscape(z.name), p.bodyWith(map[string]any{
		"name": blankApex(r.Name), "type": r.Type, "content": withoutDot(r), "ttl": strconv.Itoa(ttlAtLeast(r, 600)),
	}), nil)
}
