package template_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/notification"
	"switchyard/models/postback"
	"switchyard/models/template"
	"switchyard/models/token"
)

// Each built-in template of a source can be imported, names the page from which it was read, and occurs once.
func TestSources(t *testing.T) { //nolint:tparallel // the rows are compared with each other
	t.Parallel()
	key := regexp.MustCompile(`^[a-z][a-z_]+$`)
	seen := map[string]string{"custom": "custom"}
	once := func(t *testing.T, what, value, row string) {
		t.Helper()
		if other := seen[what+value]; value != "" && other != "" {
			t.Errorf("%s %s is also in the row %s", what, value, other)
		}
		seen[what+value] = row
	}
	for _, s := range template.Sources() {
		t.Run(s.Key, func(t *testing.T) {
			once(t, "", s.Key, s.Key)
			once(t, "name ", strings.ToLower(s.Name), s.Key)
			if u, err := url.Parse(s.PostbackURL); err != nil {
				t.Error(err)
			} else {
				once(t, "host ", u.Hostname(), s.Key)
			}
			if !key.MatchString(s.Key) || !template.IsPlatform(s.Key) {
				t.Error("the key is not valid")
			}
			if err := s.Check(time.Now()); err != nil {
				t.Error(err)
			}
			checkOrigin(t, s.Origin)
			if s.ExternalIDParam == "" && len(s.TokenMacros) == 0 {
				t.Error("the links of the source have no parameter")
			}
			if s.PostbackURL != "" && !strings.Contains(s.PostbackURL, "{external_id}") || s.PostbackURL != "" && s.ExternalIDParam == "" {
				t.Errorf("the postback carries no click id: %s", s.PostbackURL)
			}
			if (s.CostMacro == "") != (s.CostParam == "") {
				t.Errorf("only one of the cost parameter and the cost macro is set: %+v", s)
			}
			// An unfilled macro must be recognized as a macro. Otherwise its name would be stored as a value.
			for _, m := range s.TokenMacros {
				if !token.LooksLikeMacro(m.Macro) {
					t.Errorf("%s is not recognized as a macro", m.Macro)
				}
			}
		})
	}
	if n := len(template.Sources()); n < 80 {
		t.Errorf("%d templates, want at least 80", n)
	}
	for _, platform := range []string{
		"google_ads", "microsoft_ads", "meta", "tiktok", "taboola", "outbrain", "propellerads", "exoclick", "custom",
	} {
		if !template.IsPlatform(platform) {
			t.Errorf("%s is no platform", platform)
		}
	}
	if template.IsPlatform("") || template.IsPlatform("Google_Ads") {
		t.Error("IsPlatform accepts an unknown platform")
	}
}

func checkOrigin(t *testing.T, o template.Origin) {
	t.Helper()
	if o.Page == "" || o.ReadOn == "" {
		t.Error("the row lacks the page or the day on which it was read")
	}
}

// The postbacks to Outbrain and Taboola carry the value, the currency and the order of a conversion.
func TestPostbacksWithMoney(t *testing.T) {
	t.Parallel()
	for platform, want := range map[string]string{
		"outbrain": "https://tr.outbrain.com/unifiedPixel?ob_click_id={external_id}&name=YOUR_EVENT&orderValue={payout}&currency={currency}&orderId={conversion_id}",
		"taboola": "https://trc.taboola.com/actions-handler/log/3/s2s-action?click-id={external_id}&name=YOUR_EVENT&revenue={payout}" +
			"&currency={currency}&orderid={conversion_id}",
	} {
		if s, _ := template.FindSource(platform); s.PostbackURL != want {
			t.Errorf("the postback address of %s is %s, want %s", platform, s.PostbackURL, want)
		}
	}
	for _, s := range template.Sources() {
		if fixed := regexp.MustCompile(`(?i)cur(rency)?=[a-z]{3}\b`).FindString(s.PostbackURL); fixed != "" {
			t.Errorf("%s: the postback has the fixed currency %s", s.Key, fixed)
		}
	}
}

// TestClickParams checks the parameters in which sources send their own click ids, and those in which networks get ours.
func TestClickParams(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"pinterest": "epik", "openai_ads": "oppref", "snapchat": "ScCid", "reddit": "rdt_cid"} {
		if s, _ := template.FindSource(key); s.ExternalIDParam != want {
			t.Errorf("%s: the wrong parameter has the click id: %q", key, s.ExternalIDParam)
		}
	}
	want := map[string]string{"Partnerize": "pubref", "eBay Partner Network": "customid", "Digistore24": "cid", "MaxBounty": "s2"}
	for _, saved := range template.Networks() {
		if param, ok := want[saved.Network.Name]; ok && saved.Network.ClickParam != param {
			t.Errorf("%s: the wrong parameter has the click id: %q", saved.Network.Name, saved.Network.ClickParam)
		}
		delete(want, saved.Network.Name)
	}
	if len(want) > 0 {
		t.Errorf("these networks have no template: %v", want)
	}
}

// Each built-in template of a network can be imported, names the page from which it was read, and occurs once.
func TestNetworks(t *testing.T) {
	t.Parallel()
	list := template.Networks()
	if !slices.IsSortedFunc(list, func(a, b template.SavedNetwork) int {
		return strings.Compare(strings.ToLower(a.Network.Name), strings.ToLower(b.Network.Name))
	}) {
		t.Error("the templates are not in the order of their names")
	}
	if n := len(list) - len(notification.All()); n < 120 {
		t.Errorf("%d templates, want at least 120", n)
	}
	seen := map[any]bool{uuid.Nil: true}
	for _, saved := range list {
		n := saved.Network
		if err := n.Check(time.Now()); err != nil {
			t.Errorf("the template of %s cannot be imported: %v", n.Name, err)
		}
		checkOrigin(t, n.Origin)
		if seen[saved.ID] || seen[strings.ToLower(n.Name)] || saved.AccountID != uuid.Nil {
			t.Errorf("%s appears twice, or belongs to an account", n.Name)
		}
		seen[saved.ID], seen[strings.ToLower(n.Name)] = true, true
		// Three kinds of networks have no macro for the click id: networks that send notifications (see notified), networks that send
		// no postbacks, and networks whose macros are not known. The notes of such a network say why.
		if (n.Macros["click_id"] == "") != (len(n.Macros) == 0) || len(n.Macros) == 0 && n.Notes == "" {
			t.Errorf("%s has no macro for the click id and does not say why", n.Name)
		}
		params := map[string]string{}
		for field, macro := range n.Macros {
			if !slices.Contains(models.PostbackFields, field) || !token.LooksLikeMacro(macro) {
				t.Errorf("%s: the field %s is unknown, or its macro %s is not recognized", n.Name, field, macro)
			}
			params[n.PostbackParams[field]] = macro
		}
		for status, words := range n.StatusMap {
			for _, w := range words {
				if got := postback.Means(w, n.StatusMap).Status; got != status {
					t.Errorf("%s: the word %s means %s, want %s", n.Name, w, got, status)
				}
			}
		}
		if query := n.Query(); strings.Count(query, "=") != len(params) || (query == "") != (len(n.Macros) == 0) {
			t.Errorf("%s: the query %s does not have each parameter once", n.Name, query)
		}
	}
}

// A template has a currency only if the currency of the network is known.
func TestNetworkCurrencies(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, saved := range template.Networks() {
		got[saved.Network.Name] = saved.Network.Currency
	}
	for name, want := range map[string]string{"Everflow": "", "Shopify": "", "Pampadu": "RUB", "PerfectPay": "BRL"} {
		if currency, ok := got[name]; !ok || currency != want {
			t.Errorf("%s: the currency is %q, want %q", name, currency, want)
		}
	}
}

// Clients store the ids of built-in templates, so the ids must not change.
func TestNetworkIDsStay(t *testing.T) {
	t.Parallel()
	for _, saved := range template.Networks() {
		if saved.Network.Name == "Everflow" {
			if saved.ID.String() != "a7eb2939-d9fa-5b48-8673-78c8ca3e72a2" {
				t.Errorf("the id of Everflow has changed to %s", saved.ID)
			}
			return
		}
	}
	t.Error("the template of Everflow is missing")
}
