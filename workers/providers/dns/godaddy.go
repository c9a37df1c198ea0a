package dns

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// godaddy is GoDaddy's API. When libdns' package for it adds a record, it replaces the existing records of that name.
type godaddy struct{ rest.API }

func openGoDaddy(a rest.API, c map[string]string) Provider {
	a.Sign = rest.Header("Authorization", "sso-key "+c["api_key"]+":"+c["api_secret"])
	a.Explain = func(f *rest.FailureError) string {
		if f.Status == http.StatusForbidden {
			return godaddyLimit
		}
		return ""
	}
	return &godaddy{a}
}

// godaddyLimit explains status 403, which right credentials get too. The limit holds since April 2024: provider godaddy of
// github.com/go-acme/lego names it.
const godaddyLimit = "GoDaddy opens this API only to accounts with ten domains or more, or with Discount Domain Club"

const (
	godaddyZones   = 500 // zones on a page
	godaddyRecords = 500
)

func (p *godaddy) Zones(ctx context.Context) ([]string, error) {
	last := ""
	return pages(func(int) ([]string, bool, error) {
		query := url.Values{"limit": {strconv.Itoa(godaddyZones)}, "statuses": {"ACTIVE"}}
		if last != "" {
			query.Set("marker", last)
		}
		var answer []struct{ Domain string }
		err := p.Get(ctx, "/domains", query, &answer)
		var out []string
		for _, d := range answer {
			last = d.Domain
			out = append(out, d.Domain)
		}
		return out, len(out) == godaddyZones, err
	})
}

// Records reads the whole zone, page by page. The parameter offset counts pages. After the last page the answer is empty, or
// has status 422.
func (p *godaddy) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	all, err := pages(func(page int) ([]libdns.RR, bool, error) {
		var answer []struct{ Type, Name, Data string }
		query := url.Values{"offset": {strconv.Itoa(page)}, "limit": {strconv.Itoa(godaddyRecords)}}
		err := p.Get(ctx, "/domains/"+url.PathEscape(zone)+"/records", query, &answer)
		if page > 1 && rest.HasStatus(err, http.StatusUnprocessableEntity) {
			return nil, false, nil
		}
		var out []libdns.RR
		for _, r := range answer {
			out = append(out, libdns.RR{Name: relative(r.Name, zone), Type: r.Type, Data: r.Data})
		}
		return out, len(out) == godaddyRecords, err
	})
	return named(all, name), err
}

func (p *godaddy) Append(ctx context.Context, zone string, r libdns.RR) error {
	body := []map[string]any{{"type": r.Type, "name": r.Name, "data": undotted(r), "ttl": seconds(r, 600)}}
	return p.Do(ctx, rest.Request{Method: http.MethodPatch, Path: "/domains/" + url.PathEscape(zone) + "/records", Body: body}, nil)
}
