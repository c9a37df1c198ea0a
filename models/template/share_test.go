package template_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/template"
)

// A source is shared with its macros and without values of the account.
func TestShareSource(t *testing.T) {
	t.Parallel()
	var o models.TrafficSource
	o.Name, o.Platform, o.Notes, o.CostModel = "Push", "teleport", "my manager is Ann", "cpm"
	o.ExternalIDParam, o.ExternalIDMacro, o.CostParam, o.CostMacro = "cid", "{click}", "price", "0.5"
	o.TokenMacros = models.TokenMacros{{Param: "zone", Macro: "[ZONE]"}, {Param: "buyer", Macro: "ann"}}
	o.PostbackURL = "https://pb.test/v2/acme-login-4711/conversion.php?key=s3cret&cid={external_id}&sum={payout}&empty=#top"
	got := template.ShareSource(o)
	want := template.Source{
		Key: "custom", Name: "Push", ExternalIDParam: "cid", ExternalIDMacro: "{click}", CostParam: "price", CostModel: "cpm",
		TokenMacros: models.TokenMacros{{Param: "zone", Macro: "[ZONE]"}},
		PostbackURL: "https://pb.test/v2/YOUR_ID/conversion.php?key=YOUR_KEY&cid={external_id}&sum={payout}&empty=",
	}
	if a, b := text(t, got), text(t, want); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
	if err := got.Check(time.Now()); err != nil {
		t.Error(err)
	}
	// Empty names of parameters are replaced by the usual names.
	o.ExternalIDParam, o.CostParam, o.CostMacro = "", "", "{bid}"
	if got := template.ShareSource(o); got.ExternalIDParam != "external_id" || got.CostParam != "cost" || got.Check(time.Now()) != nil {
		t.Errorf("without names of parameters, the template is %+v, want external_id and cost", got)
	}
	// If the postback address is at the platform's own host, the address of the platform's template is shared instead.
	o.Platform, o.PostbackURL = "adsterra", "https://www.pbterra.com/name/acmelogin/at?subid_short={external_id}"
	known, _ := template.FindSource("adsterra")
	if got := template.ShareSource(o).PostbackURL; got != known.PostbackURL {
		t.Errorf("the shared postback address is %s, want the address of the platform's template", got)
	}
}

// A network is shared without values of the account, such as its secret, its notes and its terms of payment.
func TestShareNetwork(t *testing.T) {
	t.Parallel()
	payout := models.NewMoney(decimal.NewFromInt(100))
	n := template.Network{
		Name: "Net", Currency: "EUR", URL: "https://ann:pw@net.test/affiliates/4711?ref=4711", ClickParam: "sub1",
		Macros: map[string]string{"click_id": "{sub1}", "payout": "12.5", "secret": "{hush}"}, Notes: "password: hush",
		PaymentTerms: "net 15", PaymentFrequency: "weekly", MinimumPayout: &payout,
	}
	got := n.Share()
	want := template.Network{Name: "Net", Currency: "EUR", URL: "https://net.test", ClickParam: "sub1", Macros: map[string]string{"click_id": "{sub1}"}}
	if a, b := text(t, got), text(t, want); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
	if n.Macros["secret"] == "" {
		t.Error("sharing a network has removed its own secret macro")
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Check refuses values that a built-in template could not have.
func TestCheck(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	source := func(change func(*template.Source)) template.Source {
		s := template.Source{
			Key: "custom", Name: "Push", CostModel: "cpc", ExternalIDParam: "cid", ExternalIDMacro: "{click}",
			TokenMacros: models.TokenMacros{{Param: "zone", Macro: "{zone}"}}, PostbackURL: "https://pb.test/?c={external_id}",
			Origin: template.Origin{Page: "https://help.test/", ReadOn: "2026-11-26"},
		}
		change(&s)
		return s
	}
	if err := source(func(*template.Source) {}).Check(now); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*template.Source){
		"needs a name":              func(s *template.Source) { s.Name = " " },
		"at most 255 characters":    func(s *template.Source) { s.Name = strings.Repeat("n", 256) },
		"no platform":               func(s *template.Source) { s.Key = "teleport" },
		"cost_model must be":        func(s *template.Source) { s.CostModel = "cpx" },
		"not recognized as a macro": func(s *template.Source) { s.ExternalIDMacro = "click" },
		"and no spaces":             func(s *template.Source) { s.ExternalIDMacro = "{click id}" },
		"at most 64 characters":     func(s *template.Source) { s.ExternalIDMacro = "{" + strings.Repeat("c", 64) + "}" },
		"recognized as a macro":     func(s *template.Source) { s.TokenMacros[0].Macro = "fixed" },
		"appears twice":             func(s *template.Source) { s.TokenMacros[0].Param = "CID" },
		"no name of a parameter":    func(s *template.Source) { s.TokenMacros[0].Param = "a\nb" },
		"at most 50 parameters": func(s *template.Source) {
			for i := range 50 {
				s.TokenMacros = append(s.TokenMacros, models.TokenMacro{Param: strings.Repeat("p", i+1), Macro: "{x}"})
			}
		},
		"no token":         func(s *template.Source) { s.PostbackURL = "https://pb.test/?c={external_id}&x={their.macro}" },
		"must begin with":  func(s *template.Source) { s.PostbackURL = "ftp://pb.test/{external_id}" },
		"4000 characters":  func(s *template.Source) { s.PostbackURL += strings.Repeat("x", 4000) },
		"https address":    func(s *template.Source) { s.Page = "http://help.test/" },
		"must be a day":    func(s *template.Source) { s.ReadOn = "" },
		"has not come yet": func(s *template.Source) { s.ReadOn = "2026-11-28" },
		"be an https":      func(s *template.Source) { s.Page = "" },
	} {
		if err := source(change).Check(now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q, want %q", err, want)
		}
	}
	for want, n := range map[string]template.Network{
		"needs a name":                 {ClickParam: "sub"},
		"click_param or":               {Name: "Net"},
		"as a macro":                   {Name: "Net", Macros: map[string]string{"click_id": "sub1"}},
		"macros.secret is not allowed": {Name: "Net", Macros: map[string]string{"secret": "{x}"}},
		"is no currency":               {Name: "Net", ClickParam: "sub", Currency: "QQQ"},
		"must be an https":             {Name: "Net", ClickParam: "sub", Origin: template.Origin{ReadOn: "2026-11-26"}},
		"at most 255 charact":          {Name: strings.Repeat("n", 256), ClickParam: "sub"},
	} {
		if err := n.Check(now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
