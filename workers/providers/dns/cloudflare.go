package dns

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/libdns/cloudflare"
	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// cloudflareAccount uses libdns' package, except for listing zones, because the package lists only the first 20. In
// Cloudflare's API, zone names keep letters beyond ASCII, while record names have them in punycode.
type cloudflareAccount struct {
	rest.API
	records *cloudflare.Provider
}

func openCloudflare(a rest.API, c map[string]string) account {
	// A token of another form, such as a global API key, is refused with status 400 and the codes 6003 and 6111.
	a.Denied = func(f *rest.FailureError) bool {
		return strings.Contains(f.Text, "Invalid format for Authorization header")
	}
	signed := a // transport needs no Sign, because the package signs its requests
	signed.Sign = rest.Bearer(c["api_token"])
	return &cloudflareAccount{signed, &cloudflare.Provider{
		APIToken: c["api_token"], HTTPClient: transport{a, "https://api.cloudflare.com/client/v4"},
	}}
}

func (p *cloudflareAccount) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer struct {
			Result []listedZone
			Info   struct {
				Pages int `json:"total_pages"`
			} `json:"result_info"`
		}
		err := p.Get(ctx, "/zones", pageQuery(page, 50), &answer)
		return zonesOf(answer.Result), page < answer.Info.Pages, err
	})
}

// oneName is the context key of the name whose records are read. Without it, the whole zone is read.
type oneName struct{}

func (p *cloudflareAccount) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	ctx = context.WithValue(ctx, oneName{}, ascii(absolute(name, z.name)))
	list, err := p.records.GetRecords(ctx, z.name)
	if err != nil {
		return nil, err
	}
	var out []libdns.RR
	for _, record := range list {
		if r := record.RR(); relative(r.Name, ascii(z.name)) == name {
			out = append(out, libdns.RR{Name: name, Type: r.Type, TTL: r.TTL, Data: r.Data})
		}
	}
	return out, nil
}

func (p *cloudflareAccount) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	r.Name = ascii(absolute(r.Name, z.name))
	_, err := p.records.AppendRecords(ctx, z.name, []libdns.Record{r})
	return err
}

// transport is the HTTP client of a libdns package. It sends the package's requests as requests of the API. All addresses of the
// package begin with the value of from.
type transport struct {
	rest.API
	from string
}

// Do sends a request, and returns an error if the answer reports a failure.
func (t transport) Do(r *http.Request) (*http.Response, error) {
	path, ours := strings.CutPrefix(r.URL.String(), t.from)
	if !ours {
		return nil, rest.ErrForm
	}
	path, raw, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, rest.ErrForm
	}
	if name, ok := r.Context().Value(oneName{}).(string); ok && strings.HasSuffix(path, "/dns_records") {
		query.Set("name", name)
	}
	var body []byte
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	a := t.API
	a.Sign = rest.Header("Authorization", r.Header.Get("Authorization"))
	answer, err := a.Send(r.Context(), rest.Request{
		Method: r.Method, Path: path, Query: query, Body: body, Kind: r.Header.Get("Content-Type"),
	})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(answer.Body)), Request: r,
	}, nil
}
