package models_test

import (
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
)

func TestConversionAction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, text, want string }{
		{models.GoogleAds, " 987654321 ", "987654321"},
		{models.GoogleAds, "customers/123-456-7890/conversionActions/987654321", "customers/1234567890/conversionActions/987654321"},
		{models.GoogleAds, "https://ads.google.com/aw/conversions/detail?ocid=1&ctId=987654321&__c=2", "987654321"},
		{models.GoogleAds, "", ""},
		{models.GoogleAds, "Purchase", "!"},
		{models.GoogleAds, "https://ads.google.com/aw/conversions", "!"},
		{models.MicrosoftAds, "Tracker", "Tracker"},
	} {
		got, err := models.ConversionAction(c.provider, c.text)
		if err != nil {
			got = "!"
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.provider, c.text, got, c.want)
		}
	}
}

// TestChooseConnection checks that the wanted connection is chosen or, if none is wanted, the only connection.
func TestChooseConnection(t *testing.T) {
	t.Parallel()
	a, b, none := uuid.New(), uuid.New(), uuid.NullUUID{}
	chosen := func(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: true} }
	for name, c := range map[string]struct {
		existing []uuid.UUID
		wanted   uuid.NullUUID
		needed   bool
		want     uuid.NullUUID
		code     string
	}{
		"the only one":             {[]uuid.UUID{a}, none, true, chosen(a), ""},
		"the wanted one":           {[]uuid.UUID{a, b}, chosen(b), true, chosen(b), ""},
		"a wanted one is missing":  {[]uuid.UUID{a}, chosen(b), false, none, "not_connected"},
		"several":                  {[]uuid.UUID{a, b}, none, true, none, "choose_connection"},
		"several, none is needed":  {[]uuid.UUID{a, b}, none, false, none, ""},
		"none":                     {nil, none, true, none, "not_connected"},
		"none, and none is needed": {nil, none, false, none, ""},
	} {
		got, err := models.ChooseConnection(c.existing, c.wanted, c.needed)
		code := ""
		if e, ok := models.AsError(err); ok {
			code = e.Code
		}
		if got != c.want || code != c.code {
			t.Errorf("%s: got the connection %v and the code %q, want %v and %q", name, got, code, c.want, c.code)
		}
	}
}

// TestUETConnection checks that conversions by the UET Conversions API need a tag, but neither a conversion action nor a sign-in.
func TestUETConnection(t *testing.T) {
	t.Parallel()
	p, _ := models.SourceProviderNamed(models.MicrosoftAds)
	f := models.SourceIntegrationFields{ConversionsEnabled: true}
	code := func(credentials map[string]string) string {
		e, _ := models.AsError(f.CheckConversions(p, credentials))
		if e == nil {
			return ""
		}
		return e.Code
	}
	const spendEnabled = true
	credentials := map[string]string{"uet_tag_id": "187012345", "uet_token": "x"}
	if got := code(credentials); got != "" || f.NeedsSignIn(p, !spendEnabled, credentials) || !f.NeedsSignIn(p, spendEnabled, credentials) {
		t.Errorf("with a token: the code is %q, want none; or NeedsSignIn is wrong", got)
	}
	if got := code(map[string]string{"uet_tag_id": "abc", "uet_token": "x"}); got != "no_capi_credentials" {
		t.Errorf("without a valid tag: the code is %q, want no_capi_credentials", got)
	}
	if got := code(map[string]string{"uet_tag_id": "187012345"}); got != "no_conversion_action" || !f.NeedsSignIn(p, !spendEnabled, nil) {
		t.Errorf("without a token: the code is %q, want no_conversion_action; or NeedsSignIn is wrong", got)
	}
}
