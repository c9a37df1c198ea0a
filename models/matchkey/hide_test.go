package matchkey_test

import (
	"testing"

	"switchyard/models/matchkey"
)

// TestKeyOf checks which kind of personal data a parameter contains by its name, such as email for user[email].
func TestKeyOf(t *testing.T) {
	t.Parallel()
	for param, want := range map[string]string{
		"email": "email", "EMAIL[]": "email", "user[email]": "email", "Customer_Email": "email", "buyer-phone": "phone", "user.ph": "phone",
		"order[customer][first_name]": "first_name", "user_data[em]": "email", "user_data.em": "email", "billing_postal_code": "zip",
		"email_sha256": "email", "user[hashed_email]": "email", "sha256-phone": "phone", "phone_number_hash": "phone", "hash": "",
		"affiliate_email": "", "userid": "", "user_id": "", "event.user": "", "email_id": "", "sub1": "", "superuser_email": "", "[": "", "": "",
	} {
		if got := matchkey.KeyOf(param); got != want {
			t.Errorf("%s: %q, want %q", param, got, want)
		}
	}
}

// TestHideAddresses checks that e-mail addresses are hidden wherever they are in a text.
func TestHideAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"jane.doe+x@mail.example.com":              "(personal data)",
		"a=1&e=jane%40example.com&b=2":             "a=1&e=(personal data)&b=2",
		"/thanks/jane@example.com/x":               "/thanks/(personal data)/x",
		"id jane@example.com, <joe@example.co.uk>": "id (personal data), <(personal data)>",
		"jürgen@bücher.example":                    "(personal data)",
		"@home":                                    "@home", "a@b": "a@b", "price 40.00": "price 40.00", "x@1.5": "x@1.5", "{email}@": "{email}@", "": "",
	} {
		if got := matchkey.HideAddresses(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCleanURL checks that personal data is removed from the URLs of pages.
func TestCleanURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://a.example/p?email=jane%40example.com&x=1&city=Rome": "https://a.example/p?x=1&city=Rome",
		"https://a.example/p?x=jane%40example.com&&y=%20":            "https://a.example/p?y=%20",
		"https://a.example/?customer_phone=1&user[fn]=Jane":          "https://a.example/",
		"https://a.example/u/jane@example.com?x=1":                   "https://a.example/?x=1",
		"https://u:p@a.example/?u=%zz#jane@example.com":              "https://a.example/",
		"https://a.example": "https://a.example", "javascript:alert(1)": "", "//a.example": "", "": "",
	} {
		if got := matchkey.CleanURL(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
