package matchkey_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/matchkey"
)

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// TestPublishedExamples compares the hashes with the examples of the platforms.
func TestPublishedExamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		person  matchkey.Person
		country string
		hash    func(matchkey.Hashes) string
		want    string
	}{
		// Meta: customer information parameters.
		{matchkey.Person{"email": "John_Smith@gmail.com"}, "", func(k matchkey.Hashes) string { return k.Email }, "62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f"},
		{matchkey.Person{"phone": "(650)555-1212"}, "us", func(k matchkey.Hashes) string { return k.PhoneDigits }, "e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176"},
		{matchkey.Person{"first_name": "Mary"}, "", func(k matchkey.Hashes) string { return k.FirstName }, "6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec"},
		{matchkey.Person{"first_name": "정"}, "", func(k matchkey.Hashes) string { return k.FirstName }, "8fa8cd9c440be61d0151429310034083132b35975c4bea67fdd74158eb51db14"},
		{matchkey.Person{"last_name": "Vale\u0301ry"}, "", func(k matchkey.Hashes) string { return k.LastName }, "08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c"},
		// Snap: parameters of the Conversions API.
		{matchkey.Person{"email": "Person@Example.com"}, "", func(k matchkey.Hashes) string { return k.Email }, "542d240129883c019e106e3b1b2d3f3cb3537c43c425364de8e951d5a3083345"},
		{matchkey.Person{"phone": "+44 844 412 4653"}, "", func(k matchkey.Hashes) string { return k.PhoneDigits }, "dc008fda46e2e64002cf2f82a4906236282d4"},
		// Reddit: manual advanced matching.
		{matchkey.Person{"email": "Al.ice$+Apple@Example.Com"}, "", func(k matchkey.Hashes) string { return k.EmailReddit }, "ff8d9819fc0e12bf0d24892e45987e249a28dce836a85cad60e28eaaa8c6d976"},
	} {
		keys, dropped := matchkey.Hash(tt.person, tt.country)
		if got := tt.hash(keys); !strings.HasPrefix(got, tt.want) || got == "" || len(dropped) > 0 {
			t.Errorf("%v: %s, want %s; %v", map[string]string(tt.person), got, tt.want, dropped)
		}
	}
}

// TestForms checks which text is hashed for each kind of value.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key, value, country string
		want                []string // the hashed forms, or the reason why the value is dropped
	}{
		{"email", " Cloudy.SanFrancisco+shopping@Gmail.com ", "", []string{
			"cloudy.sanfrancisco+shopping@gmail.com", "cloudysanfrancisco@gmail.com", "cloudysanfrancisco@gmail.com", "cloudysanfrancisco@gmail.com",
		}},
		{"email", "user.name+NYC@Example.com", "", []string{"user.name+nyc@example.com", "user.name+nyc@example.com", "username@example.com", "username@example.com"}},
		{"email", "a_b@gоogle", "", []string{"it is no e-mail address"}},
		{"email", "First Last <a@example.com>", "", []string{"it is no e-mail address"}},
		{"email", "+tag@gmail.com", "", []string{"it is no e-mail address"}},
		{"email", strings.Repeat("a", 250) + "@example.com", "", []string{"it is no e-mail address"}},
		{"email", strings.Repeat("a", 501), "", []string{"it is too long"}},
		{"email", "(not set)", "", []string{"it is no e-mail address"}},

		{"phone", "(800) 555-0100", "US", []string{"+18005550100", "18005550100"}},
		{"phone", "07911 123456", "GB", []string{"+447911123456", "447911123456"}},
		{"phone", "02 1234 5678", "IT", []string{"+390212345678", "390212345678"}}, // numbers in Italy keep the zero
		{"phone", "0044 7911 123456", "US", []string{"+447911123456", "447911123456"}},
		{"phone", "44 7911 123456", "US", []string{"+447911123456", "447911123456"}},
		{"phone", "07911 123456", "", []string{"it has no country code, and the country is not known"}},
		{"phone", "12", "US", []string{"it is no telephone number"}},
		{"phone", "+1 call me", "US", []string{"it is no telephone number"}},

		{"first_name", " Mary-Ann O'Neil ", "", []string{"maryannoneil"}},
		{"first_name", "ÅSA", "", []string{"åsa"}},
		{"last_name", "--", "", []string{"it has no letters"}},
		{"city", "St. Louis", "", []string{"stlouis"}},
		{"region", "CA", "US", []string{"ca"}},
		{"region", "California", "US", []string{"a state of the United States is two letters, such as CA"}},
		{"region", "Baden-Württemberg", "DE", []string{"badenwürttemberg"}},
		{"street", " 1 Main  St. ", "", []string{"1 main st."}},

		{"zip", "94025-1234", "US", []string{"94025"}},
		{"zip", "9402", "US", []string{"a postal code of the United States begins with five digits"}},
		{"zip", "SW1A 1AA", "GB", []string{"sw1a1"}},
		{"zip", "1234", "GB", []string{"it is no postal code of the United Kingdom"}},
		{"zip", "1012 AB", "NL", []string{"1012ab"}},
		{"zip", "-", "", []string{"it is no postal code"}},

		{"country", "de", "", []string{"de"}},
		{"country", "UK", "", []string{"gb"}},
		{"country", "USA", "", []string{"us"}},
		{"country", "Germany", "", []string{"it is no country of ISO 3166, such as DE"}},

		{"email", strings.ToUpper(sum("x")), "", []string{"", "", "", ""}},
		{"zip", sum(""), "US", []string{"it is the hash of an empty text"}},
	} {
		keys, dropped := matchkey.Hash(matchkey.Person{tt.key: tt.value}, tt.country)
		got := map[string][]string{
			"email": {keys.Email, keys.EmailGoogle, keys.EmailMicrosoft, keys.EmailReddit}, "phone": {keys.Phone, keys.PhoneDigits},
			"first_name": {keys.FirstName}, "last_name": {keys.LastName}, "street": {keys.Street}, "city": {keys.City},
			"region": {keys.Region}, "zip": {keys.Zip}, "country": {keys.Country},
		}[tt.key]
		if len(dropped) > 0 {
			if len(tt.want) != 1 || dropped[0].Reason != tt.want[0] || dropped[0].Key != tt.key || !keys.IsEmpty() {
				t.Errorf("%s %q: dropped %v, want %q", tt.key, tt.value, dropped, tt.want)
			}
			continue
		}
		var want []string
		for _, form := range tt.want {
			if form == "" { // the value is already a hash, which is used for all forms
				want = append(want, sum("x"))
				continue
			}
			want = append(want, sum(form))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %q: the hashes are not those of the texts %q", tt.key, tt.value, tt.want)
		}
	}
}

// TestPersonsCountry checks that a country in the person's data is used instead of the visitor's country.
func TestPersonsCountry(t *testing.T) {
	t.Parallel()
	keys, _ := matchkey.Hash(matchkey.Person{"phone": "07911 123456", "country": "GB", "zip": "SW1A 1AA"}, "US")
	if keys.Phone != sum("+447911123456") || keys.Zip != sum("sw1a1") {
		t.Error("the phone or the postal code was not read with the country in the person's data")
	}
	if want := []string{"phone", "zip", "country"}; !slices.Equal(keys.Names(), want) {
		t.Errorf("the known keys are %v, want %v", keys.Names(), want)
	}
}

// TestConsent checks that nothing is kept without consent.
func TestConsent(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]matchkey.Consent{
		"granted": matchkey.ConsentGranted, "CONSENT_GRANTED": matchkey.ConsentGranted, "true": matchkey.ConsentGranted, "1": matchkey.ConsentGranted,
		"denied": matchkey.ConsentDenied, "false": matchkey.ConsentDenied, "no": matchkey.ConsentDenied,
		"": matchkey.ConsentUnknown, "maybe": matchkey.ConsentUnknown, "{consent}": matchkey.ConsentUnknown,
	} {
		got := matchkey.ReadConsent(word)
		if got != want {
			t.Errorf("%q: %d, want %d", word, got, want)
		}
		keys, dropped := matchkey.Receive(matchkey.Person{"email": "a@example.com", "zip": " "}, got, "")
		if isKept := want == matchkey.ConsentGranted; keys.IsEmpty() == isKept || (len(dropped) == 1) == isKept {
			t.Errorf("with the consent %q, the keys %v are kept and %v are dropped", word, keys.Names(), dropped)
		}
	}
}

// TestIn checks that a platform gets the forms that its row of models.SourceProviders names, and no other keys. Each want has the
// e-mail address and the phone number in the form that is hashed for the platform, and the names of all keys that the platform
// gets.
func TestIn(t *testing.T) {
	t.Parallel()
	all, _ := matchkey.Hash(matchkey.Person{"email": "A.b_c+d@gmail.com", "phone": "+18005550100", "first_name": "A", "street": "1 Main", "zip": "1", "city": "Rome"}, "")
	for provider, want := range map[string][3]string{
		"google_ads": {"ab_c@gmail.com", "+18005550100", "email phone"}, "microsoft_ads": {"ab_c@gmail.com", "+18005550100", "email phone"},
		"reddit": {"abc@gmail.com", "+18005550100", "email phone"}, "openai_ads": {"a.b_c+d@gmail.com", "", "email"},
		"tiktok": {"a.b_c+d@gmail.com", "+18005550100", "email phone first_name zip"},
		"meta":   {"a.b_c+d@gmail.com", "18005550100", "email phone first_name city zip"}, "snapchat": {"a.b_c+d@gmail.com", "18005550100", "email phone first_name city zip"},
		"pinterest": {"a.b_c+d@gmail.com", "18005550100", "email phone first_name city zip"},
	} {
		row, _ := models.SourceProviderNamed(provider)
		got := all.In(row.Keys)
		if got.Email != sum(want[0]) || want[1] != "" && got.Phone != sum(want[1]) || strings.Join(got.Names(), " ") != want[2] {
			t.Errorf("%s gets the keys %v, or an e-mail address or phone number in a wrong form, want %v", provider, got.Names(), want)
		}
	}
	if got := all.In(nil).Names(); len(got) > 0 {
		t.Errorf("a platform whose row names no keys gets %v", got)
	}
}

// TestKeysOfRows checks the names of keys in the rows of ad platforms.
func TestKeysOfRows(t *testing.T) {
	t.Parallel()
	all, _ := matchkey.Hash(matchkey.Person{
		"email": "a@gmail.com", "phone": "+18005550100", "first_name": "A", "last_name": "B", "street": "1 Main", "city": "Rome", "region": "RM",
		"zip": "1", "country": "it",
	}, "")
	for _, p := range models.SourceProviders {
		if got := all.In(p.Keys).Names(); len(got) != len(p.Keys) || len(got) > 0 && !p.Conversions {
			t.Errorf("%s: the row names the forms %v, but the platform gets the keys %v", p.Name, p.Keys, got)
		}
	}
}

// TestWith checks that With adds only the keys that are missing, and changes no form of a key that is there.
func TestWith(t *testing.T) {
	t.Parallel()
	newer, _ := matchkey.Hash(matchkey.Person{"email": sum("x"), "city": "Rome"}, "")
	older, _ := matchkey.Hash(matchkey.Person{"email": "a.b@gmail.com", "zip": "123"}, "")
	all := newer.With(older)
	if all.Email != sum("x") || all.EmailGoogle != sum("x") || all.City != sum("rome") || all.Zip != sum("123") {
		t.Errorf("the keys are %+v, want the newer e-mail address and city, and the older postal code", all)
	}
}

// TestPersonDoesNotPrint checks that no usual way to print or encode a person shows its data.
func TestPersonDoesNotPrint(t *testing.T) {
	t.Parallel()
	p := matchkey.Person{"email": "canary@example.com"}
	encoded, err := json.Marshal(map[string]any{"p": p, "in": struct{ P matchkey.Person }{p}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(encoded), fmt.Sprint(p), fmt.Sprintf("%v %+v %#v %s %q", p, p, p, p, p), fmt.Sprintf("%+v", struct{ P matchkey.Person }{p})} {
		if strings.Contains(text, "canary") {
			t.Errorf("the data of a person is printed: %s", text)
		}
	}
}

// TestPersonAsJSON reads persons in the forms that servers and pages send, and in wrong forms.
func TestPersonAsJSON(t *testing.T) {
	t.Parallel()
	const noObject, noText = "[{user it is no object of texts and numbers}]", "[{email it is neither a text nor a number}]"
	for text, want := range map[string]struct {
		person  matchkey.Person
		dropped string
	}{
		`{"email": "a@b.example", "zp": 12345, "phone": null}`: {matchkey.Person{"email": "a@b.example", "zip": "12345"}, "[]"},
		`{"em": "", "email": "a@b.example", "mail": "x"}`:      {matchkey.Person{"email": "a@b.example", "mail": "x"}, "[]"},
		``: {nil, "[]"}, `null`: {nil, "[]"}, `"canary"`: {nil, noObject}, `[]`: {nil, noObject}, `7`: {nil, noObject},
		`{"em": ["canary"], "zip": "1"}`:                        {matchkey.Person{"zip": "1"}, noText},
		`{"email": {"canary": 1}, "canary@canary.example": []}`: {nil, noText},
	} {
		got, dropped := matchkey.ReadPerson([]byte(text))
		if !maps.Equal(got, want.person) || fmt.Sprint(dropped) != want.dropped {
			t.Errorf("%s is read as %v, dropped %v, want %v, dropped %s", text, map[string]string(got), dropped, map[string]string(want.person), want.dropped)
		}
	}
}

// TestNames checks that each parameter belongs to only one key.
func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range matchkey.Names {
		for _, param := range matchkey.Params(name) {
			if other, twice := seen[param]; twice {
				t.Errorf("the parameter %s belongs to the two keys %s and %s", param, name, other)
			}
			if seen[param] = name; matchkey.NameOf(" "+strings.ToUpper(param)) != name {
				t.Errorf("the parameter %s does not belong to the key %s", param, name)
			}
		}
	}
	if matchkey.NameOf("subid") != "" || len(seen) < len(matchkey.Names) {
		t.Errorf("subid belongs to key %q, want none; %d parameters for %d keys", matchkey.NameOf("subid"), len(seen), len(matchkey.Names))
	}
	p := matchkey.Person{"email": "x", "e-mail": "x", "mail": "x", "a@b.c": "x"}
	if got := p.Unknown(); !slices.Equal(got, []string{"mail"}) {
		t.Errorf("the unknown names are %v, want only mail", got)
	}
}
