package postback

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"switchyard/models/matchkey"
	"switchyard/models/param"
)

// TestRemovePersonal checks which parameters are personal data, and what stays in their place.
func TestRemovePersonal(t *testing.T) {
	t.Parallel()
	isOwnField := func(name string) bool { return name == "zip" }
	for name, tt := range map[string]struct {
		params, left, person map[string]string
		consent              string
	}{
		"a person": {
			map[string]string{"Email": "a@b.example", "zip": "order", "city": "Rome", "payout": "1"},
			map[string]string{"Email": Removed, "zip": "order", "city": Removed, "payout": "1"},
			map[string]string{"email": "a@b.example", "city": "Rome"},
			"",
		},
		"the place of a click": {
			map[string]string{"country": "US", "city": "Rome"}, map[string]string{"country": "US", "city": "Rome"}, map[string]string{}, "",
		},
		"a place with a consent": {
			map[string]string{"country": "US", "Consent": "granted"},
			map[string]string{"country": Removed, "Consent": "granted"},
			map[string]string{"country": "US"},
			"granted",
		},
		"macros and blanks": {
			map[string]string{"em": "{email}", "email": "", "fn": " "}, map[string]string{"em": "{email}", "email": "", "fn": " "}, map[string]string{}, "",
		},
		"several e-mail addresses": {
			map[string]string{"email": "", "em": "a@b.example", "EMAIL_ADDRESS": "c@d.example"},
			map[string]string{"email": "", "em": Removed, "EMAIL_ADDRESS": Removed},
			map[string]string{"email": "c@d.example"},
			"",
		},
		"the record of a person": {
			map[string]string{"customer[email]": "a@b.example", "buyer_first_name": "Jane", "shipping_city": "Rome", "consent": "yes", "EMAIL[]": "c@d.example"},
			map[string]string{"customer[email]": Removed, "buyer_first_name": Removed, "shipping_city": Removed, "consent": "yes", "EMAIL[]": Removed},
			map[string]string{"email": "c@d.example", "first_name": "Jane", "city": "Rome"},
			"yes",
		},
		"members that are no texts": {
			map[string]string{"user[fn]": notText, "user[email]": "a@b.example", "consent": "yes"},
			map[string]string{"user[fn]": notText, "user[email]": Removed, "consent": "yes"},
			map[string]string{"email": "a@b.example"},
			"yes",
		},
		"addresses in other parameters": {
			map[string]string{"contact": "a@b.example", "page": "https://x.example/?e=a%40b.example", "clickid": "x a@b.example", "a@b.example": "", "zip": "a@b.example", "txid": "a@b.example"},
			map[string]string{"contact": Removed, "page": "https://x.example/?e=" + Removed, "clickid": "x " + Removed, "zip": "a@b.example", "txid": "a@b.example"},
			map[string]string{},
			"",
		},
	} {
		before := maps.Clone(tt.params)
		person, consent, removed := RemovePersonal(tt.params, isOwnField)
		if removed == maps.Equal(before, tt.params) {
			t.Errorf("%s: removed is %v, want it true only if the parameters changed", name, removed)
		}
		if !maps.Equal(person, tt.person) || consent != tt.consent || !maps.Equal(tt.params, tt.left) {
			t.Errorf("%s: the person is %v, the consent %q, and the remaining parameters are %v", name, map[string]string(person), consent, tt.params)
		}
	}
	keys, dropped := matchkey.Hash(matchkey.Person{"email": "a@b.example", "city": "-"}, "")
	params := map[string]string{"em": Removed, "email": Removed, "city": Removed, "ln": Removed, "sub1": Removed}
	MarkPersonal(params, keys, dropped)
	want := map[string]string{"em": "(hashed)", "email": "(hashed)", "city": "(not kept: it has no letters)", "ln": Removed, "sub1": Removed}
	if !maps.Equal(params, want) || !slices.Equal(keys.Names(), []string{"email"}) {
		t.Errorf("MarkPersonal changed the parameters to %v, or Hash returned other keys than email", params)
	}
}

// TestUnfoldPersons checks that each member of a person's record, except a member that is null, becomes a parameter of its own.
func TestUnfoldPersons(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2*MaxValue)
	for name, tt := range map[string]struct{ list, want []param.Param }{
		"a record": {
			[]param.Param{{Name: "a", Value: "1"}, {Name: "User", Value: `{"pad": "` + long + `", "phone": 4420, "email": "a@b.example", "zip": null, "fn": ["x"]}`}},
			[]param.Param{
				{Name: "a", Value: "1"},
				{Name: "User[email]", Value: "a@b.example"},
				{Name: "User[pad]", Value: long},
				{Name: "User[phone]", Value: "4420"},
				{Name: "User[fn]", Value: notText},
			},
		},
		"a record in a record": {
			[]param.Param{{Name: "data[customer]", Value: `{"em": "a@b.example"}`}},
			[]param.Param{{Name: "data[customer][em]", Value: "a@b.example"}},
		},
		"another object":        {[]param.Param{{Name: "meta", Value: `{"email": "a"}`}}, []param.Param{{Name: "meta", Value: `{"email": "a"}`}}},
		"a network's own field": {[]param.Param{{Name: "Buyer", Value: `{"email": "a"}`}}, []param.Param{{Name: "Buyer", Value: `{"email": "a"}`}}},
		"a text, a list, half an object": {
			[]param.Param{{Name: "user", Value: "7"}, {Name: "user", Value: `["a"]`}, {Name: "user", Value: `{"email": `}, {Name: "user", IsLost: true}},
			[]param.Param{{Name: "user", Value: "7"}, {Name: "user", Value: `["a"]`}, {Name: "user", Value: `{"email": `}, {Name: "user", IsLost: true}},
		},
	} {
		if got := UnfoldPersons(tt.list, func(name string) bool { return name == "buyer" }); !slices.Equal(got, tt.want) {
			t.Errorf("%s: UnfoldPersons returns %v, want %v", name, got, tt.want)
		}
	}
}
