package cloudflare_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/cloudflare"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
)

// unlimited allows every request.
type unlimited struct{}

func (unlimited) Allow(context.Context, int) time.Duration   { return 0 }
func (unlimited) Pause(ctx context.Context, _ time.Duration) {}

// TestRefused: an error has Cloudflare's code and text, also the text from error_chain, and says whether the token is refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	fake := cloudflaretest.Serve(t)
	c := cloudflare.New(cloudflare.Options{
		Egress: egresstest.Client(t, fake.Server, egress.Options{}), URL: fake.Server.URL, Token: cloudflaretest.Token, Budget: unlimited{},
	})
	const hostnames = "/zones/" + cloudflaretest.Zone + "/custom_hostnames"
	refusal := func(r cloudflare.Request) *cloudflare.Error {
		_, err := c.Do(t.Context(), r, nil)
		e, ok := errors.AsType[*cloudflare.Error](err)
		if !ok {
			t.Fatalf("%s %s: %v", r.Method, r.Path, err)
		}
		return e
	}
	if e := refusal(cloudflare.Request{Method: http.MethodGet, Path: hostnames, Query: url.Values{"host": {"a"}}}); !strings.Contains(e.Text, "parameter host") || e.Refused() {
		t.Errorf("%+v", e)
	}
	if e := refusal(cloudflare.Request{Method: http.MethodPost, Path: hostnames, Body: map[string]any{"name": "a"}}); !strings.Contains(e.Text, "field name") {
		t.Errorf("%+v", e)
	}
	if e := refusal(cloudflare.Request{Method: http.MethodGet, Path: hostnames, Query: url.Values{"name": {"a"}}}); !strings.Contains(e.Text, "parameter name") {
		t.Errorf("%+v", e)
	}
	for _, host := range []string{"a.example.com", "example.net", "b.a.example.org"} {
		body := map[string]any{"hostname": host, "ssl": map[string]string{"method": "http", "type": "dv"}}
		if e := refusal(cloudflare.Request{Method: http.MethodPost, Path: hostnames, Body: body}); e.Code != 1411 {
			t.Errorf("%s: %+v", host, e)
		}
	}
	wrong := cloudflare.New(cloudflare.Options{
		Egress: egresstest.Client(t, fake.Server, egress.Options{}), URL: fake.Server.URL, Token: "canary-wrong", Budget: unlimited{},
	})
	for path, code := range map[string]int{"/user/tokens/verify": 1000, hostnames: 10000} {
		_, err := wrong.Do(t.Context(), cloudflare.Request{Method: http.MethodGet, Path: path}, nil)
		if e, ok := errors.AsType[*cloudflare.Error](err); !ok || !e.Refused() || e.Code != code || e.Status != http.StatusUnauthorized {
			t.Errorf("%s: %v", path, err)
		}
	}
	fake.Refuse(http.StatusBadRequest, 6003, "Invalid request headers")
	e := refusal(cloudflare.Request{Method: http.MethodGet, Path: hostnames})
	if !e.Refused() || e.Text != "Invalid request headers; Invalid format for Authorization header" {
		t.Errorf("%+v", e)
	}
}
