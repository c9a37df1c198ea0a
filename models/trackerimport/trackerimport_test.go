package trackerimport_test

import (
	"testing"

	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
)

func TestForeignMacros(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		// the foreign macro in the address of a redirect, and in the address of a postback
		"https://a.example/": {},
		"https://a.example/?s={clickid}&d={date:Y-m-d}&z={_sub1}": {},
		"https://a.example/?filter[id]=5&a[b][c]=1":               {},
		"https://a.example/?price=$5&q=100%25&snake__case=1":      {},
		"https://a.example/?p={payout}&s={status}":                {"{payout}", ""},
		"https://a.example/?s={status:approved=1}":                {"{status:approved=1}", ""},
		"https://a.example/?p={from_file:x}":                      {"{from_file:x}", "{from_file:x}"},
		"https://a.example/?p={{campaign.id}}":                    {"{{campaign.id}}", "{{campaign.id}}"},
		"https://a.example/?p=[clickid]":                          {"[clickid]", "[clickid]"},
		"https://a.example/?p=[[[zone]]]&q=1":                     {"[zone]]]", "[zone]]]"},
		"https://a.example/?p=<sub>":                              {"<sub>", "<sub>"},
		"https://a.example/?p=%7Bclickid%7D":                      {"%7Bclickid%7D", "%7Bclickid%7D"},
		"https://a.example/?p=%7bclickid%7d":                      {"%7bclickid%7d", "%7bclickid%7d"},
		"https://a.example/?p=$keyword":                           {"$keyword", "$keyword"},
		"https://a.example/?p=${SUBID}":                           {"${SUBID}", "${SUBID}"},
		"https://a.example/?p=__CLICKID__":                        {"__CLICKID__", "__CLICKID__"},
		"https://a.example/?a={clickid}&b={nothing}&c={else}":     {"{nothing}", "{nothing}"},
		"https://a.example/?open={&b=1&clickid={clickid}":         {},
	} {
		for i, isPostback := range []bool{false, true} {
			got := trackerimport.ForeignMacro(address, isPostback)
			if got != want[i] {
				t.Errorf("%s (postback: %t): found the foreign macro %q, want %q", address, isPostback, got, want[i])
			}
		}
	}
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"USD": "USD", "eur": "EUR", "USDT": "", "": "", "XYZ1": "", "$": ""} {
		if iso, ok := trackerimport.Currency(code); ok != (want != "") || ok && iso != want {
			t.Errorf("the currency of %q is %q, known: %t; want %q", code, iso, ok, want)
		}
	}
}

func TestNotesAreToldOnce(t *testing.T) {
	t.Parallel()
	var r trackerimport.Result
	for range 3 {
		r.Note(trackerimport.Changed, accountconfig.Offers, "a", "A", trackerimport.NoTriggers)
		r.Note(trackerimport.Changed, accountconfig.Offers, "a", "A", trackerimport.OnePayout)
	}
	r.Put(accountconfig.Offers, "a", accountconfig.Members{"name": "A"})
	if len(r.Notes) != 2 || !r.Has(accountconfig.Offers, "a") || r.Has(accountconfig.Offers, "b") {
		t.Errorf("want each note once, and only the record that was put: %+v", r)
	}
}
