package dns

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/libdns/libdns"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// googleCloud is Google's API. The package of libdns for this API accepts no HTTP client, and reads the files and addresses that
// the credentials name. This type accepts only the key of a service account, as JSON.
type googleCloud struct {
	rest.API
	c       map[string]string
	oauth   string // address that issues tokens
	project string
}

func openGoogleCloud(a rest.API, c map[string]string) account {
	p := &googleCloud{API: a, c: c, oauth: "https://oauth2.googleapis.com"}
	if p.Base == "" {
		p.Base = "https://dns.googleapis.com"
	} else {
		p.oauth = p.Base
	}
	return p
}

type serviceAccount struct {
	Type    string
	Project string `json:"project_id"`
	KeyID   string `json:"private_key_id"`
	Key     string `json:"private_key"`
	Email   string `json:"client_email"`
}

// ready fetches a token unless there is one already.
func (p *googleCloud) ready(ctx context.Context) error {
	if p.Sign != nil {
		return nil
	}
	var account serviceAccount
	if json.Unmarshal([]byte(p.c["service_account"]), &account) != nil || account.Type != "service_account" {
		return errors.New("service_account is not the JSON key of a service account")
	}
	p.Hide(account.Key)
	token, err := p.token(ctx, account)
	if err != nil {
		return err
	}
	p.project = cmp.Or(p.c["project_id"], account.Project)
	p.Hide(token)
	p.Sign = rest.Bearer(token)
	return nil
}

// token fetches a token with a JWT that the key of the service account signs.
func (p *googleCloud) token(ctx context.Context, account serviceAccount) (string, error) {
	t := &tokenTransport{API: p.API}
	t.Base = p.oauth
	t.Denied = func(f *rest.FailureError) bool {
		return strings.Contains(f.Text, "invalid_grant") || strings.Contains(f.Text, "invalid_client")
	}
	config := jwt.Config{ //nolint:gosec // an address is no secret
		Email: account.Email, PrivateKey: []byte(account.Key), PrivateKeyID: account.KeyID,
		Scopes: []string{"https://www.googleapis.com/auth/ndev.clouddns.readwrite"}, TokenURL: "https://oauth2.googleapis.com/token",
	}
	client := p.Out.HTTP(0)
	client.Transport = t
	token, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, client)).Token()
	switch {
	case err == nil:
		return token.AccessToken, nil
	case t.err != nil:
		return "", t.err
	case t.sent:
		return "", rest.ErrForm
	}
	return "", errors.New("the private key of the service account cannot be read")
}

// tokenTransport sends the request for a token as rest.API does. It keeps the error, because package jwt returns only its text.
type tokenTransport struct {
	rest.API
	sent bool
	err  error
}

func (t *tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	var answer egress.Answer
	body, err := io.ReadAll(r.Body)
	if err == nil {
		t.sent = true
		answer, err = t.Send(r.Context(), rest.Request{Method: r.Method, Path: "/token", Body: body, Kind: r.Header.Get("Content-Type")})
	}
	if t.err = err; err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: answer.Status, Header: answer.Header, Body: io.NopCloser(bytes.NewReader(answer.Body))}, nil
}

func (p *googleCloud) path(below string) string {
	return "/dns/v1/projects/" + url.PathEscape(p.project) + "/managedZones" + below
}

func (p *googleCloud) Zones(ctx context.Context) ([]zone, error) {
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	query := url.Values{"maxResults": {"100"}}
	return pages(func(int) ([]zone, bool, error) {
		var answer struct {
			Zones []struct{ Name, DNSName, Visibility string } `json:"managedZones"`
			Next  string                                       `json:"nextPageToken"`
		}
		err := p.Get(ctx, p.path(""), query, &answer)
		var out []zone
		for _, z := range answer.Zones {
			if z.Visibility != "private" {
				out = append(out, zone{z.DNSName, z.Name})
			}
		}
		query.Set("pageToken", answer.Next)
		return out, answer.Next != "", err
	})
}

func (p *googleCloud) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	var answer struct {
		Sets []struct {
			Type  string
			Datas []string `json:"rrdatas"`
		} `json:"rrsets"`
	}
	err := p.Get(ctx, p.path("/"+url.PathEscape(z.id)+"/rrsets"), url.Values{"name": {absolute(name, z.name) + "."}}, &answer)
	var out []libdns.RR
	for _, set := range answer.Sets {
		if len(set.Datas) == 0 { // a routing policy chooses the data
			set.Datas = []string{"a routing policy"}
		}
		out = append(out, recordsOf(name, set.Type, set.Datas...)...)
	}
	return out, err
}

func (p *googleCloud) Append(ctx context.Context, z zone, r libdns.RR, set []string) error {
	full := absolute(r.Name, z.name) + "."
	q := rest.Request{Method: http.MethodPost, Path: p.path("/" + url.PathEscape(z.id) + "/rrsets"), Body: map[string]any{
		"name": full, "type": r.Type, "ttl": ttlAtLeast(r, 0), "rrdatas": set,
	}}
	if len(set) > 1 {
		q.Method, q.Path = http.MethodPatch, q.Path+"/"+url.PathEscape(full)+"/"+r.Type
	}
	return p.Do(ctx, q, nil)
}
