package models_test

import (
	"slices"
	"strings"
	"testing"

	"switchyard/models"
)

// TestHelp checks that the help of a field says what a customer must know to get its value.
func TestHelp(t *testing.T) {
	t.Parallel()
	everflow, _ := models.NetworkProviderNamed("everflow")
	propeller, _ := models.SourceProviderNamed("propellerads")
	godaddy, _ := models.DNSProviderNamed("godaddy")
	for _, c := range []struct {
		form models.CredentialForm
		name string
		want string
	}{
		{everflow.CredentialForm, "api_key", "partner portal"},
		{propeller.CredentialForm, "api_token", "1,000 US dollars"},
		{godaddy.CredentialForm, "api_key", "ten domains"},
	} {
		i := slices.IndexFunc(c.form.Fields, func(f models.CredentialField) bool { return f.Name == c.name })
		if i < 0 || !strings.Contains(c.form.Fields[i].Help, c.want) {
			t.Errorf("%s: %s does not name %q", c.form.Label, c.name, c.want)
		}
	}
	// clickref in the answers of Partnerize is not our click id, but Partnerize's own id of the click.
	if p, _ := models.NetworkProviderNamed("partnerize"); !strings.HasPrefix(p.Click, "pubref") || strings.Contains(p.Click, "clickref") {
		t.Errorf("for Partnerize, the field of the click id is %q, want pubref and not clickref", p.Click)
	}
}
