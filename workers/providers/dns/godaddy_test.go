package dns_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/dns"
	"switchyard/workers/providers/rest"
)

// TestGoDaddyLimit: the error for an account with fewer than ten domains says that GoDaddy requires ten. The error for wrong
// credentials does not.
func TestGoDaddyLimit(t *testing.T) {
	t.Parallel()
	status, body := http.StatusForbidden, `{"code":"ACCESS_DENIED","message":"Authenticated user is not allowed access"}`
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	client := dns.New(dns.Options{Egress: egresstest.Client(t, server, egress.Options{}), URL: server.URL})
	p, err := client.Open("godaddy", map[string]string{"api_key": "key", "api_secret": "secret"})
	if err != nil {
		t.Fatal(err)
	}
	const limit = "GoDaddy opens this API only to accounts with ten domains or more"
	_, err = p.Zones(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), limit) || !strings.Contains(err.Error(), "is not allowed access") || !errors.Is(err, rest.ErrRefused) {
		t.Errorf("a small account: %v", err)
	}
	status, body = http.StatusUnauthorized, `{"code":"UNABLE_TO_AUTHENTICATE","message":"Unauthorized : Could not authenticate API key/secret"}`
	if _, err = p.Zones(t.Context()); err == nil || strings.Contains(err.Error(), limit) || !errors.Is(err, rest.ErrRefused) {
		t.Errorf("wrong credentials: %v", err)
	}
}
