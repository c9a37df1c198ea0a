package notification

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"testing"

	"switchyard/models/matchkey"
)

// TestBuyer checks that the buyer in a message is read in the form that each platform documents.
func TestBuyer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tt := range []struct {
		scheme, message string // JSON, or the fields of a form
		want            matchkey.Person
	}{
		{"shopify", `{"email": "j@example.com", "phone": null, "customer": {"phone": "+44 1"}, "billing_address": {"first_name": "Jane", "last_name": "Roe",
			"address1": "1 Main St", "city": "Rome", "province_code": "NY", "zip": "13440", "country_code": "US"}}`, matchkey.Person{
			"email": "j@example.com", "phone": "+44 1", "first_name": "Jane", "last_name": "Roe", "street": "1 Main St", "city": "Rome",
			"region": "NY", "zip": "13440", "country": "US",
		}},
		{
			"stripe", `{"customer_details": {"email": "j@example.com", "phone": null, "name": "Jane Roe", "address": {"postal_code": "00184", "country": "IT"}}}`,
			matchkey.Person{"email": "j@example.com", "first_name": "Jane", "last_name": "Roe", "zip": "00184", "country": "IT"},
		},
		{"stripe", `{"customer_email": "j@example.com", "customer_name": "Anna Maria Roe"}`, matchkey.Person{"email": "j@example.com"}},
		{
			"woocommerce", `{"billing": {"first_name": "Jane", "last_name": "Roe", "email": "j@example.com", "country": "GB"}}`,
			matchkey.Person{"email": "j@example.com", "first_name": "Jane", "last_name": "Roe", "country": "GB"},
		},
		{
			"clickbank", `{"customer": {"billing": {"firstName": "JANE", "lastName": "ROE", "address": {"country": "US"}}, "shipping": {"email": "j@example.com"}}}`,
			matchkey.Person{"email": "j@example.com", "first_name": "JANE", "last_name": "ROE", "country": "US"},
		},
		{"digistore24", "email=j%40example.com&address_country=DE", matchkey.Person{"email": "j@example.com", "country": "DE"}},
		{
			"jvzoo", "ccustname=Jane+Roe&ccuststate=&ccustcc=US&ccustemail=j%40example.com",
			matchkey.Person{"email": "j@example.com", "first_name": "Jane", "last_name": "Roe", "country": "US"},
		},
		{"thrivecart", "customer%5Bemail%5D=j%40example.com&customer%5Bname%5D=Jane+Roe", matchkey.Person{"email": "j@example.com", "first_name": "Jane", "last_name": "Roe"}},
		{"warriorplus", "WP_BUYER_NAME=Jane+Roe&WP_BUYER_EMAIL=j%40example.com", matchkey.Person{"email": "j@example.com", "first_name": "Jane", "last_name": "Roe"}},
		{"buygoods", "name=Pauline+Roe", matchkey.Person{"first_name": "Pauline", "last_name": "Roe"}},
	} {
		var d document
		if tt.message[0] == '{' {
			if err := json.Unmarshal([]byte(tt.message), &d.v); err != nil {
				t.Fatal(err)
			}
		} else {
			values, err := url.ParseQuery(tt.message)
			if err != nil {
				t.Fatal(err)
			}
			var fields []field
			for name := range values {
				fields = append(fields, field{name, values.Get(name)})
			}
			d = nest(fields)
		}
		s, _ := Find(tt.scheme)
		seen[tt.scheme] = true
		if got := d.buyer(s.buyer); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.scheme, map[string]string(got), map[string]string(tt.want))
		}
	}
	for _, s := range All() {
		if !seen[s.Name] {
			t.Errorf("%s has no case", s.Name)
		}
		for key := range s.buyer {
			if key != fullName && !slices.Contains(matchkey.Names, key) {
				t.Errorf("%s: %s is not a key", s.Name, key)
			}
		}
	}
}

// TestConsentOfBuyer checks that the word about consent is found in a named value, in a query and in the query of a URL, but not in a
// fragment.
func TestConsentOfBuyer(t *testing.T) {
	t.Parallel()
	for want, click := range map[string]func(m *message){
		"granted": func(m *message) { m.click([]field{{"gift", "no"}, {"Consent", "granted"}}) },
		"denied":  func(m *message) { m.click(nil, "x", "clickid=abc&consent=denied") },
		"yes":     func(m *message) { m.click(nil, "https://shop.example/?a=%zz&consent=yes#consent=no") },
		"":        func(m *message) { m.click([]field{{"consents", "granted"}}, "consent", "granted") },
	} {
		m := &message{}
		if click(m); m.consent != want {
			t.Errorf("%q, want %q", m.consent, want)
		}
	}
}
