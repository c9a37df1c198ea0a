package dns_test

import (
	"errors"
	"strings"
	"testing"

	"switchyard/workers/providers/dns/dnstest"
	"switchyard/workers/providers/rest"
)

// TestRefusals: each refusal in dnstest.Refusals is returned in the provider's words.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, name := range fakes(t) {
		w := newEnv()
		s := newSuite(t, name, w)
		if len(dnstest.Refusals[name]) == 0 {
			t.Errorf("%s has no refusals", name)
		}
		for _, r := range dnstest.Refusals[name] {
			w.Refuse(&r)
			_, err := s.Zones(t.Context())
			if err == nil || !strings.Contains(err.Error(), r.Words) || errors.Is(err, rest.ErrRefused) != r.Refused || errors.Is(err, rest.ErrBusy) != r.Busy {
				t.Errorf("%s, %q: %v", name, r.Words, err)
			}
			s.wantHidden(t, s.credentials, err)
		}
	}
}
