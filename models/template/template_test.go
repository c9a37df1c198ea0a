package template_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/postback"
	"switchyard/models/template"
	"switchyard/models/token"
)

func TestSources(t *testing.T) {
	t.Parallel()
	key := regexp.MustCompile(`^[a-z][a-z_]+$`)
	seen := map[string]bool{"custom": true}
	ours := regexp.MustCompile(`\{[^}]*\}`)
	for _, s := range template.Sources() {
		if !key.MatchString(s.Key) || seen[s.Key] || s.Name == "" || !template.IsPlatform(s.Key) {
			t.Errorf("%q: the key or the name is not valid, or the key is used twice", s.Key)
		}
		seen[s.Key] = true
		if u := s.PostbackURL; u != "" && token.ValidURL(u) != nil || len(u) > 4000 {
			t.Errorf("%s: a source cannot have the address %s", s.Key, u)
		}
		for _, name := range ours.FindAllString(s.PostbackURL, -1) {
			if name != "{external_id}" && name != "{payout}" {
				t.Errorf("%s: the postback has %s, which is no token of ours", s.Key, name)
			}
		}
		if s.PostbackURL != "" && s.ExternalIDParam == "" || (s.CostMacro == "") != (s.CostParam == "") {
			t.Errorf("%s: parameters and macros do not fit: %+v", s.Key, s)
		}
		params := map[string]bool{s.CostParam: true}
		for _, m := range s.TokenMacros {
			if params[m.Param] || m.Macro == "" {
				t.Errorf("%s: %+v", s.Key, m)
			}
			params[m.Param] = true
		}
		// An unfilled macro must be recognized as a macro. Otherwise its name would be stored as a value.
		macros := []string{s.ExternalIDMacro, s.CostMacro}
		for _, m := range s.TokenMacros {
			macros = append(macros, m.Macro)
		}
		for _, m := range macros {
			if m != "" && !token.LooksLikeMacro(m) {
				t.Errorf("%s: %s is not recognized as a macro", s.Key, m)
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("%d templates", len(seen))
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

func TestNetworks(t *testing.T) {
	t.Parallel()
	list := template.Networks()
	if !slices.IsSortedFunc(list, func(a, b template.SavedNetwork) int {
		return strings.Compare(strings.ToLower(a.Network.Name), strings.ToLower(b.Network.Name))
	}) {
		t.Error("the templates are not in the order of their names")
	}
	seen := map[any]bool{uuid.Nil: true}
	for _, one := range list {
		n := one.Network
		if seen[one.ID] || seen[strings.ToLower(n.Name)] || one.AccountID != uuid.Nil {
			t.Errorf("%s is there twice", n.Name)
		}
		seen[one.ID], seen[strings.ToLower(n.Name)] = true, true
		if n.ClickParam == "" && len(n.Macros) == 0 {
			t.Errorf("%s has neither a click parameter nor macros", n.Name)
		}
		params := map[string]string{}
		for field, macro := range n.Macros {
			if !slices.Contains(models.PostbackFields, field) || !token.LooksLikeMacro(macro) {
				t.Errorf("%s: %s is %s", n.Name, field, macro)
			}
			params[n.PostbackParams[field]] = macro
		}
		for status, words := range n.StatusMap {
			for _, w := range words {
				if got := postback.Means(w, n.StatusMap).Status; got != status {
					t.Errorf("%s: %s is %s, not %s", n.Name, w, got, status)
				}
			}
		}
		if query := n.Query(); strings.Count(query, "=") != len(params) || (query == "") != (len(n.Macros) == 0) {
			t.Errorf("%s: %s", n.Name, query)
		}
	}
}

// Clients store the ids of built-in templates, so the ids must not change.
func TestNetworkIDsStay(t *testing.T) {
	t.Parallel()
	for _, one := range template.Networks() {
		if one.Network.Name == "Everflow" {
			if one.ID.String() != "a7eb2939-d9fa-5b48-8673-78c8ca3e72a2" {
				t.Errorf("the id of Everflow has changed to %s", one.ID)
			}
			return
		}
	}
	t.Error("the template of Everflow is missing")
}
