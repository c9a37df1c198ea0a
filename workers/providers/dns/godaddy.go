package dns

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// godaddy is GoDaddy's API. libdns' package for it replaces the existing records of a name when it adds a record.
type godaddy struct{ rest.API }

func openGoDaddy(a rest.API, c map[string]string) account {
	a.Sign = rest.Header("Authorization", "sso-key "+c["api_key"]+":"+c["api_secret"])
	a.Explain = func(f *rest.FailureError) string {
		if f.Status == http.StatusForbidden {
			return godaddyLimit
		}
		return ""
	}
	return &godaddy{a}
}

// godaddyLimit explains status 403, which GoDaddy also returns for correct credentials. GoDaddy has had this limit since
// April 2024, according to the provider godaddy of github.com/go-acme/lego.
const godaddyLimit = "GoDaddy opens this API only to accounts with ten domains or more, or with Discount Domain Club"

const godaddyPage = 500 // items on a page

func (p *godaddy) Zones(ctx context.Context) ([]zone, error) {
	last := ""
	return pages(func(int) ([]zone, bool, error) {
		query := url.Values{"limit": {strconv.Itoa(godaddyPage)}, "statuses": {"ACTIVE"}}
		if last != "" {
			query.Set("marker", last)
		}
		var answer []listedZone
		err := p.Get(ctx, "/domains", query, &answer)
		for _, d := range answer {
			last = string(d.Domain)
		}
		return zonesOf(answer), len(answer) == godaddyPage, err
	})
}

// Records reads the whole zone, page by page. After the last page the answer is empty, or has status 422.
func (p *godaddy) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	all, err := pages(func(page int) ([]listedRecord, bool, error) {
		var answer []listedRecord
		query := url.Values{"offset": {strconv.Itoa(page)}, "limit": {strconv.Itoa(godaddyPage)}}
		err := p.Get(ctx, "/domains/"+url.PathEscape(z.name)+"/records", query, &answer)
		if page > 1 && rest.HasStatus(err, http.StatusUnprocessableEntity) {
			return nil, false, nil
		}
		return answer, len(answer) == godaddyPage, err
	})
	return named(all, z, name), err
}

func (p *godaddy) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	body := []map[string]any{{"type": r.Type, "name": r.Name, "data": withoutDot(r), "ttl": ttlAtLeast(r, 600)}}
	return p.Do(ctx, rest.Request{Method: http.MethodPatch, Path: "/domains/" + url.PathEscape(z.name) + "/records", Body: body}, nil)
}
