package dns

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// azure is Azure's API. The package of libdns for Azure is not used: it accepts no HTTP client. Without credentials, it would use
// the identity of the worker's machine.
type azure struct {
	rest.API
	c     map[string]string
	login string // address that issues tokens
}

func openAzure(a rest.API, c map[string]string) account {
	p := &azure{API: a, c: c, login: "https://login.microsoftonline.com"}
	if p.Base == "" {
		p.Base = "https://management.azure.com"
	} else {
		p.login = p.Base
	}
	return p
}

// signIn fetches a token unless there is one already.
func (p *azure) signIn(ctx context.Context) error {
	if p.Sign != nil {
		return nil
	}
	tokens := p.API
	tokens.Base = p.login
	tokens.Denied = func(f *rest.FailureError) bool { return strings.Contains(f.Text, "AADSTS") }
	var answer struct {
		Token string `json:"access_token"`
	}
	err := tokens.Do(ctx, rest.Request{
		Method: http.MethodPost, Path: "/" + url.PathEscape(p.c["tenant_id"]) + "/oauth2/v2.0/token", Body: url.Values{
			"grant_type": {"client_credentials"}, "client_id": {p.c["client_id"]}, "client_secret": {p.c["client_secret"]},
			"scope": {"https://management.azure.com/.default"},
		},
	}, &answer)
	if err != nil {
		return err
	}
	p.Hide(answer.Token)
	p.Sign = rest.Bearer(answer.Token)
	return nil
}

// azureVersion is the version of the API.
var azureVersion = url.Values{"api-version": {"2018-05-01"}}

// azureList reads all pages of a list. It uses only the query of the link to the next page, so the link cannot lead to another
// address.
func azureList[T any](ctx context.Context, p *azure, at string, query url.Values) ([]T, error) {
	return pages(func(int) ([]T, bool, error) {
		var answer struct {
			Value []T
			Next  string `json:"nextLink"`
		}
		if err := p.Get(ctx, at, query, &answer); err != nil {
			return nil, false, err
		}
		next, err := url.Parse(answer.Next)
		if err != nil {
			return nil, false, rest.ErrForm
		}
		query = next.Query()
		return answer.Value, answer.Next != "", nil
	})
}

func (p *azure) Zones(ctx context.Context) ([]zone, error) {
	if err := p.signIn(ctx); err != nil {
		return nil, err
	}
	at := "/subscriptions/" + url.PathEscape(p.c["subscription_id"]) + "/providers/Microsoft.Network/dnszones"
	zones, err := azureList[listedZone](ctx, p, at, azureVersion)
	// Later requests have paths that begin with the id of a zone, so zones with another kind of id are left out.
	return zonesOf(slices.DeleteFunc(zones, func(z listedZone) bool { return !strings.HasPrefix(string(z.ID), "/subscriptions/") })), err
}

type azureRecords struct {
	TTL   int         `json:"TTL,omitempty"`
	A     []azureA    `json:"ARecords,omitempty"`
	AAAA  []azureAAAA `json:"AAAARecords,omitempty"`
	CNAME *azureCNAME `json:"CNAMERecord,omitempty"`
	TXT   []azureTXT  `json:"TXTRecords,omitempty"`
	Alias *struct {
		ID string `json:"id"`
	} `json:"targetResource,omitempty"`
}

type (
	azureA struct {
		Address string `json:"ipv4Address"`
	}
	azureAAAA struct {
		Address string `json:"ipv6Address"`
	}
	azureCNAME struct {
		Name string `json:"cname"`
	}
	azureTXT struct {
		Value []string `json:"value"`
	}
)

func (r azureRecords) values() (out []string) {
	for _, a := range r.A {
		out = append(out, a.Address)
	}
	for _, a := range r.AAAA {
		out = append(out, a.Address)
	}
	for _, t := range r.TXT {
		out = append(out, strings.Join(t.Value, ""))
	}
	if r.CNAME != nil {
		out = append(out, r.CNAME.Name)
	}
	if r.Alias != nil && r.Alias.ID != "" {
		out = append(out, r.Alias.ID)
	}
	return out
}

func (p *azure) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	query := url.Values{"api-version": azureVersion["api-version"], "$top": {"500"}}
	if name != "@" {
		query.Set("$recordsetnamesuffix", name)
	}
	sets, err := azureList[struct {
		Name, Type string
		Properties azureRecords
	}](ctx, p, z.id+"/recordsets", query)
	var out []libdns.RR
	for _, set := range sets {
		if bare(set.Name) != name {
			continue
		}
		values := set.Properties.values()
		if len(values) == 0 { // a record type that is not read
			values = []string{""}
		}
		out = append(out, recordsOf(name, path.Base(set.Type), values...)...)
	}
	return out, err
}

func (p *azure) Append(ctx context.Context, z zone, r libdns.RR, set []string) error {
	records := azureRecords{TTL: ttlAtLeast(r, 1)}
	for _, data := range set {
		switch r.Type {
		case "A":
			records.A = append(records.A, azureA{data})
		case "AAAA":
			records.AAAA = append(records.AAAA, azureAAAA{data})
		case "TXT":
			records.TXT = append(records.TXT, azureTXT{[]string{data}})
		default:
			records.CNAME = &azureCNAME{strings.TrimSuffix(data, ".")}
		}
	}
	q := rest.Request{
		Method: http.MethodPut, Path: z.id + "/" + r.Type + "/" + url.PathEscape(r.Name), Query: azureVersion,
		Body: map[string]any{"properties": records}, Header: map[string]string{},
	}
	if len(set) == 1 {
		q.Header["If-None-Match"] = "*" // it must not replace a set that was created in between
	}
	return p.Do(ctx, q, nil)
}
