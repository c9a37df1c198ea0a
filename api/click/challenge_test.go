package click

import (
	"io"
	"net/http"
	"testing"

	"switchyard/models"
)

// TestChallenge checks that every host, verified or not, is answered with a proof that only this install can compute.
func TestChallenge(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.reload()
	const nonce = "0123456789abcdef"
	secret := w.h.routes.Current().SigningSecret()
	for _, name := range []string{"nobody.test", ownHost} {
		res := w.get(models.DomainChallengePath+"?nonce="+nonce, host(name+":8080"))
		text, err := io.ReadAll(res.Body)
		if got := string(text); err != nil || res.StatusCode != http.StatusOK || got != models.DomainProof(secret, name, nonce) || len(got) != 64 {
			t.Errorf("the challenge at %s gets the status %d with %q, want 200 with the proof", name, res.StatusCode, got)
		}
	}
	if models.DomainProof(secret, "a.test", nonce) == models.DomainProof([]byte("another"), "a.test", nonce) {
		t.Error("the answer does not depend on the install's secret")
	}
	for _, query := range []string{"", "?nonce=", "?nonce=short", "?nonce=with%20space-0123456789"} {
		if res := w.get(models.DomainChallengePath+query, host("nobody.test")); res.StatusCode != http.StatusNotFound {
			t.Errorf("a challenge with the query %q gets the status %d, want 404", query, res.StatusCode)
		}
	}
	if res := w.get("/.well-known/other", host("nobody.test")); res.StatusCode != http.StatusNotFound {
		t.Errorf("another address below /.well-known gets the status %d, want 404", res.StatusCode)
	}
}
