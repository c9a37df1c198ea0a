package dns

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// powerDNS is the API of a PowerDNS server. A set of records with one name and type can only be replaced as a whole.
type powerDNS struct{ rest.API }

func openPowerDNS(a rest.API, c map[string]string) account {
	if a.Base == "" {
		a.Base = strings.TrimSuffix(c["url"], "/")
	}
	a.Base += "/api/v1/servers/" + url.PathEscape(c["server_id"])
	a.Sign = rest.Header("X-API-Key", c["api_key"])
	return &powerDNS{a}
}

func (p *powerDNS) Zones(ctx context.Context) ([]zone, error) {
	var answer []listedZone
	err := p.Get(ctx, "/zones", nil, &answer)
	return zonesOf(answer), err
}

type powerSet struct {
	Name    string        `json:"name"`
	Type    string        `json:"type"`
	TTL     int           `json:"ttl"`
	Change  string        `json:"changetype,omitempty"`
	Records []powerRecord `json:"records"`
}

type powerRecord struct {
	Content  string `json:"content"`
	Disabled bool   `json:"disabled"`
}

func (p *powerDNS) sets(ctx context.Context, z zone, name string) ([]powerSet, error) {
	var answer struct{ RRSets []powerSet }
	full := absolute(name, z.name) + "."
	err := p.Get(ctx, "/zones/"+url.PathEscape(z.name+"."), url.Values{"rrset_name": {full}}, &answer)
	// Servers before 4.8 send the sets of all names.
	return slices.DeleteFunc(answer.RRSets, func(set powerSet) bool { return !strings.EqualFold(set.Name, full) }), err
}

func (p *powerDNS) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	sets, err := p.sets(ctx, z, name)
	var out []libdns.RR
	for _, set := range sets {
		for _, r := range set.Records {
			out = append(out, libdns.RR{Name: name, Type: set.Type, Data: r.Content})
		}
	}
	return out, err
}

func (p *powerDNS) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	sets, err := p.sets(ctx, z, r.Name)
	if err != nil {
		return err
	}
	set := powerSet{Name: absolute(r.Name, z.name) + ".", Type: r.Type, TTL: ttlAtLeast(r, 1)}
	var have []libdns.RR
	for _, s := range sets {
		if s.Type == r.Type {
			set.TTL, set.Records = s.TTL, s.Records
		}
		for _, record := range s.Records {
			have = append(have, libdns.RR{Type: s.Type, Data: record.Content})
		}
	}
	if _, err := withRecord(have, r); err != nil {
		return err
	}
	set.Change, set.Records = "REPLACE", append(set.Records, powerRecord{Content: r.Data})
	body := map[string]any{"rrsets": []powerSet{set}}
	return p.Do(ctx, rest.Request{Method: http.MethodPatch, Path: "/zones/" + url.PathEscape(z.name+"."), Body: body}, nil)
}
