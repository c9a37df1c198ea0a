package dns

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"regexp"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// desec is deSEC's API. libdns' package for it accepts no HTTP client, fails with more than 500 zones or record sets, and
// sleeps as long as an answer 429 asks for.
type desec struct{ rest.API }

func openDesec(a rest.API, c map[string]string) account {
	a.Sign = rest.Header("Authorization", "Token "+c["token"])
	return &desec{a}
}

// desecNext finds the cursor of the next page in the header Link.
var desecNext = regexp.MustCompile(`<[^>]*[?&]cursor=([^&>]*)[^>]*>;\s*rel="next"`)

const desecMinTTL = 3600

func desecList[T any](ctx context.Context, p *desec, path string, query url.Values) ([]T, error) {
	cursor := ""
	return pages(func(int) ([]T, bool, error) {
		q := url.Values{"cursor": {cursor}}
		maps.Copy(q, query)
		answer, err := p.Send(ctx, rest.Request{Method: http.MethodGet, Path: path, Query: q})
		if err != nil {
			return nil, false, err
		}
		var items []T
		if err := rest.Decode(answer.Body, &items); err != nil {
			return nil, false, err
		}
		next := desecNext.FindStringSubmatch(answer.Header.Get("Link"))
		if next == nil {
			return items, false, nil
		}
		cursor, err = url.QueryUnescape(next[1])
		return items, true, err
	})
}

func (p *desec) Zones(ctx context.Context) ([]zone, error) {
	zones, err := desecList[listedZone](ctx, p, "/domains/", nil)
	return zonesOf(zones), err
}

func (p *desec) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	sets, err := desecList[struct {
		Type    string
		Records []string
	}](ctx, p, "/domains/"+url.PathEscape(z.name)+"/rrsets/", url.Values{"subname": {blankApex(name)}})
	var out []libdns.RR
	for _, set := range sets {
		out = append(out, recordsOf(name, set.Type, set.Records...)...)
	}
	return out, err
}

func (p *desec) Append(ctx context.Context, z zone, r libdns.RR, set []string) error {
	q := rest.Request{Method: http.MethodPost, Path: "/domains/" + url.PathEscape(z.name) + "/rrsets/", Body: map[string]any{
		"subname": blankApex(r.Name), "type": r.Type, "ttl": ttlAtLeast(r, desecMinTTL), "records": set,
	}}
	if len(set) > 1 {
		q.Method, q.Path = http.MethodPatch, q.Path+url.PathEscape(r.Name)+"/"+r.Type+"/"
		q.Body = map[string]any{"records": set}
	}
	return p.Do(ctx, q, nil)
}
