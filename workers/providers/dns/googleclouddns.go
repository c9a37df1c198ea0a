package dns

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// googleCloud is Google's API. libdns' package for it accepts no HTTP client, and its credentials may name files and
// addresses, which it reads. Here the credentials are only the key of a service account.
type googleCloud struct {
	rest.API
	c       map[string]string
	oauth   string // address that issues tokens
	ids     zoneIDs
	project string
}

func openGoogleCloud(a rest.API, c map[string]string) Provider {
	p := &googleCloud{API: a, c: c, ids: zoneIDs{}, oauth: "https://oauth2.googleapis.com"}
	if p.Base == "" {
		p.Base = "https://dns.googleapis.com"
	} else {
		p.oauth = p.Base
	}
	return p
}

// serviceAccount is the key of a service account.
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
	assertion, err := account.assertion(p.Now())
	if err != nil {
		return err
	}
	tokens := p.API
	tokens.Base = p.oauth
	tokens.Denied = func(f *rest.FailureError) bool {
		return strings.Contains(f.Text, "invalid_grant") || strings.Contains(f.Text, "invalid_client")
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	err = tokens.Do(ctx, rest.Request{Method: http.MethodPost, Path: "/token", Body: url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion},
	}}, &answer)
	if err != nil {
		return err
	}
	p.project = p.c["project_id"]
	if p.project == "" {
		p.project = account.Project
	}
	p.Hide(answer.Token)
	p.Sign = rest.Bearer(answer.Token)
	return nil
}

// assertion returns a signed JWT that proves the identity of the service account.
func (s serviceAccount) assertion(at time.Time) (string, error) {
	block, _ := pem.Decode([]byte(s.Key))
	if block == nil {
		return "", errors.New("the private key of the service account cannot be read")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(*rsa.PrivateKey)
	if err != nil || !ok {
		return "", errors.New("the private key of the service account cannot be read")
	}
	part := func(v any) string {
		raw, _ := json.Marshal(v) // of texts and numbers
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	text := part(map[string]string{"alg": "RS256", "typ": "JWT", "kid": s.KeyID}) + "." + part(map[string]any{
		"iss": s.Email, "scope": "https://www.googleapis.com/auth/ndev.clouddns.readwrite",
		"aud": "https://oauth2.googleapis.com/token", "iat": at.Unix(), "exp": at.Add(time.Hour).Unix(),
	})
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

func (p *googleCloud) path(below string) string {
	return "/dns/v1/projects/" + url.PathEscape(p.project) + "/managedZones" + below
}

func (p *googleCloud) Zones(ctx context.Context) ([]string, error) {
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	query := url.Values{"maxResults": {"100"}}
	return pages(func(int) ([]string, bool, error) {
		var answer struct {
			Zones []struct{ Name, DNSName, Visibility string } `json:"managedZones"`
			Next  string                                       `json:"nextPageToken"`
		}
		err := p.Get(ctx, p.path(""), query, &answer)
		var out []string
		for _, z := range answer.Zones {
			if z.Visibility != "private" {
				out = append(out, p.ids.set(z.DNSName, z.Name))
			}
		}
		query.Set("pageToken", answer.Next)
		return out, answer.Next != "", err
	})
}

func (p *googleCloud) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	id, err := p.ids.of(ctx, p, zone)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Sets []struct {
			Type  string
			Datas []string `json:"rrdatas"`
		} `json:"rrsets"`
	}
	err = p.Get(ctx, p.path("/"+url.PathEscape(id)+"/rrsets"), url.Values{"name": {absolute(name, zone) + "."}}, &answer)
	var out []libdns.RR
	for _, set := range answer.Sets {
		for _, data := range set.Datas {
			out = append(out, libdns.RR{Name: name, Type: set.Type, Data: data})
		}
		if len(set.Datas) == 0 { // a routing policy chooses the data
			out = append(out, libdns.RR{Name: name, Type: set.Type, Data: "a routing policy"})
		}
	}
	return out, err
}

func (p *googleCloud) Append(ctx context.Context, zone string, r libdns.RR) error {
	r = quoted(r)
	have, err := p.Records(ctx, zone, r.Name)
	if err != nil {
		return err
	}
	all, present, err := values(have, r)
	if err != nil {
		return err
	}
	full := absolute(r.Name, zone) + "."
	q := rest.Request{Method: http.MethodPost, Path: p.path("/" + url.PathEscape(p.ids[zone]) + "/rrsets"), Body: map[string]any{
		"name": full, "type": r.Type, "ttl": seconds(r, 0), "rrdatas": all,
	}}
	if present {
		q.Method, q.Path = http.MethodPatch, q.Path+"/"+url.PathEscape(full)+"/"+r.Type
	}
	return p.Do(ctx, q, nil)
}
