package dns

import (
	"context"
	"crypto/sha1" //nolint:gosec // the provider's signatures use SHA-1
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// ovh is OVHcloud's API. libdns' package for it accepts no HTTP client, and reads missing credentials from the worker's files
// and environment.
type ovh struct{ rest.API }

// ovhBases maps the credential "endpoint" to the address of the API.
var ovhBases = map[string]string{
	"ovh-eu": "https://eu.api.ovh.com/1.0", "ovh-ca": "https://ca.api.ovh.com/1.0", "ovh-us": "https://api.us.ovhcloud.com/1.0",
}

func openOVH(a rest.API, c map[string]string) account {
	if a.Base == "" {
		a.Base = ovhBases[c["endpoint"]]
	}
	a.Sign = func(r *http.Request, body []byte) {
		at := strconv.FormatInt(a.Now().Unix(), 10)
		text := strings.Join([]string{c["application_secret"], c["consumer_key"], r.Method, r.URL.String(), string(body), at}, "+")
		sum := sha1.Sum([]byte(text)) //nolint:gosec // as above
		r.Header.Set("X-Ovh-Application", c["application_key"])
		r.Header.Set("X-Ovh-Consumer", c["consumer_key"])
		r.Header.Set("X-Ovh-Timestamp", at)
		r.Header.Set("X-Ovh-Signature", "$1$"+hex.EncodeToString(sum[:]))
	}
	a.Denied = func(f *rest.FailureError) bool { return strings.Contains(strings.ToLower(f.Text), "invalid signature") }
	return &ovh{a}
}

func (p *ovh) Zones(ctx context.Context) ([]zone, error) {
	var names []string
	err := p.Get(ctx, "/domain/zone", nil, &names)
	return zonesNamed(names), err
}

// ovhRecords is the maximum number of records that are read for a name, because each record takes one request.
const ovhRecords = 50

func (p *ovh) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	path := "/domain/zone/" + url.PathEscape(z.name) + "/record"
	var ids []int64
	if err := p.Get(ctx, path, url.Values{"subDomain": {blankApex(name)}}, &ids); err != nil {
		return nil, err
	}
	if len(ids) > ovhRecords {
		return nil, fmt.Errorf("%s has more than %d records", absolute(name, z.name), ovhRecords)
	}
	var out []libdns.RR
	for _, id := range ids {
		var r struct{ SubDomain, FieldType, Target string }
		if err := p.Get(ctx, path+"/"+strconv.FormatInt(id, 10), nil, &r); err != nil {
			return nil, err
		}
		if bare(r.SubDomain) == blankApex(name) {
			out = append(out, libdns.RR{Name: name, Type: r.FieldType, Data: r.Target})
		}
	}
	return out, nil
}

func (p *ovh) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	path := "/domain/zone/" + url.PathEscape(z.name)
	err := p.Post(ctx, path+"/record", map[string]any{
		"fieldType": r.Type, "subDomain": blankApex(r.Name), "target": r.Data, "ttl": ttlAtLeast(r, 60),
	}, nil)
	if err != nil {
		return err
	}
	if err := p.Post(ctx, path+"/refresh", nil, nil); err != nil {
		return errors.Join(errors.New("the record was set, but the zone was not refreshed"), err)
	}
	return nil
}
